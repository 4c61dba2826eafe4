"""Certificates: how far a fit can be from the best, proven from the data by a dual point, in double precision.

For the objective of objective.py, with g_i the slope of row i's loss by its score,

    f(w, b) = (1/N) sum_i c_i loss(z_i, y_i) + l1 |w|_1 + l2/2 |w|^2,   z_i = w . x_i + b
    D(g)    = -(1/N) sum_i c_i loss*(g_i, y_i) - R*(-v),                v = (1/N) sum_i c_i g_i x_i

is at most f(w, b) for every w and b, if each g_i lies where the conjugate loss* is finite and, for a free intercept,
sum_i c_i g_i = 0.  R*(s) = sum_j max(0, |s_j| - l1)^2 / (2 l2); without L2, 0 where all |s_j| <= l1, else infinite.
Any weights give such a point: the slopes there, moved to where the conditions hold.  At the optimum nothing is moved,
and D = f.  A loss with a kink leaves its slope there open: then the solver hands its dual point over.

The conjugates (two classes: g = -y a):  logistic a log a + (1 - a) log(1 - a), 0 <= a <= 1;  hinge -a, 0 <= a <= 1;
squared hinge a^2/4 - a, a >= 0;  squared g^2/2 + g y;  for many classes, with q = g + (1 for the row's class) a
distribution:  softmax sum_k q_k log q_k;  hinge (the best rival's lead, raised by 1) q_y - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learners.recipe import Loss
from linnet.training.objective import Flat, Objective
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]

OVERFLOWN = "the sums left the range of numbers: scale the features down"
UNPENALISED = "without a penalty the dual has no point that can be written down exactly"
CROSSED = "the bound came out above the objective, for the sums cancel: centre and scale the features"
# What rounding may lift a bound above the objective by, as a share of it: any more, and the sums prove nothing.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Certificate:
    """No weights have an objective below `dual`; these have `primal`. Or, with a `reason`, nothing is proven."""

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
        """For JSON: numbers that are none as null."""
        values = {"primal": self.primal, "dual": self.dual, "gap": self.gap}
        return {name: value if np.isfinite(value) else None for name, value in values.items()} | {"reason": self.reason}

    def __str__(self) -> str:
        if self.reason:
            return f"none: {self.reason}"
        return f"objective {self.primal:.10g}, no weights reach below {self.dual:.10g}: relative gap {self.gap:.2g}"


ONLINE = Certificate(float("nan"), float("-inf"), "learnt row by row: what is known is the error on the way")


def joined(parts: Sequence[Certificate]) -> Certificate:
    """Of problems solved side by side: their sum."""
    reason = next((part.reason for part in parts if part.reason), "")
    return Certificate(sum(part.primal for part in parts), sum(part.dual for part in parts), reason)


def certify(
    problem: Objective, weights: Flat, slopes: Table | None = None, *, scores: Table | None = None
) -> Certificate:
    """The objective at these weights, and a value that it cannot fall below.

    `slopes`, (n, outputs), is a dual point that a solver came to; else it is made of the weights.  `scores` are
    those of the weights, where they are at hand.
    """
    if (problem.loss, problem.outputs > 1) not in _LOSSES:
        return Certificate(np.nan, -np.inf, f"no dual is known here for the {problem.loss.name.lower()} loss")
    if scores is None:
        scores = problem.scores(weights)
    w, penalty = problem.penalised(weights), problem.penalty
    n, size = len(scores), problem.rows_a_part
    # in this thread: of many short steps on arrays, others would do little but take turns
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
    # a dual point far from the optimum may prove less than what is plain: no loss and no penalty is below 0
    return Certificate(primal, max(dual, 0.0))


def lost_digits(intercepts: Flat, scores: Table) -> float:
    """About what rounding does to a score: where columns lie far from 0, the intercept takes back what they add."""
    largest = float(np.abs(intercepts).max(initial=0.0)) + float(np.abs(scores).max(initial=0.0))
    return 4.0 * float(np.finfo(np.float64).eps) * largest


class _Part:
    """Some of the rows: what their losses come to, and a dual point of theirs."""

    def __init__(self, problem: Objective, scores: Table, slopes: Table | None, first: int, last: int) -> None:
        self.free = problem.intercept
        self.loss = loss_at(problem, scores[first:last], slice(first, last))
        self.primal = float(self.loss.shares @ self.loss.values)
        self.steepness = float(self.loss.shares @ np.abs(self.loss.slopes).sum(axis=1))
        given = self.loss.slopes if slopes is None else np.asarray(slopes[first:last], dtype=np.float64)
        self.g: Table = self.loss.allowed(given.reshape(len(self.loss.shares), -1))
        self.amounts: Flat = self.loss.amounts(self.g)

    def balanced(self, amounts: Flat) -> Table:
        """What these rows weigh, once all rows together weigh nothing on a free intercept."""
        if self.free:
            self.g = self.loss.balanced(self.g, amounts)
        return np.asarray(self.loss.shares[:, np.newaxis] * self.g)

    def conjugate(self, g: Table) -> float:
        return float(self.loss.shares @ self.loss.conjugates(g))


EVERY = slice(None)


def loss_at(problem: Objective, scores: Table, rows: slice = EVERY) -> Any:
    """The loss of these rows at their scores: `values` and `slopes`, and what its conjugate asks for."""
    return _LOSSES[problem.loss, problem.outputs > 1](problem, scores, rows)


def signs_of(problem: Objective, rows: slice = EVERY) -> Flat:
    """Of two classes: 1 for the positive one, -1 for all others."""
    return np.where(problem.targets[rows] == problem.settings["positive"], 1.0, -1.0)


def problem_shares(problem: Objective, rows: slice = EVERY) -> Flat:
    """c_i / N of these rows."""
    n = len(problem.targets[rows])
    return np.full(n, 1.0 / problem.total) if not len(problem.shares) else problem.shares[rows] / problem.total


class _Signed:
    """Two classes: y = 1 for the positive one, -1 for all others; g = -y a."""

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        self.y, self.shares = signs_of(problem, rows), problem_shares(problem, rows)
        self.values, pulls = self.at(self.y * scores[:, 0])
        self.slopes = (-self.y * pulls)[:, np.newaxis]

    def at(self, margins: Flat) -> tuple[Flat, Flat]:
        raise NotImplementedError

    def conjugate(self, a: Flat) -> Flat:
        raise NotImplementedError

    most: float = 1.0

    def allowed(self, g: Table) -> Table:
        a = np.clip(-self.y * g[:, 0], 0.0, self.most)
        return (-self.y * a)[:, np.newaxis]

    def amounts(self, g: Table) -> Flat:
        """What either side weighs."""
        a = self.shares * -self.y * g[:, 0]
        return np.array([a @ (self.y > 0), a @ (self.y < 0)])

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """The side that weighs more, scaled down until both weigh the same."""
        up, down = amounts
        scale = np.where(self.y > 0, min(1.0, down / up) if up > 0 else 1.0, min(1.0, up / down) if down > 0 else 1.0)
        return np.asarray(g * scale[:, np.newaxis])

    def conjugates(self, g: Table) -> Flat:
        return self.conjugate(-self.y * g[:, 0])


class _Logistic(_Signed):
    def at(self, margins: Flat) -> tuple[Flat, Flat]:
        e = np.exp(-np.abs(margins))
        return np.log1p(e) + np.maximum(0.0, -margins), np.where(margins >= 0, e, 1.0) / (1.0 + e)

    def conjugate(self, a: Flat) -> Flat:
        return np.asarray(_x_log_x(a) + _x_log_x(1.0 - a))


class _Hinge(_Signed):
    def at(self, margins: Flat) -> tuple[Flat, Flat]:
        return np.maximum(0.0, 1.0 - margins), (margins < 1).astype(np.float64)

    def conjugate(self, a: Flat) -> Flat:
        return -a


class _SquaredHinge(_Signed):
    most = np.inf

    def at(self, margins: Flat) -> tuple[Flat, Flat]:
        short = np.maximum(0.0, 1.0 - margins)
        return short * short, 2.0 * short

    def conjugate(self, a: Flat) -> Flat:
        return 0.25 * a * a - a


class _Squared:
    """A number to predict (or, of classes, 1 and -1)."""

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        self.y = problem.targets[rows] if problem.settings["regression"] else signs_of(problem, rows)
        self.shares = problem_shares(problem, rows)
        # g weighs nothing where the intercept is free, so g y may be summed about the mean: a large one would cancel
        self.about = problem.mean_target if problem.intercept and problem.settings["regression"] else 0.0
        self.slopes = scores - self.y[:, np.newaxis]
        self.values = 0.5 * self.slopes[:, 0] ** 2

    def allowed(self, g: Table) -> Table:
        return g

    def amounts(self, g: Table) -> Flat:
        return self.shares @ g

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """Without their mean, they weigh nothing together."""
        return np.asarray(g - amounts)

    def conjugates(self, g: Table) -> Flat:
        return np.asarray(0.5 * g[:, 0] ** 2 + g[:, 0] * (self.y - self.about))


class _Joint:
    """Many classes jointly: q = g + (1 for the row's class) is a distribution over the classes."""

    def __init__(self, problem: Objective, scores: Table, rows: slice) -> None:
        self.shares = problem_shares(problem, rows)
        self.own = np.zeros_like(scores)
        self.own[np.arange(len(scores)), problem.targets[rows].astype(np.int64)] = 1.0
        self.values, q = self.at(scores)
        self.slopes = q - self.own

    def at(self, scores: Table) -> tuple[Flat, Table]:
        raise NotImplementedError

    def conjugate(self, q: Table) -> Flat:
        raise NotImplementedError

    def allowed(self, g: Table) -> Table:
        q = np.maximum(0.0, g + self.own)
        return np.asarray(q / q.sum(axis=1, keepdims=True) - self.own)

    def amounts(self, g: Table) -> Flat:
        """What the distributions give each class, and what the rows' own classes are."""
        return np.array([self.shares @ (g + self.own), self.shares @ self.own])

    def balanced(self, g: Table, amounts: Flat) -> Table:
        """Mixed with one distribution for all rows, as little as makes their mean that of the classes themselves."""
        q, wanted = amounts
        there = q > 0
        t = max(0.0, 1.0 - float((wanted[there] / q[there]).min()))
        if t == 0.0:
            return g
        rest = (wanted - (1.0 - t) * q) / t
        return np.asarray((1.0 - t) * (g + self.own) + t * rest - self.own)

    def conjugates(self, g: Table) -> Flat:
        return self.conjugate(np.maximum(0.0, g + self.own))


class _Softmax(_Joint):
    def at(self, scores: Table) -> tuple[Flat, Table]:
        top = scores.max(axis=1, keepdims=True)
        e = np.exp(scores - top)
        total = e.sum(axis=1, keepdims=True)
        return (np.log(total) + top)[:, 0] - (self.own * scores).sum(axis=1), e / total

    def conjugate(self, q: Table) -> Flat:
        return np.asarray(_x_log_x(q).sum(axis=1))


class _JointHinge(_Joint):
    def at(self, scores: Table) -> tuple[Flat, Table]:
        raised = scores + 1.0 - self.own
        q = np.zeros_like(scores)
        q[np.arange(len(scores)), raised.argmax(axis=1)] = 1.0
        return raised.max(axis=1) - (self.own * scores).sum(axis=1), q

    def conjugate(self, q: Table) -> Flat:
        return np.asarray((self.own * q).sum(axis=1) - 1.0)


def _x_log_x(x: Table) -> Any:
    return x * np.log(np.where(x > 0, x, 1.0))


_LOSSES: dict[tuple[Loss, bool], Any] = {
    (Loss.LOGISTIC, False): _Logistic,
    (Loss.HINGE, False): _Hinge,
    (Loss.SQUARED_HINGE, False): _SquaredHinge,
    (Loss.SQUARED, False): _Squared,
    (Loss.LOGISTIC, True): _Softmax,
    (Loss.HINGE, True): _JointHinge,
}
