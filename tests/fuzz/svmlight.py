"""Feed mutated svmlight files to the parser and compare with a slow twin: python tests/fuzz/svmlight.py [FILES] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import math
import random
import re
import sys

import numpy as np

from linnet.kernels.svmlight import parse
from linnet.kernels.svmlight_errors import MESSAGES

NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
CONTENT = re.compile(rb"(%s)(?:[ \t]+qid:[0-9]+)?((?:[ \t]+[0-9]+:%s)*)" % (NUMBER, NUMBER))
PIECES = (
    *(b"1", b"-1", b"0.5", b"12:0.25", b"7:1", b"0:0", b"2147483646:1", b"2147483647:1", b"qid:3", b"qid:", b"1,2"),
    *(
        b" ",
        b"  ",
        b"\t",
        b":",
        b"#",
        b" # note",
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\xff",
        "é:😀".encode(),
        b"\xed\xa0\x80",
    ),
    *(b"nan", b"-inf", b"1e999", b"1e-999", b"0.1234567890123456789012", b"00000000000000000000000012:1", b"1_0", b"."),
)


def twin(line: bytes) -> tuple[float, list[int], list[float]] | str:
    """What a line is: a row, or "blank", or "wrong"."""
    content, comment, note = line.removesuffix(b"\r").partition(b"#")
    if comment:
        try:
            if "\0" in note.decode():
                return "wrong"
        except UnicodeDecodeError:
            return "wrong"
    content = content.strip(b" \t")
    if not content:
        return "blank"
    match = CONTENT.fullmatch(content)
    if not match:
        return "wrong"
    pairs = [entry.split(b":") for entry in match[2].split()]
    target, ids, values = float(match[1]), [int(i) for i, _ in pairs], [float(value) for _, value in pairs]
    if len(set(ids)) < len(ids) or any(i > 2**31 - 2 for i in ids) or any(map(math.isinf, [target, *values])):
        return "wrong"
    return target, ids, values


def check(text: bytes) -> None:
    """The parser finds the rows the twin finds, and one error for every line that is wrong."""
    # within a larger buffer a byte read too many shows in the result, in memory of its very size to the sanitizer
    got = parse(memoryview(b"9" + text + b"9 9:9")[1 : 1 + len(text)])
    alone = parse(np.frombuffer(text, dtype=np.uint8).copy())
    assert all(map(np.array_equal, got, alone))
    entries = list(zip(got.ids.tolist(), got.values.tolist(), strict=True))
    rows = {
        line: (target, *map(list, zip(*entries[start:stop], strict=True))) if stop > start else (target, [], [])
        for line, target, start, stop in zip(
            got.lines.tolist(), got.targets.tolist(), got.starts[:-1].tolist(), got.starts[1:].tolist(), strict=True
        )
    }
    lines = text.split(b"\n")
    wrong = dict(zip(got.error_lines.tolist(), got.error_columns.tolist(), strict=True))
    assert len(wrong) == len(got.error_lines)
    assert all(0 < code < len(MESSAGES) for code in got.error_codes.tolist())
    assert all(1 <= column <= len(lines[line]) + 1 for line, column in wrong.items())
    for number, line in enumerate(lines):
        found = rows.pop(number, "wrong" if number in wrong else "blank")
        # repr tells -0.0 from 0.0
        assert repr(found) == repr(twin(line)), f"line {number} of {text!r}: {found}, should be {twin(line)}"
    assert not rows


def mutated(random: random.Random) -> bytes:
    """A file of a few lines, good at first, then changed here and there."""
    lines = []
    for _ in range(random.randrange(5)):
        ids = random.sample(range(random.choice([10, 1000, 2**31 - 1])), random.randrange(8))
        if random.random() < 0.8:
            ids.sort()
        form = random.choice(["%d:%.1f", "%d:%.3g", "%d:%.16g", "%d:%.25e"])
        entries = [form % (i, random.gauss(0, 1) * 10.0 ** random.randrange(-9, 9)) for i in ids]
        lines.append(" ".join([random.choice(["1", "-1", "0.5"]), *entries]))
    text = bytearray("\n".join(lines).encode())
    for _ in range(random.choice([0, 1, 1, 2, 5])):
        place = random.randrange(len(text) + 1)
        match random.randrange(4):
            case 0:
                text[place:place] = random.choice(PIECES)
            case 1:
                del text[place : place + random.randrange(4)]
            case 2:
                text[place : place + 1] = bytes([random.randrange(256)])
            case 3:
                text[place:place] = text[: random.randrange(20)]
    return bytes(text)


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        check(mutated(source))


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated svmlight files read like the twin reads them")
