"""Parquet files, a part of a row group at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.data.limits import LONGEST_ROW, size_in_words
from linnet.data.sources.ahead import read_ahead
from linnet.data.sources.arrow import bounded_slices, readable, string_bytes
from linnet.data.sources.block import Block, Position
from linnet.data.sources.files import ByteFiles, fingerprint, no_rows
from linnet.data.sources.headers import column_notes, refuse_other_table
from linnet.data.sources.parquet_file import ROWS, ParquetFile, arrow_errors, opened
from linnet.data.sources.sampling import SAMPLE, first_rows
from linnet.data.sources.table import Layout, TableSource, refuse_more_columns, types_of, with_columns
from linnet.data.sources.vectors import (
    FIRST_ROWS,
    expanded,
    expanded_types,
    may_be_vectors,
    stored_columns,
    vectors_in,
    vectors_named,
)
from linnet.errors import InputError, option


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a row group; `names` are the columns of its file, `first` is the number of the first row in it."""

    rows: Any
    path: str
    names: tuple[str, ...]
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
        self._types = _types(paths)
        self._expand(_vectors(paths, self._types))
        if not self.layout.types:
            raise no_rows(paths[0])

    def _expand(self, vectors: dict[str, int]) -> None:
        refuse_more_columns(len(self._types) + sum(vectors.values()), self.paths[0])
        self._vectors = vectors
        self.layout = Layout.of(expanded_types(self._types, vectors))

    def expect_columns(self, names: Iterable[str]) -> None:
        self._expand(vectors_named(names, self._types))

    @cached_property
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
        sample = first_rows(map(self.parse, self._batches(Position(), SAMPLE.rows)))
        if not sample.rows and not sample.bad:
            raise no_rows(self.paths[0])
        return sample

    def chunks(self, start: Position) -> Iterator[Batch]:
        return read_ahead(self._batches(start, ROWS))

    def _batches(self, start: Position, most: int) -> Iterator[Batch]:
        """All rows from a position on, as many at a time as make a block, `most` of them."""
        seen = start.seen
        for number in range(start.file, len(self.paths)):
            path = self.paths[number]
            at = start if number == start.file else Position(number)
            with opened(path, list(self.layout.wanted)) as file:
                there = expanded_types(types_of(file.parquet.schema_arrow, path), self._vectors)
                refuse_other_table(list(there), self.names, path, self.paths[0])
                before = 0
                for group in range(file.parquet.num_row_groups):
                    if group >= at.offset:
                        done = at.line - 1 if group == at.offset else 0
                        if seen is not None and not done:
                            seen = file.hashed(seen, group)
                        at_group = Position(number, group, seen=seen)
                        yield from self._group(file, there, at_group, before, done, most)
                    before += file.parquet.metadata.row_group(group).num_rows

    def _group(
        self, file: ParquetFile, there: Mapping[str, Any], at: Position, before: int, done: int, most: int
    ) -> Iterator[Batch]:
        """The rows of a row group from `done` on; `before` rows of the file are in earlier ones."""
        group = file.parquet.metadata.row_group(at.offset)
        read_before, names = 0, tuple(there)
        # at least one column, for the number of rows
        wanted = [name for name in self.layout.wanted if name in there] or _first_readable(there)
        for stored in file.batches(at.offset, stored_columns(wanted, self._vectors), self._rows, most):
            batch = expanded(stored, self._vectors)
            for start, stop in bounded_slices(batch, wanted):
                first, end = max(read_before + start, done), read_before + stop
                if first >= end:
                    continue
                whole = end >= group.num_rows
                after = Position(at.file, at.offset + whole, 1 if whole else end + 1, seen=at.seen)
                read = group.total_byte_size * (end - first) // max(group.num_rows, 1)
                yield Batch(
                    batch.slice(first - read_before, end - first), file.path, names, before + first + 1, after, read
                )
            read_before += batch.num_rows

    def parse(self, chunk: Batch) -> Block:
        rows = chunk.rows.num_rows
        lines = np.arange(chunk.first, chunk.first + rows)
        notes = column_notes(chunk.names, self.names, self.layout.wanted, rows, f"{chunk.path}:{chunk.first}")
        block = Block(chunk.path, rows, chunk.after, chunk.read, lines=lines, notes=tuple(notes))
        with arrow_errors(chunk.path, f"rows {chunk.first} to {chunk.first + rows - 1} cannot be read"):
            chunk.rows.validate(full=True)
            _refuse_longer(chunk)
            return with_columns(block, self.layout, chunk.rows, lambda *_: None)


def _first_readable(types: Mapping[str, Any]) -> list[str]:
    """One column that can be read, or the first."""
    return [name for name, kind in types.items() if readable(kind)][:1] or list(types)[:1]


def _vectors(paths: list[str], types: Mapping[str, Any]) -> dict[str, int]:
    """The columns of vectors, by the first rows of the files."""
    lists = [name for name, kind in types.items() if may_be_vectors(kind)]
    for path in paths if lists else ():
        with opened(path) as file:
            there = [name for name in lists if name in types_of(file.parquet.schema_arrow, path)]
            for group in range(file.parquet.num_row_groups if there else 0):
                first = next(file.batches(group, there, FIRST_ROWS), None)
                if first is not None and first.num_rows:
                    return vectors_in(first)
    return {}


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


def _refuse_longer(chunk: Batch) -> None:
    """Raise for a row that takes more than LONGEST_ROW; only a row alone in its batch can."""
    if chunk.rows.num_rows != 1:
        return
    lengths = [string_bytes(column) for column in chunk.rows.columns]
    size = sum(int(each.sum()) for each in lengths if each is not None)
    if size > LONGEST_ROW:
        raise InputError(
            f"{chunk.path}: row {chunk.first}: a row of {size_in_words(size)}, more than "
            f"{LONGEST_ROW >> 20} MiB: shorten its texts, or leave a column out ({option('columns')} NAME:ignore)"
        )
