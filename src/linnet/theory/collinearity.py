"""Collinear columns: linear combinations of the others or, beside an intercept, constants.

Their number is that of the singular values that are 0 to the digits that the rows have (least_squares.py); which they
are is found from the triangle of a QR decomposition of the centred rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.training.solvers.least_squares import decomposed

Columns = NDArray[np.int64]
# What is left of a column of length 1 without the part that others explain, where it is one of them in effect; R's.
ALIASED = 1e-7


def collinear_columns(examples: Examples, *, intercept: bool) -> Columns:
    """The columns to drop so that the others are linearly independent, in rising order.

    They are constants, and columns that can be had from those before them, as R drops them.  Where rounding makes that
    ambiguous, as many are dropped as there must be, those that are nearest to being combinations of others.
    """
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
        unit = table[:, left] / lengths[left]
        later = _had_from_earlier(unit)
        if len(left) - int(later.sum()) != rank:
            later[:] = False
            later[scipy("linalg").qr(unit, mode="r", pivoting=True, check_finite=False)[1][rank:]] = True
    return np.sort(np.append(np.flatnonzero(~known), left[later]))


def _had_from_earlier(unit: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which columns, all of length 1, are combinations of those before them."""
    basis = np.zeros_like(unit)
    found = np.zeros(unit.shape[1], dtype=bool)
    for j in range(unit.shape[1]):
        rest = unit[:, j]
        for _ in range(2):  # once more, for what rounding left
            rest = rest - basis[:, :j] @ (basis[:, :j].T @ rest)
        length = float(np.sqrt(rest @ rest))
        found[j] = length < ALIASED
        if not found[j]:
            basis[:, j] = rest / length
    return found
