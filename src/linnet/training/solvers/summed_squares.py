"""The squares of the columns of all rows, each row by its own factor: the loss's part of a Hessian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.kernels import hessian as kernel
from linnet.training.objective import Flat
from linnet.training.solvers.hessian import Point, squared_columns
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Blocking:
    """How the rows are cut for threads that add up H; the number of threads does not matter.

    Dense rows are multiplied in blocks of `numbers`, which stay in cache; a part is several blocks.  A part of sparse
    rows has a table of its own, so it is to take the time of filling `tables`.
    """

    numbers: int = 1 << 15
    blocks: int = 16
    rows: int = 4096
    tables: int = 16

    def block_rows(self, d: int) -> int:
        """No fewer rows than columns, or adding up the tables would take longer than multiplying the rows."""
        return max(d, self.numbers // (d + 1), 1)

    def dense_part(self, d: int) -> int:
        return max(self.blocks * self.numbers // (d + 1), 4 * self.block_rows(d))

    def sparse_part(self, d: int, entries: int) -> int:
        return max(self.rows, self.tables * d * d // entries**2)


BLOCKING = Blocking()


class SummedSquares:
    """sum_i D_i (x_i, 1)(x_i, 1)', of which only the upper triangle is used; and of dense rows the last one, with D."""

    def __init__(self, blocking: Blocking) -> None:
        self._blocking = blocking
        self._last: Table | None = None
        self._bends: Flat = np.empty(0)

    def __call__(self, point: Point) -> Table:
        rows, bends = point.problem.rows, point.normalised_weights * point.own_bends()[:, 0]
        if not rows.dense:
            return weighted_squares(rows, bends, self._blocking)
        if point.problem.loss.strictly_convex or isinstance(rows, PackedRows):
            return weighted_squares(rows, bends, self._blocking) if point.squares is None else point.squares
        if point.squares is not None:
            self._last = point.squares
        else:
            more, less = bends, self._bends
            if self._last is not None:
                change = bends - self._bends
                more, less = np.maximum(change, 0.0), np.maximum(-change, 0.0)
            if self._last is None or np.count_nonzero(more) + np.count_nonzero(less) > np.count_nonzero(bends):
                self._last = self._some(rows, bends)
            else:
                self._last = self._last + self._some(rows, more)
                self._last -= self._some(rows, less)
        self._bends = bends
        return self._last

    def _some(self, rows: Rows, bends: Flat) -> Table:
        """Of the rows that bend at all."""
        return weighted_squares(rows, bends, self._blocking, np.flatnonzero(bends))


def weighted_squares(
    rows: Rows, bends: Flat, blocking: Blocking = BLOCKING, which: NDArray[np.int64] | None = None
) -> Table:
    """sum_i bends_i (x_i, 1)(x_i, 1)', of dense rows maybe of some; only the upper triangle is used."""
    return _of_dense(rows, bends, blocking, which) if rows.dense else _of_sparse(rows, bends, blocking)


def _of_sparse(rows: Rows, bends: Flat, blocking: Blocking) -> Table:
    n, d = rows.shape

    def add(first: int, last: int) -> Table:
        into = np.zeros((d + 1, d + 1))
        kernel.hessian(rows.values, rows.ids, rows.starts[first : last + 1], bends[first:last], into)
        return into

    summed = added(over_parts(add, n, blocking.sparse_part(d, max(1, len(rows.values) // n))))
    # a pair whose ids do not rise within its row, as in rows of text, was added below the diagonal
    summed += np.tril(summed, -1).T
    return summed


def _of_dense(rows: Rows, bends: Flat, blocking: Blocking, which: NDArray[np.int64] | None) -> Table:
    """kernel.hessian for dense rows, by BLAS, in blocks of rows."""
    d, height = rows.shape[1], blocking.block_rows(rows.shape[1])
    n = rows.shape[0] if which is None else len(which)

    def part(start: int, stop: int) -> Table:
        squares, room = np.zeros((d + 1, d + 1)), np.empty((height, d + 1))
        for first in range(start, stop, height):
            at = slice(first, min(stop, first + height))
            some = at if which is None else which[at]
            squares += squared_columns(rows.matrix(some), bends[some], room)
        return squares

    return added(over_parts(part, n, blocking.dense_part(d))) if n else np.zeros((d + 1, d + 1))
