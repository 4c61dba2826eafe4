"""Can a plane separate the classes of a file?  Its rows as `train` would learn from them, asked of the theory.

Columns become features just as for training, but for their scales: margins are those of the features as they stand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.features import Features
from linnet.data.features.schema import Role, Task
from linnet.data.reading import Rejected, prepared_blocks
from linnet.data.sources.block import Block, Position
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import of_anything
from linnet.data.targets import fit_to_learn, no_rows
from linnet.pipeline.dataset import Collected
from linnet.pipeline.options import Progress, TrainOptions
from linnet.pipeline.plan import features_of
from linnet.pipeline.train import LEAST_ROWS
from linnet.theory.separability import SECONDS, separability
from linnet.theory.separability_proofs import Answer, Answers


@dataclass(frozen=True, eq=False)
class Separability:
    """The answer for the rows of a file, why it does not hold (nothing if it does), and where the rows are."""

    answer: Answer | Answers
    why_not: str
    rows: int
    features: Features
    places: Places

    @property
    def answers(self) -> list[Answer]:
        return list(self.answer.answers) if isinstance(self.answer, Answers) else [self.answer]


class Places:
    """Where each row came from."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._ends: list[int] = []
        self.kept: NDArray[np.int64] | None = None

    def take(self, block: Block) -> None:
        """Remember the lines of a block, and let its contents go."""
        if block.rows:
            self._blocks.append(Block(block.path, block.rows, block.after, lines=block.lines))
            self._ends.append(block.rows + (self._ends[-1] if self._ends else 0))

    def __getitem__(self, row: int) -> str:
        """As file:line."""
        row = row if self.kept is None else int(self.kept[row])
        at = int(np.searchsorted(self._ends, row, side="right"))
        return self._blocks[at].place(row - (self._ends[at - 1] if at else 0))


def separability_of(
    data: Any,
    target: str | None = None,
    roles: Mapping[str, Role] | None = None,
    form: Format | None = None,
    rejected: Rejected | None = None,
    *,
    max_seconds: float | None = None,
    watch: Callable[[Progress], None] = lambda _: None,
) -> Separability:
    """Read the rows, ask, and check the answer against them afresh.  Rows of weight 0 take no part."""
    options = TrainOptions(target=target, roles=roles or {}, form=form, task=Task.CLASSIFICATION)
    source = of_anything(data, form)
    features, _ = features_of(source, options)
    collected, places, read = Collected(features), Places(), 0
    for made in prepared_blocks(
        source,
        Position(),
        features.prepare,
        Rejected() if rejected is None else rejected,
        os.cpu_count() or 1,
        lambda block: fit_to_learn(block, features.schema),
    ):
        read += made.block.read
        places.take(made.block)
        collected.take(made)
        watch(Progress("reading", collected.rows, read, source.size))
    whole = collected.whole(LEAST_ROWS)
    assert whole.labels is not None
    X, y = whole.rows.matrix(), whole.labels.classes[whole.targets.astype(np.int64)]
    if whole.weights is not None:
        places.kept = np.flatnonzero(whole.weights)
        X, y = X[places.kept], y[places.kept]
        if not len(y):
            raise no_rows()
    answer = separability(
        X,
        y,
        max_seconds=SECONDS if max_seconds is None else max_seconds,
        watch=lambda said: watch(Progress(said, len(y))),
    )
    why_not = "" if answer.separable is None else answer.why_not(X, y)
    return Separability(answer, why_not, len(y), features, places)
