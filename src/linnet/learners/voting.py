"""Votes: every hypothesis of a voted perceptron, kept as the list of its mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Rows
from linnet.errors import NumericalError
from linnet.kernels import voting as kernel

# How many numbers the table of products may hold at once: rows are counted in blocks of that size.
PRODUCTS_AT_ONCE = 1 << 22
# How many rows the kernel multiplies at once.
GROUP = 16


@dataclass(frozen=True, eq=False)
class Votes:
    """Mistake m added amounts[m] times row which[m] of `mistaken` to its true class, and took it from its rival.

    With one output (two classes) the amount carries the sign and there is no rival.  Hypothesis m, the sum of the
    first m mistakes, survived survived[m] rows.  (Freund, Schapire 1999; a new hypothesis starts from 0 here.)
    """

    mistaken: Any
    which: NDArray[np.int64]
    truths: NDArray[np.int64]
    rivals: NDArray[np.int64]
    amounts: NDArray[np.float64]
    survived: NDArray[np.float64]
    outputs: int
    intercept: bool

    @one_thread()
    def count(self, rows: Rows) -> NDArray[np.float64]:
        """The fraction of votes for each output: in [-1, 1] for one output, in [0, 1] for several."""
        n = rows.shape[0]
        counted = np.zeros((n, self.outputs))
        if not len(self.which):
            return counted
        at_once = max(1, PRODUCTS_AT_ONCE // self.mistaken.shape[0])
        products = self._dense_products if rows.dense and isinstance(self.mistaken, np.ndarray) else _Products(self)
        for first in range(0, n, at_once):
            with np.errstate(over="ignore", invalid="ignore"):  # one error below instead
                found = products(rows, first, min(n, first + at_once))
            if not np.isfinite(found).all():
                raise NumericalError("a row's score is beyond the range of numbers: its values are too large")
            kernel.count_votes(
                found,
                self.which,
                self.truths,
                self.rivals,
                self.amounts,
                self.survived,
                float(self.intercept),
                counted[first : first + at_once],
            )
        counted /= max(self.survived.sum(), 1.0)
        return counted

    def _dense_products(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        return np.ascontiguousarray(
            rows.matrix(slice(first, last)).astype(np.float64) @ self.mistaken.T, dtype=np.float64
        )


class _Products:
    """Rows times all mistaken rows, where either are sparse: SciPy would copy the mistaken rows for every block."""

    def __init__(self, votes: Votes) -> None:
        self._mistaken = _as_sparse(votes.mistaken)
        self._positions = np.zeros(votes.mistaken.shape[1], dtype=np.uint32)

    def __call__(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        found = np.empty((last - first, len(self._mistaken[2]) - 1))
        if rows.dense:
            values, ids, starts = _as_sparse(rows.matrix(slice(first, last)))
            begin, end = 0, last - first
        else:
            values, ids, starts, begin, end = rows.values, rows.ids, rows.starts, first, last
        group_starts = np.append(starts[begin:end:GROUP], starts[end])
        width = min(len(self._positions), int(np.diff(group_starts).max(initial=0)))
        columns = np.empty((1 + width, GROUP))
        kernel.products(values, ids, starts, *self._mistaken, self._positions, columns, begin, end, found)
        return found


def _as_sparse(matrix: Any) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64]]:
    """The values, ids and starts of rows, in double precision."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    return (
        np.asarray(rows.data, dtype=np.float64),
        np.asarray(rows.indices, dtype=np.int32).view(np.uint32),
        np.asarray(rows.indptr, dtype=np.int64),
    )
