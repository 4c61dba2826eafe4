"""Huber's regression with its scale, by Newton's method, until a proven gap is small enough.

    minimise  (1/2N) sum_i c_i (s + s H((y_i - z_i) / s)) + l2/2 |w|^2,   z_i = w . x_i + b,   over w, b and s > 0

with H(t) = t^2 where |t| <= e, and 2 e |t| - e^2 beyond, is convex in all of them together (Huber 1981, Robust
statistics, section 7.7; Owen 2007, A robust hybrid of lasso and ridge regression).  With r the residuals the best s is
the one root of mean min(r^2 / s^2, e^2) = 1, so that the objective is a function of w and b alone, f.  Its slope by z_i
is -g_i, g = r / s clipped to [-e, e]; its Hessian is X'DX - h h' / k + l2 I with D = 1 / s where r is not clipped, h
and k the second derivatives by (w, s) and by s.

Where weights can fit (nearly) all rows exactly, as those of more columns than rows can, the best s falls to 0, where f
has a kink that Newton's steps do not pass.  There s is held at a least value, which is lowered once the weights are
settled for it: f is then off by half of it at most.

The point itself and its steps are in huber_point.py, the proof of how far it is from the optimum in huber_dual.py.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from linnet.data.rows import Examples
from linnet.errors import NumericalError
from linnet.training.descent import Descent, Found
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.solvers.fewer_rows import fewer
from linnet.training.solvers.huber_dual import PAIRS_AT_MOST, certify
from linnet.training.solvers.huber_point import HuberPoint, point_at
from linnet.training.solvers.newton import ENOUGH, HALVINGS, ROUGHLY, ROUNDING
from linnet.training.solvers.row_products import centred_products

SAMPLE_STEPS = 20
# What a step may promise, beside the least scale, once the weights are settled for it.
SETTLED = 0.05
# A step that has to be shortened this much shows that f does not bend as was assumed.
SHORT = 0.1


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Newton steps until the gap is at most tol, or until rounding lets f fall no further."""
    n, d = problem.rows.shape
    point = point_at(problem, _first(problem) if how.start is None else how.start)
    if d < n and point.epsilon > 1.0:
        found = _descended(point, how, watch)
        if found.converged or not found.certificate or found.certificate.reason:
            return found
    elif n <= PAIRS_AT_MOST and problem.penalty.l2 > 0:
        point = replace(point, products=centred_products(Examples(problem.rows, problem.targets, None), None))
    # with an epsilon near 1 the best scale is (nearly) 0 at any weights: the residuals say how large to begin
    size = float(point.p @ np.abs(point.r))
    return _descended(replace(point, least=max(point.scale, size)), how, watch)


def _descended(point: HuberPoint, how: Descent, watch: Watcher) -> Found:
    problem, tol = point.problem, how.tol or 0.0
    history: list[Pass] = []
    for left in reversed(range(how.most)):
        began, gradient = perf_counter(), point.gradient()
        if not np.isfinite(gradient).all():
            raise NumericalError(TOO_LARGE)
        after, length, slope = _searched(point, gradient, point.step(gradient))
        if length < SHORT and point.held:
            other = _searched(point, gradient, point.step(gradient, cautious=True))
            if other[0].value < after.value:  # of its small promise nothing follows
                after, length, slope = other[0], other[1], min(slope, other[2])
        same = length == 1.0 and np.array_equal(after.inside, point.inside)
        point = after
        history.append(Pass(0, 1, point.loss, perf_counter() - began))
        watch(history[-1])
        if left and point.held:
            settled = length == 0.0 or -slope <= SETTLED * point.least
            if settled and point.least <= max(tol, ROUNDING) * point.value:
                certificate = certify(problem, point.weights, point.g)
                if certificate.within(tol):
                    return Found(point.weights, history, True, certificate)
            point = point.lowered() if settled else point
            continue
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


def _searched(point: HuberPoint, gradient: Flat, change: Flat) -> tuple[HuberPoint, float, float]:
    """Where f is low enough this way, the length of the step there (0 where there is none), and f's slope this way."""
    slope, along = float(gradient @ change), point.problem.scores(change)[:, 0]
    length = 1.0
    for _ in range(HALVINGS):
        after = point.moved(change, along, length)
        if after.value <= point.value + ENOUGH * length * slope + ROUNDING * point.value:
            return after, length, slope
        length /= 2
    return point, 0.0, slope


def _first(problem: Objective) -> Flat:
    """The approximate optimum on a sample of the rows; where there are few, the mean target."""
    few = fewer(problem)
    if few is not None:
        return newton(few, Descent(SAMPLE_STEPS, ROUGHLY, proven=False), ignore).weights
    weights = np.zeros(problem.size)
    if problem.intercept:
        weights[-1] = problem.mean_target
    return weights
