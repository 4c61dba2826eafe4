"""Least squares in closed form: of all weights with the least sum of squares, the shortest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lstsq

from linnet.errors import InputError, NumericalError
from linnet.examples import Examples

# Up to this many entries the rows are copied and decomposed; beyond, only their d x d products are kept.
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
    """Centred by the weighted means, so that the intercept drops out; then by singular values, or for large data by
    the eigenvalues of X'X, both with what is zero to rounding left out, which makes the answer the shortest.
    """
    X, y = examples.rows.matrix(), examples.targets
    n, d = X.shape
    c = np.ones(n) if examples.weights is None else examples.weights
    total = float(c.sum())
    x_mean = np.asarray(c @ X).reshape(-1) / total if intercept else np.zeros(d)
    y_mean = float(c @ y) / total if intercept else 0.0
    if n * d <= DECOMPOSED_AT_MOST:
        table = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        root = np.sqrt(c)
        cutoff = max(n, d) * np.finfo(float).eps
        w = lstsq((table - x_mean) * root[:, np.newaxis], (y - y_mean) * root, cond=cutoff, check_finite=False)[0]
    elif not fits(examples):
        raise InputError(
            f"the analytic solution needs a table of {d} x {d} numbers; take solver='gradient' or 'online' instead"
        )
    else:
        gram, product = np.zeros((d, d)), np.zeros(d)
        for first in range(0, n, ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            block = X[part].toarray() if hasattr(X, "toarray") else np.asarray(X[part], dtype=np.float64)
            block = block - x_mean
            gram += block.T @ (block * c[part, np.newaxis])
            product += block.T @ (c[part] * (y[part] - y_mean))
        values, vectors = eigh(gram)
        kept = values > values[-1] * d * np.finfo(float).eps
        w = vectors[:, kept] @ ((vectors[:, kept].T @ product) / values[kept])
    return w, y_mean - float(x_mean @ w)
