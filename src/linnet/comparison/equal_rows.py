"""Rows with equal features: duplicates, and labels that contradict one another.

A model predicts one label for equal rows.  Of each group of them it has at best those with the most frequent label
right, so that no model of these features has a higher accuracy on these rows than

    sum over groups of (the weight of its most frequent label) / (the weight of all rows).

Of numbers it can at best predict the mean of the group, and what is left of the variance bounds R² in the same way.

Rows are equal if their 64-bit fingerprints are: of a million different rows, two have the same one with a probability
of 3 in 100 million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import Fact
from linnet.comparison.row_sample import Place
from linnet.comparison.wording import percent
from linnet.pipeline.dataset import Dataset
from linnet.training.distinct_rows import fingerprints

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The group of each row, numbered in the order of their first rows, and how many rows each has."""

    group: Numbers
    sizes: Numbers

    @classmethod
    def of(cls, fingerprints: NDArray[np.uint64]) -> EqualRows:
        _, first, group, sizes = np.unique(fingerprints, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return cls(rank[group], sizes[order])

    @property
    def duplicates(self) -> int:
        """How many rows are equal to one before them."""
        return int(len(self.group) - len(self.sizes))


def equal_rows(dataset: Dataset) -> EqualRows:
    """Of all rows, by their features alone."""
    packed = dataset.packed_rows
    rows = dataset.rows if packed is None else packed
    return EqualRows.of(fingerprints(rows, np.zeros(len(dataset.targets))))


def duplicates_fact(equal: EqualRows) -> Fact:
    n = len(equal.group)
    fraction = equal.duplicates / n
    if not equal.duplicates:
        return Fact("duplicates", 0.0, f"no two of the {n:,} rows have equal features")
    most = int(equal.sizes.max())
    text = f"{equal.duplicates:,} of {n:,} rows ({percent(fraction)}) have the features of an earlier row"
    text += f"; the most frequent is there {most:,} times" if most > 2 else ""
    meaning = (
        "on a split that separates them, learners that memorise rows (neighbours, trees, many n-grams) are "
        "overrated: equal rows must stay in one fold"
    )
    return Fact("duplicates", fraction, text, meaning if fraction >= 0.001 else "")


@dataclass(frozen=True)
class Conflicts:
    """Rows in groups of different labels, the first two of them, and the weight that a best model has right."""

    rows: int
    first: tuple[int, int] | None
    ceiling: float


def conflicts(equal: EqualRows, codes: Numbers, weights: Flat) -> Conflicts:
    """What labels contradict one another among equal rows."""
    classes = int(codes.max(initial=0)) + 1
    kinds, which = np.unique(equal.group * classes + codes, return_inverse=True)
    weight = np.bincount(which, weights, len(kinds))
    best = np.zeros(len(equal.sizes))
    np.maximum.at(best, kinds // classes, weight)
    several = np.bincount(kinds // classes, minlength=len(equal.sizes)) > 1
    ceiling = float(best.sum() / weights.sum())
    inside = np.flatnonzero(several[equal.group])
    if not len(inside):
        return Conflicts(0, None, 1.0)
    return Conflicts(len(inside), _first_pair(equal.group[inside], codes[inside], inside), min(ceiling, 1.0))


def _first_pair(group: Numbers, codes: Numbers, rows: Numbers) -> tuple[int, int]:
    """The first row that contradicts one before it, after the first of its group."""
    _, first, which = np.unique(group, return_index=True, return_inverse=True)
    at = int(np.flatnonzero(codes != codes[first[which]])[0])
    return int(rows[first[which[at]]]), int(rows[at])


def conflicts_fact(found: Conflicts, n: int, place: Place) -> Fact:
    if found.first is None:
        return Fact("conflicting labels", 1.0, "no two rows with equal features have different labels")
    first, second = found.first
    text = (
        f"{found.rows:,} of {n:,} rows ({percent(found.rows / n)}) have equal features and another label elsewhere, "
        f"first {place(first)} and {place(second)}"
    )
    meaning = f"no model of these features can have an accuracy above {percent(found.ceiling, 2)} on these rows"
    return Fact("conflicting labels", found.ceiling, text, meaning)


def variance_within(equal: EqualRows, targets: Flat, weights: Flat) -> float:
    """The fraction of the variance of numbers that is within groups of equal rows."""
    centred = targets - float((weights * targets).sum() / weights.sum())
    total = np.bincount(equal.group, weights, len(equal.sizes))
    sums = np.bincount(equal.group, weights * centred, len(equal.sizes))
    means = np.divide(sums, total, out=np.zeros(len(total)), where=total > 0)
    left = float((weights * (centred - means[equal.group]) ** 2).sum())
    whole = float((weights * centred**2).sum())
    return left / whole if whole > 0 else 0.0


def conflicting_numbers_fact(equal: EqualRows, targets: Flat, weights: Flat) -> Fact:
    within = variance_within(equal, targets, weights)
    if within == 0:
        return Fact("conflicting targets", 1.0, "no two rows with equal features have different targets")
    text = f"{percent(within, 2)} of the target's variance is among rows with equal features"
    meaning = f"no model of these features can have an R² above {1 - within:.4f} on these rows"
    return Fact("conflicting targets", 1.0 - within, text, meaning)
