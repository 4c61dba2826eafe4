"""Least squares in closed form: of all weights with the least sum of squares, the shortest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, NumericalError
from linnet.examples import Examples

# Up to this many entries the rows are copied and decomposed; beyond, they are brought to d rows block by block.
DECOMPOSED_AT_MOST = 1 << 24
COLUMNS_AT_MOST = 1 << 14
ROWS_AT_ONCE = 1 << 13


def fits(examples: Examples) -> bool:
    """Whether the closed form is within reach."""
    n, d = examples.rows.shape
    return d <= COLUMNS_AT_MOST or n * d <= DECOMPOSED_AT_MOST


def least_squares(examples: Examples, *, intercept: bool) -> tuple[NDArray[np.float64], float]:
    """Minimise sum_i c_i (w . x_i + b - y_i)^2; weights and intercept."""
    examples.rows.check_finite()
    with np.errstate(over="ignore", invalid="ignore"):  # told below, once
        w, b = _solved(examples, intercept)
    if not (np.isfinite(w).all() and np.isfinite(b)):
        raise NumericalError("the weights left the range of numbers: scale the features or the target down")
    return w, b


def _solved(examples: Examples, intercept: bool) -> tuple[NDArray[np.float64], float]:
    """Centred by the weighted means, so that the intercept drops out; then by singular values, with what is zero to
    rounding left out, which makes the answer the shortest.

    Large data are first brought to d rows: block by block, [X y] becomes the triangle R of its QR decomposition, which
    has the same least squares (X'X would have them too, but with half the digits).
    """
    from scipy.linalg import lstsq, qr  # takes longer to load than many a fit

    n, d = examples.rows.shape
    weights = np.ones(n) if examples.weights is None else examples.weights
    total = float(weights.sum())
    if n * d > DECOMPOSED_AT_MOST and not fits(examples):
        raise InputError(
            f"the analytic solution needs a table of {d} x {d} numbers; take solver='gradient' or 'online' instead"
        )
    at_once = n if n * d <= DECOMPOSED_AT_MOST else max(2 * d, ROWS_AT_ONCE)
    blocks = [slice(first, first + at_once) for first in range(0, n, at_once)]

    def table(block: slice) -> NDArray[np.float64]:
        X = examples.rows.matrix(block)
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        return np.column_stack([X, examples.targets[block]])

    means = np.zeros(d + 1)
    if intercept:
        for block in blocks:
            means += weights[block] @ table(block) / total
    reduced = np.empty((0, d + 1))
    for block in blocks:
        reduced = np.vstack([reduced, (table(block) - means) * np.sqrt(weights[block])[:, np.newaxis]])
        if len(blocks) > 1:
            reduced = qr(reduced, mode="r", check_finite=False, overwrite_a=True)[0][: d + 1]
    if not np.isfinite(reduced).all():
        return np.full(d, np.nan), np.nan
    cutoff = max(n, d) * np.finfo(float).eps
    w = lstsq(reduced[:, :d], reduced[:, d], cond=cutoff, check_finite=False)[0]
    return w, float(means[d] - means[:d] @ w)
