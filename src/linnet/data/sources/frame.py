"""Data frames that are in memory already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linnet.data.sources.arrow import table_of
from linnet.data.sources.block import Block, Position
from linnet.data.sources.files import no_rows
from linnet.data.sources.table import Layout, TableSource, fitting, types_of
from linnet.errors import InputError

ROWS = 8192


class Frame(TableSource):
    """A data frame; its rows are numbered in `offset`."""

    format = "frame"
    path = "the frame"
    size = None
    reopenable = True

    def __init__(self, frame: Any) -> None:
        self._table = table_of(frame)
        self.layout = Layout.of(types_of(self._table.schema, self.path))
        if not self._table.num_rows:
            raise no_rows(self.path)

    def fingerprint(self) -> list[dict[str, Any]]:
        raise InputError("a frame in memory cannot be told from a changed one: resume from files")

    def sample(self) -> Block:
        return self.parse((0, self._table.slice(0, ROWS)))

    def chunks(self, start: Position) -> Iterator[tuple[int, Any]]:
        for first in range(start.offset, self._table.num_rows, ROWS):
            yield first, self._table.slice(first, ROWS)

    def parse(self, chunk: tuple[int, Any]) -> Block:
        first, table = chunk
        rows = table.num_rows
        lines = np.arange(first + 1, first + rows + 1)
        block = Block(self.path, rows, Position(0, first + rows), table.nbytes, lines=lines)
        return fitting(block, self.layout, table, lambda *_: None)
