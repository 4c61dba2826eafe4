"""Collinear columns: linear combinations of the others or, beside an intercept, constants.

Their number is that of the singular values that are 0 to the digits that the rows have (least_squares.py); which they
are, by a QR decomposition with pivoting of the centred rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Examples
from linnet.training.solvers.least_squares import decomposed

Columns = NDArray[np.int64]


def collinear_columns(examples: Examples, *, intercept: bool) -> Columns:
    """The columns to drop so that the others are linearly independent, in rising order."""
    from scipy.linalg import qr

    axes = decomposed(examples, intercept=intercept)
    d = len(axes.means)
    rank = int(axes.kept.sum())
    if rank == d:
        return np.empty(0, dtype=np.int64)
    table = axes.triangle[:, :d]
    lengths = np.sqrt((table * table).sum(axis=0))
    known = lengths > axes.units if axes.rows > d else lengths > 0
    left = np.flatnonzero(known)  # the others are constants
    with one_thread():
        pivots = qr(table[:, left] / lengths[left], mode="r", pivoting=True, check_finite=False)[1]
    return np.sort(np.append(np.flatnonzero(~known), left[pivots[rank:]]))
