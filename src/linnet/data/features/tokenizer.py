"""Rows of text into tokens, words or characters: calls the kernels, and does in Python what they leave to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.buffers import Buffers
from linnet.data.features.text_options import Analyzer, Tokenization
from linnet.data.features.unicode import SPECIALS, tables
from linnet.data.sources.block import Strings
from linnet.errors import InputError
from linnet.kernels import tokenizer as kernel
from linnet.kernels.character_tokenizer import split_characters

EVERY_ROW = np.empty(0, dtype=np.int64)
# Offsets of tokens have 32 bits, and one byte may become three.
LARGEST = 1 << 30


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of n rows, as kernels/tokenizer.py lays them out."""

    text: NDArray[np.uint8]
    starts: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    segments: NDArray[np.int64]
    row_segments: NDArray[np.int64]


class NotUtf8(InputError):
    """A row that is not UTF-8; the reader of its file knows the line."""

    def __init__(self, row: int, byte: int) -> None:
        super().__init__(f"row {row}: byte {byte + 1} is not valid UTF-8")
        self.row = row
        self.byte = byte


class _Room:
    """Arrays for the tokens of some text, no larger than they need to be: touching memory costs time."""

    def __init__(self, texts: Strings, how: Tokenization, buffers: Buffers, spelling: Buffers) -> None:
        size, rows = int(texts.starts[-1] - texts.starts[0]), len(texts)
        if size > LARGEST:
            raise InputError(f"{size:,} bytes of text in one block are too many: use fewer rows a block")
        most = {Analyzer.WORD: size if how.marks else size // 2, Analyzer.CHAR: size, Analyzer.CHAR_WB: 2 * size}
        tokens = most[how.analyzer] + 2 * rows + 2
        bytes_each = 3 if how.analyzer is Analyzer.CHAR_WB else 2
        self.text = spelling.array("text", bytes_each * (size + rows) + 2 * kernel.SLACK, np.uint8)
        self.starts = buffers.array("starts", tokens, np.uint32)
        self.hashes = buffers.array("hashes", tokens, np.uint64)
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


def tokenize(
    texts: Strings, how: Tokenization, buffers: Buffers | None = None, spelling: Buffers | None = None
) -> Tokens:
    """The tokens of every row; their text lies in `spelling`, which may be kept for longer than the other buffers."""
    buffers = Buffers() if buffers is None else buffers
    spelling = buffers if spelling is None else spelling
    words = how.analyzer is Analyzer.WORD
    known, room = tables(lowercase=how.lowercase), _Room(texts, how, buffers, spelling)
    row_segments = EVERY_ROW if words else np.empty(len(texts) + 1, dtype=np.int64)
    out = token = segment = row = 0
    while True:
        if words:
            row, out, token, why, where = kernel.split_words(
                texts.data, texts.starts, row, known.kinds, known.lowers, known.pages, how.shortest, how.marks,
                room.text, room.starts, room.hashes, room.segments, room.work, out, token,
            )  # fmt: skip
        else:
            row, out, token, segment, why, where = split_characters(
                texts.data, texts.starts, row, known.kinds, known.lowers, known.pages,
                room.text, room.starts, room.hashes, room.segments, row_segments, how.analyzer is Analyzer.CHAR_WB,
                out, token, segment,
            )  # fmt: skip
        if why == kernel.DONE:
            break
        if why == kernel.NOT_UTF8:
            raise NotUtf8(row, int(where - texts.starts[row]))
        if why == kernel.PAGE_MISSING:
            known.fill(where)
        else:
            texts = _lowered(texts, row)
            # lower case may be longer, or shorter
            room = _Room(texts, how, buffers, spelling).copied_from(room)
    segments = room.segments[: (row if words else segment) + 1]
    return Tokens(
        room.text[: out + kernel.SLACK], room.starts[: token + 1], room.hashes[:token], segments, row_segments
    )


def _lowered(texts: Strings, row: int) -> Strings:
    """The texts with this row, and every later one that needs it too, in Python's lower case."""
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
    """The rows after this one that only Python can lower: found at once, or a block of Greek would be copied for every
    row."""
    first = int(texts.starts[row + 1])
    data = texts.data[first : texts.starts[-1]]
    at = [np.flatnonzero((data[:-1] == a) & (data[1:] == b)) for a, b in (c.encode() for c in SPECIALS)]
    found = np.searchsorted(texts.starts, first + np.concatenate(at), side="right") - 1
    return [int(r) for r in np.unique(found)]
