"""What is proven of weights of Huber's regression (huber.py).

The dual: s + s H(r / s) = max over |g| <= e of s + 2 g r - s g^2, so that for every g with mean g^2 <= 1 and, for a
free intercept, mean g = 0,

    f >= mean(g y) - |mean(g x)|^2 / (2 l2)

with means by the sample weights.  The g of any weights, balanced and scaled down to fit, are such a point.
"""

from __future__ import annotations

import numpy as np

from linnet.data.rows import Examples
from linnet.training.duality_gap import OVERFLOWN, UNPENALISED, Certificate
from linnet.training.gap_rounding import UNIT
from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.huber_point import HuberPoint
from linnet.training.solvers.newton import ENOUGH
from linnet.training.solvers.row_products import centred_products
from linnet.training.solvers.summed_squares import weighted_squares

# The most rows, or columns, whose pairs are a table.
PAIRS_AT_MOST = 1 << 12
# Rows are fit exactly if they are off their target by at most this fraction of f.
EXACT = 1e-3
# Operations that lead to one of NumPy's sums.
PAIRWISE = 128.0


def certify(problem: Objective, weights: Flat, multipliers: Flat | None = None) -> Certificate:
    """The objective at these weights, and a value that it cannot fall below: by the multipliers of their residuals, or
    by those given, which say more where the scale is 0 and these are all at their bounds."""
    about = problem.mean_target if problem.intercept else 0.0
    moved = np.append(weights[:-1], weights[-1] - about)
    y = problem.targets - about
    point = HuberPoint(problem, moved, y - problem.scores(moved)[:, 0], normalised_weights(problem))
    if not np.isfinite(point.value):
        return Certificate(point.value, -np.inf, OVERFLOWN)
    if problem.penalty.l2 == 0:
        return Certificate(point.value, -np.inf, UNPENALISED)
    best = max(_bound(point, g, y) for g in (point.g, multipliers) if g is not None)
    if best[0] < (1.0 - ENOUGH) * point.value and min(len(y), problem.columns) <= PAIRS_AT_MOST:
        best = max(best, _bound(point, _multipliers(point), y))
    dual, off = best
    return Certificate(point.value, max(0.0, dual - 2.0 * off) if np.isfinite(off) else 0.0, rounding=off)


def _multipliers(point: HuberPoint) -> Flat:
    """The smallest g with w = mean(g x) / l2, and with mean g = 0 for a free intercept.

    Rows off their targets are clipped; the residuals of those that are fit exactly tell nothing, and theirs solve for
    what is left.
    """
    problem, p = point.problem, point.p
    exact = (p > 0) & (np.abs(point.r) <= EXACT * point.value)
    q = np.where(exact, 0.0, p * np.copysign(point.epsilon, point.r))
    left = -problem.summed(q[:, np.newaxis])
    problem.penalised(left)[:] += problem.penalty.l2 * problem.penalised(point.weights)
    free = problem.columns + problem.intercept
    left[free:] = 0.0
    if problem.columns < len(p):
        table = mirrored(weighted_squares(problem.rows, np.where(exact, p, 0.0))[:free, :free].T)
        u = np.zeros(problem.size)
        u[:free] = ScaledFactors(table).solve(left[:free])
        q += np.where(exact, p * problem.scores(u)[:, 0], 0.0)
    else:
        which = np.flatnonzero(exact)
        products = centred_products(Examples(problem.rows, problem.targets, None), None)[np.ix_(which, which)]
        q[which] = ScaledFactors(products + float(problem.intercept)).solve(problem.scores(left)[which, 0])
    return np.clip(np.divide(q, p, out=np.zeros_like(q), where=p > 0), -point.epsilon, point.epsilon)


def _bound(point: HuberPoint, g: Flat, y: Flat) -> tuple[float, float]:
    """What f cannot fall below by these multipliers, balanced and scaled down to fit; and the rounding of both."""
    problem, p = point.problem, point.p
    if problem.intercept:
        below, above = float((p * np.maximum(-g, 0.0)).sum()), float((p * np.maximum(g, 0.0)).sum())
        down, up = (min(1.0, one / other) if other > 0 else 1.0 for one, other in ((above, below), (below, above)))
        g = g * np.where(g < 0, down, up)
    size, most = float(np.sqrt((p * g * g).sum())), float(np.abs(g).max(initial=0.0))
    if not size > 0.0:
        return 0.0, 0.0
    v = problem.penalised(problem.summed((p * g)[:, np.newaxis]))
    linear, squared = float((p * g * y).sum()), float(v @ v) / problem.penalty.l2
    # as far along g as is best, and allowed
    allowed = min((1.0 - 4.0 * UNIT * PAIRWISE) / size, point.epsilon * (1.0 - 4.0 * UNIT) / most)
    length = min(allowed, linear / squared) if linear > 0.0 and squared > 0.0 else allowed
    return length * (linear - 0.5 * length * squared), _rounding(point, length * g, y)


def _rounding(point: HuberPoint, g: Flat, y: Flat) -> float:
    """What f and the bound may be off by, as in duality_gap.py: scores, sums over the rows of a part, pairwise sums."""
    problem, w = point.problem, point.problem.penalised(point.weights)
    terms, entries = float(problem.most_entries), problem.largest_entries
    steep = max(float((point.p * np.abs(point.g)).sum()), float((point.p * np.abs(g)).sum()))
    reach = float(np.sqrt(terms) * np.linalg.norm(entries * w)) + abs(float(point.weights[-1]))
    parts = -(-len(y) // problem.rows_a_part)
    each = UNIT * (min(problem.rows_a_part, len(y)) + parts + 8.0) * steep
    largest = float(np.abs(y).max(initial=0.0))
    off = UNIT * ((terms + 6.0) * reach + 4.0 * largest) * steep
    off += UNIT * PAIRWISE * (abs(point.value) + steep * (largest + reach))
    return off + each * reach + each * each * float(entries @ entries) / (2.0 * problem.penalty.l2)
