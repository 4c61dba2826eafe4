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
    """The same from the rows' slopes r and curvatures h."""
    own, sums, total = columns.squares(h, intercept=free)
    u, p, shift = w.copy(), r.copy(), -float(r.sum()) / total if free else 0.0
    limits = penalty.l1, penalty.l2, penalty.positive
    everything, sweeps = np.arange(len(w)), 0

    def sweep(order: Numbers) -> float:
        nonlocal shift, sweeps
        sweeps += 1
        shift, worst = kernel.by_columns(*columns.layout, order, h, own, sums, total, p, shift, u, *limits)
        return float(worst)

    while sweeps < MOST_SWEEPS:
        worst = sweep(everything)
        if worst <= enough or not np.isfinite(worst):
            break
        active = np.flatnonzero(u)
        for _ in range(SWEEPS_OF_ACTIVE):
            if sweep(active) <= max(enough, 0.1 * worst):
                break
    return Step(u, shift, p)
