"""Ridge regression of many dense columns and rows: squares in single precision, all digits from steps in double.

The systems are those of ridge.py,

    narrow   (A'A + alpha I) w = A't                   A = sqrt(c) (X - m), t = sqrt(c) (y - mean)
    wide     (A A' + alpha I) u = t,  w = A'u

The table of a system takes nearly all the time, and half as much in single precision.  Its factor M is then off in the
sixth digit or so, but solves the system in double precision as the preconditioner of a few conjugate gradients
(Hestenes, Stiefel 1952), whose products with the table are made from the rows: each step gains as many digits as M has.
Where they gain too slowly, as in a system that is badly conditioned, there is no result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Examples
from linnet.training.solvers.centred_squares import NARROWEST, SMALL_MEAN
from linnet.training.solvers.positive_systems import solver_of
from linnet.training.solvers.row_products import dense_products
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]
Single = NDArray[np.float32]

# With fewer rows or columns, or multiplications for the table, the steps take as long as single precision saves.
SIDE_AT_LEAST, WORK_AT_LEAST = 200, 1 << 26
# Steps at most, and the squared length of the error, relative to that of the solution, at which no digit is missing
# that a table in double precision would give: 12 and more are there.
STEPS, NOTHING = 6, 1e-25
# Numbers that a thread multiplies at once: they stay in the cache for the second product.
NUMBERS_AT_ONCE = 1 << 18
# Rows that tell whether means are small beside deviations.
SAMPLED = 64


def refined(examples: Examples, alpha: float, *, intercept: bool) -> tuple[Flat, float] | None:
    """The weights and the intercept; None where there is too little to gain, or too few digits."""
    (n, d), rows = examples.rows.shape, examples.rows
    if not rows.dense or isinstance(rows, PackedRows):
        return None
    if min(n, d) < SIDE_AT_LEAST or n * d * min(n, d) < WORK_AT_LEAST:
        return None
    centred = _Centred(examples, intercept=intercept)
    w = _narrow(centred, alpha) if d <= n else _wide(centred, alpha)
    return None if w is None else (w, float(centred.target_mean - centred.means @ w))


class _Centred:
    """The rows as a table X, with the means that A = sqrt(c) (X - m) and t = sqrt(c) (y - mean) lack.

    Small means cancel too little to be taken off every entry: they are taken off the products (`rest`).
    """

    def __init__(self, examples: Examples, *, intercept: bool) -> None:
        self.X: NDArray[Any] = examples.rows.matrix()
        n, d = self.X.shape
        self.c = np.ones(n) if examples.weights is None else examples.weights
        self.root = np.sqrt(self.c)
        self.weighted = examples.weights is not None
        self.total = float(self.c.sum())
        self.intercept, self.means, self.target_mean = intercept, np.zeros(d), 0.0
        if intercept:
            self.means = self.over_rows(lambda X, at: self.c[at] @ X) / self.total
            self.target_mean = float(self.c @ examples.targets / self.total)
        self.t = self.root * (examples.targets - self.target_mean)
        some = np.asarray(self.X[:SAMPLED], dtype=np.float64)
        small = (self.means**2 <= SMALL_MEAN * some.var(axis=0)).all()
        self.taken_off: Flat | None = None if small else self.means
        self.rest: Flat = self.means if small else np.zeros(d)

    def over_rows(self, part: Callable[[Flat, slice], Flat]) -> Flat:
        """The sum over blocks of rows."""
        n, d = self.X.shape

        def of(first: int, last: int) -> Flat:
            return part(np.asarray(self.X[first:last], dtype=np.float64), slice(first, last))

        return added(over_parts(of, n, max(1, NUMBERS_AT_ONCE // d)))

    def single(self, at: slice) -> Single:
        """Some rows of A in single precision."""
        some = np.empty((len(self.X[at]), self.X.shape[1]), dtype=np.float32)
        np.subtract(self.X[at], self.means, out=some, casting="same_kind")
        if self.weighted:
            some *= self.root[at, np.newaxis].astype(np.float32)
        return some

    def columns_by(self, factors: Callable[[Flat, slice], Flat]) -> Flat:
        """A'v sqrt(c), with the v sqrt(c) of a block of rows made from these."""

        def part(X: Flat, at: slice) -> Flat:
            if self.taken_off is not None:
                X = X - self.taken_off
            v = factors(X, at)
            return v @ X - float(v.sum()) * self.rest

        return self.over_rows(part)


