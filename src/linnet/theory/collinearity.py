"""Collinear columns: linear combinations of the others or, beside an intercept, constants.

By a QR decomposition with pivoting of the triangle of the centred rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Examples
from linnet.training.solvers.least_squares import triangle

Columns = NDArray[np.int64]


def collinear_columns(examples: Examples, *, intercept: bool) -> Columns:
    """The columns to drop so that the others are linearly independent, in rising order."""
    from scipy.linalg import qr

    d = examples.rows.shape[1]
    reduced, means = triangle(examples, intercept=intercept)
    table = reduced[:, :d]
    lengths = np.linalg.norm(table, axis=0)
    # the lengths before centring, which rounding is relative to
    level = np.sqrt(lengths**2 + examples.total_weight * means[:d] ** 2)
    precision = max(examples.rows.shape) * np.finfo(float).eps
    constant = lengths <= precision * level
    left = np.flatnonzero(~constant)
    if not len(left):
        return np.flatnonzero(constant)
    with one_thread():
        r, pivots = qr(table[:, left] / lengths[left], mode="r", pivoting=True, check_finite=False)
    size = np.abs(r.diagonal())
    rank = int((size > precision * np.sqrt(len(left)) * size[0]).sum())
    return np.sort(np.append(np.flatnonzero(constant), left[pivots[rank:]]))
