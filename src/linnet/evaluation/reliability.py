"""Reliability: of the rows given a probability near p, is a share near p what it was said to be?

Two classes: the second one's probability, and whether it was that.  More: the largest probability, and whether that
class was it.  Rows are put in bins of about equally many by their probability, equal ones together, so the figures are
the same for every order and cut of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linnet.evaluation.exact import Counts, Floats
from linnet.evaluation.intervals import Interval, wilson
from linnet.evaluation.ranks import SortedCounts

# Bins at most; and how many rows each has at least, if there are as many.
BINS = 10
ROWS_A_BIN = 5


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability: its mean, and how often it came true."""

    rows: int
    predicted: float
    observed: float
    observed_interval: Interval


class Reliability:
    """Counts of what came true at each probability."""

    def __init__(self) -> None:
        self._counts = SortedCounts(kinds=2)

    def add(self, y: Counts, p: Floats, w: Counts | None) -> None:
        """Class numbers (below 0: a class the model does not know, left out), probabilities, and copies."""
        said = np.full(len(y), 1) if p.shape[1] == 2 else p.argmax(axis=1)
        known = y >= 0 if w is None else (y >= 0) & (w > 0)
        likely = p[np.arange(len(y)), said][known]
        self._counts.add(likely, (y == said)[known].astype(np.int64), None if w is None else w[known])

    def result(self, confidence: float) -> tuple[float, float, tuple[Bin, ...]]:
        """The expected calibration error, what chance alone would make of it, and the bins.

        The error is Σ_b (n_b / n) |observed - predicted| (Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated
        probabilities using Bayesian binning).  It is above 0 even for probabilities that are right: then the distance
        in a bin is about normal with the variance Σ p (1 - p) / n_b², and its mean sqrt(2/π) times the root of that.
        """
        counts = self._counts.counts()
        rows = counts.sum(axis=1)
        n = int(rows.sum())
        if not n:
            return math.nan, math.nan, ()
        p = self._counts.values()
        middles = 2 * rows.cumsum() - rows  # twice the mean rank of the rows at each probability
        bins = min(BINS, max(1, n // ROWS_A_BIN))
        starts = _without_small_ones(np.flatnonzero(np.diff(bins * middles // (2 * n), prepend=-1)), rows, bins)
        each = np.add.reduceat(rows, starts)
        true = np.add.reduceat(counts[:, 1], starts)
        predicted = np.add.reduceat(rows * p, starts) / each
        spread = np.sqrt(np.add.reduceat(rows * p * (1 - p), starts))
        error = float((each * np.abs(true / each - predicted)).sum()) / n
        by_chance = math.sqrt(2 / math.pi) * float(spread.sum()) / n
        columns = zip(each.tolist(), predicted.tolist(), true.tolist(), strict=True)
        return error, by_chance, tuple(Bin(m, q, k / m, wilson(k, m, confidence)) for m, q, k in columns)


def _without_small_ones(starts: Counts, rows: Counts, bins: int) -> Counts:
    """Where bins begin, those between many equal probabilities that have less than half their due joined to another."""
    before = np.append(0, rows.cumsum())
    due = int(before[-1])
    kept: list[int] = [0]
    for start in starts[1:].tolist():
        if 2 * bins * int(before[start] - before[kept[-1]]) >= due:
            kept.append(start)
    if len(kept) > 1 and 2 * bins * (due - int(before[kept[-1]])) < due:
        kept.pop()
    return np.array(kept)
