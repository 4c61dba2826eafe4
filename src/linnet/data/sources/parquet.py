"""Parquet files, a part of a row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.data.limits import LONGEST_ROW, size_in_words
from linnet.data.sources.arrow import bounded_slices, string_bytes
from linnet.data.sources.block import Block, Position
from linnet.data.sources.files import ByteFiles, fingerprint, no_rows
from linnet.data.sources.parquet_file import ParquetFile, arrow_errors, opened
from linnet.data.sources.sampling import first_rows
from linnet.data.sources.table import Layout, TableSource, types_of, with_columns
from linnet.errors import InputError, option


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
        self._rows = chunk_size
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
            with opened(self.paths[number]) as file:
                groups = file.parquet.num_row_groups
                begun = before.offset + (before.line > 1) if number == before.file else groups
                for group in range(min(begun, groups)):
                    seen = file.hashed(seen, group)
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
            with opened(path, list(self.layout.wanted)) as file:
                self._check(file.parquet, path)
                before = 0
                for group in range(file.parquet.num_row_groups):
                    if group >= at.offset:
                        done = at.line - 1 if group == at.offset else 0
                        if seen is not None and not done:
                            seen = file.hashed(seen, group)
                        yield from self._group(file, Position(number, group, seen=seen), before, done)
                    before += file.parquet.metadata.row_group(group).num_rows

    def _check(self, file: Any, path: str) -> None:
        missing = set(self.layout.wanted) - set(types_of(file.schema_arrow, path))
        if missing:
            raise InputError(f"{path}: has no column {min(missing)!r}, which {self.paths[0]} has")

    def _group(self, file: ParquetFile, at: Position, before: int, done: int) -> Iterator[Batch]:
        """The rows of a row group from `done` on; `before` rows of the file are in earlier ones."""
        group, wanted = file.parquet.metadata.row_group(at.offset), list(self.layout.wanted)
        read_before = 0
        for batch in file.batches(at.offset, wanted, self._rows):
            for start, stop in bounded_slices(batch, wanted):
                first, end = max(read_before + start, done), read_before + stop
                if first >= end:
                    continue
                whole = end >= group.num_rows
                after = Position(at.file, at.offset + whole, 1 if whole else end + 1, seen=at.seen)
                read = group.total_byte_size * (end - first) // max(group.num_rows, 1)
                rows = batch.slice(first - read_before, end - first)
                yield Batch(rows, file.path, before + first + 1, after, read)
            read_before += batch.num_rows

    def parse(self, chunk: Batch) -> Block:
        rows = chunk.rows.num_rows
        lines = np.arange(chunk.first, chunk.first + rows)
        block = Block(chunk.path, rows, chunk.after, chunk.read, lines=lines)
        with arrow_errors(chunk.path, f"rows {chunk.first} to {chunk.first + rows - 1} cannot be read"):
            chunk.rows.validate(full=True)
            _refuse_longer(chunk, list(self.layout.wanted))
            return with_columns(block, self.layout, chunk.rows, lambda *_: None)


def _types(paths: list[str]) -> dict[str, Any]:
    """The types of the first file's columns; of one that has no value there, and so no type, by the next that has."""
    types: dict[str, Any] = {}
    for path in paths:
        with opened(path) as file:
            found = types_of(file.parquet.schema_arrow, path)
        types = {
            name: found.get(name, kind) if pa.types.is_null(kind) else kind for name, kind in (types or found).items()
        }
        if not any(map(pa.types.is_null, types.values())):
            break
    return types


def _refuse_longer(chunk: Batch, wanted: Sequence[str]) -> None:
    """Raise for a row that takes more than LONGEST_ROW; only a row alone in its batch can."""
    if chunk.rows.num_rows != 1:
        return
    lengths = [string_bytes(chunk.rows.column(name)) for name in wanted]
    size = sum(int(each.sum()) for each in lengths if each is not None)
    if size > LONGEST_ROW:
        raise InputError(
            f"{chunk.path}: row {chunk.first}: a row of {size_in_words(size)}, more than "
            f"{LONGEST_ROW >> 20} MiB: shorten its texts, or leave a column out ({option('columns')} NAME:ignore)"
        )
