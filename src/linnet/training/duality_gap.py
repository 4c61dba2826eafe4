"""Certificates: how far a fit can be from the best, proven from the data by a dual point, in double precision.

For the objective of objective.py, with g_i the slope of row i's loss by its score,

    f(w, b) = (1/N) sum_i c_i loss(z_i, y_i) + l1 |w|_1 + l2/2 |w|^2,   z_i = w . x_i + b
    D(g)    = -(1/N) sum_i c_i loss*(g_i, y_i) - R*(-v),                v = (1/N) sum_i c_i g_i x_i

is at most f(w, b) for every w and b, if each g_i lies where the conjugate loss* is finite and, for a free intercept,
sum_i c_i g_i = 0.  R*(s) = sum_j max(0, |s_j| - l1)^2 / (2 l2); without L2, 0 where all |s_j| <= l1, else infinite.
With weights that may not be negative, only the s_j above 0 count.  Any weights give such a point: the slopes there,
moved to where the conditions hold.  At the optimum nothing is moved, and D = f.  The slope of a loss at a kink is not
determined: then the solver passes its dual point.  The conjugates are those of learners/losses.py; for many classes g +
(1 for the row's class) is a distribution.

The bound that is stated is D less all that rounding may have added to it, or hidden of f: see gap_rounding.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.notebook import card
from linnet.storage.typed_json import NOT_STORED
from linnet.training.gap_rounding import Rounding
from linnet.training.objective import Flat, Objective
from linnet.training.row_losses import ManyScores, OneScore, losses_at
from linnet.training.threads import added, in_threads, over_parts

Table = NDArray[np.float64]
# A dual point from the rows of a part, as a table, and their scores; and from which rows these are.
SlopesAt = Callable[[Table, Table, slice], Table]

OVERFLOWN = "the sums left the range of numbers: scale the features down"
UNPENALISED = "without a penalty the dual has no point that can be written down exactly"
BELOW_ZERO = "a weight is below 0, where none may be"
CROSSED = "the bound came out above the objective, for the sums cancel: centre and scale the features"
# What rounding may lift a bound above the objective by, relative to it: any more, and the sums prove nothing.
ROUNDING = 1e-9
# What rounding may hide of a gap that is as small as asked for, relative to the objective.
SEEN = 1e-8
# Of rows with one score, a part has at least this many: more parts would take longer than what is in them.
ROWS_A_PART = 1 << 14
# As many weights are squared at once.
AT_ONCE = 1 << 16
NOT_KEPT = np.empty((0, 1))
# Newton's steps on the intercepts: the most classes, the most steps, the longest step, and the imbalance to end at.
CLASSES_AT_MOST, STEPS, LONGEST, BALANCED = 128, 8, 20.0, 1e-15


@dataclass(frozen=True)
class Certificate:
    """The optimum is at least `dual`; these weights have `primal`. Or, with a `reason`, nothing is proven.

    `rounding` is what each of them, as computed, may be off by, if the dual point is near the weights; `dual` has been
    lowered by at least twice that.
    """

    primal: float
    dual: float
    reason: str = ""
    rounding: float = field(default=0.0, compare=False, repr=False, metadata=NOT_STORED)

    def __post_init__(self) -> None:
        if not self.reason and self.dual > self.primal + ROUNDING * abs(self.primal):
            object.__setattr__(self, "reason", CROSSED)

    def within(self, tol: float) -> bool:
        """Whether the gap is at most `tol`, as far as rounding lets one see."""
        if self.gap <= tol:
            return True
        rounding = min(3.0 * self.rounding, SEEN * abs(self.primal))
        return not self.reason and self.primal - self.dual <= tol * self.primal + rounding

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

    def _repr_html_(self) -> str:
        if self.reason:
            return card("nothing is proven", [("reason", self.reason)])
        facts = [
            ("objective of these weights", f"{self.primal:.10g}"),
            ("the optimum is at least", f"{self.dual:.10g}"),
        ]
        return card("certificate", [*facts, ("duality gap", f"{self.gap:.2g}")])


NOT_PROVEN = Certificate(float("nan"), float("-inf"), "a trial: nothing was proven of it")
ONLINE = Certificate(
    float("nan"), float("-inf"), "trained row by row: what is known is the progressive validation error"
)


def joined(parts: Sequence[Certificate]) -> Certificate:
    """Of problems solved side by side: their sum."""
    reason = next((part.reason for part in parts if part.reason), "")
    primal, dual, rounding = (sum(getattr(part, name) for part in parts) for name in ("primal", "dual", "rounding"))
    return Certificate(primal, dual, reason, rounding)


def certify(
    problem: Objective,
    weights: Flat,
    slopes: Table | SlopesAt | None = None,
    *,
    scores: Table | None = None,
    products: Flat | None = None,
    summed: Flat | None = None,
) -> Certificate:
    """The objective at these weights, and a value that it cannot fall below.

    `slopes`, (n, outputs), is a dual point found by a solver; by default it is computed from the weights.  Of dense
    rows with one output it may be a function, asked part by part.  `scores`
    are those of the weights, if they are known already; of one output, `products` are w . x, the scores without the
    intercept, and `summed` is v at these slopes.
    """
    if not problem.loss.has_conjugate or (problem.outputs > 1 and problem.loss.joint is None):
        return Certificate(np.nan, -np.inf, problem.loss.no_conjugate_reason)
    w, penalty = problem.penalised(weights), problem.penalty
    parts, about = _parts(problem, weights, slopes, scores, products, at_once=summed is None)
    primal = sum(part.primal for part in parts)
    primal += (penalty.l1 * float(np.abs(w).sum()) if penalty.l1 else 0.0) + 0.5 * penalty.l2 * _squared(w)
    if not np.isfinite(primal):
        return Certificate(primal, -np.inf, OVERFLOWN)
    if penalty.l1 == 0 and penalty.l2 == 0:
        return Certificate(primal, -np.inf, UNPENALISED)
    amounts = added(part.amounts for part in parts)
    moved = 0.0
    if summed is None or slopes is None or callable(slopes):
        v = _pulled_together(problem, parts, amounts)
    else:
        v, moved = summed, _moved(problem, parts, amounts, slopes) * problem.largest_entry
    rounding = Rounding(problem, weights, parts, primal, about)
    if penalty.positive:
        if (w < 0).any():
            return Certificate(np.inf, -np.inf, BELOW_ZERO)
        v = np.minimum(v, 0.0)  # R* is over weights of 0 and more: a slope above 0 pushes none of them
    if penalty.l2 == 0:
        largest = float(np.abs(v).max(initial=0.0)) + moved + rounding.of_sums()
        shrink = min(1.0, penalty.l1 / largest) if largest > 0 else 1.0
        dual, off = -_conjugates(parts, shrink), rounding.total(None)
    else:
        beyond = np.maximum(0.0, np.abs(v) + moved - penalty.l1) if moved or penalty.l1 else v
        dual = -_conjugates(parts) - _squared(beyond) / (2 * penalty.l2)
        off = rounding.total(beyond / penalty.l2)
    return stated(primal, dual, off, rounding, w)


def stated(primal: float, dual: float, off: float, rounding: Rounding, w: Flat) -> Certificate:
    """The certificate of these values, of which the dual one may be off by so much."""
    if not np.isfinite(dual):
        return Certificate(primal, dual, OVERFLOWN)
    # far from the optimum a dual point may prove less than the trivial bound 0: losses and penalties are not negative
    bound = max(dual - 2.0 * off, 0.0) if np.isfinite(off) else 0.0
    return Certificate(primal, bound, rounding=rounding.total(w if rounding.problem.penalty.l2 > 0 else None))


def _squared(w: Flat) -> float:
    """|w|^2, pairwise, which a product of vectors is not; of very many weights, some at a time."""
    if len(w) <= AT_ONCE:
        return float((w * w).sum())
    blocks = (w[first : first + AT_ONCE] for first in range(0, len(w), AT_ONCE))
    return float(np.array([(block * block).sum() for block in blocks]).sum())


def _parts(
    problem: Objective,
    weights: Flat,
    slopes: Table | SlopesAt | None,
    scores: Table | None,
    products: Flat | None,
    *,
    at_once: bool,
) -> tuple[list[_Part], float]:
    """The rows in parts, at the scores of these weights; and what these scores are less than they are.

    Of dense rows with one score a part may be looked at once, for its scores and for what it adds to v.
    """
    about = 0.0
    if scores is None:  # about the mean target: a large one would cancel, and its digits with it
        about = problem.mean_target if problem.about_mean else 0.0
        weights = weights if about == 0.0 else np.append(weights[:-1], weights[-1] - about)
    n, size = len(problem.targets), problem.rows_a_part
    if at_once and scores is None and problem.rows.dense and problem.outputs == 1:

        def looked_at_once(first: int, last: int) -> _Part:
            X = problem.rows.matrix(slice(first, last))
            own = (X @ weights[:-1] + weights[-1])[:, np.newaxis]
            given = (
                slopes(X, own, slice(first, last))
                if callable(slopes)
                else slopes
                if slopes is None
                else slopes[first:last]
            )
            part = _Part(problem, own, given, about, slice(first, last))
            assert isinstance(part.losses, OneScore)
            part.sums = np.array([side @ X for side in part.losses.sides(part.g)])  # quicker than both at once
            return part

        return over_parts(looked_at_once, n, size), about
    found = scores
    if found is None:
        found = problem.scores(weights) if products is None else products[:, np.newaxis] + weights[-1]
    if problem.outputs == 1:
        size = max(size, ROWS_A_PART)
    # in this thread: with many short operations on arrays, other threads would mostly wait for one another
    every = [slice(first, min(n, first + size)) for first in range(0, n, size)]
    assert not callable(slopes)
    parts = [_Part(problem, found[rows], None if slopes is None else slopes[rows], about, rows) for rows in every]
    return parts, about


def _pulled_together(problem: Objective, parts: list[_Part], amounts: Flat) -> Flat:
    """v, the weighted sum of the rows times their slopes, once these are balanced."""
    if problem.intercept:
        _balance(parts, amounts)
    losses, sums = parts[0].losses, [part.sums for part in parts if part.sums is not None]
    if sums and isinstance(losses, OneScore):
        return np.asarray(losses.factors(amounts if problem.intercept else None) @ added(sums))
    weighed, size = np.concatenate([part.weighed() for part in parts]), problem.rows_a_part
    if problem.outputs > 1 and not problem.rows.dense and size >= len(weighed):
        return problem.penalised(
            problem.summed(weighed)
        )  # column by column, on all cores: in the order of the rows, too
    each = over_parts(lambda first, last: problem.summed_part(weighed[first:last], first), len(weighed), size)
    return problem.penalised(problem.free(added(each)))


def _moved(problem: Objective, parts: list[_Part], amounts: Flat, slopes: Table) -> float:
    """Balance the slopes, and return by how much in all they are other than these: times the largest entry, that is
    the most by which an entry of v changed."""
    if problem.intercept:
        _balance(parts, amounts)
    g = np.concatenate([part.g for part in parts])
    weights = np.concatenate([part.losses.normalised_weights for part in parts])
    return float(weights @ np.abs(g[:, 0] - slopes[:, 0]))


def _conjugates(parts: list[_Part], shrink: float = 1.0) -> float:
    """The mean of the conjugates of these slopes, or of a fraction of them."""
    means = in_threads(lambda part: part.conjugate(part.g if shrink == 1.0 else shrink * part.g), parts, -1)
    return sum(means)


class _Part:
    """Some of the rows, at these scores: the sum of their losses, and their part of a dual point.

    `sums` are the rows times each of the sides of their slopes, where they are known.
    """

    sums: Table | None = None

    def __init__(self, problem: Objective, scores: Table, slopes: Table | None, about: float, rows: slice) -> None:
        self.losses = losses_at(problem, scores, rows, about)
        self.largest = float(np.abs(scores).max(initial=0.0)) + self.losses.largest_target
        self.primal = self._mean(self.losses.values)
        self.steepness = self._mean_size(self.losses.slopes)
        self.mean_slope = self._mean(self.losses.slopes[:, 0]) if about else 0.0
        self.bend = 0.0
        if isinstance(self.losses, OneScore) and self.losses.curvatures is not None:
            self.bend, self.losses.curvatures = self._mean(self.losses.curvatures), None
        given = self.losses.slopes if slopes is None else np.asarray(slopes, dtype=np.float64)
        self.g: Table = self.losses.allowed(given.reshape(len(self.losses.normalised_weights), -1))
        self.amounts: Flat = self.losses.amounts(self.g)
        self.losses.values = self.losses.slopes = NOT_KEPT  # all parts are kept until the end, these are not needed

    def _mean(self, each: Flat) -> float:
        return float((self.losses.normalised_weights * each).sum())  # pairwise, which a product of vectors is not

    def _mean_size(self, g: Table) -> float:
        sizes = np.abs(g)
        return self._mean(sizes[:, 0] if sizes.shape[1] == 1 else sizes @ np.ones(sizes.shape[1]))

    def size(self) -> float:
        """The mean |g|."""
        return self._mean_size(self.g)

    def weighed(self) -> Table:
        """The weighted slopes of these rows."""
        return np.asarray(self.losses.normalised_weights[:, np.newaxis] * self.g)

    def conjugate(self, g: Table) -> float:
        return self._mean(self.losses.conjugates(g))


def _balance(parts: list[_Part], amounts: Flat) -> None:
    """Make the slopes of all rows together add up to 0, as a free intercept asks."""
    joint = [part.losses for part in parts if isinstance(part.losses, ManyScores)]
    if joint and joint[0].loss.smooth:
        amounts = _best_intercepts(parts, joint, amounts)
    for part in parts:
        part.g = part.losses.balanced(part.g, amounts)


def _best_intercepts(parts: list[_Part], joint: list[ManyScores], amounts: Flat) -> Flat:
    """The distributions after Newton's steps on the intercepts, which leave the weights as they are.

    At the best intercepts the classes' sums are right.  Near them, what is still missing is of second order.
    """
    wanted = amounts[1]
    if len(wanted) > CLASSES_AT_MOST:
        return amounts
    for _ in range(STEPS):
        short = wanted - amounts[0]
        missing = float(np.abs(short).sum())
        if missing <= BALANCED:
            break
        bends = np.diag(amounts[0]) - added(losses.products(part.g) for losses, part in zip(joint, parts, strict=True))
        step = np.linalg.lstsq(bends, short)[0]
        if not np.isfinite(step).all():
            break
        factors = np.exp(np.clip(step - step.max(), -LONGEST, 0.0))
        moved = [losses.reweighted(part.g, factors) for losses, part in zip(joint, parts, strict=True)]
        after = added(losses.amounts(g) for losses, g in zip(joint, moved, strict=True))
        if not float(np.abs(wanted - after[0]).sum()) < missing:
            break
        amounts = after
        for part, g in zip(parts, moved, strict=True):
            part.g = g
    return amounts
