"""CostTally: the realised cost of decisions, beside their expected cost by the probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.decisions.costs import Rule
from linnet.evaluation.exact_sums import Counts, Floats, Moments
from linnet.evaluation.intervals import Interval, mean_interval, possible, wilson


@dataclass(frozen=True)
class CostResult:
    """Mean costs a row, and the number of rejected rows.

    A rejected row has the cost of rejection; rows rejected for a low probability, which has no cost, are left out of
    both means.  A label the model does not know has the largest cost of the decision.
    """

    realised: float
    realised_interval: Interval
    expected: float  # by the probabilities; if it is far from the realised cost, they are not calibrated
    expected_interval: Interval
    baseline: float  # of the constant decision that costs least on these rows
    rejected: int
    accuracy_decided: float  # of the rows that were not rejected
    accuracy_decided_interval: Interval


class CostTally:
    """Adds up the costs of the decisions of one rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._realised, self._expected = Moments(), Moments()
        self._truth = np.zeros(len(rule.costs) + 1, np.int64)  # the last is for unknown labels
        self._rows = self._rejected = self._right = 0
        self._costs = np.vstack([rule.costs, rule.costs.max(axis=0)])

    def add(self, y: Counts, z: Counts, p: Floats, w: Counts | None) -> None:
        """Add true class numbers (-1: unknown), decisions before rejection, probabilities, and frequencies."""
        times = np.ones(len(y), np.int64) if w is None else w
        rejected = self.rule.rejects(p, z)
        realised = self._costs[y, z]
        expected = self.rule.expected(p)[np.arange(len(y)), z]
        counted: Any = slice(None)
        if self.rule.reject is not None:
            realised, expected = (np.where(rejected, self.rule.reject, each) for each in (realised, expected))
        elif rejected.any():
            counted = ~rejected
        self._realised.add(realised[counted], times[counted])
        self._expected.add(expected[counted], times[counted])
        np.add.at(self._truth, y, times)
        self._rows += int(times.sum())
        self._rejected += int(times[rejected].sum())
        self._right += int(times[~rejected & (y == z)].sum())

    def result(self, confidence: float = 0.95) -> CostResult:
        """The costs of the rows so far."""
        decided = self._rows - self._rejected
        by_label = (self._truth[:, np.newaxis] * self._costs).sum(axis=0)  # NumPy's sums have one order, BLAS's may not
        always = float(by_label.min()) / self._rows if self._rows else math.nan
        return CostResult(
            realised=self._realised.mean(),
            realised_interval=possible(mean_interval(self._realised, confidence)),
            expected=self._expected.mean(),
            expected_interval=possible(mean_interval(self._expected, confidence)),
            baseline=always if self.rule.reject is None else min(always, float(self.rule.reject)),
            rejected=self._rejected,
            accuracy_decided=self._right / decided if decided else math.nan,
            accuracy_decided_interval=wilson(self._right, decided, confidence),
        )
