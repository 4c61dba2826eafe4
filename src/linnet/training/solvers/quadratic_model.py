"""The minimum of a quadratic model with an L1 and an L2 penalty: a step of coordinate descent's outer loop.

By a table of pairs, sweeps over the weights alternate with solving for all weights other than 0 at once, with their signs
held: the step is exact as soon as the signs are right, however alike the columns are (Lee, Battle, Raina, Ng 2007,
Efficient sparse coding algorithms).  It ends at the first weight that becomes 0, so the model never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.kernels import coordinate_descent as kernel
from linnet.learners.recipe import Penalty
from linnet.training.objective import Flat
from linnet.training.positive_definite import Factored
from linnet.training.solvers.working_columns import ByColumn, Pairs

# Sweeps between two solutions for all weights at once, and the most of such rounds.
SWEEPS, ROUNDS = 10, 100
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
    for _ in range(ROUNDS):
        _, worst = kernel.by_pairs(pairs.table, pairs.own, s, u, *limits, enough, SWEEPS)
        if worst <= enough or not np.isfinite(worst):
            break
        _solve_active(pairs, s, u, penalty)
    shift = -(total_slope + float(pairs.sums @ (u - w))) / pairs.total if pairs.total > 0 else 0.0
    return Step(u, shift, s)


def _solve_active(pairs: Pairs, s: Flat, u: Flat, penalty: Penalty) -> None:
    """Towards the minimum over the weights other than 0 with their signs held; u and its slopes s change in place."""
    active = np.flatnonzero(u)
    if not len(active):
        return
    signs, at = np.sign(u[active]), u[active]
    table = pairs.table[np.ix_(active, active)]
    table[np.diag_indices(len(active))] += penalty.l2
    right = -(s[active] + penalty.l2 * at + penalty.l1 * signs)
    try:
        change = Factored(table).solve(right)
    except np.linalg.LinAlgError:
        return
    if not np.isfinite(change).all() or float(change @ right) < 0:
        return
    # up to the first weight that changes its sign
    ends = np.where(change * signs < 0, -at / np.where(change == 0, 1.0, change), np.inf)
    length = min(1.0, float(ends.min()))
    after = at + length * change
    if length < 1.0:
        after[ends <= length] = 0.0
    u[active] = after
    s += (after - at) @ pairs.table[active]


def by_columns(columns: ByColumn, r: Flat, h: Flat, w: Flat, penalty: Penalty, enough: float, *, free: bool) -> Step:
    """The same from the rows' slopes r and curvatures h."""
    own, sums, total = columns.squares(h, intercept=free)
    u, p, shift = w.copy(), r.copy(), -float(r.sum()) / total if free else 0.0
    limits = penalty.l1, penalty.l2, penalty.positive
    everything, sweeps = np.arange(len(w)), 0

    def sweep(order: np.ndarray) -> float:
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
