"""RowStream: the rows of a source, block after block, their features numbered; it knows nothing of the learner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linnet.data.features.feature_map import Features
from linnet.data.features.terms import Piece
from linnet.data.on_error import BadRows, OnError
from linnet.data.reading import Check, PreparedBlock, prepared_blocks
from linnet.data.sources.block import Block, Position
from linnet.data.sources.source import Source
from linnet.pipeline.services import Progress, Services

# Sources that are in memory, which no checkpoint can find again.
IN_MEMORY = ("frame", "arrays")


@dataclass(frozen=True, eq=False)
class Numbered:
    """A block, and the entries of each of its terms with their numbers."""

    block: Block
    pieces: list[Piece]


class RowStream:
    """A source read by threads, in order; `check` says which rows cannot be used, `rejected` what becomes of them."""

    def __init__(self, source: Source, features: Features, check: Check, rejected: BadRows, services: Services) -> None:
        self.source = source
        self.features = features
        self.check = check
        self.rejected = rejected
        self.services = services
        self.read = 0
        self.hashing = False  # whether positions are to hold the hash of what was read, for checkpoints
        self.by_rows = False  # whether blocks are used row by row, not collected column by column

    @property
    def in_memory(self) -> bool:
        return self.source.format in IN_MEMORY

    @property
    def columns(self) -> int | None:
        """How many columns there are, where that is known before the first row."""
        return getattr(self.source, "columns", None) if self.in_memory else None

    def numbered(self, start: Position) -> Iterator[Numbered]:
        """Blocks from a position on; features are numbered as they first occur."""
        if self.hashing and start == Position():
            start = Position(seen=b"")
        for made in self._prepared(start, self.rejected):
            self.read += made.block.read
            pieces = self.features.number(made.block, made.prepared, frozen=False) if made.block.rows else []
            yield Numbered(made.block, pieces)

    def again(self) -> Iterator[Numbered]:
        """All blocks once more; what was rejected before is left out silently."""
        for made in self._prepared(Position(), BadRows(OnError.SKIP)):
            pieces = self.features.number(made.block, made.prepared, frozen=True) if made.block.rows else []
            yield Numbered(made.block, pieces)

    def _prepared(self, start: Position, rejected: BadRows) -> Iterator[PreparedBlock]:
        threads = self.services.reading_threads
        features = self.features
        prepare = features.prepare_rows if self.by_rows else features.prepare
        return prepared_blocks(self.source, start, prepare, rejected, threads, self.check, features.cuts)

    def report(self, stage: str, rows: int, loss: float | None = None, mistakes: float | None = None) -> None:
        self.services.report(Progress(stage, rows, self.read, self.source.size, loss, mistakes))
