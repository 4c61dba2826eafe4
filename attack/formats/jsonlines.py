"""JSON Lines, and the JSON that people take for it: keys that come and go, types that change, nesting, escapes."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated

PIECES = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\\", b"1", b"NaN", b"true", b"null", b'"a":', b"\\ud800",
    b"\\u0000", b"\\x", b"-", b"1e", b'{"y":"a"}\n', b"{}\n", b'"y":"b",',
]  # fmt: skip


def make(random: Random) -> Data:
    keys = [words.column(random, index) for index in range(random.choice([0, 1, 2, 4, 8]))]
    kinds = [random.choice(["text", "text", "word", "number", "any"]) for _ in keys]
    ascii_only = random.random() < 0.5
    rows = []
    for _ in range(random.choice([0, 1, 2, 12, 60, 300])):
        row: dict[str, Any] = {
            key: _value(random, kind, 0) for key, kind in zip(keys, kinds, strict=True) if random.random() < 0.95
        }
        row["y"] = words.label(random, 0.05)
        if random.random() < 0.02:
            row[words.word(random)] = _value(random, "any", 0)
        rows.append(row)
    if random.random() < 0.15:
        indent = random.choice([None, 1, "\t"])
        text = json.dumps(rows, ensure_ascii=ascii_only, indent=indent)
        if random.random() < 0.3:
            text = "\n".join(json.dumps(row, ensure_ascii=ascii_only, indent=2) for row in rows)
        content = text.encode("utf-8", "surrogatepass")
        return one("data.json", mutated(random, content, PIECES) if random.random() < 0.6 else content, "--target", "y")
    content = "\n".join(_dumped(row, ascii_only) for row in rows).encode("utf-8", "surrogatepass")
    if random.random() < 0.6:
        content = mutated(random, content, PIECES)
    return one(random.choice(["data.jsonl", "data.ndjson", "data"]), content, "--target", "y")


def _dumped(value: Any, ascii_only: bool) -> str:
    return json.dumps(value, ensure_ascii=ascii_only)


def _value(random: Random, kind: str, depth: int) -> Any:
    if kind == "text":
        return words.text(random)
    if kind == "word":
        return words.word(random)
    if kind == "number":
        return random.choice([random.gauss(0, 1), random.randrange(100), None])
    match random.randrange(12):
        case 0:
            return None
        case 1:
            return random.choice([True, False])
        case 2:
            return random.choice([0, -1, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400])
        case 3:
            return random.choice([0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf")])
        case 4 if depth < 4:
            return [_value(random, "any", depth + 1) for _ in range(random.randrange(4))]
        case 5 if depth < 4:
            return {words.word(random): _value(random, "any", depth + 1) for _ in range(random.randrange(4))}
        case 6:
            return "2024-01-0" + str(random.randrange(10))
        case _:
            return words.text(random)
