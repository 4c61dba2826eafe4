"""Feed mutated text to the kernels of records and compare with twins: python tests/fuzz/records.py [FILES] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import itertools
import random
import re
import sys

import numpy as np

from linnet.kernels.records import depths, labelled, lines

PIECES = [
    *b'",\t\n\r {}[]\\:a\0\xff',
    *(b"\r\n", b'""', b'"a,b"', b'"x\ny"', b'{"a":[1]}', b'\\"', b'{"k":"v}"}', b" \t"),
]
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^ \t\r]', re.DOTALL)


def twin_of_lines(text: bytes) -> list[tuple[int, int, int]]:
    found, at = [], 0
    for number, line in enumerate(text.split(b"\n")):
        if line.strip(b" \t\r"):
            found.append((at, at + len(line.removesuffix(b"\r")), number))
        at += len(line) + 1
    return found


def twin_of_depth(line: bytes) -> int:
    """The depth of the one object a line is, looking at brackets and strings only; or 0."""
    depth = most = 0
    over = False
    for token in TOKENS.findall(line):
        if over or (depth == 0 and token != b"{") or token == b'"':
            return 0
        depth += (token in b"[{") - (token in b"]}")
        most = max(most, depth)
        over = depth == 0
    return most if over else 0


def check(text: bytes) -> None:
    # memory of its very size, so that the sanitizer sees a byte read too many
    data = np.frombuffer(text, dtype=np.uint8).copy()
    starts, stops, numbers = lines(data)
    found = twin_of_lines(text)
    assert list(zip(starts.tolist(), stops.tolist(), numbers.tolist(), strict=True)) == found, text
    assert depths(data, starts, stops).tolist() == [twin_of_depth(text[a:b]) for a, b, _ in found], text
    check_labelled(text, data, [(a, b) for a, b, _ in found if b"\t" in text[a:b]])


def check_labelled(text: bytes, data: np.ndarray, places: list[tuple[int, int]]) -> None:
    separators = [text.index(b"\t", a) for a, _ in places]
    arrays = [np.array(each, dtype=np.int64) for each in ([a for a, _ in places], [b for _, b in places], separators)]
    labels, label_starts, texts, text_starts = labelled(data, *arrays)
    parted = [text[a:b].split(b"\t", 1) for a, b in places]
    for packed, cuts, wanted in zip(
        (labels, texts), (label_starts, text_starts), zip(*parted, strict=True), strict=False
    ):
        joined = packed.tobytes()
        assert [joined[a:b] for a, b in itertools.pairwise(cuts)] == list(wanted), text


def mutated(random: random.Random) -> bytes:
    pieces = random.choices(PIECES, k=random.randrange(30))
    return b"".join(bytes([piece]) if isinstance(piece, int) else piece for piece in pieces)


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        check(mutated(source))


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated texts cut into lines like the twins cut them")
