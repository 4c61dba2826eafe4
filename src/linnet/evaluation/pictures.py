"""What pictures of an evaluation are drawn from: a few hundred numbers, kept with its results.

They depend on the rows alone, not on their order or on how they were cut into blocks, and a weight k is k copies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.sorted_counts import SortedCounts
from linnet.evaluation.weights import plain_numbers
from linnet.kernels.fingerprints import scramble

# Thresholds of a curve, bins of a histogram, points of a sample: no picture shows more.
MOST_THRESHOLDS = 200
BINS = 30
MOST_POINTS = 300
# What a file may have of each: more would make a page large.
MOST_STORED = 1000
# The number of a bin, which is exact as a floating-point number.
LARGEST_BIN = 1 << 53
# Values that are kept apart until they are binned.
DISTINCT_VALUES = 1 << 14
# Of the rows, those beyond either end of a histogram.
BEYOND = 0.005
# Digits of what is only drawn.
DIGITS = 6


@dataclass(frozen=True)
class ThresholdCurve:
    """At falling thresholds: how many rows of either of two classes have a score of at least that.

    The first point, with no rows, has the threshold infinity.  ROC and precision-recall curves both follow: with N
    negatives and P positives, which are the last point, the false-positive rate is `negatives` / N, the recall
    `positives` / P, the precision `positives` / (`negatives` + `positives`).
    """

    thresholds: tuple[float, ...]
    negatives: tuple[int | float, ...]
    positives: tuple[int | float, ...]

    def __post_init__(self) -> None:
        if not len(self.thresholds) == len(self.negatives) == len(self.positives):
            raise ValueError("thresholds and numbers of rows differ in number")
        for rows in (self.negatives, self.positives):
            rising = all(0 <= a <= b < math.inf for a, b in pairwise(rows))
            if not 2 <= len(rows) <= MOST_STORED or not rising or not rows[-1]:
                raise ValueError("the numbers of rows above thresholds do not rise to all of them")


@dataclass(frozen=True)
class Histogram:
    """Rows by value, in bins of equal width: bin i goes from (first + i) * width to the next; 0 is an end of a bin.

    `below` and `above` are the rows beyond the bins.
    """

    width: float
    first: int
    counts: tuple[int | float, ...]
    below: int | float = 0
    above: int | float = 0

    def __post_init__(self) -> None:
        if not 0 < self.width < math.inf:
            raise ValueError(f"the bins of a histogram are {self.width} wide")
        rows = (*self.counts, self.below, self.above)
        if not 1 <= len(self.counts) <= MOST_STORED or not all(0 <= each < math.inf for each in rows):
            raise ValueError("the bins of a histogram have impossible numbers of rows")
        if abs(self.first) > LARGEST_BIN or not math.isfinite(self.width * (abs(self.first) + len(self.counts))):
            raise ValueError("the bins of a histogram are beyond the range of numbers")

    @property
    def edges(self) -> tuple[float, ...]:
        return tuple((self.first + i) * self.width for i in range(len(self.counts) + 1))


@dataclass(frozen=True)
class PredictionSample:
    """True and predicted numbers of some rows, drawn at random from the distinct pairs; rounded for drawing."""

    truth: tuple[float, ...]
    predicted: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.truth) != len(self.predicted):
            raise ValueError("true and predicted numbers differ in number")
        if len(self.truth) > MOST_STORED or not all(map(math.isfinite, (*self.truth, *self.predicted))):
            raise ValueError("true or predicted numbers are not finite, or too many")


def threshold_curve(scores: Floats, counts: Counts | Floats) -> ThresholdCurve | None:
    """Of distinct scores in rising order with the weight of either class at each; None where a class has no rows.

    Of more thresholds than MOST_THRESHOLDS, those that are nearest to equal distances along the ROC curve, which is
    2 long when measured along its axes.
    """
    totals = counts.sum(axis=0)
    if len(counts) == 0 or not totals.all():
        return None
    upto = np.minimum(counts[::-1].cumsum(axis=0), totals)  # sums of fractions are rounded
    upto[-1] = totals
    which = np.arange(len(upto))
    if len(upto) >= MOST_THRESHOLDS:
        along = (upto / totals).sum(axis=1)
        wanted = np.arange(1, MOST_THRESHOLDS) * (2.0 / (MOST_THRESHOLDS - 1))
        which = np.unique(np.minimum(np.searchsorted(along, wanted), len(upto) - 1))
    falling = scores[::-1][which]
    negatives, positives = (plain_numbers(upto[which, side]) for side in (0, 1))
    return ThresholdCurve((math.inf, *_rounded(falling)), (0, *negatives), (0, *positives))


def histogram(values: Floats, weights: Counts | Floats) -> Histogram | None:
    """Of distinct values in rising order with the weight of each; None of no rows."""
    total = weights.sum()
    most = total * (1 - 1e-9)  # a sum of weights that is rounded must not exceed the part of all that it is
    if not total or not np.isfinite(values).all():
        return None
    upto = weights.cumsum()
    low = float(values[np.searchsorted(upto, BEYOND * most)])
    high = float(values[min(np.searchsorted(upto, (1 - BEYOND) * most), len(values) - 1)])
    width = bin_width(max(high - low, 1e-6 * max(abs(low), abs(high)), 1e-300))
    first, last = math.floor(low / width), max(math.floor(high / width), math.floor(low / width))
    edges = np.arange(first, last + 2) * width
    at = np.searchsorted(edges, values, side="right")  # 0: below; len(edges): above
    sums = np.array([weights[at == each].sum() for each in range(len(edges) + 1)])
    below, *inside, above = plain_numbers(sums)
    return Histogram(width, first, tuple(inside), below, above)


def bin_width(extent: float) -> float:
    """1, 2 or 5 times a power of ten: the least that covers the extent with no more than BINS bins."""
    power = 10.0 ** math.floor(math.log10(extent / BINS))
    return next(times * power for times in (1.0, 2.0, 5.0, 10.0) if times * power * BINS >= extent * (1 - 1e-9))


class Sampling:
    """Distinct pairs of numbers with the smallest keys, which are made from the numbers themselves."""

    def __init__(self) -> None:
        self._keys: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._pairs: Floats = np.empty((0, 2))

    def add(self, truth: Floats, predicted: Floats) -> None:
        pairs = np.column_stack([truth, predicted]) + 0.0  # -0 and 0 are equal
        first, keys = np.empty(len(pairs), np.uint64), np.empty(len(pairs), np.uint64)
        scramble(np.ascontiguousarray(pairs[:, 0]).view(np.uint64), 1, first)
        scramble(np.ascontiguousarray(pairs[:, 1]).view(np.uint64) ^ first, 2, keys)
        if len(self._keys) == MOST_POINTS:
            near = keys < self._keys[-1]
            keys, pairs = keys[near], pairs[near]
        keys, which = np.unique(np.concatenate([self._keys, keys]), return_index=True)
        self._keys = keys[:MOST_POINTS]
        self._pairs = np.concatenate([self._pairs, pairs])[which[:MOST_POINTS]]

    def result(self) -> PredictionSample | None:
        if not len(self._pairs):
            return None
        rising = self._pairs[np.lexsort(self._pairs.T[::-1])]
        return PredictionSample(_rounded(rising[:, 0]), _rounded(rising[:, 1]))


def few_values() -> SortedCounts:
    """To count values for a histogram."""
    return SortedCounts(limit=DISTINCT_VALUES)


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values.tolist())