def _narrow(rows: _Centred, alpha: float) -> Flat | None:
    """By the d x d table of squares."""
    d = rows.X.shape[1]
    table = _single_squares(rows)
    table.flat[:: d + 1] += alpha
    if (table.diagonal() < NARROWEST * rows.total * rows.means**2).any():
        return None

    def along(v: Flat) -> Flat:
        beside = float(rows.rest @ v)
        return rows.columns_by(lambda X, at: rows.c[at] * (X @ v - beside)) + alpha * v

    return _refined_solution(table, along, rows.columns_by(lambda _, at: rows.root[at] * rows.t[at]))


def _single_squares(rows: _Centred) -> Flat:
    """A'A, the squares of a block in single precision, their sums in double."""
    n, d = rows.X.shape
    at_once = 2 * d  # of fewer rows, adding up the tables would take longest

    def part(first: int, last: int) -> Flat:
        squares = np.zeros((d, d))
        for start in range(first, last, at_once):
            A = rows.single(slice(start, min(last, start + at_once)))
            squares += A.T @ A
        return squares

    return added(over_parts(part, n, max(2 * at_once, -(-n // 16))))


def _wide(rows: _Centred, alpha: float) -> Flat | None:
    """By the n x n table of the rows' products.

    With an intercept A'sqrt(c) = 0, and so is sqrt(c) . u: along sqrt(c), where there is but alpha, the table is made
    as large as elsewhere, which changes no solution.
    """
    n, d = rows.X.shape
    table = dense_products(rows.single(slice(0, n))).astype(np.float64)
    table.flat[:: n + 1] += alpha
    more = float(table.diagonal().mean()) / rows.total if rows.intercept else 0.0
    table += np.outer(more * rows.root, rows.root)

    def along(v: Flat) -> Flat:
        by_row = rows.root * v
        shift = float(by_row.sum())

        def part(first: int, last: int) -> Flat:
            columns = np.asarray(rows.X[:, first:last], dtype=np.float64)
            if rows.taken_off is not None:
                columns = columns - rows.taken_off[first:last]
            rest = rows.rest[first:last]
            w = by_row @ columns - shift * rest
            return np.asarray(columns @ w - float(rest @ w))

        return rows.root * (added(over_parts(part, d, max(64, NUMBERS_AT_ONCE // n))) + more * shift) + alpha * v

    u = _refined_solution(table, along, rows.t)
    return None if u is None else rows.columns_by(lambda _, at: rows.root[at] * u[at])


def _refined_solution(table: Flat, along: Callable[[Flat], Flat], right: Flat) -> Flat | None:
    """The solution of the system whose products with a vector are `along`, and which is the table but for rounding.

    With the factor M of the table, r'M^-1 r of what is left is the squared length of the error, measured by the
    system itself.
    """
    solve = solver_of(table) if np.isfinite(right).all() else None
    if solve is None:
        return None
    found, left = np.zeros(len(right)), right
    ahead = solve(left)
    direction, product = ahead, float(left @ ahead)
    enough = NOTHING * product
    for _ in range(STEPS):
        if not product > enough:
            break
        bent = along(direction)
        curvature = float(direction @ bent)
        if not curvature > 0:
            return None
        step = product / curvature
        found = found + step * direction
        left = left - step * bent
        ahead = solve(left)
        before, product = product, float(left @ ahead)
        direction = ahead + product / before * direction
    return found if product <= enough else None
