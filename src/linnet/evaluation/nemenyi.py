"""Nemenyi's critical difference of mean ranks, and the groups of learners that it cannot tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.evaluation.friedman import FEW, shuffled_mean_ranks
from linnet.evaluation.intervals import crossing


@lru_cache
def studentized_range_quantile(k: int, p: float) -> float:
    """Of the range of k independent standard normal variables.

    P(range ≤ q) = k ∫ φ(z) (Φ(z) - Φ(z - q))^(k-1) dz, where z is the largest; sums of equal steps converge faster than
    any power of the step for such a function.
    """
    z = np.arange(-9.0, 9.0, 0.05)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    upto = _normal(z)

    def excess(q: float) -> float:
        return float(0.05 * k * (density * (upto - _normal(z - q)) ** (k - 1)).sum()) - p

    return crossing(excess, 0.0, 40.0)


def _normal(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([math.erfc(-each / math.sqrt(2)) / 2 for each in z])


def nemenyi_difference(k: int, data_sets: int, confidence: float = 0.95) -> float:
    """q sqrt(k (k+1) / (6 N)), q being the quantile of the studentized range over sqrt(2) (Nemenyi 1963; Demšar 2006,
    Statistical comparisons of classifiers over multiple data sets)."""
    if k < 2 or data_sets < 1:
        raise InputError(f"{k} learners on {data_sets} data sets: ranks compare at least two learners on a data set")
    q = studentized_range_quantile(k, confidence) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * data_sets))


@lru_cache
def critical_difference(k: int, data_sets: int, confidence: float = 0.95) -> float:
    """By how much two mean ranks must differ at least, so that equally good learners seldom have such a pair.

    Nemenyi's, which holds for many data sets.  Of few, mean ranks have few values, and as much or more may be too
    frequent (two learners on 4 data sets: 12.5 %): there it is the next possible difference that is rare enough among
    random orders, or more than is possible at all.
    """
    asymptotic = nemenyi_difference(k, data_sets, confidence)
    if data_sets > FEW:
        return asymptotic
    untied = np.repeat(np.arange(1.0, k + 1)[:, np.newaxis], data_sets, axis=1)
    means = shuffled_mean_ranks(untied)
    widest = np.rint(data_sets * (means.max(axis=1) - means.min(axis=1)))
    difference = asymptotic
    while np.count_nonzero(widest >= data_sets * difference - 1e-6) > (1 - confidence) * len(widest):
        difference = (math.floor(data_sets * difference + 1e-6) + 1) / data_sets
    return difference


def indistinguishable(
    names: Sequence[str], mean_ranks: Sequence[float], difference: float
) -> tuple[tuple[str, ...], ...]:
    """The largest sets of two or more learners whose mean ranks differ by less than this, best first."""
    order = sorted(range(len(names)), key=lambda each: mean_ranks[each])
    groups: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and mean_ranks[order[last + 1]] - mean_ranks[order[first]] < difference - 1e-9:
            last += 1
        if last > first and not (groups and groups[-1][1] >= last):
            groups.append((first, last))
    return tuple(tuple(names[each] for each in order[first : last + 1]) for first, last in groups)
