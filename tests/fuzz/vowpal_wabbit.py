"""Feed mutated lines to the kernel of Vowpal Wabbit's format and compare with a twin: [FILES] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import random
import re
import sys

import numpy as np

from linnet.kernels.vowpal_wabbit import MESSAGES, parse

PIECES = [
    *(bytes([byte]) for byte in b"||  \t:'1-.ae\xc3\0"),
    *(
        b"1 ",
        b"-1 2.5 ",
        b"'tag",
        b"|ns ",
        b"|ns:2 ",
        b"name:0.5 ",
        b"a b ",
        b"1:0.5 ",
        b"shared |",
        b"1e3",
        b"| a",
        b"0x1",
        b"inf",
        b"^",
    ),
]
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Refused(Exception):
    pass


def number(text: bytes, fault: int) -> float:
    if not NUMBER.fullmatch(text) or abs(float(text)) == float("inf"):
        raise Refused(fault)
    return float(text)


def twin(line: bytes) -> tuple[bytes, float, bytes, list[tuple[bytes, float]]]:
    """Label, importance, tag and features; Refused with the index of its message."""
    head, bar, rest = line.partition(b"|")
    if not bar:
        raise Refused(1)
    words = head.replace(b"\t", b" ").split(b" ")
    touching = words[-1] != b""
    words = [word for word in words if word]
    label, importance, tag = b"", 1.0, b""
    for at, word in enumerate(words):
        last = at == len(words) - 1
        if (last and touching) or word.startswith(b"'"):
            tag = word.removeprefix(b"'")
            if not last:
                raise Refused(4)
            break
        if b":" in word or (at == 0 and word == b"shared"):
            raise Refused(2)
        if at == 0:
            label = word
        elif at == 1:
            importance = number(word, 3)
            if importance < 0:
                raise Refused(3)
        else:
            raise Refused(4)
    features = []
    for space in rest.split(b"|"):
        name, blank, inside = re.match(rb"([^ \t]*)([ \t]?)(.*)", space, re.DOTALL).groups()
        name, colon, weight = name.partition(b":")
        if len(name) > 128:
            raise Refused(8)
        scale = number(weight, 5) if colon else 1.0
        for word in inside.replace(b"\t", b" ").split(b" ") if blank else []:
            if word:
                feature, colon, value = word.partition(b":")
                if not feature:
                    raise Refused(7)
                features.append(
                    ((name + b"^" if name else b"") + feature, (number(value, 6) if colon else 1.0) * scale)
                )
    return label, importance, tag, features


def check(lines: list[bytes]) -> None:
    text = b"\n".join(lines)
    data = np.frombuffer(text, dtype=np.uint8).copy()
    ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64) - 1
    starts = ends - [len(line) for line in lines]
    with np.errstate(over="ignore"):
        found = parse(data, starts, ends)
    names = [
        found["names"][a:b].tobytes() for a, b in zip(found["name_starts"][:-1], found["name_starts"][1:], strict=True)
    ]
    entries = list(zip(names, found["values"].tolist(), strict=True))
    for row, line in enumerate(lines):
        first, last = found["row_starts"][row : row + 2].tolist()
        try:
            label, importance, tag, features = twin(line)
        except Refused as refused:
            assert found["faults"][0, row] == refused.args[0], line  # noqa: PT017
            assert 0 <= found["faults"][1, row] <= len(line)
            assert first == last
            continue
        assert found["faults"][0, row] == 0, (line, MESSAGES[found["faults"][0, row]])
        a, b, c, d = found["heads"][:, row].tolist()
        assert (text[a:b], found["importance"][row], text[c:d]) == (label, importance, tag), line
        assert entries[first:last] == features, line


def mutated(source: random.Random) -> bytes:
    return b"".join(source.choices(PIECES, k=source.randrange(14)))


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        check([mutated(source) for _ in range(source.randrange(1, 4))])


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated texts read like the twin reads them")
