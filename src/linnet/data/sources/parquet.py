"""Parquet files, a part of a row group at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from linnet.data.sources.block import Block, Position
from linnet.data.sources.files import ByteFiles, fingerprint, no_rows, read_errors
from linnet.data.sources.sampling import first_rows
from linnet.data.sources.table import Layout, TableSource, types_of, with_columns
from linnet.errors import InputError
from linnet.kernels.content_hash import content_hash

ROWS = 8192
# Bytes that are read at a time, so that a row group is never in memory whole: of all columns, and of one at most.
ALL_BUFFERS, BUFFER, LEAST_BUFFER = 1 << 24, 1 << 16, 1 << 12
PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a row group; `first` is the number of the first row in its file, from 1."""

    rows: Any
    path: str
    first: int
    after: Position
    read: int


class Parquet(TableSource):
    """A position is a file, a row group, and the next of its rows (in `line`, from 1)."""

    format = "parquet"
    reopenable = True

    def __init__(self, paths: list[str], *, chunk_size: int | None = None) -> None:
        self.paths = paths
        self._rows = chunk_size or ROWS
        self.layout = Layout.of(_types(paths))
        if not self.layout.types:
            raise no_rows(paths[0])

    @property
    def size(self) -> int | None:
        return ByteFiles(self.paths).size

    def fingerprint(self) -> list[dict[str, Any]]:
        return [fingerprint(path) for path in self.paths]

    def hashed_again(self, before: Position) -> Iterator[bytes]:
        """Row groups are hashed whole, as they are stored: also one of which only some rows were read."""
        seen = b""
        for number in range(min(before.file + 1, len(self.paths))):
            with _opened(self.paths[number]) as file:
                begun = before.offset + (before.line > 1) if number == before.file else file.parquet.num_row_groups
                for group in range(min(begun, file.parquet.num_row_groups)):
                    seen = _hashed(seen, self.paths[number], file.parquet.metadata.row_group(group))
                    yield seen
        yield seen

    def sample(self) -> Block:
        sample = first_rows(map(self.parse, self.chunks(Position())))
        if not sample.rows and not sample.bad:
            raise no_rows(self.paths[0])
        return sample

    def chunks(self, start: Position) -> Iterator[Batch]:
        seen = start.seen
        for number in range(start.file, len(self.paths)):
            path = self.paths[number]
            at = start if number == start.file else Position(number)
            with _opened(path) as file:
                self._check(file.parquet, path)
                before = 0
                for group in range(file.parquet.num_row_groups):
                    if group >= at.offset:
                        done = at.line - 1 if group == at.offset else 0
                        if seen is not None and not done:
                            seen = _hashed(seen, path, file.parquet.metadata.row_group(group))
                        yield from self._group(file, Position(number, group, seen=seen), before, done)
                    before += file.parquet.metadata.row_group(group).num_rows

    def _check(self, file: Any, path: str) -> None:
        missing = set(self.layout.wanted) - set(types_of(file.schema_arrow, path))
        if missing:
            raise InputError(f"{path}: has no column {min(missing)!r}, which {self.paths[0]} has")

    def _group(self, file: _File, at: Position, before: int, done: int) -> Iterator[Batch]:
        """The rows of a row group from `done` on; `before` rows of the file are in earlier ones."""
        group = file.parquet.metadata.row_group(at.offset)
        stop = 0
        for rows in file.batches(self._rows, at.offset, list(self.layout.wanted)):
            first, stop = stop, stop + rows.num_rows
            if first < done:
                continue
            whole = stop >= group.num_rows
            after = Position(at.file, at.offset + whole, 1 if whole else stop + 1, at.seen)
            read = group.total_byte_size * rows.num_rows // max(group.num_rows, 1)
            yield Batch(rows, file.path, before + first + 1, after, read)

    def parse(self, chunk: Batch) -> Block:
        rows = chunk.rows.num_rows
        lines = np.arange(chunk.first, chunk.first + rows)
        block = Block(chunk.path, rows, chunk.after, chunk.read, lines=lines)
        with _arrow_errors(chunk.path, f"rows {chunk.first} to {chunk.first + rows - 1} cannot be read"):
            chunk.rows.validate(full=True)
            return with_columns(block, self.layout, chunk.rows, lambda *_: None)


def _types(paths: list[str]) -> dict[str, Any]:
    """The types of the first file's columns; of one that has no value there, and so no type, by the next that has."""
    types: dict[str, Any] = {}
    for path in paths:
        with _opened(path) as file:
            found = types_of(file.parquet.schema_arrow, path)
        types = {
            name: found.get(name, kind) if pa.types.is_null(kind) else kind for name, kind in (types or found).items()
        }
        if not any(map(pa.types.is_null, types.values())):
            break
    return types


@dataclass(frozen=True, eq=False)
class _File:
    """An open Parquet file.  It is not mapped into memory: where such a file is cut short, reading ends the process."""

    path: str
    parquet: Any
    handle: BinaryIO
    opened: tuple[int, int]

    def batches(self, rows: int, group: int, columns: list[str]) -> Iterator[Any]:
        """The batches of a row group; an error if the file was written to since it was opened."""
        batches = self.parquet.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)
        while True:
            try:
                with _arrow_errors(self.path, f"row group {group} cannot be read"):
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


def _state(file: BinaryIO) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


@contextmanager
def _opened(path: str) -> Iterator[_File]:
    with read_errors(path):
        handle = open(path, "rb")  # noqa: SIM115 - closed below
    with handle:
        opened = _state(handle)
        with _arrow_errors(path, "is not a Parquet file"):
            metadata = pyarrow.parquet.read_metadata(handle)
            size = min(BUFFER, max(LEAST_BUFFER, ALL_BUFFERS // max(1, metadata.num_columns)))
            parquet = pyarrow.parquet.ParquetFile(handle, metadata=metadata, buffer_size=size)
        yield _File(path, parquet, handle, opened)


def _hashed(seen: bytes, path: str, group: Any) -> bytes:
    """The running hash after the bytes of a row group, from its first page to its last."""
    columns = [group.column(number) for number in range(group.num_columns)]
    starts = [min(each.dictionary_page_offset or each.data_page_offset, each.data_page_offset) for each in columns]
    stop = max((at + each.total_compressed_size for at, each in zip(starts, columns, strict=True)), default=0)
    with read_errors(path), open(path, "rb", buffering=0) as file:
        at = file.seek(max(0, min(starts, default=0)))
        while at < stop and (piece := file.read(min(PIECE, stop - at))):
            seen = content_hash(seen, piece)
            at += len(piece)
    return seen


@contextmanager
def _arrow_errors(path: str, what: str) -> Iterator[None]:
    """Turn what Arrow may raise into an InputError that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: {what}: {why}") from None
