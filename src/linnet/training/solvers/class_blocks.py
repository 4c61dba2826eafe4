"""A preconditioner for softmax over dense rows: the blocks of the Hessian by class.

With p_ik the probability of class k for row i, and c_i its normalised weight,

    B_k = sum_i c_i p_ik (1 - p_ik) (x_i, 1)(x_i, 1)' + l2 I

is all that H has on the weights of class k alone.  Unlike the diagonal of H it knows how columns go together, as nearby
pixels do.  It is added up over a sample of the rows, a few for every column: it only shapes the way of conjugate
gradients (Concus, Golub, O'Leary 1976).  A common change of all classes' weights has no effect on the losses: along
that H is l2 I, and is taken for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cores import scipy
from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import Factored, mirrored
from linnet.training.solvers.hessian import Point, squared_columns
from linnet.training.solvers.softmax_point import ManyClasses
from linnet.training.threads import in_threads

Table = NDArray[np.float64]
Numbers = NDArray[np.floating[Any]]

# From this many columns on, up to this many numbers in all tables; and how many rows a column are sampled.
COLUMNS_FROM, NUMBERS_TO = 20, 1 << 24
ROWS_A_COLUMN = 4
# A step that takes more products than this, or than would take as long as new tables, shows that they are worn out.
WORN_OUT = 10
# The mean of a column's summed squared correlations from which on the blocks are worth their time.
TOGETHER = 1.0
# What is added to the diagonal, beside itself: more where rounding asks for it.
EXTRA = 1e-10
# From this many columns on tables are in single precision, for which this is added: no more than the penalty is.
WIDE, SINGLE = 200, 1e-6
# Curvatures that differ by no more than this fraction are the same.
ALIKE = 1e-6


def suits(point: Point) -> bool:
    """Whether there are dense rows of several classes, for which these tables are small, and their columns go together:
    else the diagonal is as good."""
    problem = point.problem
    n, d = problem.rows.shape
    if not isinstance(point, ManyClasses) or not problem.rows.dense:
        return False
    return COLUMNS_FROM <= d <= n and problem.outputs * d * d <= NUMBERS_TO and _go_together(problem)


def _go_together(problem: Objective) -> bool:
    """Whether a column's squared correlations with all others, on a sample of the rows, are much on the mean."""
    n, d = problem.rows.shape
    X = np.asarray(problem.rows.matrix()[:: max(1, n // (ROWS_A_COLUMN * d))], dtype=np.float64)
    squares = X.T @ X
    unit = 1.0 / np.sqrt(np.maximum(squares.diagonal(), np.finfo(np.float64).tiny))
    squares *= np.outer(unit, unit)
    return float((squares * squares).sum()) - d > TOGETHER * d


def worn_out_after(problem: Objective) -> int:
    """How many products a step may take before new blocks are worth their time."""
    n, d = problem.rows.shape
    return max(WORN_OUT, d * d // (2 * n))


class ClassBlocks:
    """The inverses of the blocks at a point."""

    def __init__(self, point: Point) -> None:
        assert isinstance(point, ManyClasses)
        problem = point.problem
        self._d, self._outputs = problem.columns, problem.outputs
        self._free, self._reference = problem.intercept, problem.reference
        self._rows = problem.rows
        self._bends = np.ascontiguousarray((point.normalised_weights[:, np.newaxis] * point.own_bends()).T)
        self._l2 = problem.penalty.l2
        alike = bool((np.ptp(self._bends, axis=0) <= ALIKE * self._bends.max(axis=0)).all())  # at first all classes are
        found = in_threads(self._inverse, range(1 if alike else self._outputs), -1)
        self._inverses: list[Table] = found * self._outputs if alike else found
        del self._rows, self._bends

    def _inverse(self, k: int) -> Table:
        d = self._d
        which, bends = _sampled(self._bends[k], ROWS_A_COLUMN * d)
        if d >= WIDE and (found := self._wide_inverse(which, bends)) is not None:
            return found
        table, room = np.zeros((d + 1, d + 1)), np.empty((min(d, len(which)), d + 1))
        for first in range(0, len(which), d):
            at = slice(first, first + d)
            table += squared_columns(self._rows.matrix(which[at]), bends[at], room)
        scaled, unit = self._scaled(table)
        table = mirrored(np.asarray(scaled, dtype=np.float64).T)
        extra = EXTRA
        while True:
            table.flat[:: len(table) + 1] += extra
            try:
                return Factored(table).inverse() * np.outer(unit, unit)
            except np.linalg.LinAlgError:
                extra *= 10

    def _scaled(self, table: Numbers) -> tuple[Numbers, Numbers]:
        """With the penalty, without an intercept that is not free, and every column in its own unit; and these."""
        d = self._d
        table.flat[: d * (d + 2) : d + 2] += self._l2
        if not self._free:
            table = table[:-1, :-1]
        unit = 1.0 / np.sqrt(np.maximum(table.diagonal(), np.finfo(table.dtype).tiny))
        table *= np.outer(unit, unit)
        return table, unit

    def _wide_inverse(self, which: NDArray[np.int64], bends: Flat) -> Table | None:
        """The inverse of a table of many columns, in single precision, which is a quarter of the time; None where the
        penalty is too small for it."""
        d = self._d
        roots = np.sqrt(bends)
        table: Numbers = np.zeros((d + 1, d + 1), dtype=np.float32)
        rows = np.empty((min(d, len(which)), d + 1), dtype=np.float32)
        for first in range(0, len(which), d):
            at = slice(first, first + d)
            own, root = rows[: len(which[at])], roots[at]
            np.multiply(self._rows.matrix(which[at]), root[:, np.newaxis], out=own[:, :d], casting="same_kind")
            own[:, d] = root
            table += own.T @ own
        table, unit = self._scaled(table)
        if not self._l2 * float(unit.min()) ** 2 >= SINGLE:  # also where the table left the range of numbers
            return None
        table.flat[:: len(table) + 1] += SINGLE
        lapack = scipy("linalg").lapack
        factor, failed = lapack.spotrf(table.T, lower=1, overwrite_a=1)
        if failed:
            return None
        inverse, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
        inverse = np.tril(inverse)
        inverse += np.tril(inverse, -1).T
        inverse *= np.outer(unit, unit)
        return np.asarray(inverse)

    def __call__(self, residual: Flat) -> Flat:
        table = residual.reshape(-1, self._outputs)
        into = np.zeros_like(table)
        common = table.mean(axis=1, keepdims=True)
        if not self._reference:
            table = table - common
        free = self._d + int(self._free)
        for k, inverse in enumerate(self._inverses):
            into[:free, k] = inverse @ table[:free, k].astype(inverse.dtype)
        if self._reference:
            into[:, -1] = 0.0
        else:
            into -= into.mean(axis=1, keepdims=True)
            into[:-1] += common[:-1] / self._l2
        return into.reshape(-1)


def _sampled(bends: Flat, size: int) -> tuple[NDArray[np.int64], Flat]:
    """About this many rows with their curvatures: those of the largest ones, which are most of the sum where rows are
    far from the boundary; and of the others one of several, for all of them."""
    n = len(bends)
    if n <= size:
        return np.arange(n), bends
    order = np.argpartition(-bends, size // 2)
    largest, others = np.sort(order[: size // 2]), np.sort(order[size // 2 :])
    every = -(-len(others) // (size - len(largest)))
    some = others[::every]
    return np.concatenate([largest, some]), np.concatenate([bends[largest], every * bends[some]])
