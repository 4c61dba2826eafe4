"""SharedRows: the rows of a source read once and kept, so that several learners can be trained on one reading."""

from __future__ import annotations

from collections.abc import Iterator

from linnet.data.sources.block import Position
from linnet.errors import RecipeError, option
from linnet.pipeline.dataset import Collected
from linnet.pipeline.stream import Numbered, RowStream


class SharedRows(RowStream):
    """A stream whose blocks are kept: every trainer takes it as if it read the source itself.

    Text is kept as counts, which each learner weights in its own way.
    """

    def __init__(self, stream: RowStream, memory: int) -> None:
        super().__init__(stream.source, stream.features, stream.check, stream.rejected, stream.services)
        kept = Collected(stream.features, packing=False)
        for made in stream.numbered(Position()):
            kept.add(made)
            stream.report("reading", kept.rows)
            stream.services.check_stopped()
            if kept.nbytes > memory:
                raise RecipeError(
                    "the rows take more memory than is allowed, and several learners are to share them: allow more "
                    f"({option('memory')}), or train one learner at a time"
                )
        self.read = stream.read
        self._blocks = kept.blocks

    def numbered(self, start: Position) -> Iterator[Numbered]:
        assert start == Position(), "kept rows are trained on from the first"
        return iter(self._blocks)

    def again(self) -> Iterator[Numbered]:
        return iter(self._blocks)
