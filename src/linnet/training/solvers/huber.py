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

The dual: s + s H(r / s) = max over |g| <= e of s + 2 g r - s g^2, so that for every g with mean g^2 <= 1 and, for a
free intercept, mean g = 0,

    f >= mean(g y) - |mean(g x)|^2 / (2 l2)

with means by the sample weights.  The g of any weights, balanced and scaled down to fit, are such a point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.errors import NumericalError
from linnet.kernels.hessian import diagonal as add_diagonal
from linnet.learners.robust_losses import Huber
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import OVERFLOWN, UNPENALISED, Certificate
from linnet.training.gap_rounding import UNIT
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.least_squares import COLUMNS_AT_MOST
from linnet.training.solvers.newton import ENOUGH, HALVINGS, LOOSEST, MOST_PRODUCTS, ROUGHLY, ROUNDING, fewer
from linnet.training.solvers.row_products import centred_products
from linnet.training.solvers.summed_squares import weighted_squares

Mask = NDArray[np.bool_]

# The scale is at least this, as residuals that are all 0 have none.
SMALLEST_SCALE = 10.0 * float(np.finfo(np.float64).eps)
SCALE_STEPS = 200
SAMPLE_STEPS = 20
# The most rows, or columns, whose pairs are a table.
PAIRS_AT_MOST = 1 << 12
# Rows are fit exactly if they are off their target by at most this fraction of f.
EXACT = 1e-3
# Where less than this is left of a second derivative, the rest is rounding.
CANCELLED = 1e-12
# How much lower the next least scale is; and what a step may promise, beside the scale, once weights are settled.
LOWER, SETTLED = 8.0, 0.05
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
    least: float = SMALLEST_SCALE
    # the products of all pairs of rows, where they are fewer than the columns
    products: Flat | None = None

    def __post_init__(self) -> None:
        loss, p, r = self.problem.loss, self.p, self.r
        assert isinstance(loss, Huber)
        self.epsilon = loss.epsilon
        self.scale, self.inside = best_scale(r, p, loss.epsilon)
        self.held = self.scale < self.least
        if self.held:
            self.scale, self.inside = self.least, np.abs(r) <= loss.epsilon * self.least
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
        """Newton's: by a table of the pairs of columns, or of rows where these are fewer; or without a table."""
        bends = np.where(self.inside, self.p / self.scale, 0.0)
        if self.problem.columns <= min(len(self.r), COLUMNS_AT_MOST):
            return self._by_pairs(gradient, bends)
        return (self._by_products if self.products is None else self._by_rows)(gradient, bends)

    def _by_scale(self, bends: Flat) -> tuple[Flat, float]:
        """h and k, the second derivatives by weights and scale, and by the scale."""
        mixed = self.problem.summed((bends * self.r)[:, np.newaxis]) / self.scale
        if not self.problem.intercept:
            mixed[-1] = 0.0
        return mixed, 0.0 if self.held else float((bends * self.r * self.r).sum()) / self.scale**2

    def _by_pairs(self, gradient: Flat, bends: Flat) -> Flat:
        problem = self.problem
        free = problem.columns + problem.intercept
        table = mirrored(weighted_squares(problem.rows, bends)[:free, :free].T)
        mixed, curved = self._by_scale(bends)
        if curved > 0:
            less = table - np.outer(mixed[:free], mixed[:free]) / curved
            if (np.diagonal(less) > CANCELLED * np.diagonal(table)).all():  # else as if the scale were held
                table = less
        table.flat[: problem.columns * (free + 1) : free + 1] += problem.penalty.l2
        change = np.zeros(problem.size)
        change[:free] = -ScaledFactors(table).solve(gradient[:free])
        return change

    def _by_rows(self, gradient: Flat, bends: Flat) -> Flat:
        """H u = v by the change q = D (X u + u_b) of the rows within reach: with K = XX',

            (1 / D + K / l2) q - u_b = X v / l2,   sum q = v_b,   u = (v - X'q) / l2

        and that of the scale by the formula of Sherman and Morrison.
        """
        problem, l2 = self.problem, self.problem.penalty.l2
        which = np.flatnonzero(bends)
        if not len(which):
            return np.asarray(-gradient / np.append(np.full(problem.columns, l2), 1.0))
        assert self.products is not None
        table = self.products[np.ix_(which, which)] / l2
        table.flat[:: len(which) + 1] += 1.0 / bends[which]
        factors = ScaledFactors(table)
        ones = factors.solve(np.ones(len(which)))

        def solved(v: Flat) -> Flat:
            alone = np.append(problem.penalised(v), 0.0)
            q = factors.solve(problem.scores(alone)[which, 0] / l2)
            b = (float(v[-1]) - float(q.sum())) / float(ones.sum()) if problem.intercept else 0.0
            every = np.zeros((len(bends), 1))
            every[which, 0] = q + b * ones
            u = (alone - problem.summed(every)) / l2
            u[-1] = b
            return u

        change, (mixed, curved) = solved(-gradient), self._by_scale(bends)
        if curved > 0:
            by_scale = solved(mixed)
            left = curved - float(mixed @ by_scale)
            if left > CANCELLED * curved:  # else as if the scale were held
                change += by_scale * (float(mixed @ change) / left)
        return change

    def _by_products(self, gradient: Flat, bends: Flat) -> Flat:
        """By conjugate gradients, with the diagonal of X'DX + l2 I for a preconditioner, the more accurate the nearer
        the optimum is."""
        problem, l2 = self.problem, self.problem.penalty.l2
        mixed, curved = self._by_scale(bends)
        diagonal = np.zeros(problem.size)
        add_diagonal(*problem.rows.layout, bends[:, np.newaxis], diagonal)
        problem.penalised(diagonal)[:] += l2
        diagonal[diagonal <= 0.0] = 1.0
        change, residual = np.zeros(problem.size), -gradient
        v = residual / diagonal
        size = float(residual @ v)
        enough = min(LOOSEST, size / self.value) * size
        for _ in range(MOST_PRODUCTS):
            if size <= enough:
                break
            product = problem.summed(bends[:, np.newaxis] * problem.scores(v))
            problem.penalised(product)[:] += l2 * problem.penalised(v)
            if not problem.intercept:
                product[-1] = 0.0
            if curved > 0:
                product -= mixed * (float(mixed @ v) / curved)
            bent = float(v @ product)
            if not bent > CANCELLED * float(v @ (diagonal * v)):  # straight but for rounding: as far as it got
                break
            change += (size / bent) * v
            residual -= (size / bent) * product
            preconditioned = residual / diagonal
            size, before = float(residual @ preconditioned), size
            v = preconditioned + (size / before) * v
        return change if change.any() else v

    def moved(self, change: Flat, along: Flat, length: float) -> _Point:
        return replace(self, weights=self.weights + length * change, r=self.r - length * along)

    def lowered(self) -> _Point:
        """The same weights with a lower least scale."""
        r = self.problem.targets - self.problem.scores(self.weights)[:, 0]  # anew: what was added up is too inaccurate
        return replace(self, r=r, least=max(SMALLEST_SCALE, self.least / LOWER))


