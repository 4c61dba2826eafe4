"""Certificates: how far a fit can be from the best, proven from the data by a dual point, in double precision.

For the objective of objective.py, with g_i the slope of row i's loss by its score,

    f(w, b) = (1/N) sum_i c_i loss(z_i, y_i) + l1 |w|_1 + l2/2 |w|^2,   z_i = w . x_i + b
    D(g)    = -(1/N) sum_i c_i loss*(g_i, y_i) - R*(-v),                v = (1/N) sum_i c_i g_i x_i

is at most f(w, b) for every w and b, if each g_i lies where the conjugate loss* is finite and, for a free intercept,
sum_i c_i g_i = 0.  R*(s) = sum_j max(0, |s_j| - l1)^2 / (2 l2); without L2, 0 where all |s_j| <= l1, else infinite.
Any weights give such a point: the slopes there, moved to where the conditions hold.  At the optimum nothing is moved,
and D = f.  The slope of a loss at a kink is not determined: then the solver passes its dual point.  The conjugates
are those of learners/losses.py; for many classes g + (1 for the row's class) is a distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.training.objective import Flat, Objective
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]

OVERFLOWN = "the sums left the range of numbers: scale the features down"
UNPENALISED = "without a penalty the dual has no point that can be written down exactly"
CROSSED = "the bound came out above the objective, for the sums cancel: centre and scale the features"
# What rounding may lift a bound above the objective by, relative to it: any more, and the sums prove nothing.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Certificate:
    """The optimum is at least `dual`; these weights have `primal`. Or, with a `reason`, nothing is proven."""

    primal: float
    dual: float
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.reason and self.dual > self.primal + ROUNDING * abs(self.primal):
            object.__setattr__(self, "reason", CROSSED)

    @property
    def gap(self) -> float:
        """(primal - dual) / primal: a bound on how much of the objective better weights could save."""
        if self.reason or not np.isfinite(self.primal - self.dual):
            return float("inf")
        return max(0.0, self.primal - self.dual) / self.primal if self.primal > 0 else 0.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what is not finite as null."""
        values = {"primal": self.primal, "dual": self.dual, "gap": self.gap}
        return {name: value if np.isfinite(value) else None for name, value in values.items()} | {"reason": self.reason}

    def __str__(self) -> str:
        if self.reason:
            return f"none: {self.reason}"
        return f"objective {self.primal:.10g}; the optimum is at least {self.dual:.10g}: duality gap {self.gap:.2g}"


ONLINE = Certificate(
    float("nan"), float("-inf"), "trained row by row: what is known is the progressive validation error"
)


def joined(parts: Sequence[Certificate]) -> Certificate:
    """Of problems solved side by side: their sum."""
    reason = next((part.reason for part in parts if part.reason), "")
    return Certificate(sum(part.primal for part in parts), sum(part.dual for part in parts), reason)


def certify(
    problem: Objective, weights: Flat, slopes: Table | None = None, *, scores: Table | None = None
) -> Certificate:
    """The objective at these weights, and a value that it cannot fall below.

    `slopes`, (n, outputs), is a dual point found by a solver; by default it is computed from the weights.  `scores`
    are those of the weights, if they are known already.
    """
    if not problem.loss.has_conjugate or (problem.outputs > 1 and problem.loss.joint is None):
        return Certificate(np.nan, -np.inf, f"no dual is known here for the {problem.loss.name} loss")
    if scores is None:
        scores = problem.scores(weights)
    w, penalty = problem.penalised(weights), problem.penalty
    n, size = len(scores), problem.rows_a_part
    # in this thread: with many short operations on arrays, other threads would mostly wait for one another
    parts = [_Part(problem, scores, slopes, first, min(n, first + size)) for first in range(0, n, size)]
    primal = sum(part.primal for part in parts)
    primal += penalty.l1 * float(np.abs(w).sum()) + 0.5 * penalty.l2 * float(w @ w)
    if not np.isfinite(primal):
        return Certificate(primal, -np.inf, OVERFLOWN)
    if penalty.l1 == 0 and penalty.l2 == 0:
        return Certificate(primal, -np.inf, UNPENALISED)
    amounts = added(part.amounts for part in parts)
    weighed = np.concatenate([part.balanced(amounts) for part in parts])
    sums = over_parts(lambda first, last: problem.summed_part(weighed[first:last], first), n, size)
    v = problem.penalised(problem.free(added(sums)))
    if penalty.l2 == 0:
        largest = float(np.abs(v).max(initial=0.0))
        shrink = min(1.0, penalty.l1 / largest) if largest > 0 else 1.0
        dual = -sum(part.conjugate(shrink * part.g) for part in parts)
    else:
        beyond = np.maximum(0.0, np.abs(v) - penalty.l1)
        dual = -sum(part.conjugate(part.g) for part in parts) - float((beyond * beyond).sum()) / (2 * penalty.l2)
    if not np.isfinite(dual):
        return Certificate(primal, dual, OVERFLOWN)
    dual -= lost_digits(weights[-problem.outputs :], scores) * sum(part.steepness for part in parts)
    # far from the optimum a dual point may prove less than the trivial bound 0: losses and penalties are not negative
    return Certificate(primal, max(dual, 0.0))


