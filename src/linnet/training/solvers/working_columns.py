"""Some of the columns of a problem, as coordinate descent takes them: dense or sparse, by rows or by columns.

    A     n x k, the columns of a working set; dense ones about their means, where the intercept is free
    A d   what a change d of the weights does to the scores;  A'r, the slopes of the weights
    A'DA  the table of all pairs, with M = A'D1 and T = 1'D1 beside it

Up to MOST_PAIRED columns are taken by that table, which costs one product; a sweep over the weights then does not
depend on the number of rows.  More are taken column by column (`ByColumn`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.kernels import coordinate_descent as kernel
from linnet.kernels.hessian import gradient, hessian
from linnet.kernels.scores import scores as row_scores
from linnet.kernels.sparse_entries import entries_by_column
from linnet.training.objective import Flat, Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]
Numbers = NDArray[np.int64]

# The most columns of a table of all pairs; and of sparse columns, how many pairs a row may have on average.
MOST_PAIRED = 1500
PAIRS_A_ROW = 2000
# Dense columns of up to this many entries are copied; more are looked at block by block, of this many entries, about
# the means of this many rows.
COPIED = 1 << 20
BLOCK, SAMPLE = 1 << 18, 256

NO_IDS = np.empty(0, dtype=np.uint32)
NO_STARTS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """A'DA less the part of the intercept; its diagonal, 0 where a column is constant to rounding; M and T."""

    table: Table
    own: Flat
    sums: Flat
    total: float

    @classmethod
    def of(cls, table: Table, sums: Flat, total: float, *, intercept: bool) -> Pairs:
        before = table.diagonal().copy()
        if intercept:
            table -= np.outer(sums, sums / total)
        own = table.diagonal().copy()
        own[own <= CONSTANT * before] = 0.0
        return cls(table, own, sums if intercept else np.zeros_like(sums), total if intercept else 0.0)


# A column whose square about its mean is less than this fraction of its square is constant, as far as rounding shows.
CONSTANT = 1e-13


class Columns(Protocol):
    """The columns of a working set.  `means` are what they are about."""

    which: Numbers
    means: Flat

    def scores(self, change: Flat) -> Flat: ...
    def slopes(self, amounts: Flat) -> Flat: ...


class Paired(Columns, Protocol):
    """Columns with a table of their pairs."""

    def pairs(self, bends: Flat, *, intercept: bool) -> Pairs: ...


