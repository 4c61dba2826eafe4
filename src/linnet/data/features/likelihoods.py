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
STEPS, QUARTERINGS, ENOUGH = 10, 3, 0.01
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
    a, b = np.full(X.shape[1], np.log(rate / (1.0 - rate))), np.zeros(X.shape[1])
    y, w = y[:, np.newaxis], w[:, np.newaxis]

    def there(a: Flat, b: Flat) -> tuple[Table, Flat]:
        p = _probabilities(a + X * b)
        return p, np.asarray(-(w * np.log(np.abs(1.0 - y - p))).sum(axis=0) + 0.5 * SLIGHT * b * b)

    p, value = there(a, b)
    for _ in range(STEPS):
        slope = w * (p - y)
        bend = w * p * (1.0 - p)
        along = bend * X
        g0, g1 = slope.sum(axis=0), (slope * X).sum(axis=0) + SLIGHT * b
        h00, h01, h11 = bend.sum(axis=0) + HARDLY, along.sum(axis=0), (along * X).sum(axis=0) + SLIGHT
        rest = h00 * h11 - h01 * h01
        step_a, step_b = (h11 * g0 - h01 * g1) / rest, (h00 * g1 - h01 * g0) / rest
        length = np.ones(len(a))
        for _ in range(QUARTERINGS):
            new_p, after = there(a - length * step_a, b - length * step_b)
            if (after <= value).all():
                break
            length = np.where(after <= value, length, length / 4)
        better = after < value
        fell = float((value - after)[better].max(initial=0.0))
        a, b = np.where(better, a - length * step_a, a), np.where(better, b - length * step_b, b)
        p, value = np.where(better, new_p, p), np.where(better, after, value)
        if fell < ENOUGH:
            break
    return value


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
