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
        for first in range(0, n, at_once):
            with np.errstate(over="ignore", invalid="ignore"):  # one error below instead
                products = rows.matrix(slice(first, first + at_once)).astype(np.float64) @ self.mistaken.T
            products = products.toarray() if hasattr(products, "toarray") else products
            if not np.isfinite(products).all():
                raise NumericalError("a row's score is beyond the range of numbers: its values are too large")
            kernel.count_votes(
                np.ascontiguousarray(products, dtype=np.float64),
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
