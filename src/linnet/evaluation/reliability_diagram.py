"""The reliability diagram and the expected calibration error: predicted probabilities beside observed frequencies.

For two classes the probability is that of the second class; for more, that of the most probable class.  Rows are binned
by probability into bins of about equal size, equal probabilities together, so the result does not depend on the order
of the rows or on their blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.intervals import Interval, wilson
from linnet.evaluation.sorted_counts import SortedCounts

# The most bins, and the fewest rows of a bin.
BINS = 10
ROWS_PER_BIN = 5


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability: the mean probability, and the observed frequency of the class."""

    rows: int
    predicted: float
    observed: float
    observed_interval: Interval


class Reliability:
    """Counts of the outcomes at each probability."""

    def __init__(self) -> None:
        self._counts = SortedCounts(kinds=2)

    def add(self, y: Counts, p: Floats, w: Counts | None) -> None:
        """Add true class numbers (negative: unknown to the model, left out), probabilities and frequencies."""
        predicted_class = np.full(len(y), 1) if p.shape[1] == 2 else p.argmax(axis=1)
        known = y >= 0 if w is None else (y >= 0) & (w > 0)
        likely = p[np.arange(len(y)), predicted_class][known]
        self._counts.add(likely, (y == predicted_class)[known].astype(np.int64), None if w is None else w[known])

    def result(self, confidence: float) -> tuple[float, float, tuple[Bin, ...]]:
        """The expected calibration error, its expectation by chance alone, and the bins.

        The error is Σ_b (n_b / n) |observed - predicted| (Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated
        probabilities using Bayesian binning).  It is above 0 even for calibrated probabilities: then the difference in
        a bin is about normal with the variance Σ p (1 - p) / n_b², and the mean of its absolute value sqrt(2/π) times
        the root of that.
        """
        counts = self._counts.counts()
        rows = counts.sum(axis=1)
        n = int(rows.sum())
        if not n:
            return math.nan, math.nan, ()
        p = self._counts.values()
        middles = 2 * rows.cumsum() - rows  # twice the mean rank of the rows at each probability
        bins = min(BINS, max(1, n // ROWS_PER_BIN))
        starts = _merged(np.flatnonzero(np.diff(bins * middles // (2 * n), prepend=-1)), rows, bins)
        each = np.add.reduceat(rows, starts)
        true = np.add.reduceat(counts[:, 1], starts)
        predicted = np.add.reduceat(rows * p, starts) / each
        spread = np.sqrt(np.add.reduceat(rows * p * (1 - p), starts))
        error = float((each * np.abs(true / each - predicted)).sum()) / n
        by_chance = math.sqrt(2 / math.pi) * float(spread.sum()) / n
        columns = zip(each.tolist(), predicted.tolist(), true.tolist(), strict=True)
        return error, by_chance, tuple(Bin(m, q, k / m, wilson(k, m, confidence)) for m, q, k in columns)


def _merged(starts: Counts, rows: Counts, bins: int) -> Counts:
    """The starts of the bins, those of less than half the intended size merged into a neighbour."""
    before = np.append(0, rows.cumsum())
    total = int(before[-1])
    kept: list[int] = [0]
    for start in starts[1:].tolist():
        if 2 * bins * int(before[start] - before[kept[-1]]) >= total:
            kept.append(start)
    if len(kept) > 1 and 2 * bins * (total - int(before[kept[-1]])) < total:
        kept.pop()
    return np.array(kept)
