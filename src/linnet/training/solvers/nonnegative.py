"""Least squares whose weights may not be negative, with or without an L2 penalty.

    minimise Σ c_i (y_i - w·x_i - b)² + α |w|²   over w ≥ 0

Rows are taken about their weighted means, which is what an intercept does.  A QR decomposition (of sparse rows: the
eigenvectors of XᵀX + αI) leaves a problem of d equations, which the active-set method solves (Lawson, Hanson 1974,
Solving least squares problems, chapter 23).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.learners.linear import LinearModel
from linnet.training.duality_gap import Certificate
from linnet.training.history import Pass
from linnet.training.objective import Flat
from linnet.training.result import Trained

NOT_PROVEN = Certificate(
    float("nan"), float("-inf"), "of weights that may not be negative, no duality gap is worked out"
)


@one_thread()
def fit_nonnegative(examples: Examples, alpha: float, *, intercept: bool, max_iter: int | None = None) -> Trained:
    """Fit to these numbers."""
    began = perf_counter()
    examples.rows.check_finite()
    n, d = examples.rows.shape
    y = examples.targets
    c = np.ones(n) if examples.weights is None else examples.weights
    X = examples.rows.matrix()
    x_mean = np.asarray(X.T @ c).reshape(-1) / c.sum() if intercept else np.zeros(d)
    y_mean = float(c @ y) / c.sum() if intercept else 0.0
    table, right = (
        _dense(X, y, c, x_mean, y_mean, alpha) if examples.rows.dense else _sparse(X, y, c, x_mean, y_mean, alpha)
    )
    w, _ = scipy("optimize").nnls(table, right, maxiter=max(max_iter or 0, 10 * d))
    b = y_mean - float(x_mean @ w)
    loss = 0.5 * float(c @ (y - X @ w - b) ** 2) / c.sum()
    only = Pass(0, n, loss, perf_counter() - began)
    model = LinearModel(w[:, np.newaxis].astype(np.float64), np.array([b]))
    reason = "weights may not be negative: least squares over an active set"
    return Trained(model, [only], True, NOT_PROVEN, solver="active-set", solver_reason=reason)


def _dense(X: Flat, y: Flat, c: Flat, x_mean: Flat, y_mean: float, alpha: float) -> tuple[Flat, Flat]:
    """A triangle and a right side with the same sums of squares, up to a constant."""
    root, d = np.sqrt(c), X.shape[1]
    table = np.concatenate([(np.asarray(X, np.float64) - x_mean) * root[:, np.newaxis], np.sqrt(alpha) * np.eye(d)])
    right = np.append((y - y_mean) * root, np.zeros(d))
    q, r = np.linalg.qr(table)
    return r, q.T @ right


def _sparse(X: Any, y: Flat, c: Flat, x_mean: Flat, y_mean: float, alpha: float) -> tuple[Flat, Flat]:
    """The same from the d x d products of the columns."""
    products = np.asarray((X.T @ X.multiply(c[:, np.newaxis])).todense()) - c.sum() * np.outer(x_mean, x_mean)
    values, vectors = np.linalg.eigh(products + alpha * np.eye(len(x_mean)))
    kept = values > len(values) * np.finfo(np.float64).eps * values[-1:]
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    along = np.asarray(X.T @ (c * (y - y_mean))).reshape(-1)
    return roots[:, np.newaxis] * vectors.T, (vectors.T @ along) / roots
