"""The loss of every row in every repeat, and what it shows of how learners vary with their training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.compared_data import ComparedData
from linnet.comparison.splits import Splits
from linnet.comparison.trials import Trial, unpacked
from linnet.evaluation.training_variance import variance_factor

Flat = NDArray[np.float64]
Table = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowLosses:
    """By contender, a row of losses for each repeat: of classes whether the row was wrong, of numbers the squared or,
    by `mae`, the absolute error; and the fold of every row in every repeat."""

    losses: Mapping[str, NDArray[Any]]
    fold: NDArray[np.int64]
    folds: int
    units: NDArray[np.int64]
    weights: Flat | None

    @classmethod
    def of(
        cls, data: ComparedData, splits: Splits, found: Mapping[str, Sequence[Trial]], metric: str
    ) -> RowLosses | None:
        """None where every row is tested but once: that shows nothing."""
        if splits.repeats < 2:
            return None
        tried = {name: trials for name, trials in found.items() if not any(each.failed for each in trials) and trials}
        shape = (splits.repeats, data.rows)
        kind = np.float64 if data.labels is None else np.float32  # 0 and 1 need no more
        losses = {name: np.zeros(shape, dtype=kind) for name in tried}
        fold = np.zeros(shape, dtype=np.int64)
        truth = data.dataset.targets
        for number in range(len(splits)):
            repeat, of = divmod(number, splits.folds)
            test = splits[number].test
            fold[repeat, test] = of
            for name, trials in tried.items():
                predicted = unpacked(trials[number].predicted)
                losses[name][repeat, test] = _loss(predicted, truth[test], metric, classes=data.labels is not None)
        return cls(losses, fold, splits.folds, splits.units, data.dataset.weights)

    def factor(self, first: str, second: str | None = None) -> float:
        """The variance factor of a contender's scores, or of the differences of two contenders."""
        losses = self.losses[first].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # infinite losses have no factor
            if second is not None:
                losses -= self.losses[second]
            return variance_factor(losses, self.fold, self.folds, self.units, self.weights)

    def factors(self, names: Sequence[str]) -> Table:
        """Those of all pairs."""
        table = np.ones((len(names), len(names)))
        for one, first in enumerate(names):
            for other in range(one):
                table[one, other] = table[other, one] = self.factor(names[other], first)
        return table


def _loss(predicted: Flat, truth: Flat, metric: str, *, classes: bool) -> Flat:
    if classes:
        return np.asarray(predicted != truth, dtype=np.float64)
    missed = np.abs(predicted - truth)
    with np.errstate(over="ignore"):
        return np.asarray(missed if metric == "mae" else missed**2)
