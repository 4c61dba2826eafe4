"""What all formats of lines share: chunks, the lines in them, and which of those are no text at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from linnet.data.sources.block import BadRow, Block, Position
from linnet.data.sources.chunks import LONGEST_LINE, Chunk, Cutting, chunks, count_lines, last_line_end
from linnet.data.sources.files import HEAD, ByteFiles, without_mark
from linnet.data.sources.records import Records
from linnet.kernels import records as kernel

NOT_UTF8 = "is no UTF-8: convert the file first, for example iconv -f latin1 -t utf-8"
NUL = "a NUL byte: is this a text file?"


class LineSource(ABC):
    """A format whose rows are lines (or records over several lines) of text files."""

    format = ""
    cutting = Cutting(last_line_end, count_lines)

    def __init__(self, files: ByteFiles) -> None:
        self.files = files

    @property
    def size(self) -> int | None:
        return self.files.size

    @property
    def reopenable(self) -> bool:
        return self.files.reopenable

    def fingerprint(self) -> list[dict[str, Any]]:
        return self.files.fingerprint()

    def chunks(self, start: Position) -> Iterator[Chunk]:
        return chunks(self.files, start, self.cutting)

    def first_chunk(self, records: int = 1) -> Chunk:
        """The first rows, to see what they are: at least so many records, if there are as many."""
        size = HEAD
        while True:
            head = self.files.head(size=size)
            ended = len(head) < size
            head = without_mark(head)
            if ended:
                break
            end = self.cutting.last_end(head)
            if size >= LONGEST_LINE or self.cutting.lines(head[:end]) >= records:
                head = head[:end] or head
                break
            size *= 4
        return Chunk(head, self.files.name(0))

    @abstractmethod
    def parse(self, chunk: Chunk) -> Block:
        """A chunk as a block; depends on nothing but the chunk, so that chunks can be parsed side by side."""


def lines_of(chunk: Chunk) -> Records:
    """The lines of a chunk that are not blank, without their ends."""
    data = np.frombuffer(chunk.data, dtype=np.uint8)
    starts, stops, numbers = kernel.lines(data)
    return Records(data, starts, stops, numbers + chunk.at.line)


def only_text(chunk: Chunk, records: Records) -> tuple[Records, list[BadRow]]:
    """The records that are UTF-8 without NUL bytes, and complaints about the others."""
    if kernel.is_text(records.data):
        return records, []
    bad: list[BadRow] = []
    good = np.ones(len(records), dtype=bool)
    for i in range(len(records)):
        raw = records.raw(i)
        if fault := _fault(raw):
            good[i] = False
            bad.append(BadRow(chunk.path, int(records.lines[i]), *fault, raw))
    return records.keep(good), bad


def _fault(raw: bytes | bytearray) -> tuple[int, str] | None:
    """The first byte, from 1, that makes this no text, and why it does."""
    nul = raw.find(b"\0")
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        if nul < 0 or error.start < nul:
            return error.start + 1, f"byte {raw[error.start]:#04x} {NOT_UTF8}"
    return (nul + 1, NUL) if nul >= 0 else None