def lost_digits(intercepts: Flat, scores: Table) -> float:
    """About what rounding does to a score: where columns lie far from 0, the intercept takes back what they add."""
    largest = float(np.abs(intercepts).max(initial=0.0)) + float(np.abs(scores).max(initial=0.0))
    return 4.0 * float(np.finfo(np.float64).eps) * largest


class _Part:
    """Some of the rows: the sum of their losses, and their part of a dual point."""

    def __init__(self, problem: Objective, scores: Table, slopes: Table | None, first: int, last: int) -> None:
        self.free = problem.intercept
        self.losses = losses_at(problem, scores[first:last], slice(first, last))
        self.primal = float(self.losses.normalised_weights @ self.losses.values)
        self.steepness = float(self.losses.normalised_weights @ np.abs(self.losses.slopes).sum(axis=1))
        given = self.losses.slopes if slopes is None else np.asarray(slopes[first:last], dtype=np.float64)
        self.g: Table = self.losses.allowed(given.reshape(len(self.losses.normalised_weights), -1))
        self.amounts: Flat = self.losses.amounts(self.g)

    def balanced(self, amounts: Flat) -> Table:
        """The weighted slopes of these rows, once those of all rows together add up to 0 for a free intercept."""
        if self.free:
            self.g = self.losses.balanced(self.g, amounts)
        return np.asarray(self.losses.normalised_weights[:, np.newaxis] * self.g)

    def conjugate(self, g: Table) -> float:
        return float(self.losses.normalised_weights @ self.losses.conjugates(g))


EVERY = slice(None)


def losses_at(problem: Objective, scores: Table, rows: slice = EVERY) -> OneScore | ManyScores:
    """The losses of these rows at their scores: `values` and `slopes`, and what the dual needs of them."""
    return (ManyScores if problem.outputs > 1 else OneScore)(problem, scores, rows)


def normalised_weights(problem: Objective, rows: slice = EVERY) -> Flat:
    """The normalised sample weights c_i / N of these rows."""
    c, n = problem.sample_weights, len(problem.targets[rows])
    return c[rows] / problem.total if len(c) else np.full(n, 1.0 / problem.total)


class OneScore:
    """The losses of rows that have one score each."""

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        self.loss, self.y = problem.loss, problem.signed[rows]
        self.normalised_weights = normalised_weights(problem, rows)
        # where the intercept is free, slopes add up to 0, so g y may be summed about the mean: a large one would cancel
        self.about = problem.mean_target if problem.intercept and problem.regression else 0.0
        self.values, slopes = self.loss.at(scores[:, 0], self.y)
        self.slopes = slopes[:, np.newaxis]

    def allowed(self, g: Table) -> Table:
        return self.loss.allowed(g[:, 0], self.y)[:, np.newaxis]

    def amounts(self, g: Table) -> Flat:
        """The sum of the weighted slopes; where slopes are bounded, of those below 0 and of those above."""
        if self.loss.unbounded_slopes:
            return self.normalised_weights @ g
        a = self.normalised_weights * g[:, 0]
        return np.array([-a @ (a < 0), a @ (a > 0)])

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """Slopes that add up to 0: less their mean; or the larger side scaled down, which keeps them in bounds."""
        if self.loss.unbounded_slopes:
            return np.asarray(g - amounts)
        below, above = amounts
        down, up = min(1.0, above / below) if below > 0 else 1.0, min(1.0, below / above) if above > 0 else 1.0
        return np.asarray(g * np.where(g < 0, down, up))

    def conjugates(self, g: Table) -> Flat:
        return self.loss.conjugate(g[:, 0], self.y - self.about if self.about else self.y)


class ManyScores:
    """Many classes jointly: q = g + (1 for the row's class) is a distribution over the classes."""

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        assert problem.loss.joint is not None
        self.loss, self.normalised_weights = problem.loss.joint, normalised_weights(problem, rows)
        self.own = np.zeros_like(scores)
        self.own[np.arange(len(scores)), problem.targets[rows].astype(np.int64)] = 1.0
        self.values, q = self.loss.at(scores, self.own)
        self.slopes = q - self.own

    def allowed(self, g: Table) -> Table:
        q = np.maximum(0.0, g + self.own)
        return np.asarray(q / q.sum(axis=1, keepdims=True) - self.own)

    def amounts(self, g: Table) -> Flat:
        """The weighted sum of the distributions, and that of the rows' own classes."""
        return np.array([self.normalised_weights @ (g + self.own), self.normalised_weights @ self.own])

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """Mixed with one distribution for all rows, just enough to make their mean that of the classes."""
        q, wanted = amounts
        there = q > 0
        t = max(0.0, 1.0 - float((wanted[there] / q[there]).min()))
        if t == 0.0:
            return g
        rest = (wanted - (1.0 - t) * q) / t
        return np.asarray((1.0 - t) * (g + self.own) + t * rest - self.own)

    def conjugates(self, g: Table) -> Flat:
        return self.loss.conjugate(np.maximum(0.0, g + self.own), self.own)
