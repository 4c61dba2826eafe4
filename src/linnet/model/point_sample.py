"""PointSample: some rows of data with two columns of numbers, for a picture of the plane between their classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.terms import NumberTerm
from linnet.data.rows import Rows
from linnet.kernels.fingerprints import scramble

# More points than these hide one another.
MOST_POINTS = 300
# Rows that are looked at together.
ROWS_AT_ONCE = 1 << 13
# Digits of a point that is drawn.
DIGITS = 6
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class PointSample:
    """Points and the numbers of their classes, -1 for a label that the model does not know; `rows` in all."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    codes: tuple[int, ...]
    rows: int

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.codes) <= self.rows:
            raise ValueError("points and classes differ in number")
        if len(self.x) > MOST_POINTS or not all(map(math.isfinite, (*self.x, *self.y))):
            raise ValueError("points are not finite, or too many")


def two_numbers(features: Features) -> tuple[int, int, int, int] | None:
    """Where all features come from two columns of numbers: their values, and the flags of what is missing there."""
    terms = features.terms
    return (0, 2, 1, 3) if len(terms) == 2 and all(isinstance(term, NumberTerm) for term in terms) else None


def placed(features: Features, by_term: Sequence[NDArray[np.int64]]) -> list[int]:
    """The columns that these features have in rows whose terms have these columns."""
    columns = np.concatenate(by_term)
    return [int(columns[feature]) for feature in two_numbers(features) or ()]


class PointSampling:
    """Of all rows added, the distinct ones with the smallest keys, which are made from the rows themselves.

    So neither the order of the rows nor the blocks they come in change the sample.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.kept: Floats = np.empty((0, 3))
        self._keys: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._limit = np.uint64(2**64 - 1)  # no row of a larger key is kept in the end

    def add(self, points: Floats, labels: NDArray[np.integer] | Floats) -> None:
        """Add points, (n, 2), with the numbers of their labels."""
        self.rows += len(points)
        self._add(np.column_stack([points, labels]) + 0.0)  # -0 and 0 are equal

    def add_rows(self, rows: Rows, labels: Floats, at: Sequence[int]) -> None:
        """Add rows: `at` are the columns of the two values and of their flags, -1 where no row has it."""
        for first in range(0, rows.shape[0], ROWS_AT_ONCE):
            part = slice(first, min(first + ROWS_AT_ONCE, rows.shape[0]))
            matrix = rows.matrix(part)
            dense = np.column_stack([np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64),
                                     np.zeros(part.stop - first)])  # fmt: skip
            there = (dense[:, [at[2], at[3]]] == 0).all(axis=1) & np.isfinite(dense[:, [at[0], at[1]]]).all(axis=1)
            self.add(dense[there][:, [at[0], at[1]]], labels[part][there])

    def _add(self, rows: Floats) -> None:
        """Keep the rows of the smallest keys; these are of the points alone, for labels are numbered by appearance."""
        keys = np.zeros(len(rows), np.uint64)
        for column in rows.T[:2]:
            mixed = np.empty_like(keys)
            scramble(np.ascontiguousarray(column).view(np.uint64) ^ keys, 1, mixed)
            keys = mixed
        near = keys <= self._limit
        keys, rows = np.concatenate([self._keys, keys[near]]), np.concatenate([self.kept, rows[near]])
        order = np.lexsort((rows[:, 2], keys))
        keys, rows = keys[order], rows[order]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = (keys[1:] != keys[:-1]) | (rows[1:, 2] != rows[:-1, 2])
        keys, rows = keys[new], rows[new]
        distinct = np.unique(keys)
        if len(distinct) >= MOST_POINTS:
            self._limit = distinct[MOST_POINTS - 1]
        self._keys, self.kept = keys[keys <= self._limit], rows[keys <= self._limit]

    def restore(self, kept: Floats, rows: int, labels: int) -> None:
        """Go back to what was kept of this many rows, checked."""
        sound = (
            kept.dtype == np.float64
            and kept.ndim == 2
            and kept.shape[1] == 3
            and len(kept) <= MOST_POINTS * max(labels, 1)
        )
        if not sound or type(rows) is not int or len(kept) > rows or not np.isfinite(kept).all():
            raise ValueError("the sample of points has the wrong shape")
        if len(kept) and not 0 <= kept[:, 2].min() <= kept[:, 2].max() < labels:
            raise ValueError("the sample of points has labels that there are not")
        self._add(kept)
        self.rows = rows

    def result(self, codes: Codes | None = None) -> PointSample | None:
        """The sample; `codes` has the class of each number of a label."""
        if not len(self.kept):
            return None
        labels = self.kept[:, 2].astype(np.int64)
        labels = labels if codes is None else np.where(labels < 0, -1, codes[labels])
        first = np.lexsort((labels, self._keys))[:MOST_POINTS]
        order = first[np.lexsort((labels[first], self.kept[first, 1], self.kept[first, 0]))]
        x, y = (tuple(float(f"{v:.{DIGITS}g}") for v in self.kept[order, j].tolist()) for j in (0, 1))
        return PointSample(x, y, tuple(labels[order].tolist()), self.rows)
