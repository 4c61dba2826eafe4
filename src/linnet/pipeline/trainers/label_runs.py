"""Runs of equal labels in a stream: are the rows sorted by label, or do like labels follow one another?"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

# Fewer rows than this are not called sorted, in whatever order.
ENOUGH_TO_BE_SORTED = 100
# Of the changes of label that a random order has, fewer than this fraction flatter progressive validation.
LIKE_RANDOM = 0.8


@dataclass
class LabelRuns:
    """Runs of equal labels: how many there were, the rows of each label, and the label of the last row."""

    count: int = 0
    last: float = -1.0
    of_labels: list[int] = field(default_factory=list)

    def add(self, labels: NDArray[np.float64]) -> None:
        if len(labels):
            self.count += int((np.diff(labels, prepend=self.last) != 0).sum())
            self.last = float(labels[-1])
            counts = np.bincount(labels.astype(np.int64), minlength=len(self.of_labels))
            counts[: len(self.of_labels)] += np.array(self.of_labels, dtype=np.int64)
            self.of_labels = counts.tolist()

    def are_few(self, rows: int, classes: int) -> bool:
        """Are the rows sorted by label, or nearly so?"""
        return rows >= ENOUGH_TO_BE_SORTED and classes > 1 and self.count <= 2 * classes

    def are_long(self) -> bool:
        """Are successive labels more alike than those of a random order, beyond chance?

        Labels drawn at random change with the probability 1 - Σp², so the number of changes in n rows has a standard
        deviation of less than sqrt(n) (Wald, Wolfowitz 1940, On a test whether two samples are from the same
        population).
        """
        rows = sum(self.of_labels)
        if rows < ENOUGH_TO_BE_SORTED:
            return False
        changes = rows * (1.0 - sum((n / rows) ** 2 for n in self.of_labels))
        return self.count < LIKE_RANDOM * changes and changes - self.count > 4 * sqrt(rows)
