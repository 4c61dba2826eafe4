"""Huber's regression with its scale, by Newton's method, until a proven gap is small enough.

    minimise  (1/2N) sum_i c_i (s + s H((y_i - z_i) / s)) + l2/2 |w|^2,   z_i = w . x_i + b,   over w, b and s > 0

with H(t) = t^2 where |t| <= e, and 2 e |t| - e^2 beyond, is convex in all of them together (Huber 1981, Robust
statistics, section 7.7; Owen 2007, A robust hybrid of lasso and ridge regression).  With r the residuals the best s is
the one root of mean min(r^2 / s^2, e^2) = 1, so that the objective is a function of w and b alone, f.  Its slope by z_i
is -g_i, g = r / s clipped to [-e, e]; its Hessian is X'DX - h h' / k + l2 I with D = 1 / s where r is not clipped, h
and k the second derivatives by (w, s) and by s.  Where weights can fit (nearly) all rows exactly, s falls to 0, where
the objective has a kink: there Newton's steps end without a proof, and say so.

The dual: s + s H(r / s) = max over |g| <= e of s + 2 g r - s g^2, so that for every g with mean g^2 <= 1 and, for a
free intercept, mean g = 0,

    f >= mean(g y) - |mean(g x)|^2 / (2 l2)

with means by the sample weights.  The g of any weights, balanced and scaled down to fit, are such a point.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.learners.robust_losses import Huber
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import OVERFLOWN, UNIT, UNPENALISED, Certificate
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.newton import ENOUGH, HALVINGS, ROUGHLY, ROUNDING, fewer
from linnet.training.solvers.summed_squares import weighted_squares

Mask = NDArray[np.bool_]

# The scale is at least this, as residuals that are all 0 have none.
SMALLEST_SCALE = 10.0 * float(np.finfo(np.float64).eps)
SCALE_STEPS = 200
SAMPLE_STEPS = 20
# Where less than this is left of a second derivative, the rest is rounding.
CANCELLED = 1e-12
# Operations that lead to one of NumPy's sums.
PAIRWISE = 128.0


def best_scale(r: Flat, p: Flat, epsilon: float) -> tuple[float, Mask]:
    """The s with mean min(r^2 / s^2, e^2) = 1, and which residuals are within e s.

    As a function of 1 / s^2 the mean is concave and made of lines: Newton's steps from 0 stay below the root, and end
    there.
    """
    squares, limit = r * r, np.inf
    inside, scale = np.ones(len(r), dtype=bool), SMALLEST_SCALE
    for _ in range(SCALE_STEPS):
        now = squares <= limit
        if limit < np.inf and np.array_equal(now, inside):
            break
        inside = now
        left = 1.0 - epsilon**2 * (1.0 - float(p @ inside))
        sum_inside = float(p @ np.where(inside, squares, 0.0))
        if left <= 0.0 or not sum_inside > 0.0:
            return SMALLEST_SCALE, squares <= (epsilon * SMALLEST_SCALE) ** 2
        scale = max(SMALLEST_SCALE, float(np.sqrt(sum_inside / left)))
        limit = (epsilon * scale) ** 2
    return scale, squares <= limit


@dataclass(eq=False)
class _Point:
    """Weights, the residuals there, the best scale, and f."""

    problem: Objective
    weights: Flat
    r: Flat
    p: Flat

    def __post_init__(self) -> None:
        loss, p, r = self.problem.loss, self.p, self.r
        assert isinstance(loss, Huber)
        self.epsilon = loss.epsilon
        self.scale, self.inside = best_scale(r, p, loss.epsilon)
        self.g = np.clip(r / self.scale, -loss.epsilon, loss.epsilon)
        each = np.where(self.inside, 0.5 * r * self.g, loss.epsilon * np.abs(r) - 0.5 * loss.epsilon**2 * self.scale)
        self.loss = 0.5 * self.scale + float((p * each).sum())
        w = self.problem.penalised(self.weights)
        self.value = self.loss + 0.5 * self.problem.penalty.l2 * float(w @ w)

    def gradient(self) -> Flat:
        problem = self.problem
        gradient = -problem.summed((self.p * self.g)[:, np.newaxis])
        problem.penalised(gradient)[:] += problem.penalty.l2 * problem.penalised(self.weights)
        if not problem.intercept:
            gradient[-1] = 0.0
        return gradient

    def step(self, gradient: Flat) -> Flat:
        """Newton's."""
        problem, p, s = self.problem, self.p, self.scale
        free = problem.columns + problem.intercept
        bends = np.where(self.inside, p / s, 0.0)
        table = mirrored(weighted_squares(problem.rows, bends)[:free, :free].T)
        curved = float((bends * self.r * self.r).sum()) / s**2
        if curved > 0:
            mixed = problem.summed((bends * self.r)[:, np.newaxis])[:free] / s
            less = table - np.outer(mixed, mixed) / curved
            if (np.diagonal(less) > CANCELLED * np.diagonal(table)).all():  # else as if the scale were held
                table = less
        table.flat[: problem.columns * (free + 1) : free + 1] += problem.penalty.l2
        change = np.zeros(problem.size)
        change[:free] = -ScaledFactors(table).solve(gradient[:free])
        return change

    def moved(self, change: Flat, along: Flat, length: float) -> _Point:
        return _Point(self.problem, self.weights + length * change, self.r - length * along, self.p)


