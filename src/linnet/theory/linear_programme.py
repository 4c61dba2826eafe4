"""Separability by linear programmes over few of the points (a cutting-plane method).

    maximise t    subject to   z_i . v >= t for the current points,   |v_j| <= 1,   t <= 1

The maximum is 0 where no plane separates them.  The dual values are then multipliers l >= 0, sum_i l_i = 1, with
sum_i l_i z_i = 0; at a vertex of the polytope at most d + 2 of them are not 0.  Otherwise v separates the current
points.  Points on the wrong side of it are added, and so on, until v separates all points or the current ones cannot be
separated (Kelley 1960, The cutting-plane method).

Points and coordinates are scaled to at most 1, which does not change separability.  The solution of HiGHS is a guess,
exact to its tolerance; linear_separability.py makes a proof of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.cores import scipy
from linnet.theory.signed_points import Flat, Indices, Points

# Points added in one round: this many times the coordinates, and at least AT_LEAST, so that a small problem is one
# programme.
ADDED, AT_LEAST = 4, 500
# What is 0 to the linear programme.
ZERO = 1e-9
TOLERANCE = 1e-10
# The largest weight; a plane with larger ones is scaled down.
LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class Guess:
    """A plane that seems to separate all points; or points with multipliers that seem to prove that none does."""

    plane: tuple[Flat, float] | None
    which: Indices
    multipliers: Flat


def guessed(points: Points, first: Indices, seconds_left: Callable[[], float]) -> Guess | None:
    """By programmes over a growing number of points, starting with `first`; None at the time limit."""
    from scipy.sparse import csr_array

    matrix = csr_array(points.rows.matrix()).astype(np.float64)
    sizes = np.maximum(1.0, abs(matrix).max(axis=1).toarray().reshape(-1)) if points.d else np.ones(points.n)
    step = max(AT_LEAST, ADDED * (points.d + 2))
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
        w, b, t, duals = found
        if t <= ZERO:
            return Guess(None, which[duals > 0], duals[duals > 0])
        margins = points.signs * (points.scores(w) + b) / sizes
        wrong = np.flatnonzero((margins <= ZERO * t) & ~taken)
        if not len(wrong):
            # The margins of the current points may be 0 exactly; then the dual values are the better guess, if any.
            return Guess((w, b), which[duals > 0], duals[duals > 0])
        taken[wrong[np.argsort(margins[wrong], kind="stable")[:step]]] = True
    return None


def _solved(rows: Any, signs: Flat, sizes: Flat, seconds: float) -> tuple[Flat, float, float, Flat] | None:
    """w and b on the original scale, t, and the dual values (not summing to 1); None where HiGHS fails."""
    from scipy.sparse import coo_array, csr_array, diags_array, hstack

    d = rows.shape[1]
    used = np.unique(rows.indices)
    scaled = diags_array(signs / sizes) @ rows[:, used]
    scaled = coo_array(scaled)
    scales = abs(scaled).max(axis=0).toarray().reshape(-1) if len(used) else np.ones(0)
    scales[scales == 0] = 1.0  # the smallest numbers underflow when divided by the sizes of their rows
    scaled.data /= scales[scaled.coords[1]]  # not a product: the inverse of the smallest numbers is infinite
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
    found: Any = scipy("optimize").linprog(
        value, A_ub=table, b_ub=np.zeros(len(signs)), bounds=bounds, method="highs-ds", options=options
    )
    if found.status != 0:
        return None
    w, scale = np.zeros(d), min(1.0, float(scales.min(initial=1.0)) * LARGEST)
    w[used] = found.x[:-2] / (scales / scale)
    return w, float(found.x[-2]) * scale, float(found.x[-1]), np.maximum(0.0, -found.ineqlin.marginals) / sizes
