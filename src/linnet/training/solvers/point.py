"""Where coordinate descent stands: the scores of all rows, and the losses there with their slopes and curvatures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.kernels import line_search
from linnet.learners.losses import Loss
from linnet.training.objective import Flat, Objective
from linnet.training.row_losses import normalised_weights

# Curvatures are at least this fraction of the largest one that the loss can have: where a loss is flat, the model is
# not.
LEAST_CURVATURE = 1e-6
# The intercept is at its best where slopes add up to this fraction of their sizes; and the most steps of Newton's to
# it.
BALANCED, STEPS = 1e-7, 30


@dataclass(eq=False)
class Point:
    """The scores z, without the intercept b; the mean loss; c_i/N times slopes (r) and curvatures (h) of the rows."""

    problem: Objective
    a: Flat
    scores: Flat
    b: float
    loss: float
    slopes: Flat
    r: Flat
    h: Flat
    mistakes: int

    @classmethod
    def first(cls, problem: Objective, scores: Flat, b: float) -> Point:
        return cls._at(problem, normalised_weights(problem), scores, b)

    @classmethod
    def _at(cls, problem: Objective, a: Flat, scores: Flat, b: float) -> Point:
        y, loss, n = problem.signed, problem.loss, len(scores)
        z = scores + b
        mistakes = 0
        if loss in (Loss.LOGISTIC, Loss.SQUARED_HINGE):
            slopes, h, r, into = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
            value, mistakes = line_search.moved_by(loss.code, y, a, z, np.zeros(n), into, slopes, h, r)
        else:
            values, slopes = loss.at(z, y)
            value, r, h = float((a * values).sum()), a * slopes, loss.curvature(z, y)
            if not problem.regression:
                mistakes = int(np.count_nonzero((y * z <= 0) & (a > 0)))
        if not loss.is_quadratic:
            np.maximum(h, LEAST_CURVATURE * loss.largest_curvature, out=h)
        return cls(problem, a, scores, b, float(value), slopes, r, a * h, mistakes)

    @property
    def total_slope(self) -> float:
        return float(self.r.sum())

    def moved(self, along: Flat, shift: float, change: float, length: float) -> Point:
        """After part of a step: scores without b change by `along` and by shift - change, b by `change`."""
        return self._at(
            self.problem, self.a, self.scores + length * (along + (shift - change)), self.b + length * change
        )

    def move(self, along: Flat, shift: float, change: float) -> None:
        """Go there."""
        self._become(self.moved(along, shift, change, 1.0))

    def _become(self, other: Point) -> None:
        vars(self).update(vars(other))

    def balance(self) -> None:
        """The best intercept for these weights, if it is free."""
        if not self.problem.intercept:
            return
        for _ in range(STEPS):
            off = self.total_slope
            if abs(off) <= BALANCED * float(np.abs(self.r).sum()):
                return
            there = self._at(self.problem, self.a, self.scores, self.b - off / float(self.h.sum()))
            if not there.loss <= self.loss:  # it would overshoot: half of the way is safe, the loss is convex
                there = self._at(self.problem, self.a, self.scores, self.b - 0.5 * off / float(self.h.sum()))
                if not there.loss <= self.loss:
                    return
            stalled = abs(there.total_slope) >= abs(off)
            self._become(there)
            if stalled:
                return

    def dual(self, shrink: float) -> float:
        """The dual value at these slopes, or a fraction of them."""
        slopes = self.problem.loss.allowed(shrink * self.slopes, self.problem.signed)
        return -float((self.a * self.problem.loss.conjugate(slopes, self.problem.signed)).sum())
