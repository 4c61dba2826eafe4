"""Feed mutated lines of JSON to the kernel of flat objects: python tests/fuzz/jsontext.py [FILES] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import json
import random
import sys
from itertools import pairwise

import numpy as np

from linnet.kernels.json_strings import text_fields

SIGNS = ["{", "}", ":", ",", " ", "\t", "\r", "\\", "1", "null", "[]", "x", "é", "\x01"]
ESCAPES = ['\\"', r"\\", r"\n", r"\x", r"\u00e9", r"\u20", r"\ud83d", r"\ude00", r"\u0000"]
STRINGS = ['"', '"a"', '"b"', '"a":"x"', '"b":"y"', '{"a":"', '","b":"', '"}', *ESCAPES]
PIECES = [each.encode() for each in (*SIGNS, *STRINGS)]
KEYS = ["a", "b"]


def read(lines: list[bytes], keys: list[str]) -> list[dict[str, str]] | None:
    """The values as text, line by line; None where they were not read."""
    data = np.frombuffer(b"\n".join(lines), dtype=np.uint8).copy()  # of its very size, for the sanitizer
    stops = np.cumsum([len(line) + 1 for line in lines]) - 1
    starts = stops - [len(line) for line in lines]
    found = text_fields(data, starts, stops, [key.encode() for key in keys])
    if found is None:
        return None
    columns = [[text[a:b].tobytes().decode() for a, b in pairwise(at.tolist())] for text, at in found]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def twin(line: bytes, keys: list[str]) -> dict[str, str] | None:
    """What the json module finds, if the line is an object of strings with each key once."""
    try:
        pairs = json.loads(line, object_pairs_hook=tuple)
    except ValueError:
        return None
    if not isinstance(pairs, tuple) or not all(isinstance(value, str) for _, value in pairs):
        return None
    names = [name for name, _ in pairs]
    return {key: dict(pairs)[key] for key in keys} if all(names.count(key) == 1 for key in keys) else None


def check(line: bytes) -> None:
    first = {"a": "1", "b": "2"}
    found, expected = read([json.dumps(first).encode(), line], KEYS), twin(line, KEYS)
    if found is not None:
        assert found == [first, expected], line
    elif expected is not None:  # then it holds an escape that is left to others
        assert b"\\ud" in line or b"\\u0000" in line, line


def mutated(source: random.Random) -> bytes:
    if source.random() < 0.5:
        return b"".join(source.choices(PIECES, k=source.randrange(20)))
    line = json.dumps({key: "".join(source.choices('ab"\\\né€\U0001f600', k=5)) for key in KEYS}).encode()
    at = source.randrange(len(line))
    return line[:at] + source.choice(PIECES) + line[at + source.randrange(2) :]


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        check(mutated(source))


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated lines of JSON read as the json module reads them, or not at all")
