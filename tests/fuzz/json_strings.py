"""Feed mutated lines of JSON to the kernel of flat objects: python tests/fuzz/json_strings.py [FILES] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import json
import random
import re
import sys
from itertools import pairwise

import numpy as np

from linnet.kernels.json_strings import BOOLEAN, INTEGER, STRING, text_fields

NUMBERS = ["1", "-", "0", "12", ".5", "e1"]
SIGNS = ["{", "}", ":", ",", " ", "\t", "\r", "\\", "null", "true", "false", "[]", "x", "é", "\x01", *NUMBERS]
ESCAPES = ['\\"', r"\\", r"\n", r"\x", r"\u00e9", r"\u20", r"\ud83d", r"\ude00", r"\u0000"]
FIELDS = ['"a":"x"', '"b":"y"', '{"a":"', '","b":"', '"n":7', '"t":true', ',"n":-0', ',"t":']
STRINGS = ['"', '"a"', '"b"', '"}', *FIELDS, *ESCAPES]
PIECES = [each.encode() for each in (*SIGNS, *STRINGS)]
FORMS = {"a": STRING, "b": STRING, "n": INTEGER, "t": BOOLEAN}
KEYS = ["a", "b"]


def read(lines: list[bytes], keys: list[str]) -> list[dict[str, str]] | None:
    """The values as text, line by line; None where they were not read.  Keys that are not in FORMS have strings."""
    data = np.frombuffer(b"\n".join(lines), dtype=np.uint8).copy()  # of its very size, for the sanitizer
    stops = np.cumsum([len(line) + 1 for line in lines]) - 1
    starts = stops - [len(line) for line in lines]
    found = text_fields(data, starts, stops, [key.encode() for key in keys], [FORMS.get(key, STRING) for key in keys])
    if found is None:
        return None
    columns = [[text[a:b].tobytes().decode() for a, b in pairwise(at.tolist())] for text, at in found]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def twin(line: bytes, keys: list[str]) -> dict[str, str] | None:
    """What the json module finds, if the line is a flat object of strings, integers and booleans with each key once."""
    try:
        pairs = json.loads(line, object_pairs_hook=tuple, parse_int=Integer)
    except ValueError:
        return None
    kinds = (str, Integer, bool, type(None))
    if not isinstance(pairs, tuple) or not all(isinstance(value, kinds) for _, value in pairs):
        return None
    names = [name for name, _ in pairs]
    if any(names.count(key) != 1 or not _has_form(dict(pairs)[key], FORMS[key]) for key in keys):
        return None
    return {key: _spelt(dict(pairs)[key]) for key in keys}


class Integer:
    """An integer as it is spelt."""

    def __init__(self, digits: str) -> None:
        self.digits = digits


def _has_form(value: object, form: int) -> bool:
    return isinstance(value, {STRING: str, INTEGER: Integer, BOOLEAN: bool}[form])


def _spelt(value: object) -> str:
    if isinstance(value, Integer):
        return str(int(value.digits))
    return str(value).lower() if isinstance(value, bool) else str(value)


# Half of a surrogate pair, NUL, -0, more digits than 18, and keys with an escape.
LEFT_TO_OTHERS = re.compile(rb'\\ud|\\u0000|-0|[0-9]{19}|\\.[^"\\]*"\s*:')


def check(line: bytes, first: dict[str, object]) -> None:
    keys = list(first)
    found, expected = read([json.dumps(first).encode(), line], keys), twin(line, keys)
    if found is not None:
        assert found == [{key: _spelt(value) for key, value in first.items()}, expected], line
    elif expected is not None:
        assert LEFT_TO_OTHERS.search(line), line


def mutated(source: random.Random) -> bytes:
    if source.random() < 0.5:
        return b"".join(source.choices(PIECES, k=source.randrange(20)))
    row: dict[str, object] = {key: "".join(source.choices('ab"\\\né€\U0001f600', k=5)) for key in KEYS}
    row |= {"n": source.choice((0, -1, 10**18 - 1, 7)), "t": source.random() < 0.5}
    line = json.dumps(row).encode()
    at = source.randrange(len(line))
    return line[:at] + source.choice(PIECES) + line[at + source.randrange(2) :]


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        line = mutated(source)
        check(line, {"a": "1", "b": "2"})
        check(line, {"n": -3, "a": "1", "t": True})


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated lines of JSON read as the json module reads them, or not at all")
