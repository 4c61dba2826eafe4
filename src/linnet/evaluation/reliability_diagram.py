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
from linnet.evaluation.intervals import Interval, share_interval
from linnet.evaluation.sorted_counts import SortedCounts

# The most bins, and the fewest rows of a bin.
BINS = 10
ROWS_PER_BIN = 5


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability: the mean probability, and the observed frequency of the class."""

    rows: int | float  # the sum of their weights
    predicted: float
    observed: float
    observed_interval: Interval


class Reliability:
    """Counts of the outcomes at each probability."""

    def __init__(self) -> None:
        self._counts = SortedCounts(kinds=2)

    def add(self, y: Counts, p: Floats, w: Floats | None) -> None:
        """Add true class numbers (negative: unknown to the model, left out), probabilities and weights."""
        predicted_class = np.full(len(y), 1) if p.shape[1] == 2 else p.argmax(axis=1)
        known = y >= 0
        likely = p[np.arange(len(y)), predicted_class][known]
        self._counts.add(likely, (y == predicted_class)[known].astype(np.int64), None if w is None else w[known])

    def result(self, confidence: float, worth: float | None = None) -> tuple[float, float, tuple[Bin, ...]]:
        """The expected calibration error, its expectation by chance alone, and the bins.

        `worth` is how many rows one is worth where weights are not whole numbers of copies.

        The error is Σ_b (n_b / n) |observed - predicted| (Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated
        probabilities using Bayesian binning).  It is above 0 even for calibrated probabilities: then the difference in
        a bin is about normal with the variance Σ p (1 - p) / n_b², and the mean of its absolute value sqrt(2/π) times
        the root of that.
        """
        counts = self._counts.counts()
        rows = counts.sum(axis=1)
        n = rows.sum().item()
        if not n:
            return math.nan, math.nan, ()
        p = self._counts.values()
        middles = 2 * rows.cumsum() - rows  # twice the mean rank of the rows at each probability
        alike = n if worth is None else worth * int(self._counts.rows().sum())
        bins = int(min(BINS, max(1, alike // ROWS_PER_BIN)))
        starts = _merged(np.flatnonzero(np.diff(bins * middles // (2 * n), prepend=-1)), rows, bins)
        each = np.add.reduceat(rows, starts)
        true = np.add.reduceat(counts[:, 1], starts)
        predicted = np.add.reduceat(rows * p, starts) / each
        in_rows = each if worth is None else worth * np.add.reduceat(self._counts.rows(), starts)
        spread = np.sqrt(np.add.reduceat(rows * p * (1 - p), starts) * (each / in_rows))
        error = float((each * np.abs(true / each - predicted)).sum()) / n
        by_chance = math.sqrt(2 / math.pi) * float(spread.sum()) / n
        columns = zip(each.tolist(), predicted.tolist(), true.tolist(), in_rows.tolist(), strict=True)
        return (
            error,
            by_chance,
            tuple(Bin(m, q, k / m, share_interval(k, m, size, confidence)) for m, q, k, size in columns),
        )


def _merged(starts: Counts, rows: Counts | Floats, bins: int) -> Counts:
    """The starts of the bins, those of less than half the intended size merged into a neighbour."""
    before = np.append(0, rows.cumsum())
    total = before[-1]
    kept: list[int] = [0]
    for start in starts[1:].tolist():
        if 2 * bins * (before[start] - before[kept[-1]]) >= total:
            kept.append(start)
    if len(kept) > 1 and 2 * bins * (total - before[kept[-1]]) < total:
        kept.pop()
    return np.array(kept)
