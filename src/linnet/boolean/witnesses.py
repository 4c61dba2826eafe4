"""Witness: a proof that no plane separates the true points of a function from the false ones.

Points with multipliers such that the true and the false points have the same weighted sum and the same total:

    Σ m_i x_i (true) = Σ m_i x_i (false),   Σ m_i (true) = Σ m_i (false),   m_i > 0 integers

A plane with all true points on one side would have their mean there, which is also the mean of the false points.  By
Gordan's theorem a function that is not a linear threshold function has such points: λ = m / Σm has Σ λ y (x, 1) = 0.

A vertex of the cube is not between others, so at least two points of either kind are needed.  Four points are enough
for every function of up to eight variables (Muroga, Tsuboi, Baugh 1970).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.errors import NumericalError

Point = tuple[int, ...]
FEWEST = 4
PAIRS_UP_TO = 12


@dataclass(frozen=True)
class Witness:
    """True and false points with multipliers and the same weighted sum."""

    true: tuple[Point, ...]
    false: tuple[Point, ...]
    true_multipliers: tuple[int, ...]
    false_multipliers: tuple[int, ...]

    @staticmethod
    def of_pairs(true: tuple[Any, Any], false: tuple[Any, Any]) -> Witness:
        return Witness(_points(true), _points(false), (1, 1), (1, 1))

    @property
    def smallest(self) -> bool:
        """Whether no witness can have fewer points."""
        return len(self.true) + len(self.false) == FEWEST

    @property
    def meeting_point(self) -> tuple[Fraction, ...]:
        """The common mean of the true and the false points."""
        total = sum(self.true_multipliers)
        sums = [
            sum(m * x for m, x in zip(self.true_multipliers, column, strict=True))
            for column in zip(*self.true, strict=True)
        ]
        return tuple(Fraction(value, total) for value in sums)

    def holds(self, function: BooleanFunction) -> bool:
        """Whether the points are true and false as stated and have the same sum; integers, so exact."""
        rows = [*self.true, *self.false]
        signed = [*self.true_multipliers, *(-m for m in self.false_multipliers)]
        if len(rows) != len(signed) or min(*self.true_multipliers, *self.false_multipliers) <= 0:
            return False
        if any(len(row) != function.n or not set(row) <= {0, 1} for row in rows):
            return False
        values = [bool(function.table[int("".join(map(str, row)) or "0", 2)]) for row in rows]
        if values != [True] * len(self.true) + [False] * len(self.false):
            return False
        sums = [sum(m * x for m, x in zip(signed, column, strict=True)) for column in zip(*rows, strict=True)]
        return sum(signed) == 0 and not any(sums)


def _points(given: Any) -> tuple[Point, ...]:
    return tuple(tuple(int(x) for x in point) for point in given)


def pairs_with_one_sum(table: Table) -> Witness | None:
    """Two true and two false points with the same sum, if there are any.

    The number of pairs of true points with each sum in {0, 1, 2}^n is the square of the polynomial Σ z^x over them.  It
    is squared by its 3^n integer values at 0, 1 and infinity in every variable.
    """
    n = len(table).bit_length() - 1
    both = (_squared(table, n) > 0) & (_squared(~table, n) > 0)
    met = np.argwhere(both)
    if not len(met):
        return None
    total = met[(met == 1).sum(axis=1).argmin()]  # on the smallest face
    points = cube(n)
    return Witness.of_pairs(_pair(points[table], total), _pair(points[~table], total))


def _squared(table: Table, n: int) -> NDArray[np.int64]:
    values = table.astype(np.int64).reshape((2,) * n)
    for axis in range(n):
        first, second = np.take(values, 0, axis), np.take(values, 1, axis)
        values = np.stack([first, first + second, second], axis)
    values *= values
    for axis in range(n):
        at_0, at_1, at_infinity = (np.take(values, at, axis) for at in range(3))
        values = np.stack([at_0, at_1 - at_0 - at_infinity, at_infinity], axis)
    return values


def _pair(points: NDArray[np.int64], total: NDArray[np.int64]) -> tuple[Any, Any]:
    known = {tuple(point) for point in points.tolist()}
    for point in points.tolist():
        other = tuple((total - point).tolist())
        if other in known:
            return tuple(point), other
    raise AssertionError("no two points have this sum")


def by_programme(table: Table) -> Witness | None:
    """A witness of at most n + 2 points by a linear programme; None where a plane separates."""
    n = len(table).bit_length() - 1
    points = cube(n)
    found = balanced(points, table)
    if found is None:
        return None
    at, m = found
    true, false = at[table[at]], at[~table[at]]
    by_point = dict(zip(at.tolist(), m, strict=True))
    return Witness(
        _points(points[true]),
        _points(points[false]),
        tuple(by_point[row] for row in true.tolist()),
        tuple(by_point[row] for row in false.tolist()),
    )


def balanced(columns: Any, table: Table, others: Any = None) -> tuple[NDArray[np.int64], list[int]] | None:
    """Rows and integer multipliers m > 0 with Σ m y (φ, 1) = 0, checked exactly; None where there are none.

    Those that minimise Σ_k |Σ m y ψ_k| over the `others`, further columns ψ.
    """
    from scipy.optimize import linprog

    signs = np.where(table, 1, -1)
    zero = (np.column_stack([columns, np.ones(len(table), dtype=np.int64)]) * signs[:, np.newaxis]).T
    extra = np.empty((0, len(table)), dtype=np.int64) if others is None else (others * signs[:, np.newaxis]).T
    k = len(extra)
    equal_0 = np.vstack(
        [
            np.column_stack([zero, np.zeros((len(zero), 2 * k))]),
            np.column_stack([extra, np.eye(k), -np.eye(k)]),
        ]
    )
    value, one = np.append(np.zeros(len(table)), np.ones(2 * k)), np.append(np.ones(len(table)), np.zeros(2 * k))
    done = linprog(
        value, A_eq=np.vstack([equal_0, one]), b_eq=np.append(np.zeros(len(equal_0)), 1.0), method="highs-ds"
    )
    if done.x is None:
        return None
    m = done.x[: len(table)]
    at = np.flatnonzero(m > 1e-9)
    stays_zero = np.vstack([zero, extra[np.abs(extra @ m) < 1e-7]])[:, at]
    return at, _whole(m[at], stays_zero)


def _whole(m: NDArray[np.float64], zero: NDArray[np.int64]) -> list[int]:
    """Integers in the proportions of m whose product with the rows is 0."""
    for times in range(1, 13):
        scaled = m / m.min() * times
        near = np.rint(scaled)
        if np.abs(scaled - near).max() < 1e-4 and not (zero @ near.astype(np.int64)).any():
            return [int(value) for value in near]
    exact = _null(zero)
    if exact is None or min(exact) <= 0:
        raise NumericalError("integer multipliers that prove that no plane separates the points were not found")
    return exact


def _null(matrix: NDArray[np.int64]) -> list[int] | None:
    """The null space of the rows as one integer vector; None if its dimension is not 1."""
    rows = [[Fraction(int(value)) for value in row] for row in matrix]
    width, pivots = matrix.shape[1], list[int]()
    for column in range(width):
        done = len(pivots)
        at = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if at is None:
            continue
        rows[done], rows[at] = rows[at], rows[done]
        lead = rows[done][column]
        rows[done] = [value / lead for value in rows[done]]
        for r, row in enumerate(rows):
            if r != done and row[column]:
                factor = row[column]
                rows[r] = [a - factor * b for a, b in zip(row, rows[done], strict=True)]
        pivots.append(column)
    free = [column for column in range(width) if column not in pivots]
    if len(free) != 1:
        return None
    found = [Fraction(0)] * width
    found[free[0]] = Fraction(1)
    for r, column in enumerate(pivots):
        found[column] = -rows[r][free[0]]
    scale = lcm(*(value.denominator for value in found))
    whole = [int(value * scale) for value in found]
    return [-value for value in whole] if whole[free[0]] < 0 else whole
