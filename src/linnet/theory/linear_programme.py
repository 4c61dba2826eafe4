"""Separable or not, by linear programmes over few of the points.

    maximise t    subject to   z_i . v >= t for the points at hand,   |v_j| <= 1,   t <= 1

Its value is 0 where no plane separates them; the prices of the points are then multipliers l >= 0, sum_i l_i = 1, with
sum_i l_i z_i = 0, and as the corner of a polytope has no more of them than d + 2, those that are not 0 are so few.
Else v separates the points at hand.  The points that it has on the wrong side join, and so on: in the end v separates
all, or a few cannot be separated (Kelley 1960, The cutting-plane method).

Points and coordinates are scaled to at most 1, which changes no verdict.  What HiGHS finds is a guess that holds to its
tolerance; the proofs are made of it elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.theory.signed_points import Flat, Indices, Points

# So many points, in coordinates, join at once.
JOINING = 4
# At least so many points are taken at once: small problems are one programme.
AT_ONCE = 500
# What is 0 to the linear programme.
ZERO = 1e-9
TOLERANCE = 1e-10
# Weights above this are too large to be multiplied safely: the plane is then taken on a smaller scale.
LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class Guess:
    """A plane that seems to separate all points; or points, with multipliers, that seem to prove that none does."""

    plane: tuple[Flat, float] | None
    which: Indices
    multipliers: Flat


def guessed(points: Points, first: Indices, seconds_left: Callable[[], float]) -> Guess | None:
    """By programmes over a growing number of points, at first these; None where time ends before."""
    from scipy.sparse import csr_array

    matrix = csr_array(points.rows.matrix()).astype(np.float64)
    sizes = np.maximum(1.0, abs(matrix).max(axis=1).toarray().reshape(-1)) if points.d else np.ones(points.n)
    step = max(AT_ONCE, JOINING * (points.d + 2))
    taken = np.zeros(points.n, dtype=bool)
    taken[first[:step]] = True
    for side in (points.signs > 0, points.signs < 0):
        taken[np.flatnonzero(side)[:1]] = True
    taken[: step if points.n <= step else 0] = True
    while seconds_left() > 0:
        which = np.flatnonzero(taken)
        found = _solved(matrix[which], points.signs[which], sizes[which], seconds_left())
        if found is None:
            return None
        w, b, t, prices = found
        if t <= ZERO:
            return Guess(None, which[prices > 0], prices[prices > 0])
        margins = points.signs * (points.scores(w) + b) / sizes
        wrong = np.flatnonzero((margins <= ZERO * t) & ~taken)
        if not len(wrong):
            # The margins of those at hand may be 0 to the last bit; then the prices are the better guess, if any.
            return Guess((w, b), which[prices > 0], prices[prices > 0])
        taken[wrong[np.argsort(margins[wrong], kind="stable")[:step]]] = True
    return None


def _solved(rows: Any, signs: Flat, sizes: Flat, seconds: float) -> tuple[Flat, float, float, Flat] | None:
    """w and b on the points' own scales, t, and the prices (not summing to 1); None where HiGHS has no answer."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, diags_array, hstack

    d = rows.shape[1]
    used = np.unique(rows.indices)
    scaled = diags_array(signs / sizes) @ rows[:, used]
    scaled = coo_array(scaled)
    units = abs(scaled).max(axis=0).toarray().reshape(-1) if len(used) else np.ones(0)
    units[units == 0] = 1.0  # divided by the size of their rows, the least numbers are 0
    scaled.data /= units[scaled.coords[1]]  # a quotient: the inverse of the least numbers is infinite
    ones = (signs / sizes)[:, np.newaxis]
    table = csr_array(hstack([-scaled, csr_array(-ones), csr_array(np.ones_like(ones))]))
    value = np.zeros(len(used) + 2)
    value[-1] = -1.0
    bounds = [(-1.0, 1.0)] * (len(used) + 1) + [(None, 1.0)]
    options = {
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "time_limit": max(seconds, 0.1),
    }
    found: Any = linprog(
        value, A_ub=table, b_ub=np.zeros(len(signs)), bounds=bounds, method="highs-ds", options=options
    )
    if found.status != 0:
        return None
    w, scale = np.zeros(d), min(1.0, float(units.min(initial=1.0)) * LARGEST)
    w[used] = found.x[:-2] / (units / scale)
    return w, float(found.x[-2]) * scale, float(found.x[-1]), np.maximum(0.0, -found.ineqlin.marginals) / sizes