def _point_at(problem: Objective, weights: Flat) -> _Point:
    return _Point(problem, weights, problem.targets - problem.scores(weights)[:, 0], normalised_weights(problem))


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Newton steps until the gap is at most tol, or until rounding lets f fall no further."""
    point, tol = _point_at(problem, _first(problem) if how.start is None else how.start), how.tol or 0.0
    history: list[Pass] = []
    for left in reversed(range(how.most)):
        began, gradient = perf_counter(), point.gradient()
        if not np.isfinite(gradient).all():
            raise NumericalError(TOO_LARGE)
        change = point.step(gradient)
        slope, along = float(gradient @ change), problem.scores(change)[:, 0]
        length = 1.0
        for _ in range(HALVINGS):
            after = point.moved(change, along, length)
            if after.value <= point.value + ENOUGH * length * slope + ROUNDING * point.value:
                break
            length /= 2
        else:
            after, length = point, 0.0
        same = length == 1.0 and np.array_equal(after.inside, point.inside)
        point = after
        history.append(Pass(0, 1, point.loss, perf_counter() - began))
        watch(history[-1])
        ends = left == 0 or length == 0.0 or -slope <= ROUNDING * point.value
        if not ends and not (same and -slope <= tol * point.value):
            continue
        near = how.tol is None or -slope <= tol * point.value or left > 0
        if not how.proven:
            return Found(point.weights, history, near)
        certificate = certify(problem, point.weights)
        met = near if certificate.reason else how.tol is None or certificate.within(tol)
        if ends or met:
            break
    return Found(point.weights, history, met, certificate)


def _first(problem: Objective) -> Flat:
    """The approximate optimum on a sample of the rows; where there are few, the mean target."""
    few = fewer(problem)
    if few is not None:
        return newton(few, Descent(SAMPLE_STEPS, ROUGHLY, proven=False), ignore).weights
    weights = np.zeros(problem.size)
    if problem.intercept:
        weights[-1] = problem.mean_target
    return weights


def scale_of(problem: Objective, weights: Flat) -> tuple[float, Mask]:
    """The scale that belongs to these weights, and which rows are no outliers."""
    point = _point_at(problem, weights)
    return point.scale, point.inside


def certify(problem: Objective, weights: Flat) -> Certificate:
    """The objective at these weights, and a value that it cannot fall below."""
    about = problem.mean_target if problem.intercept else 0.0
    moved = np.append(weights[:-1], weights[-1] - about)
    y = problem.targets - about
    point = _Point(problem, moved, y - problem.scores(moved)[:, 0], normalised_weights(problem))
    if not np.isfinite(point.value):
        return Certificate(point.value, -np.inf, OVERFLOWN)
    if problem.penalty.l2 == 0:
        return Certificate(point.value, -np.inf, UNPENALISED)
    p, g = point.p, point.g
    if problem.intercept:
        below, above = float((p * np.maximum(-g, 0.0)).sum()), float((p * np.maximum(g, 0.0)).sum())
        down, up = (min(1.0, one / other) if other > 0 else 1.0 for one, other in ((above, below), (below, above)))
        g = g * np.where(g < 0, down, up)
    g = g * min(1.0, (1.0 - 4.0 * UNIT * PAIRWISE) / max(float(np.sqrt((p * g * g).sum())), 0.5))
    v = problem.penalised(problem.summed((p * g)[:, np.newaxis]))
    dual = float((p * g * y).sum()) - float(v @ v) / (2.0 * problem.penalty.l2)
    off = _rounding(point, g, y)
    return Certificate(point.value, max(0.0, dual - 2.0 * off) if np.isfinite(off) else 0.0, rounding=off)


def _rounding(point: _Point, g: Flat, y: Flat) -> float:
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