class DenseColumns:
    """Dense columns, by rows."""

    def __init__(self, problem: Objective, which: Numbers) -> None:
        self.problem, self.which = problem, which
        self.n, self.all = problem.rows.shape[0], len(which) == problem.columns
        self.rows_a_block = max(1, BLOCK // max(1, len(which)))
        self._table: Table | None = None
        self.means = np.zeros(len(which))
        if self.n * len(which) <= COPIED and not self.all:
            self._table = self._read(0, self.n)
        if problem.intercept and self._table is not None:
            self.means = normalised_weights(problem) @ self._table
            self._table -= self.means
        elif problem.intercept:  # any numbers near the columns' own keep sums of squares from cancelling
            every = max(1, self.n // SAMPLE)
            self.means = problem.rows.matrix(slice(None, None, every))[:, which].mean(axis=0, dtype=np.float64)

    def _read(self, first: int, last: int) -> Table:
        if self.all:
            return np.asarray(self.problem.rows.matrix(slice(first, last)) - self.means, dtype=np.float64)
        picked = self.problem.rows.some_columns(self.which, slice(first, last))
        picked -= self.means
        return picked

    def _block(self, first: int, last: int) -> Table:
        return self._read(first, last) if self._table is None else self._table[first:last]

    def scores(self, change: Flat) -> Flat:
        if self._table is not None:
            return np.asarray(self._table @ change)
        weights = np.zeros(self.problem.columns + 1)
        weights[self.which], weights[-1] = change, -float(self.means @ change)
        return self.problem.scores(weights)[:, 0]

    def slopes(self, amounts: Flat) -> Flat:
        if self._table is not None:
            return np.asarray(amounts @ self._table)
        return np.asarray(self.problem.summed(amounts[:, np.newaxis])[self.which] - self.means * amounts.sum())

    def pairs(self, bends: Flat, *, intercept: bool) -> Pairs:
        alike = float(bends[0]) if len(bends) and (bends == bends[0]).all() else None
        roots = np.sqrt(bends)

        def part(first: int, last: int) -> tuple[Table, Flat]:
            block, root = self._block(first, last), roots[first:last]
            if alike is not None:
                return block.T @ block, np.ones(len(block)) @ block
            scaled = block * root[:, np.newaxis]
            return scaled.T @ scaled, root @ scaled

        found = over_parts(part, self.n, self.rows_a_block)
        table, sums = added(each for each, _ in found), added(each for _, each in found)
        if alike is not None:
            table *= alike
            sums *= alike
        return Pairs.of(table, sums, float(bends.sum()), intercept=intercept)


class SparseColumns:
    """Sparse columns, by rows: entries of all others are left out."""

    def __init__(self, problem: Objective, which: Numbers, counts: Numbers) -> None:
        rows, self.which, self.means = problem.rows, which, np.zeros(len(which))
        self.n = rows.shape[0]
        if len(which) == problem.columns and rows.values.dtype == np.float64:
            self.arrays = rows.values, rows.ids, rows.starts
            return
        size = int(counts[which].sum())
        values, ids, starts = np.empty(size + 1), np.empty(size + 1, dtype=np.uint32), np.empty(self.n + 1, np.int64)
        kernel.some_columns(rows.values, rows.ids, rows.starts, _places(problem, which), values, ids, starts)
        self.arrays = values[:size], ids[:size], starts

    def scores(self, change: Flat) -> Flat:
        into = np.empty((self.n, 1))
        row_scores(*self.arrays, len(self.which), False, change[:, np.newaxis], np.zeros(1), into)
        return into[:, 0]

    def slopes(self, amounts: Flat) -> Flat:
        into = np.zeros(len(self.which) + 1)
        gradient(*self.arrays, len(self.which), False, amounts[:, np.newaxis], into)
        return into[:-1]

    def pairs(self, bends: Flat, *, intercept: bool) -> Pairs:
        k = len(self.which)
        into = np.zeros((k + 1, k + 1))
        hessian(*self.arrays, bends, into)
        table = into[:k, :k]
        table = table + table.T  # a pair stands where its ids stand in the row, below the diagonal if they fall
        table.flat[:: k + 1] *= 0.5
        return Pairs.of(table, into[:k, k].copy(), float(into[k, k]), intercept=intercept)


class ByColumn:
    """Many columns, each with its entries together."""

    def __init__(self, problem: Objective, which: Numbers, counts: Numbers) -> None:
        rows, self.which = problem.rows, which
        self.n, k = rows.shape[0], len(which)
        self.dense = rows.dense
        self.means = np.zeros(k)
        if self.dense:
            table = np.empty((k, self.n))
            step = max(1, BLOCK // max(1, problem.columns))
            for first in range(0, self.n, step):
                block = slice(first, min(self.n, first + step))
                table[:, block] = np.take(rows.matrix(block), which, axis=1).T
            self.arrays = table.reshape(-1), NO_IDS, NO_STARTS
            if problem.intercept:
                self.means = self.slopes(normalised_weights(problem))
                table -= self.means[:, np.newaxis]
            return
        starts = np.append(0, np.cumsum(counts[which]))
        self.arrays = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.uint32), starts
        place = _places(problem, which)
        kernel.by_column(rows.values, rows.ids, rows.starts, place, starts[:-1].copy(), *self.arrays[:2])

    @property
    def layout(self) -> tuple[Flat, NDArray[np.uint32], Numbers, int, bool]:
        return *self.arrays, self.n, self.dense

    def scores(self, change: Flat) -> Flat:
        if self.dense:
            return np.asarray(change @ self.arrays[0].reshape(-1, self.n))
        into = np.zeros(self.n)
        kernel.combined(*self.arrays, change, into)
        return into

    def slopes(self, amounts: Flat) -> Flat:
        into = np.empty(len(self.which))
        kernel.products(*self.layout, amounts, into)
        return into

    def squares(self, bends: Flat, *, intercept: bool) -> tuple[Flat, Flat, float]:
        """The diagonal of A'DA less the part of the intercept; M and T."""
        sums, squares = np.empty(len(self.which)), np.empty(len(self.which))
        kernel.column_sums(*self.layout, bends, sums, squares)
        if not intercept:
            return squares, np.zeros_like(sums), 0.0
        total = float(bends.sum())
        own = squares - sums * sums / total
        own[own <= CONSTANT * squares] = 0.0
        return own, sums, total


def _places(problem: Objective, which: Numbers) -> NDArray[np.int32]:
    """The place of every column in the set, -1 outside of it."""
    place = np.full(problem.columns, -1, dtype=np.int32)
    place[which] = np.arange(len(which), dtype=np.int32)
    return place


class Source:
    """Where working sets come from: the rows of a problem."""

    def __init__(self, problem: Objective) -> None:
        self.problem = problem
        rows = problem.rows
        self._counts = NO_STARTS if rows.dense else np.asarray(entries_by_column(rows.ids, problem.columns))

    def products(self, which: Numbers) -> float:
        """How many products a table of the pairs of these columns takes, about."""
        n = max(1, self.problem.rows.shape[0])
        a_row = len(which) if self.problem.rows.dense else float(self._counts[which].sum()) / n
        return n * a_row**2

    def columns(self, which: Numbers) -> DenseColumns | SparseColumns | ByColumn:
        k, n = len(which), max(1, self.problem.rows.shape[0])
        if self.problem.rows.dense:
            if k <= MOST_PAIRED:
                return DenseColumns(self.problem, which)
        elif k <= MOST_PAIRED and self.products(which) <= PAIRS_A_ROW * n:
            return SparseColumns(self.problem, which, self._counts)
        return ByColumn(self.problem, which, self._counts)
