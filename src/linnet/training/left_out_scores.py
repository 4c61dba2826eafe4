"""What a penalised fit would predict for each of its rows, had the row been left out, without fitting again.

At the optimum of f (objective.py, with L2 alone) let H be the Hessian of N f, g and S the gradient and the Hessian of
row i's loss by its K scores, and m of its weight be left out.  One step of Newton's method from there, on the rest,
adds to the scores

    A (I - m S A)^-1 m g,   A = (I x x_i') H^-1 (I x x_i)

(Cook, Weisberg 1982; for penalised fits Rad, Maleki 2020), K x K for softmax.  With one score these are numbers, the
leverage h for A: m l' h / (1 - m l'' h).  H and its factors are the same for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import Factored, mirrored
from linnet.training.solvers.softmax_point import ManyClasses, point_at

Table = NDArray[np.float64]

# Numbers that are put into dense blocks at a time.
BLOCK = 1 << 19
EPS = float(np.finfo(np.float64).eps)
# What is added to the diagonal of H, in units of each: some rows may fix no intercept for a class.
ROUNDING = 1e-10


def left_out_scores(problem: Objective, weights: Flat, left_out: Flat) -> Table:
    """The scores of each row as if so much of its weight had not been fitted to; for a smooth loss."""
    point = point_at(problem, weights)
    # H is N times that of f, as weights are: the penalty then is 1 / C
    weight = problem.total * point.normalised_weights
    if isinstance(point, ManyClasses):
        return np.asarray(point.scores + _joint_steps(problem, point, weight, left_out))
    bends = point.own_bends()[:, 0]
    h = _leverages(problem, weight * bends)
    rest = np.maximum(1.0 - left_out * bends * h, EPS)
    return np.asarray(point.scores + (left_out * point.slopes[:, 0] * h / rest)[:, np.newaxis])


# -- one score a row ---------------------------------------------------------------------------------------------------


def _leverages(problem: Objective, bends: Flat) -> Flat:
    """h of every row."""
    n, d = problem.rows.shape
    size = d + problem.intercept
    hessian = np.zeros((size, size))
    for at, x in _blocks(problem):
        hessian += (x * bends[at, np.newaxis]).T @ x
    hessian.flat[: d * (size + 1) : size + 1] += problem.total * problem.penalty.l2
    if problem.intercept and not hessian[d, d] > 0:
        hessian[d, d] = 1.0
    inverse = _inverted(hessian)
    if inverse is None:  # collinear up to rounding, under hardly any penalty: rows on their own
        return np.full(n, np.inf)
    h = np.empty(n)
    for at, x in _blocks(problem):
        h[at] = np.einsum("ij,ij->i", x @ inverse, x)
    return np.maximum(h, 0.0)


def _inverted(hessian: Table) -> Table | None:
    """H^-1 by the lower triangle of H, with every column in its own unit; None where H is singular to rounding."""
    unit = 1.0 / np.sqrt(np.diagonal(hessian))
    scaled = mirrored(hessian * np.outer(unit, unit))
    scaled.flat[:: len(scaled) + 1] += ROUNDING
    try:
        return np.asarray(Factored(scaled).inverse() * np.outer(unit, unit))
    except np.linalg.LinAlgError:
        return None


# -- a score a class ---------------------------------------------------------------------------------------------------


def _joint_steps(problem: Objective, point: ManyClasses, weight: Flat, left_out: Flat) -> Table:
    """What leaving rows out adds to their scores, of all classes jointly."""
    p, outputs = point.probabilities, problem.outputs
    inverse = _inverse(problem, p, weight)
    if inverse is None:
        return np.full(p.shape, np.nan)
    size = len(inverse) // outputs
    steps = np.empty_like(p)
    for at, x in _blocks(problem, outputs * outputs):
        A = np.empty((len(x), outputs, outputs))
        for k in range(outputs):
            across = (x @ inverse[k * size : (k + 1) * size]).reshape(len(x), outputs, size)
            A[:, k] = np.einsum("bls,bs->bl", across, x)
        m, own = left_out[at, np.newaxis, np.newaxis], p[at]
        S = own[:, :, np.newaxis] * (np.eye(outputs) - own[:, np.newaxis, :])
        rest = np.eye(outputs) * (1.0 + EPS) - m * (S @ A)
        steps[at] = (A @ np.linalg.solve(rest, m * point.slopes[at][:, :, np.newaxis]))[:, :, 0]
    return steps


def _inverse(problem: Objective, p: Table, weight: Flat) -> Table | None:
    """H^-1, class after class; None where H is singular to rounding."""
    outputs, d = problem.outputs, problem.rows.shape[1]
    size = d + problem.intercept
    blocks = np.zeros((outputs, size, outputs, size))
    for at, x in _blocks(problem):
        own, w = p[at], weight[at]
        for k in range(outputs):
            for other in range(k + 1):
                bends = w * own[:, k] * ((k == other) - own[:, other])
                blocks[k, :, other] += (x * bends[:, np.newaxis]).T @ x
    hessian = blocks.reshape(outputs * size, outputs * size)  # without the blocks above the diagonal
    penalised = np.tile(np.arange(size) < d, outputs)
    hessian.flat[:: outputs * size + 1] += problem.total * problem.penalty.l2 * penalised
    if problem.intercept:  # a common change of all intercepts has no effect, and no curvature: any will do
        hessian[d::size, d::size] += max(float(np.trace(hessian[d::size, d::size])), EPS)
    return _inverted(hessian)


def _blocks(problem: Objective, numbers: int = 0) -> Iterator[tuple[slice, Table]]:
    """Some rows at a time, dense, with a 1 for the intercept; `numbers` is what else a row takes."""
    n, d = problem.rows.shape
    height = max(16, BLOCK // (d + 1 + numbers))
    for first in range(0, n, height):
        at = slice(first, min(n, first + height))
        X = problem.rows.matrix(at)
        X = np.asarray(X if problem.rows.dense else X.toarray(), dtype=np.float64)
        yield at, np.column_stack([X, np.ones(len(X))]) if problem.intercept else X
