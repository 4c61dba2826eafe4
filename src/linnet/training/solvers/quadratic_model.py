"""The minimum of a quadratic model with an L1 and an L2 penalty: a step of coordinate descent's outer loop.

By a table of pairs, sweeps over the weights alternate with solving for all weights other than 0 at once, with their
signs held: the step is exact as soon as the signs are right, however alike the columns are (Lee, Battle, Raina, Ng
2007, Efficient sparse coding algorithms).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.kernels import coordinate_descent as kernel
from linnet.learners.recipe import Penalty
from linnet.training.objective import Flat
from linnet.training.positive_definite import Factored
from linnet.training.solvers.working_columns import ByColumn, Numbers, Pairs

# Sweeps before weights are solved for at once, between two such solutions, and the most of such rounds; and how often
# weights that would change their sign are left out before the next sweep.  Solving for k weights takes as long as a
# multiple of k sweeps: of many, there is one more sweep for every so many.
SWEEPS, SWEEPS_BETWEEN, ROUNDS, SOLUTIONS = 10, 2, 200, 20
WEIGHTS_A_SWEEP = 2
# How much of the slopes may be left where weights are solved for at once.
SOLVED = 1e-6
# Sweeps over the weights other than 0, between two over all, where columns are looked at.
SWEEPS_OF_ACTIVE, MOST_SWEEPS = 10, 500
# As many sweeps are extrapolated; and what is added to the table of their changes, beside its trace.
EXTRAPOLATED, EXTRA = 5, 1e-12


class Step(NamedTuple):
    """The weights at the model's minimum, the change of the intercept, and the slopes there (by pairs)."""

    weights: Flat
    shift: float
    slopes: Flat


