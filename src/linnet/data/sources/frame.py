"""Data frames in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from linnet.data.sources.arrow import bounded_slices, rows_at_once, table_of
from linnet.data.sources.block import Block, Position
from linnet.data.sources.files import no_rows
from linnet.data.sources.nesting import flat_table
from linnet.data.sources.sampling import first_rows
from linnet.data.sources.table import Layout, TableSource, refuse_more_columns, types_of, with_columns
from linnet.data.sources.vectors import expanded, vectors_in, vectors_named
from linnet.errors import InputError

ROWS = 8192


class Frame(TableSource):
    """A data frame; the offset of a position is a row."""

    format = "frame"
    path = "the frame"
    size = None
    reopenable = True
    paths: list[str] = []  # noqa: RUF012 - never changed

    def __init__(self, frame: Any, *, chunk_size: int | None = None) -> None:
        table = table_of(frame)
        types_of(table.schema, self.path)  # refused before it is made
        self._flat = flat_table(table)
        self._chunk_size = chunk_size
        self._expand(vectors_in(self._flat))
        if not self._table.num_rows:
            raise no_rows(self.path)

    def _expand(self, vectors: Mapping[str, int]) -> None:
        refuse_more_columns(self._flat.num_columns + sum(vectors.values()), self.path)
        self._table = expanded(self._flat, vectors)
        self.layout = Layout.of(types_of(self._table.schema, self.path))
        self._rows = rows_at_once(self._table.num_columns, self._chunk_size, ROWS)

    def expect_columns(self, names: Iterable[str]) -> None:
        self._expand(vectors_named(names, types_of(self._flat.schema, self.path)))

    def fingerprint(self) -> list[dict[str, Any]]:
        raise InputError("a data frame in memory cannot be checked for changes: to resume, train on files")

    def hashed_again(self, _: Position) -> Iterator[bytes]:
        return iter(())  # nothing is resumed from memory

    def sample(self) -> Block:
        return first_rows(map(self.parse, self.chunks(Position())))

    def chunks(self, start: Position) -> Iterator[tuple[int, Any]]:
        for first in range(start.offset, self._table.num_rows, self._rows):
            rows = self._table.slice(first, self._rows)
            for begin, stop in bounded_slices(rows, list(self.layout.wanted)):
                yield first + begin, rows.slice(begin, stop - begin)

    def parse(self, chunk: tuple[int, Any]) -> Block:
        first, table = chunk
        rows = table.num_rows
        lines = np.arange(first + 1, first + rows + 1)
        block = Block(self.path, rows, Position(0, first + rows), table.nbytes, lines=lines)
        return with_columns(block, self.layout, table, lambda *_: None)
