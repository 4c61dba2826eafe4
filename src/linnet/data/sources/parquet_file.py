"""One open Parquet file: its row groups in bounded batches, and an error with its name if it changes meanwhile."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet

from linnet.data.limits import BLOCK_BYTES
from linnet.data.sources import parquet_pages as pages
from linnet.data.sources.arrow import is_string, rows_at_once
from linnet.data.sources.nesting import flat_table
from linnet.data.sources.readers import read_errors
from linnet.data.sources.table import types_of
from linnet.errors import InputError
from linnet.kernels.content_hash import content_hash

ROWS = 16384
# Bytes that are read at a time, so that a row group is never in memory whole: of all columns, and of one at most.
ALL_BUFFERS, BUFFER, LEAST_BUFFER = 1 << 24, 1 << 16, 1 << 12
PIECE = 1 << 20
NOT_READ = "pages are not read"


@dataclass(frozen=True, eq=False)
class ParquetFile:
    """An open Parquet file.  It is not mapped into memory: where such a file is cut short, reading ends the process."""

    path: str
    parquet: Any
    handle: BinaryIO
    opened: tuple[int, int]

    def batches(self, number: int, columns: list[str], asked: int | None, most: int = ROWS) -> Iterator[Any]:
        """The rows of a row group, as many at once as are asked for, or as make a block, `most` of them; read in parts
        that are affordable."""
        group = self.parquet.metadata.row_group(number)
        pages.refuse_expansion(group, self.path, number)
        average = max(1, BLOCK_BYTES * group.num_rows // max(group.total_byte_size, 1))
        count = rows_at_once(len(columns), asked, min(most, average))
        kinds = types_of(self.parquet.schema_arrow, self.path)
        strings = {name for name in columns if is_string(kinds[name])}
        least = min(count, pages.rows_affordable(group, strings, self.path)) if strings else count
        parts: list[Any] = []
        for batch in self._read(least, number, columns):
            parts.append(batch)
            if sum(part.num_rows for part in parts) >= count or sum(part.nbytes for part in parts) >= BLOCK_BYTES:
                yield flat_table(pa.Table.from_batches(parts))
                parts = []
        if parts:
            yield flat_table(pa.Table.from_batches(parts))

    def _read(self, rows: int, group: int, columns: list[str]) -> Iterator[Any]:
        """The batches of a row group; an error if the file was written to since it was opened."""
        batches = self.parquet.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)
        while True:
            try:
                with arrow_errors(self.path, f"row group {group} cannot be read"):
                    batch = next(batches, None)
            except InputError:
                self._check_unchanged()  # of which all else follows
                raise
            self._check_unchanged()
            if batch is None:
                return
            yield batch

    def _check_unchanged(self) -> None:
        if _state(self.handle) != self.opened:
            raise InputError(f"{self.path}: the file was changed while it was read: start again when it is complete")

    def hashed(self, seen: bytes, number: int) -> bytes:
        """The running hash after the bytes of a row group, from its first page to its last."""
        group = self.parquet.metadata.row_group(number)
        columns = [group.column(each) for each in range(group.num_columns)]
        starts = [min(each.dictionary_page_offset or each.data_page_offset, each.data_page_offset) for each in columns]
        stop = max((at + each.total_compressed_size for at, each in zip(starts, columns, strict=True)), default=0)
        with read_errors(self.path), open(self.path, "rb", buffering=0) as file:
            at = file.seek(max(0, min(starts, default=0)))
            while at < stop and (piece := file.read(min(PIECE, stop - at))):
                seen = content_hash(seen, piece)
                at += len(piece)
        return seen


def _state(file: BinaryIO) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


@contextmanager
def opened(path: str, wanted: Sequence[str] = ()) -> Iterator[ParquetFile]:
    """The file; its strings are read as dictionaries, where the file has them so, and not yet as one each row."""
    with read_errors(path):
        handle = open(path, "rb")  # noqa: SIM115 - closed below
    with handle:
        state = _state(handle)
        with arrow_errors(path, "is not a Parquet file"):
            metadata = pyarrow.parquet.read_metadata(handle)
            kinds = types_of(metadata.schema.to_arrow_schema(), path)
            _check_chunks(metadata, state[0])
            texts = {name for name in wanted if name in kinds and is_string(kinds[name])}
            parquet = pyarrow.parquet.ParquetFile(
                _unlocked(path, handle),
                metadata=metadata,
                buffer_size=min(BUFFER, max(LEAST_BUFFER, ALL_BUFFERS // max(1, metadata.num_columns))),
                pre_buffer=False,  # it would hold the whole row group
                read_dictionary=pages.dictionary_columns(metadata, texts, path) or None,
            )
        yield ParquetFile(path, parquet, handle, state)


def _unlocked(path: str, handle: BinaryIO) -> Any:
    """The open file as Arrow reads it by itself: through Python, every read would wait for the interpreter's lock."""
    with suppress(OSError, UnicodeEncodeError):
        file = pa.OSFile(path)
        if os.path.samestat(os.stat(path), os.fstat(handle.fileno())):
            return file
        file.close()
    return handle


class _Unread(io.RawIOBase):
    """A file of this size none of which can be read."""

    def __init__(self, size: int) -> None:
        self._size, self._at = size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, _: int = -1) -> bytes:
        raise BlockingIOError(NOT_READ)


def _check_chunks(metadata: Any, size: int) -> None:
    """Raise where what the file says of a column in a row group contradicts its schema.

    Python's view of such a column would end the process.  Arrow's reader meets all of them before it reads the first
    page, which it cannot here, and its errors can be caught.
    """
    unread = pyarrow.parquet.ParquetFile(pa.PythonFile(_Unread(size), "r"), metadata=metadata, pre_buffer=True)
    groups = list(range(metadata.num_row_groups))
    try:
        next(unread.iter_batches(1, row_groups=groups, use_threads=False), None)
    except (pa.ArrowException, OSError) as error:
        if NOT_READ not in str(error):
            raise


@contextmanager
def arrow_errors(path: str, what: str) -> Iterator[None]:
    """Turn what Arrow may raise into an InputError that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: {what}: {why}") from None