def by_pairs(pairs: Pairs, slopes: Flat, total_slope: float, w: Flat, penalty: Penalty, enough: float) -> Step:
    """The minimum from the slopes of the weights and of the intercept at w, up to slopes of `enough`."""
    u, s = w.copy(), slopes.copy()
    if pairs.total > 0:
        s -= pairs.sums * (total_slope / pairs.total)
    limits = penalty.l1, penalty.l2, penalty.positive
    sweeps = max(SWEEPS, len(u) // WEIGHTS_A_SWEEP)
    for _ in range(ROUNDS):
        _, worst = kernel.by_pairs(pairs.table, pairs.own, s, u, *limits, enough, sweeps)
        if worst <= enough or not np.isfinite(worst):
            break
        _solve_active(pairs, s, u, penalty)
        sweeps = max(SWEEPS_BETWEEN, int(np.count_nonzero(u)) // WEIGHTS_A_SWEEP)
    shift = -(total_slope + float(pairs.sums @ (u - w))) / pairs.total if pairs.total > 0 else 0.0
    return Step(u, shift, s)


def _solve_active(pairs: Pairs, s: Flat, u: Flat, penalty: Penalty) -> None:
    """To the minimum over the weights other than 0 with their signs held; u and its slopes s change in place.

    Weights that would change their sign become 0, all of them if the model falls so, else the first one; and again, for
    the others.
    """
    for _ in range(SOLUTIONS):
        active = np.flatnonzero(u)
        change = _towards_minimum(pairs, s, u, penalty, active)
        if change is None:
            return
        at, ends = u[active], u[active] + change
        crossing = at * ends < 0
        ends[crossing] = 0.0
        if crossing.any() and not _falls(pairs, s, active, at, ends, penalty):
            lengths = np.where(crossing, -at / np.where(change == 0, 1.0, change), np.inf)
            ends = at + lengths.min() * change
            ends[lengths == lengths.min()] = 0.0
        u[active] = ends
        s += (ends - at) @ pairs.table[active]
        if not crossing.any():
            return


def _towards_minimum(pairs: Pairs, s: Flat, u: Flat, penalty: Penalty, active: Numbers) -> Flat | None:
    """The step to where the slopes of these weights vanish; None where there is no such step."""
    at = u[active]
    table = pairs.table[np.ix_(active, active)]
    table[np.diag_indices(len(active))] += penalty.l2
    right = -(s[active] + penalty.l2 * at + penalty.l1 * np.sign(at))
    try:
        change = Factored(table).solve(right)
    except np.linalg.LinAlgError:
        return None
    if not (np.isfinite(change).all() and float(change @ right) > 0):
        return None
    # of columns that add up to others the table is singular, and what it is solved to may be far from anywhere
    off = float(np.abs(table @ change - right).max())
    return change if off <= SOLVED * float(np.abs(right).max()) else None


def _falls(pairs: Pairs, s: Flat, active: Numbers, at: Flat, ends: Flat, penalty: Penalty) -> bool:
    """Whether the model is lower at these ends."""
    change = ends - at
    bent = pairs.table[np.ix_(active, active)] @ change
    rise = float(change @ (s[active] + 0.5 * bent)) + penalty.l1 * float(np.abs(ends).sum() - np.abs(at).sum())
    return rise + 0.5 * penalty.l2 * float(ends @ ends - at @ at) < 0


def by_columns(columns: ByColumn, r: Flat, h: Flat, w: Flat, penalty: Penalty, enough: float, *, free: bool) -> Step:
    """The same from the rows' slopes r and curvatures h.

    Columns that have much in common, as counts about no mean, make each sweep undo most of the one before: every few
    sweeps over the same weights are extrapolated (Bertrand, Massias 2021, Anderson acceleration of coordinate descent).
    """
    model = _ByColumn(columns, r, h, w, penalty, free=free)
    everything = np.arange(len(w))
    while model.sweeps < MOST_SWEEPS:
        worst = model.sweep(everything)
        if worst <= enough or not np.isfinite(worst):
            break
        active = np.flatnonzero(model.u)
        met = [model.u[active]]
        for _ in range(SWEEPS_OF_ACTIVE):
            if model.sweep(active) <= max(enough, 0.1 * worst):
                break
            met.append(model.u[active])
            if len(met) == EXTRAPOLATED + 1:
                model.extrapolate(active, np.array(met))
                met = [model.u[active]]
    return Step(model.u, model.shift, model.p)


class _ByColumn:
    """A model that stays in its columns: the weights u, the slopes p of the rows, and the change of the intercept."""

    def __init__(self, columns: ByColumn, r: Flat, h: Flat, w: Flat, penalty: Penalty, *, free: bool) -> None:
        self.columns, self.h, self.penalty, self.sweeps = columns, h, penalty, 0
        self.own, self.sums, self.total = columns.squares(h, intercept=free)
        self.u, self.p, self.shift = w.copy(), r.copy(), -float(r.sum()) / self.total if free else 0.0

    def sweep(self, order: Numbers) -> float:
        """One sweep over these weights; by how much the worst was off."""
        self.sweeps += 1
        penalty = self.penalty
        self.shift, worst = kernel.by_columns(
            *self.columns.layout, order, self.h, self.own, self.sums, self.total, self.p, self.shift, self.u,
            penalty.l1, penalty.l2, penalty.positive,
        )  # fmt: skip
        return float(worst)

    def extrapolate(self, active: Numbers, met: Flat) -> None:
        """Go to the combination of the weights met whose last changes cancel most, if the model is lower there."""
        changes = np.diff(met, axis=0)
        table = changes @ changes.T
        table.flat[:: len(table) + 1] += EXTRA * float(table.trace())
        try:
            c = np.linalg.solve(table, np.ones(len(table)))
        except np.linalg.LinAlgError:
            return
        if not np.isfinite(c).all() or c.sum() == 0.0:
            return
        at, ends, penalty = met[-1], (c / c.sum()) @ met[1:], self.penalty
        if penalty.positive and (ends < 0).any():
            return
        change = np.zeros(len(self.u))
        change[active] = ends - at
        along = self.columns.scores(change)
        bent = self.h * along
        moved = float(bent.sum()) / self.total if self.total > 0 else 0.0
        rise = float((self.p + self.shift * self.h) @ along) + 0.5 * (float(bent @ along) - moved * moved * self.total)
        rise += penalty.l1 * float(np.abs(ends).sum() - np.abs(at).sum())
        if rise + 0.5 * penalty.l2 * float(ends @ ends - at @ at) < 0:
            self.u[active] = ends
            self.p += bent
            self.shift -= moved
