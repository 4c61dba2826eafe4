"""The losses of rows at their scores, with their slopes, and what a dual point needs of them (duality_gap.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.kernels import softmax as kernel
from linnet.learners.joint_losses import Softmax
from linnet.training.objective import Flat, Objective

Table = NDArray[np.float64]

EVERY = slice(None)


def losses_at(problem: Objective, scores: Table, rows: slice = EVERY, about: float = 0.0) -> OneScore | ManyScores:
    """The losses of these rows at their scores: `values` and `slopes`, and what the dual needs of them.

    Scores of numbers may be given less a number that they are `about`.
    """
    return ManyScores(problem, scores, rows) if problem.outputs > 1 else OneScore(problem, scores, rows, about)


def normalised_weights(problem: Objective, rows: slice = EVERY) -> Flat:
    """The normalised sample weights c_i / N of these rows."""
    c, n = problem.sample_weights, len(problem.targets[rows])
    return c[rows] / problem.total if len(c) else np.full(n, 1.0 / problem.total)


class OneScore:
    """The losses of rows that have one score each."""

    def __init__(self, problem: Objective, scores: Table, rows: slice, about: float = 0.0) -> None:
        self.loss, self.y = problem.loss, problem.signed[rows]
        self.normalised_weights = normalised_weights(problem, rows)
        if about:
            self.y = self.y - about
        # where the intercept is free, slopes add up to 0, so g y may be summed about the mean: a large one would cancel
        self.about = problem.mean_target - about if problem.about_mean else 0.0
        self.largest_target = float(np.abs(self.y).max(initial=0.0)) if problem.regression else 0.0
        # the second derivatives, where no bound on them is known
        self.curvatures: Flat | None = None
        if self.loss.smooth and not np.isfinite(self.loss.largest_curvature):
            self.values, slopes, self.curvatures = self.loss.with_curvature(scores[:, 0], self.y)
        else:
            self.values, slopes = self.loss.at(scores[:, 0], self.y)
        self.slopes = slopes[:, np.newaxis]

    def allowed(self, g: Table) -> Table:
        return self.loss.allowed(g[:, 0], self.y)[:, np.newaxis]

    def amounts(self, g: Table) -> Flat:
        """The sum of the weighted slopes; where slopes are bounded, of those below 0 and of those above."""
        a = self.normalised_weights * g[:, 0]
        if self.loss.unbounded_slopes:
            return np.array([a.sum()])
        above = np.maximum(a, 0.0)
        return np.array([(above - a).sum(), above.sum()])

    def sides(self, g: Table) -> Table:
        """What balanced slopes are sums of, weighted: those below 0 and those above; or, unbounded, slopes and ones."""
        a = self.normalised_weights * g[:, 0]
        if self.loss.unbounded_slopes:
            return np.array([a, self.normalised_weights])
        return np.array([np.minimum(a, 0.0), np.maximum(a, 0.0)])

    def factors(self, amounts: Flat | None) -> Flat:
        """What balancing multiplies the sides by; without amounts there is nothing to balance."""
        if self.loss.unbounded_slopes:
            return np.array([1.0, 0.0 if amounts is None else -amounts[0]])
        below, above = (0.0, 0.0) if amounts is None else amounts
        return np.array([min(1.0, above / below) if below > 0 else 1.0, min(1.0, below / above) if above > 0 else 1.0])

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """Slopes that add up to 0: less their mean; or the larger side scaled down, which keeps them in bounds."""
        if self.loss.unbounded_slopes:
            return np.asarray(g - amounts)
        down, up = self.factors(amounts)
        return np.asarray(g * np.where(g < 0, down, up))

    def conjugates(self, g: Table) -> Flat:
        return self.loss.conjugate(g[:, 0], self.y - self.about if self.about else self.y)


class ManyScores:
    """Many classes jointly: q = g + (1 for the row's class) is a distribution over the classes."""

    largest_target = 0.0

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        assert problem.loss.joint is not None
        self.loss, self.normalised_weights = problem.loss.joint, normalised_weights(problem, rows)
        self.own = np.zeros_like(scores)
        self.own[np.arange(len(scores)), problem.targets[rows].astype(np.int64)] = 1.0
        self._each = np.ones(problem.outputs)  # sums over classes: by a product, a quarter of the time
        if isinstance(self.loss, Softmax):
            self._at_once(scores, np.ascontiguousarray(problem.targets[rows]))
            return
        self.values, q = self.loss.at(scores, self.own)
        self.slopes = q - self.own

    def _at_once(self, scores: Table, targets: Flat) -> None:
        self.values, self.slopes = np.empty(len(scores)), np.empty(scores.shape)
        c, scores = np.ascontiguousarray(self.normalised_weights), np.ascontiguousarray(scores)
        kernel.at(scores, targets, c, np.empty(scores.shape), self.slopes, self.values)

    def allowed(self, g: Table) -> Table:
        q = g + self.own
        np.maximum(q, 0.0, out=q)
        q /= (q @ self._each)[:, np.newaxis]
        q -= self.own
        return q

    def amounts(self, g: Table) -> Flat:
        """The weighted sum of the distributions, and that of the rows' own classes."""
        return np.array([self.normalised_weights @ (g + self.own), self.normalised_weights @ self.own])

    def products(self, g: Table) -> Flat:
        """The weighted sum of q q'."""
        q = g + self.own
        return np.asarray(q.T @ (self.normalised_weights[:, np.newaxis] * q))

    def reweighted(self, g: Table, factors: Flat) -> Table:
        """Every class times its factor, and again distributions."""
        q = g + self.own
        np.maximum(q, 0.0, out=q)
        q *= factors
        q /= (q @ self._each)[:, np.newaxis]
        q -= self.own
        return q

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """What some classes have too much, moved to those that have too little, in the rows where it is: no less can be
        moved.  (The same change of all rows would have to grow as the smallest class gets smaller.)"""
        q, wanted = amounts
        excess, deficit = np.maximum(q - wanted, 0.0), np.maximum(wanted - q, 0.0)
        if not excess.any() or not deficit.any():
            return g
        taken = np.maximum(0.0, g + self.own) * (excess / np.where(q > 0, q, 1.0))
        return np.asarray(g - taken + (taken @ self._each)[:, np.newaxis] * (deficit / deficit.sum()))

    def conjugates(self, g: Table) -> Flat:
        return self.loss.conjugate(np.maximum(0.0, g + self.own), self.own)
