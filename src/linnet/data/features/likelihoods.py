"""How likely a target is by columns of numbers, each alone or all together: negative log likelihoods of least squares
and of logistic regression, with an intercept.

Small fits to the first rows, to decide how columns enter (transforms.py).  Columns have mean 0 and deviation 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.float64]
Table = NDArray[np.float64]

# The most of Newton's steps, how often one is quartered, and the fall of the loss below which the next is not worth it.
STEPS, QUARTERINGS, ENOUGH = 10, 3, 0.1
# The penalty of fits to one column, which keeps them finite where it separates the classes; and that of intercepts.
SLIGHT, HARDLY = 0.01, 1e-9


def standardised(values: Flat, w: Flat) -> Flat:
    """With mean 0 and deviation 1; 0 where it is missing."""
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(len(values))
    off = np.where(known, values, 0.0)
    off = off / (float(np.abs(off).max()) or 1.0)
    off = np.where(known, off - np.average(off[known], weights=w[known]), 0.0)
    return np.asarray(off / (np.sqrt(np.average(off * off, weights=w)) or 1.0))


def squared(X: Table, y: Flat, w: Flat) -> Flat:
    """The negative log likelihood of numbers by each column and an intercept, up to a constant."""
    total = float(w.sum())
    off = y / (float(np.abs(y).max()) or 1.0)
    off = off - np.average(off, weights=w)
    variance = float(w @ off**2) / total
    if not variance > 0:
        return np.zeros(X.shape[1])
    slopes = (w * off) @ X / total
    return np.asarray(0.5 * total * np.log(np.maximum(1.0 - slopes**2 / variance, np.finfo(np.float64).eps)))


def logistic(X: Table, y: Flat, w: Flat) -> Flat:
    """The negative log likelihood of y (0 or 1) by each column and an intercept, with a slight penalty on b."""
    rate = (float(w @ y) + 0.5) / (float(w.sum()) + 1.0)
    start = np.stack([np.full(X.shape[1], np.log(rate / (1.0 - rate))), np.zeros(X.shape[1])])
    y, w = y[:, np.newaxis], w[:, np.newaxis]

    def there(X: Table, at: Table) -> tuple[Table, Flat]:
        p = _probabilities(at[0] + X * at[1])
        return p, np.asarray(-(w * np.log(np.abs(1.0 - y - p))).sum(axis=0) + 0.5 * SLIGHT * at[1] ** 2)

    columns, at = np.arange(X.shape[1]), start
    p, value = there(X, at)
    found = value.copy()
    for _ in range(STEPS):
        step = _newton_step(X, p, y, w, at)
        new_p, after = there(X, at - step)
        for quarter in range(1, QUARTERINGS):
            worse = np.flatnonzero(after > value)
            if not len(worse):
                break
            step[:, worse] *= 0.25**quarter
            new_p[:, worse], after[worse] = there(X[:, worse], at[:, worse] - step[:, worse])
        found[columns] = np.minimum(after, value)
        on = np.flatnonzero(value - after > ENOUGH)  # the others are near enough
        if not len(on):
            break
        X, p, at, value, columns = X[:, on], new_p[:, on], (at - step)[:, on], after[on], columns[on]
    return found


def _newton_step(X: Table, p: Table, y: Table, w: Table, at: Table) -> Table:
    """The step of each column's intercept and weight."""
    slope, bend = w * (p - y), w * p * (1.0 - p)
    along = bend * X
    g0, g1 = slope.sum(axis=0), np.einsum("ij,ij->j", slope, X) + SLIGHT * at[1]
    h00, h01, h11 = bend.sum(axis=0) + HARDLY, along.sum(axis=0), np.einsum("ij,ij->j", along, X) + SLIGHT
    return np.asarray(np.stack([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / (h00 * h11 - h01 * h01))


def _probabilities(scores: Table) -> Table:
    """1 / (1 + exp(-scores)), never 0 or 1."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))))


def squared_jointly(X: Table, y: Flat, w: Flat) -> float:
    """The negative log likelihood of numbers by all columns and an intercept, up to a constant."""
    off = y / (float(np.abs(y).max()) or 1.0)
    off = off - np.average(off, weights=w)
    weighed = X * w[:, np.newaxis]
    slopes = np.linalg.solve(weighed.T @ X + np.eye(X.shape[1]), weighed.T @ off)
    rest, whole = float(w @ (off - X @ slopes) ** 2), float(w @ off**2)
    return 0.5 * float(w.sum()) * np.log(max(rest / whole, np.finfo(np.float64).eps)) if whole > 0 else 0.0


def logistic_jointly(X: Table, y: Flat, w: Flat) -> float:
    """The negative log likelihood of y (0 or 1) by all columns and an intercept, with the penalty |b|^2 / 2."""
    X = np.column_stack([X, np.ones(len(X))])
    penalty = np.append(np.ones(X.shape[1] - 1), HARDLY)
    b = np.zeros(X.shape[1])

    def there(b: Flat) -> tuple[Flat, float]:
        p = _probabilities(X @ b)
        return p, float(-(w @ np.log(np.abs(1.0 - y - p))) + 0.5 * penalty @ (b * b))

    p, value = there(b)
    for _ in range(STEPS):
        bends = w * p * (1.0 - p)
        step = np.linalg.solve((X * bends[:, np.newaxis]).T @ X + np.diag(penalty), X.T @ (w * (p - y)) + penalty * b)
        for length in 0.25 ** np.arange(QUARTERINGS):
            new_p, after = there(b - length * step)
            if after < value:
                break
        if not after < value - ENOUGH:
            break
        p, b, value = new_p, b - length * step, after
    return min(value, after)
