"""What a penalised fit would predict for each of its rows, had the row been left out, without fitting again.

At the optimum of f (objective.py, with L2 alone) let H be the Hessian of N f, l' and l'' the slope and the curvature of
row i's loss, and m of its weight be left out.  One step of Newton's method from there, on the rest, adds to its score

    m l' h / (1 - m l'' h),   h = x_i' H^-1 x_i

(Cook, Weisberg 1982; for penalised fits Rad, Maleki 2020).  H and its factors are the same for all rows.
"""

from __future__ import annotations

import numpy as np

from linnet.training.objective import Flat, Objective
from linnet.training.solvers.hessian import point_at

# Rows that are made dense at a time.
BLOCK = 512


def left_out_scores(problem: Objective, weights: Flat, left_out: Flat) -> Flat:
    """The score of each row as if so much of its weight had not been fitted to, for one output and a smooth loss."""
    point = point_at(problem, weights)
    # H is N times that of f, as weights are: the penalty then is 1 / C
    weight, bends = problem.total * point.normalised_weights, point.own_bends()[:, 0]
    h = _leverages(problem, weight * bends)
    slopes = point.slopes[:, 0]
    rest = np.maximum(1.0 - left_out * bends * h, np.finfo(np.float64).eps)
    return np.asarray(point.scores[:, 0] + left_out * slopes * h / rest)


def _leverages(problem: Objective, bends: Flat) -> Flat:
    """h of every row."""
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    n, d = problem.rows.shape
    size = d + problem.intercept
    hessian = np.zeros((size, size))
    for at in _blocks(n):
        x = _dense(problem, at)
        hessian += (x * bends[at, np.newaxis]).T @ x
    hessian.flat[: d * (size + 1) : size + 1] += problem.total * problem.penalty.l2
    if problem.intercept and not hessian[d, d] > 0:
        hessian[d, d] = 1.0
    unit = 1.0 / np.sqrt(np.diagonal(hessian))
    try:
        lower = cholesky(hessian * np.outer(unit, unit), lower=True)
    except LinAlgError:  # collinear up to rounding, under hardly any penalty: rows on their own
        return np.full(n, np.inf)
    h = np.empty(n)
    for at in _blocks(n):
        half = solve_triangular(lower, (_dense(problem, at) * unit).T, lower=True)
        h[at] = np.einsum("ij,ij->j", half, half)
    return h


def _blocks(n: int) -> list[slice]:
    return [slice(first, min(n, first + BLOCK)) for first in range(0, n, BLOCK)]


def _dense(problem: Objective, at: slice) -> Flat:
    """Some rows, with a 1 for the intercept."""
    X = problem.rows.matrix(at)
    X = np.asarray(X if problem.rows.dense else X.toarray(), dtype=np.float64)
    return np.column_stack([X, np.ones(len(X))]) if problem.intercept else X