def _point_at(problem: Objective, weights: Flat) -> _Point:
    return _Point(problem, weights, problem.targets - problem.scores(weights)[:, 0], normalised_weights(problem))


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Newton steps until the gap is at most tol, or until rounding lets f fall no further."""
    n, d = problem.rows.shape
    point = _point_at(problem, _first(problem) if how.start is None else how.start)
    if d < n:
        found = _descended(point, how, watch)
        if found.converged or not found.certificate or found.certificate.reason:
            return found
    elif n <= PAIRS_AT_MOST and problem.penalty.l2 > 0:
        point = replace(point, products=centred_products(Examples(problem.rows, problem.targets, None), None))
    return _descended(replace(point, least=point.scale), how, watch)


def _descended(point: _Point, how: Descent, watch: Watcher) -> Found:
    problem, tol = point.problem, how.tol or 0.0
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
        if left and point.held:
            settled = length == 0.0 or -slope <= SETTLED * point.least
            if settled and point.least <= max(tol, ROUNDING) * point.value:
                certificate = certify(problem, point.weights)
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
    best = _bound(point, point.g, y)
    if best[0] < (1.0 - ENOUGH) * point.value and min(len(y), problem.columns) <= PAIRS_AT_MOST:
        best = max(best, _bound(point, _multipliers(point), y))
    dual, off = best
    return Certificate(point.value, max(0.0, dual - 2.0 * off) if np.isfinite(off) else 0.0, rounding=off)


def _multipliers(point: _Point) -> Flat:
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


def _bound(point: _Point, g: Flat, y: Flat) -> tuple[float, float]:
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
