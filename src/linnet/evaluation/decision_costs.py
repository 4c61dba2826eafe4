"""CostTally: the realised cost of decisions, beside their expected cost by the probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linnet.decisions.costs import Rule
from linnet.evaluation.exact_sums import Counts, Floats, Moments
from linnet.evaluation.intervals import Interval, share_interval
from linnet.evaluation.skewed_means import loss_interval
from linnet.evaluation.weights import WeightCounts, WeightTotal, plain_number


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
    rejected: int | float  # the sum of their weights
    accuracy_decided: float  # of the rows that were not rejected
    accuracy_decided_interval: Interval


class CostTally:
    """Adds up the costs of the decisions of one rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._realised, self._expected = Moments(), Moments()
        self._truth = WeightCounts(len(rule.costs) + 1)  # the last is for unknown labels
        self._all, self._decided, self._priced, self._right = (WeightTotal() for _ in range(4))
        self._costs = np.vstack([rule.costs, rule.costs.max(axis=0)])

    def add(self, y: Counts, z: Counts, p: Floats, w: Floats | None) -> None:
        """Add true class numbers (-1: unknown), decisions before rejection, probabilities, and weights."""
        rejected = self.rule.rejects(p, z)
        realised = self._costs[y, z]
        expected = self.rule.expected(p)[np.arange(len(y)), z]
        decided = ~rejected
        if self.rule.reject is not None:
            realised, expected = (np.where(rejected, self.rule.reject, each) for each in (realised, expected))
            priced = np.ones(len(y), bool)
        else:
            priced = decided
        of_priced = None if w is None else w[priced]
        self._realised.add(realised[priced], of_priced)
        self._expected.add(expected[priced], of_priced)
        self._truth.add(y, len(y), w)
        for total, chosen in (
            (self._all, np.ones(len(y), bool)),
            (self._decided, decided),
            (self._priced, priced),
            (self._right, decided & (y == z)),
        ):
            total.add(int(chosen.sum()), None if w is None else w[chosen])

    def result(self, confidence: float = 0.95) -> CostResult:
        """The costs of the rows so far."""
        rows, decided, right = self._all.total(), self._decided.total(), self._right.total()
        whole = self._all.whole
        worth = self._priced.worth(whole)
        of_realised, of_expected = (worth if whole else each.worth(worth) for each in (self._realised, self._expected))
        worst = max(float(self._costs.max()), float(self.rule.reject or 0.0))
        foreseen = float(self.rule.costs.max(axis=0).min())  # a rule's expected cost is never larger
        truth = self._truth.values()
        by_label = (truth[:, np.newaxis] * self._costs).sum(axis=0)  # NumPy's sums have one order, BLAS's may not
        always = float(by_label.min()) / rows if rows else math.nan
        return CostResult(
            realised=self._realised.mean(),
            realised_interval=loss_interval(self._realised, of_realised, worst, confidence, worst),
            expected=self._expected.mean(),
            expected_interval=loss_interval(self._expected, of_expected, foreseen, confidence, worst),
            baseline=always if self.rule.reject is None else min(always, float(self.rule.reject)),
            rejected=plain_number(self._all.exact() - self._decided.exact()),
            accuracy_decided=right / decided if decided else math.nan,
            accuracy_decided_interval=share_interval(right, decided, self._decided.worth(whole), confidence),
        )
