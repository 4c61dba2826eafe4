"""Scores of held-out examples, and whether one learner is surely better on them than another.

A score is a ratio of sums over examples: right tokens to tokens; twice the right spans to the true and the predicted
ones (F1).  By the delta method (Cochran 1977, Sampling Techniques, 6.4) the difference of two such ratios A / B and
C / D on the same n examples has the variance of the sum of (a_s - (A / B) b_s) / B - (c_s - (C / D) d_s) / D: what both
learners get wrong counts for neither."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

# For each example, what is right (one row), and what it is divided by (another).
Counts = NDArray[np.int64]


def ratio(counts: Counts) -> float:
    """The score; 1 where there is nothing to be right or wrong."""
    parts, wholes = counts.sum(axis=1).tolist()
    return float(parts / wholes) if wholes else 1.0


def lead(counts: Counts, others: Counts) -> float:
    """By how many standard errors the first score is above the second on the same examples; 0 where they are alike, or
    where there is nothing to compare."""
    size = counts.shape[1]
    if size < 2 or not counts[1].sum() or not others[1].sum():
        return 0.0
    difference = ratio(counts) - ratio(others)
    error = sqrt(size / (size - 1) * float(((_influence(counts) - _influence(others)) ** 2).sum()))
    return difference / error if error else 0.0


def _influence(counts: Counts) -> NDArray[np.float64]:
    influence: NDArray[np.float64] = (counts[0] - ratio(counts) * counts[1]) / counts[1].sum()
    return influence
