"""Weights of Huber's regression: the best scale there, the value of the objective, and steps from there (huber.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.kernels.hessian import diagonal as add_diagonal
from linnet.learners.robust_losses import Huber
from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.least_squares import COLUMNS_AT_MOST
from linnet.training.solvers.newton import LOOSEST, MOST_PRODUCTS
from linnet.training.solvers.summed_squares import weighted_squares

Mask = NDArray[np.bool_]

# The scale is at least this, as residuals that are all 0 have none.
SMALLEST_SCALE = 10.0 * float(np.finfo(np.float64).eps)
SCALE_STEPS = 200
# Where less than this is left of a second derivative, the rest is rounding.
CANCELLED = 1e-12
# How much lower the next least scale is, if that leaves enough rows within reach, or is the last.
LOWER = (8.0, 3.0, 1.5)


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
class HuberPoint:
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
        # with an epsilon of 1 every scale below the best is as good, and leaves more rows within reach
        self.held = self.scale < self.least or loss.epsilon == 1.0
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

    def step(self, gradient: Flat, *, cautious: bool = False) -> Flat:
        """Newton's: by a table of the pairs of columns, or of rows where these are fewer; or without a table.

        A cautious one, for a scale that is held, is to the least point of parabolas that lie above the rows' losses: it
        lowers f even where so few rows are within reach that f hardly bends.
        """
        bends = np.where(self.inside, self.p / self.scale, 0.0)
        if cautious:
            outside = self.epsilon * self.p / np.where(self.inside, 1.0, np.abs(self.r))
            bends = np.where(self.inside, bends, outside)
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

    def moved(self, change: Flat, along: Flat, length: float) -> HuberPoint:
        return replace(self, weights=self.weights + length * change, r=self.r - length * along)

    def lowered(self) -> HuberPoint:
        """The same weights, or nearer ones, with a lower least scale: so low that enough rows are still within reach.

        As many as there are weights determine these, as far as the penalty does not.
        """
        r = self.problem.targets - self.problem.scores(self.weights)[:, 0]  # anew: what was added up is too inaccurate
        reached = min(self.problem.columns + self.problem.intercept, int(self.inside.sum()))
        for factor in LOWER:
            lower = replace(self, r=r, least=max(SMALLEST_SCALE, self.least / factor))
            lower = lower._following(self.inside) if lower.held else lower
            if int(lower.inside.sum()) >= reached:
                break
        return lower

    def _following(self, inside: Mask) -> HuberPoint:
        """Newton's step as if the rows that were within reach of the last scale were so of this one, if it helps.

        Those that end at their targets come nearer in proportion to the scale; without them there is little to bend f.
        """
        as_if = replace(self)
        as_if.inside = inside
        as_if.g = np.where(inside, self.r / self.scale, np.copysign(self.epsilon, self.r))
        change = as_if.step(as_if.gradient())
        after = self.moved(change, self.problem.scores(change)[:, 0], 1.0)
        return after if after.value < self.value else self


def point_at(problem: Objective, weights: Flat) -> HuberPoint:
    return HuberPoint(problem, weights, problem.targets - problem.scores(weights)[:, 0], normalised_weights(problem))


def scale_of(problem: Objective, weights: Flat) -> tuple[float, Mask]:
    """The scale that belongs to these weights, and which rows are no outliers."""
    point = point_at(problem, weights)
    return point.scale, point.inside
