"""Rows of text into words or characters: the kernels' work, and what they leave to Python."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.buffers import Buffers
from linnet.data.features.unicode import SPECIALS, tables
from linnet.data.sources.block import Strings
from linnet.errors import InputError
from linnet.kernels import tokenizer as kernel

EVERY_ROW = np.empty(0, dtype=np.int64)
# Offsets of units have 32 bits, and three bytes may come of one.
LARGEST = 1 << 30


class Analyzer(StrEnum):
    """What n-grams are made of, under scikit-learn's names: words, characters, or characters within words."""

    WORD = "word"
    CHAR = "char"
    CHAR_WB = "char_wb"


@dataclass(frozen=True)
class Splitting:
    """How text becomes units: `marks` makes a word of every sign that is no letter, digit or space."""

    analyzer: Analyzer = Analyzer.WORD
    lowercase: bool = True
    shortest: int = 1
    marks: bool = False

    @property
    def whole(self) -> bool:
        """Is a segment shorter than an n-gram one itself?"""
        return self.analyzer is Analyzer.CHAR_WB

    @property
    def gap(self) -> int:
        """Bytes between two units."""
        return 1 if self.analyzer is Analyzer.WORD else 0


@dataclass(frozen=True, eq=False)
class Units:
    """The units of n rows, as kernels/tokenizer.py lays them out."""

    text: NDArray[np.uint8]
    starts: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    segments: NDArray[np.int64]
    row_segments: NDArray[np.int64]


class NotUtf8(InputError):
    """A row whose bytes are no UTF-8; the reader of its file knows the line."""

    def __init__(self, row: int, byte: int) -> None:
        super().__init__(f"row {row}: byte {byte + 1} is no valid UTF-8")
        self.row = row
        self.byte = byte


class _Room:
    """Arrays for the units of so much text: no more than they can come to, for memory that is touched costs time."""

    def __init__(self, texts: Strings, how: Splitting, buffers: Buffers, spelling: Buffers) -> None:
        size, rows = int(texts.starts[-1] - texts.starts[0]), len(texts)
        if size > LARGEST:
            raise InputError(f"{size:,} bytes of text at once are too many: take fewer rows at a time")
        most = {Analyzer.WORD: size if how.marks else size // 2, Analyzer.CHAR: size, Analyzer.CHAR_WB: 2 * size}
        units = most[how.analyzer] + 2 * rows + 2
        bytes_each = 3 if how.analyzer is Analyzer.CHAR_WB else 2
        self.text = spelling.array("text", bytes_each * (size + rows) + 2 * kernel.SLACK, np.uint8)
        self.starts = buffers.array("starts", units, np.uint32)
        self.hashes = buffers.array("hashes", units, np.uint64)
        segments = (rows if how.analyzer is not Analyzer.CHAR_WB else size + rows) + 2
        self.segments = buffers.array("segments", segments, np.int64)
        longest = int(np.diff(texts.starts).max(initial=0)) + kernel.ROOM
        self.work = buffers.array("work", 2 * longest, np.uint8).reshape(2, longest)

    def copied_from(self, other: _Room) -> _Room:
        for name in ("text", "starts", "hashes", "segments"):
            old, new = getattr(other, name), getattr(self, name)
            both = min(len(old), len(new))
            new[:both] = old[:both]
        return self


def split(texts: Strings, how: Splitting, buffers: Buffers | None = None, spelling: Buffers | None = None) -> Units:
    """Every row's units: how they are spelt in buffers that may be kept for longer than the others."""
    buffers = Buffers() if buffers is None else buffers
    spelling = buffers if spelling is None else spelling
    words = how.analyzer is Analyzer.WORD
    known, room = tables(lowercase=how.lowercase), _Room(texts, how, buffers, spelling)
    row_segments = EVERY_ROW if words else np.empty(len(texts) + 1, dtype=np.int64)
    out = unit = segment = row = 0
    while True:
        if words:
            row, out, unit, why, where = kernel.split_words(
                texts.data, texts.starts, row, known.kinds, known.lowers, known.pages, how.shortest, how.marks,
                room.text, room.starts, room.hashes, room.segments, room.work, out, unit,
            )  # fmt: skip
        else:
            row, out, unit, segment, why, where = kernel.split_characters(
                texts.data, texts.starts, row, known.kinds, known.lowers, known.pages,
                room.text, room.starts, room.hashes, room.segments, row_segments, how.analyzer is Analyzer.CHAR_WB,
                out, unit, segment,
            )  # fmt: skip
        if why == kernel.DONE:
            break
        if why == kernel.NOT_UTF8:
            raise NotUtf8(row, int(where - texts.starts[row]))
        if why == kernel.PAGE_MISSING:
            known.fill(where)
        else:
            texts = _lowered(texts, row)
            room = _Room(texts, how, buffers, spelling).copied_from(
                room
            )  # lower case may be longer, or shorter, than what it stands for
    segments = room.segments[: (row if words else segment) + 1]
    return Units(room.text[: out + kernel.SLACK], room.starts[: unit + 1], room.hashes[:unit], segments, row_segments)


def _lowered(texts: Strings, row: int) -> Strings:
    """The same texts with Python's lower case for this row, and for every later one that would ask for it too."""
    lengths = np.diff(texts.starts)
    pieces, done = [], texts.starts[0]
    for r in [row, *_special_after(texts, row)]:
        try:
            lower = texts.bytes_of(r).decode().lower().encode()
        except UnicodeDecodeError as error:
            if r == row:
                raise NotUtf8(row, error.start) from None
            continue
        pieces += [texts.data[done : texts.starts[r]], np.frombuffer(lower, dtype=np.uint8)]
        done = texts.starts[r + 1]
        lengths[r] = len(lower)
    data = np.concatenate([*pieces, texts.data[done : texts.starts[-1]]])
    return Strings(data, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def _special_after(texts: Strings, row: int) -> list[int]:
    """The rows after this one with a character that only Python can lower: all at once, or a block of Greek would be
    copied as often as it has rows."""
    first = int(texts.starts[row + 1])
    data = texts.data[first : texts.starts[-1]]
    at = [np.flatnonzero((data[:-1] == a) & (data[1:] == b)) for a, b in (c.encode() for c in SPECIALS)]
    found = np.searchsorted(texts.starts, first + np.concatenate(at), side="right") - 1
    return [int(r) for r in np.unique(found)]
