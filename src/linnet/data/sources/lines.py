"""What all formats of lines share: chunks, the lines in them, and which of those are not text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.on_error import BadRow
from linnet.data.sources.block import Block, Position
from linnet.data.sources.chunks import Chunk, Cutting, chunks, count_lines, hashed_again, last_line_end
from linnet.data.sources.encodings import UTF8, unfit_byte
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import first_records, joined, lines_in
from linnet.errors import option
from linnet.kernels import records as kernel

NUL = "a NUL byte: is this a text file?"


class LineSource(ABC):
    """A format whose rows are lines (or records over several lines) of text files."""

    format = ""
    cutting = Cutting(last_line_end, count_lines)

    def __init__(self, files: ByteFiles, *, chunk_size: int | None = None) -> None:
        self.files = files
        self.cut(self.cutting, chunk_size)

    def cut(self, cutting: Cutting, chunk_size: int | None) -> None:
        """Read chunks cut in this way, of `chunk_size` bytes if that is given."""
        self.cutting = cutting if chunk_size is None else replace(cutting, size=chunk_size)

    @property
    def details(self) -> list[str]:
        """How the files are read, where that is not plain: the encoding, unless it is UTF-8 or ASCII."""
        encoding = self.files.encoding_of(0)
        how = "detected" if self.files.encoding is None else "given"
        return [f"encoding {encoding}, {how}"] if encoding != UTF8 else []

    @property
    def size(self) -> int | None:
        return self.files.size

    @property
    def reopenable(self) -> bool:
        return self.files.reopenable

    @property
    def paths(self) -> list[str]:
        return self.files.paths

    def fingerprint(self) -> list[dict[str, Any]]:
        return self.files.fingerprint()

    def hashed_again(self, before: Position) -> Iterator[bytes]:
        return hashed_again(self.files, before)

    def chunks(self, start: Position) -> Iterator[Chunk]:
        return chunks(self.files, start, self.cutting)

    def first_chunks(self) -> list[Chunk]:
        """The first rows of the files, to infer columns and types from; none if there are none."""
        return [each.chunk for each in first_records(self.files, lines_in)]

    def sample(self) -> Block:
        """The first rows, which decide columns, types and task."""
        return joined(map(self.parse, self.first_chunks()))

    @abstractmethod
    def parse(self, chunk: Chunk) -> Block:
        """A chunk as a block; depends on the chunk alone, so that threads can parse several at once."""


def lines_of(chunk: Chunk) -> Records:
    """The lines of a chunk that are not blank, without their ends."""
    data = np.frombuffer(chunk.data, dtype=np.uint8)
    starts, stops, numbers = kernel.lines(data)
    return Records(data, starts, stops, numbers + chunk.at.line)


def only_text(chunk: Chunk, records: Records) -> tuple[Records, list[BadRow]]:
    """The records that are UTF-8 without NUL bytes, and the bad ones."""
    if kernel.is_text(records.data):
        return records, []
    bad: list[BadRow] = []
    good = np.ones(len(records), dtype=bool)
    for i in range(len(records)):
        raw = records.raw(i)
        if fault := _fault(raw, chunk.encoding):
            good[i] = False
            bad.append(BadRow(chunk.path, int(records.lines[i]), *fault, raw, int(records.starts[i])))
    return records.keep(good), bad


def _fault(raw: bytes | bytearray, encoding: str) -> tuple[int, str] | None:
    """The first byte, from 1, that is not text, and why."""
    nul = raw.find(b"\0")
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        if nul < 0 or error.start < nul:
            byte = f"{raw[error.start]:#04x}" if encoding == UTF8 else unfit_byte(raw, error.start)
            return error.start + 1, f"byte {byte} {_misfit(encoding)}"
    return (nul + 1, NUL) if nul >= 0 else None


def _misfit(encoding: str) -> str:
    if encoding != UTF8:
        return f"is not {encoding}: is that the encoding ({option('encoding')})?"
    return f"is not UTF-8, as the first rows are: name the encoding, for example {option('encoding', 'windows-1252')}"
