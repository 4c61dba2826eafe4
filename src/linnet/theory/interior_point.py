"""An interior point method for multipliers that prove that no plane separates the points, for thousands of columns.

    l > 0,  sum_i l_i z_i = 0,  sum_i l_i = 1     (A l = e)

Where the classes overlap in many rows, all multipliers can be positive, and multipliers that nearly satisfy the
equations are a step away from some that do.  The step that changes each of them least relative to its size,

    l += t D^2 A' (A D^2 A')^-1 (e - A l),   D = diag(l),

with t <= 1 so that all stay positive, is that of affine scaling (Dikin 1967).  A step factorises a d x d matrix; few
steps are enough, where a simplex method would take thousands.  Then as many of the smallest multipliers as possible are
dropped.  The result has a few more points than a vertex of the polytope.

A point with a coordinate whose sign no other point opposes has the multiplier 0.  Such points are dropped first, and
repeatedly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linnet.cores import one_thread, scipy
from linnet.theory.signed_points import Flat, Indices, Points

# The most columns: a dense square matrix of this size is factorised.
COLUMNS_AT_MOST = 4000
# The most steps, and the residual of the equations at which they are solved.
STEPS = 40
RESIDUAL = 1e-14
# The fraction of the step at which a multiplier would become 0, and the step length below which the method gives up.
STEP_FRACTION, SHORTEST_STEP = 0.95, 0.05
# The first attempt uses this many points times columns; the fraction of points that a reduction keeps.
FIRST, KEPT = 4, 0.7


def interior_multipliers(
    points: Points, likely: Flat, seconds_left: Callable[[], float], *, most_columns: int = COLUMNS_AT_MOST
) -> tuple[Indices, Flat] | None:
    """Points with positive multipliers whose combination is 0 up to rounding; None where none are found.

    Points with the largest `likely` are tried first.
    """
    from scipy.sparse import csr_array, diags_array

    lengths = np.sqrt(points.squared_lengths() + 1.0)
    if points.d > most_columns or not np.isfinite(lengths).all():
        return None
    scaled = csr_array(diags_array(points.signs / lengths) @ csr_array(points.rows.matrix()).astype(np.float64))
    likely, first = likely * lengths, FIRST * (points.d + 2)
    with one_thread():  # the same bits for any number of threads
        for size in (first, points.n) if 2 * first < points.n else (points.n,):
            which = np.sort(np.argsort(-likely, kind="stable")[:size])
            found = _among(scaled, points.signs / lengths, likely, which, seconds_left)
            if found is not None:
                return found[0], found[1] / lengths[found[0]]
    return None


def _among(
    scaled: Any, ones: Flat, likely: Flat, which: Indices, seconds_left: Callable[[], float]
) -> tuple[Indices, Flat] | None:
    """A small subset of these points with multipliers; None where there is none."""
    from scipy.sparse import csr_array, diags_array

    which = which[_opposed(scaled[which])]
    if len(np.unique(ones[which] > 0)) < 2:
        return None
    used = scaled[:, np.unique(scaled[which].indices)]
    scales = np.sqrt(np.asarray(used.multiply(used).sum(axis=0)).reshape(-1))
    used = csr_array(used @ diags_array(1.0 / scales)) if len(scales) else used
    multipliers = 0.5 * likely[which] / (likely[which].sum() or 1.0) + 0.5 / len(which)
    found = None
    while seconds_left() > 0:
        solved = _solved(used[which], ones[which], multipliers, seconds_left)
        if solved is None:
            break
        found = which, solved
        keep = max(scaled.shape[1] + 2, int(KEPT * len(which)))
        if keep >= len(which):
            break
        largest = np.sort(np.argsort(-solved, kind="stable")[:keep])
        which, multipliers = which[largest], solved[largest]
    return found


def _opposed(scaled: Any) -> Indices:
    """The points whose every coordinate is opposed in sign by another of these points."""
    which = np.arange(scaled.shape[0])
    while True:
        rows = scaled[which]
        size = scaled.shape[1]
        up, down = (np.bincount(rows.indices[rows.data * sign > 0], minlength=size) > 0 for sign in (1, -1))
        alone = np.bincount(
            np.repeat(np.arange(len(which)), np.diff(rows.indptr)), (up != down)[rows.indices], len(which)
        )
        if not alone.any():
            return which
        which = which[alone == 0]


def _solved(rows: Any, ones: Flat, multipliers: Flat, seconds_left: Callable[[], float]) -> Flat | None:
    """Positive multipliers that satisfy the equations, starting from these; None where the steps do not converge."""
    linalg = scipy("linalg")
    from scipy.sparse import csr_array, diags_array, hstack

    across = csr_array(hstack([rows, csr_array(ones[:, np.newaxis]), csr_array(np.ones((len(ones), 1)))]))
    down = csr_array(across.T)
    right = np.zeros(across.shape[1])
    right[-1] = 1.0
    at = multipliers / multipliers.sum()
    for _ in range(STEPS):
        left_before = seconds_left()
        squares = at * at
        left = right - down @ at
        table = (down @ diags_array(squares) @ across).toarray()
        # collinear columns make the matrix singular
        table[np.diag_indices(len(table))] += 1e-15 * float(table.diagonal().max())
        try:
            factored = linalg.cho_factor(table, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        step = squares * (across @ linalg.cho_solve(factored, left))
        shrinking = float((-step / at).max())
        if not np.isfinite(shrinking):
            return None
        part = min(1.0, STEP_FRACTION / shrinking) if shrinking > 0 else 1.0
        at = at + part * step
        if float(np.abs(right - down @ at).max()) <= RESIDUAL:
            return np.asarray(at)
        if part < SHORTEST_STEP or 2.0 * seconds_left() < left_before:  # the next step would exceed the time limit
            return None
    return None
