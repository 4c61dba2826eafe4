"""Files cut into chunks of whole lines; the chunks from a position on do not depend on where reading began."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from linnet.data.limits import LONGEST_ROW
from linnet.data.sources.block import Position
from linnet.data.sources.encodings import UTF8
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.readers import DecodedReader, Reader
from linnet.errors import InputError, option
from linnet.kernels.content_hash import content_hash
from linnet.kernels.records import count_byte

CHUNK = 1 << 20
LONGEST_LINE = LONGEST_ROW
# Of very short lines, a chunk has no more than this many: each may be a bad row, which takes far more memory.
MOST_LINES = 1 << 17


@dataclass(frozen=True, eq=False)
class Chunk:
    """Whole lines of one file, and the positions where they begin and end.

    `encoding` is that of its file, for its data are UTF-8 always; `columns` are the columns of its file, where they are
    not those of the first file.
    """

    data: bytes | bytearray = field(repr=False)
    path: str
    at: Position = field(default_factory=Position)
    after: Position = field(default_factory=Position)
    read: int = 0
    encoding: str = UTF8
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Cutting:
    """How text is cut: where its last whole record ends (0: nowhere), its number of lines, the size of chunks in bytes,
    the longest record that is accepted, the most lines of a chunk, and whatever else limits it: where a chunk that
    could end at one place is to end.

    The text may end within a record, or between CR and LF.
    """

    last_end: Callable[[bytes | bytearray], int]
    lines: Callable[[bytes | bytearray], int]
    size: int = CHUNK
    longest: int = LONGEST_LINE
    most_lines: int = MOST_LINES
    limit: Callable[[bytearray, int], int] | None = None

    def end_within(self, data: bytearray, end: int) -> int:
        """Where a chunk that could end there ends, as it may have no more lines than that: unless it is one record."""
        most, low, high = self.most_lines, 0, end
        if end <= most or self.lines(data if end == len(data) else data[:end]) <= most:
            return end
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.lines(data[:middle]) <= most else (low, middle)
        return self.last_end(data[:low]) or end


def last_line_end(data: bytes | bytearray) -> int:
    return data.rfind(b"\n") + 1


def count_lines(data: bytes | bytearray) -> int:
    found: int = count_byte(data, 10)  # unlike bytes.count, it releases the GIL
    return found


def end_of_line(data: bytes | bytearray, number: int, stop: int) -> int:
    """Where line `number`, from 1, ends; or `stop`, if that comes first."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8)[:stop] == ord("\n"))
    return int(ends[number - 1]) + 1 if len(ends) >= number else stop


def chunks(files: ByteFiles, start: Position, cutting: Cutting) -> Iterator[Chunk]:
    """Every file from `start` on, in chunks of at most `size` bytes, or a single longer record."""
    seen = start.seen
    for number in range(start.file, len(files)):
        at = start if number == start.file else Position(number)
        with files.opened(number, at.offset) as reader:
            path, encoding, rest, consumed = files.name(number), files.encoding_of(number), b"", reader.consumed
            if at.offset == 0:
                at = Position(number, reader.skip_bom())
            while at.file == number:
                data = _read_on(rest, reader, cutting.size)
                if not data:
                    break
                end, last = _whole(data, reader, cutting, f"{path}:{at.line}")
                end = cutting.end_within(data, end)
                if cutting.limit is not None:
                    end = cutting.limit(data, end)
                rest = bytes(data[end:])
                del data[end:]  # in place: chunks are not copied
                seen = None if seen is None else content_hash(seen, data)
                after = Position(number, at.offset + end, at.line + cutting.lines(data), seen=seen)
                if last and not rest:
                    after = Position(number + 1, seen=seen)
                read, consumed = reader.consumed - consumed, reader.consumed
                yield Chunk(data, path, at, after, read, encoding)
                at = after


def hashed_again(files: ByteFiles, before: Position) -> Iterator[bytes]:
    """The running hash of all that `chunks` reads before a position, piece by piece: the last one is that of all."""
    seen = b""
    for number in range(min(before.file + 1, len(files))):
        stop = before.offset if number == before.file else None
        with files.opened(number) as reader:
            at = reader.skip_bom()
            while piece := reader.read(CHUNK if stop is None else max(0, min(CHUNK, stop - at))):
                at += len(piece)
                seen = content_hash(seen, piece)
                yield seen
    yield seen


def _read_on(rest: bytes, reader: Reader | DecodedReader, size: int) -> bytearray:
    """The rest of the last chunk, filled up to `size` bytes from the file."""
    data = bytearray(max(size, len(rest)))
    data[: len(rest)] = rest
    with memoryview(data) as room:
        have = len(rest) + reader.fill(room[len(rest) :])
    del data[have:]
    return data


def _whole(data: bytearray, reader: Reader | DecodedReader, cutting: Cutting, location: str) -> tuple[int, bool]:
    """Where the last whole record ends, after reading more if there is none; and whether the file has ended."""
    if reader.ended:
        return len(data), True
    end, last = cutting.last_end(data if len(data) == cutting.size else data[: cutting.size]), False
    while not end:
        data += _read_on(b"", reader, cutting.size)
        last = reader.ended
        if len(data) > cutting.longest:
            raise InputError(
                f"{location}: a line of more than {cutting.longest >> 20} MiB: is the format right "
                f"({option('format')})? Is a quote never closed?"
            )
        end = cutting.last_end(data) or (len(data) if last else 0)
    return end, last
