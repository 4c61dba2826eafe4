"""Coordinate ascent on a dual until the gap is proven: sweeps over the rows, and from time to time the exact gap.

A sweep takes a step for every active row, and deactivates rows whose variable is at its bound to stay.  Sweeps that
together visit as many rows as there are make a pass.

Every sweep adds up the gap at the rows as it visits them.  That is an estimate: the weights change meanwhile, and
inactive rows are not counted.  The exact gap takes a pass over all rows, so it is computed when by the estimate it may
be small enough.  If it is not, the rows whose variable is not optimal become active again.  Where many rows have nearly
all in common, each undoes what the last one did, and the estimate stays large: so where it has hardly fallen while the
passes doubled (to 16, 32, 64 and so on) the exact gap is computed as well, and also by the slopes of the losses at the
weights, which then are a better dual point than the variables that undo one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import NO_STARTS, Rows
from linnet.errors import InputError, NumericalError
from linnet.kernels import dual_logistic as dual
from linnet.kernels import dual_svm as margins
from linnet.training.descent import Found
from linnet.training.duality_gap import Certificate, Table
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import Flat, Objective
from linnet.training.threads import over_parts

# rho, the step of a free intercept (kernels/dual_logistic.py), as a multiple of the rows' mean squared length.
RHO = 0.1
# A sweep counts as this fraction of a pass at least: even with few rows it takes some time.
LEAST_FRACTION = 1 / 16
# In tables of up to this many rows copies are merged, which costs little there; in larger ones steps on each copy are
# better, because they go where the weight is.
COPIES_SOUGHT = 4096
# What sets rows apart that differ in their target or weight only.
APART = (0.7390851, 0.1931853)

# Whether the estimate falls is looked at after this many passes, later where weights prove nothing by themselves, and
# whenever they have doubled: below this fraction of what it was it does, as mostly.  Where it does not, all rows are
# measured, which takes as long as several sweeps over those that are left.
FIRST_LOOK, WITHOUT_PROOF, FALLEN = 8.0, 32.0, 0.25
# Where that many of these looks have not found a gap of less than this fraction of the least before, sweeps change
# nothing any more.
PATIENCE, HARDLY_LESS = 2, 0.99

TOO_LONG = "the rows are too long to square: scale the features down (sklearn.preprocessing.StandardScaler)"


@dataclass(frozen=True)
class Estimate:
    """The result of a sweep: its tally, the fraction of rows visited, estimates of the dual value and of the gap."""

    tally: Pass
    fraction: float
    dual: float
    gap: float


class Dual(Protocol):
    """A dual problem that can be maximised by sweeps."""

    def sweep(self) -> Estimate:
        """A step for every active row."""

    def slopes(self) -> Table:
        """The dual point as duality_gap.py has it."""

    def measured(self) -> tuple[Flat, float, float]:
        """Weights, the primal value there, a proven dual value; rows that are not optimal become active again."""


@dataclass(frozen=True, eq=False)
class Costs:
    """C_i and |x_i|^2 of every row, rho (0 without an intercept), and the rows of a positive cost.

    Rows are in an order that depends on their contents, so that sorting the table changes nothing.  In a table of up to
    COPIES_SOUGHT rows, copies of a row are one row with the sample weight of all: so a weight of 3 is three copies.
    In larger ones that holds up to `tol`.
    """

    sample_weights: Flat
    each: Flat
    lengths: Flat
    rho: float
    rows: NDArray[np.uint32]  # four bytes each: the numbers of the active ones mostly stay in the L1 cache

    @classmethod
    def of(cls, problem: Objective) -> Costs:
        rows, n = problem.rows, problem.rows.shape[0]
        order, c = _without_copies(problem)
        each, lengths = c / (problem.total * problem.penalty.l2), np.empty(n)

        def part(first: int, last: int) -> None:
            values, _, starts, d, dense = _some(rows, first, last)
            dual.squared_lengths(values, starts, d, dense, lengths[first:last])

        over_parts(part, n, problem.rows_a_part)
        with np.errstate(over="ignore"):
            rho = (RHO * float((c / problem.total * lengths)[order].sum()) or 1.0) if problem.intercept else 0.0
            if not np.isfinite(float(each.max()) * (float(lengths.max()) + rho)):
                raise NumericalError(TOO_LONG)
        return cls(c, each, lengths, rho, order[each[order] > 0].astype(np.uint32))


def _without_copies(problem: Objective) -> tuple[NDArray[np.int64], Flat]:
    """One row of each kind, found by a random projection; and the sample weights, the first copy with that of all."""
    rows, (n, d) = problem.rows, problem.rows.shape
    c = problem.sample_weights if len(problem.sample_weights) else np.ones(n)
    projection, keys, copies = np.random.default_rng(0).random(d), np.empty(n), np.empty(n, dtype=np.uint8)

    def project(first: int, last: int) -> None:
        margins.scores_as_they_stand(*_some(rows, first, last), projection, keys[first:last])

    over_parts(project, n, problem.rows_a_part)
    if n > COPIES_SOUGHT:
        size = float(np.abs(keys).max())
        return np.argsort(keys + size * (APART[0] * problem.targets + APART[1] * c)), c
    order = np.lexsort((keys, problem.targets))
    margins.mark_copies(rows.values, rows.ids, rows.starts, d, rows.dense, order, keys, copies)
    copies[1:] &= np.diff(problem.targets[order]) == 0
    first = copies == 0
    if first.all():
        return order, c
    summed = np.zeros(n)
    summed[order[first]] = np.bincount(np.cumsum(first) - 1, weights=c[order])
    return order[first], summed


def _some(rows: Rows, first: int, last: int) -> tuple[Any, Any, Any, int, bool]:
    """Some of the rows, as kernels take them."""
    values, ids, starts, d, dense = rows.layout
    return values[first * d : last * d] if dense else values, ids, starts[first : last + 1], d, dense


def squared_norm(weights: Flat) -> float:
    """|w|^2, added in one order on every machine."""
    into = np.empty(1)
    dual.squared_lengths(weights, NO_STARTS, len(weights), True, into)
    return float(into[0])


def _continued(earlier: Pass, tally: Pass) -> Pass:
    """The tally of a pass that took one more sweep: its steps and seconds add up, the rest is of the last one."""
    return Pass(tally.mistakes, earlier.updates + tally.updates, tally.loss, earlier.seconds + tally.seconds)


def ascend(
    problem: Dual,
    *,
    tol: float | None,
    most: int,
    scale: float = 1.0,
    watch: Watcher = ignore,
    implied: Callable[[Flat], float] | None = None,
    rounded_away: float = 0.0,
) -> Found:
    """Sweeps until primal - dual <= tol * primal or primal <= `rounded_away`, or until they no longer bring the two
    nearer; `most` passes at most; without `tol`, all.

    `implied` is the dual value that weights prove by themselves, which takes longer to compute.  The certificate is in
    units of `scale`.  Of all weights measured those of the least primal value are kept, and of all dual values the
    largest: each holds by itself.
    """
    if most < 1:
        raise InputError(f"most must be 1 pass or more; it is {most}")
    history: list[Pass] = []
    slopes: Table | None = None
    done, before, primal, bound, met = 0.0, 0.0, float("inf"), float("-inf"), False
    due, at_last_look = WITHOUT_PROOF if implied is None else FIRST_LOOK, float("inf")
    least, in_vain = float("inf"), 0
    while done < most and not met and in_vain < PATIENCE:
        seen = problem.sweep()
        tally = _continued(history.pop(), seen.tally) if done < len(history) else seen.tally
        history.append(tally)
        done += max(seen.fraction, LEAST_FRACTION)
        if done >= len(history):
            watch(tally)
        # The gap after a sweep is about the gap it met, reduced by the same factor as from the sweep before.
        left = seen.gap * min(1.0, seen.gap / before) if before > 0 else seen.gap
        before = seen.gap
        slow = done >= due and seen.gap > FALLEN * at_last_look
        if done >= due:
            due, at_last_look = 2.0 * due, seen.gap
        if done >= most or slow or (tol is not None and left <= max(tol * (seen.dual + left), rounded_away)):
            found, value, proven = problem.measured()
            if value < primal:
                weights, primal = found, value
            if proven > bound or slopes is None:
                bound, slopes = proven, problem.slopes()
            if slow and implied is not None:
                bound = max(bound, implied(found))
            met = tol is not None and (primal - bound <= tol * primal or primal <= rounded_away)
            if slow and tol is not None:
                in_vain = 0 if primal - bound < HARDLY_LESS * least else in_vain + 1
                least = min(least, primal - bound)
    return Found(weights, history, met or tol is None, Certificate(scale * primal, scale * bound), slopes)
