"""Feed random text and bytes to the kernels of words and n-grams and compare with a twin: python
tests/fuzz/tokenizer.py [TEXTS] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from itertools import pairwise

import numpy as np

from linnet.data.features.text import TextOptions, TextTerm
from linnet.data.features.tokenizer import Analyzer, NotUtf8
from linnet.data.sources.block import Strings

SIGNS = [
    *"abcAB_09 .,-\t\n\0éÉßΣσςİıȺǅﬀ𝐀😀\u0301\u00a0\u2003\u3000\u200b\u1c89\ud7ff\ue000\U0010ffff漢",
    "  ",
    "word ",
    "Σ ",
]


def twin(text: str, options: TextOptions) -> Counter[str]:
    """The n-grams of a text, as scikit-learn's CountVectorizer makes them."""
    text = text.lower() if options.lowercase else text
    if options.analyzer is Analyzer.WORD:
        found = re.findall(r"\w+|[^\w\s]" if options.marks else r"\w+", text)
        units = [unit for unit in found if len(unit) >= options.word_length or not re.match(r"\w", unit)]
        return Counter(" ".join(gram) for gram in grams(units, options))
    if options.analyzer is Analyzer.CHAR:
        return Counter("".join(gram) for gram in grams(re.sub(r"\s\s+", " ", text), options))
    counts: Counter[str] = Counter()
    for word in text.split():
        found = ["".join(gram) for gram in grams(f" {word} ", options)]
        counts.update(found or [f" {word} "])
    return counts


def grams(units, options):
    sizes = range(options.shortest, options.longest + 1)
    return [units[i : i + size] for size in sizes for i in range(len(units) - size + 1)]


def check(rows: list[bytes], options: TextOptions, bits: int) -> None:
    # the texts lie somewhere within a buffer of their very size
    data = np.frombuffer(b"".join([b"\xff", *rows]), dtype=np.uint8).copy()
    starts = np.cumsum([1, *map(len, rows)], dtype=np.int64)
    texts = Strings(data, starts)
    wrong = [(row, fault) for row, raw in enumerate(rows) if (fault := not_utf8(raw)) is not None]
    term = TextTerm("t", options, bits=bits, prefix="")
    try:
        counted = term.prepare({"t": texts})
    except ValueError as told:
        if not wrong or (isinstance(told, NotUtf8) and (told.row, told.byte) != wrong[0]):
            raise
        return
    assert not wrong, rows
    piece = term.number(counted, frozen=False)
    assert np.array_equal(term.number(counted, frozen=True).ids, piece.ids)
    for (start, stop), raw in zip(pairwise(piece.starts.tolist()), rows, strict=True):
        expected = twin(raw.decode(), options)
        counts = piece.values[start:stop].tolist()
        if bits:
            assert sum(counts) == expected.total(), (raw, options)
        else:
            got = {term.name(i): count for i, count in zip(piece.ids[start:stop].tolist(), counts, strict=True)}
            assert got == expected, (raw, options)


def not_utf8(raw: bytes) -> int | None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def made(random: random.Random) -> bytes:
    # words are looked for among 64 bytes at a time: some rows go beyond
    raw = "".join(random.choices(SIGNS, k=random.randrange(random.choice([25, 25, 25, 200])))).encode()
    if random.random() < 0.03:
        place = random.randrange(len(raw) + 1)
        raw = raw[:place] + random.choice(
            [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xf0\x9f\x98"]
        )
    return raw


def some_options(random: random.Random) -> TextOptions:
    shortest = random.randrange(1, 4)
    return TextOptions(
        random.choice(list(Analyzer)), shortest, shortest + random.randrange(3), random.random() < 0.7,
        random.randrange(1, 4), random.random() < 0.5,
    )  # fmt: skip


def run(texts: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(texts // 4):
        check([made(source) for _ in range(4)], some_options(source), source.choice([0, 0, 4, 20]))


if __name__ == "__main__":
    texts, seed = (int(argument) for argument in [*sys.argv[1:], "40000", "1"][:2])
    run(texts, seed)
    print(f"{texts} texts counted like the twin counts them")
