"""Can a plane separate the classes of a file?  Its rows are made as for `train`, and tested by `linnet.theory`.

Columns become features as in training, but are not scaled: margins are those of the raw features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Role, Task
from linnet.data.label_types import LabelKind
from linnet.data.labels import Labels
from linnet.data.on_error import BadRows
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Position
from linnet.data.sources.formats import Dialect, Form
from linnet.data.sources.opening import open_data
from linnet.data.targets import unusable_rows
from linnet.errors import InputError
from linnet.pipeline.dataset import Collected
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import features_of
from linnet.pipeline.services import Progress, Services
from linnet.pipeline.stream import RowStream
from linnet.pipeline.trainers.batch import LEAST_ROWS
from linnet.theory.linear_separability import SECONDS, separability_of_rows
from linnet.theory.separability_proofs import Answer, Answers
from linnet.theory.signed_points import without_zeros

# Planes are arrays of as many numbers as there are columns.
MOST_COLUMNS = 1 << 24


@dataclass(frozen=True, eq=False)
class Separability:
    """The answer for the rows of a file, why it does not hold (nothing if it does), and where the rows are."""

    answer: Answer | Answers
    why_not: str
    rows: int
    features: Features
    origins: RowOrigins

    @property
    def answers(self) -> list[Answer]:
        return list(self.answer.answers) if isinstance(self.answer, Answers) else [self.answer]


class RowOrigins:
    """Where each row came from."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._ends: list[int] = []

    def add(self, block: Block) -> None:
        """Keep the lines of a block, not its contents."""
        if block.rows:
            self._blocks.append(Block(block.path, block.rows, block.after, lines=block.lines))
            self._ends.append(block.rows + (self._ends[-1] if self._ends else 0))

    def __getitem__(self, row: int) -> str:
        """As file:line."""
        at = int(np.searchsorted(self._ends, row, side="right"))
        return self._blocks[at].location(row - (self._ends[at - 1] if at else 0))


def separability_of(
    data: Any,
    target: str | None = None,
    roles: Mapping[str, Role] | None = None,
    form: Form = None,
    rejected: BadRows | None = None,
    *,
    max_seconds: float | None = None,
    watch: Callable[[Progress], None] = lambda _: None,
) -> Separability:
    """Read the rows, decide, and check the answer against them.  Rows of weight 0 are left out."""
    options = TrainOptions(target=target, columns=roles or {}, format=Dialect.of(form).format, task=Task.CLASSIFICATION)
    source = open_data(data, form)
    features, _ = features_of(source, options)
    if features.schema.labels is LabelKind.SETS:
        raise InputError(
            "the rows have several labels, and a plane separates rows with one from those without it: write 1 where a "
            "row has the label and 0 where it does not"
        )
    collected, origins = Collected(features), RowOrigins()
    rejected = BadRows() if rejected is None else rejected
    stream = RowStream(source, features, lambda block: unusable_rows(block, features), rejected, Services(watch))
    for made in stream.numbered(Position()):
        origins.add(made.block)
        collected.add(made)
        stream.report("reading", collected.rows)
    if len(features) > MOST_COLUMNS:
        raise InputError(
            f"{features.extent}: more columns than {MOST_COLUMNS:,} are too many to look for a separating plane in: "
            "number them from 0 or 1 upwards"
        )
    rows, labels, codes = _read(collected)
    answer = separability_of_rows(
        rows,
        labels,
        codes,
        SECONDS if max_seconds is None else max_seconds,
        lambda said: watch(Progress(said, len(codes))),
    )
    why_not = "" if answer.separable is None else answer.why_not_in(rows, labels, codes)
    return Separability(answer, why_not, len(codes), features, origins)


def _read(collected: Collected) -> tuple[Rows, Labels, NDArray[np.float64]]:
    """The rows and their labels; what they were made of, which takes as much memory, is released on the way."""
    dataset = collected.dataset().pruned(LEAST_ROWS)
    assert dataset.labels is not None
    rows, labels, codes = dataset.rows, dataset.labels, dataset.targets
    del dataset
    rows.check_finite()
    return without_zeros(rows), labels, codes
