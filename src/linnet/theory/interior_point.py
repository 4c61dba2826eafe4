"""Multipliers that prove that no plane separates the points, for thousands of columns: from within.

    l > 0,  sum_i l_i z_i = 0,  sum_i l_i = 1     (A l = e)

Where the classes overlap in many rows there is room for all multipliers to be above 0, and multipliers that nearly
satisfy the equations are a step away from some that do.  The step that changes each of them least for its size,

    l += t D^2 A' (A D^2 A')^-1 (e - A l),   D = diag(l),

with t <= 1 so that all stay above 0, is the one of affine scaling (Dikin 1967).  It takes a factorisation of the size
of the columns, and few steps, where a simplex method would take thousands.  Then the smallest multipliers are left out,
as many as can be.  What comes out are more points than a corner of the polytope has, but not many more.

A point with a coordinate that no other has on the opposite side has the multiplier 0, and so on: such are left out
first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linnet.theory.signed_points import Flat, Indices, Points
from linnet.training.batch import one_thread

# Columns at most: what is factorised is a square of so many, dense.
COLUMNS_AT_MOST = 4000
# Steps before the equations are thought to have no answer; what is left of them when they have.
STEPS = 40
LEFT = 1e-14
# Of the way to where a multiplier would be 0; a step that goes less of the way to the equations leads nowhere.
OF_THE_WAY, NOWHERE = 0.95, 0.05
# So many points, in columns, are tried before all are; and the share that is kept when some are left out.
FIRST, KEPT = 4, 0.7


def within(points: Points, likely: Flat, seconds_left: Callable[[], float]) -> tuple[Indices, Flat] | None:
    """Points with multipliers above 0 whose combination is 0, to rounding; None where none are found.

    Those that are the largest in `likely` are tried first.
    """
    from scipy.sparse import csr_array, diags_array

    lengths = np.sqrt(points.squared_lengths() + 1.0)
    if points.d > COLUMNS_AT_MOST or not np.isfinite(lengths).all():
        return None
    scaled = csr_array(diags_array(points.signs / lengths) @ csr_array(points.rows.matrix()).astype(np.float64))
    likely, first = likely * lengths, FIRST * (points.d + 2)
    with one_thread():  # the same bits, however many there are
        for size in (first, points.n) if 2 * first < points.n else (points.n,):
            which = np.sort(np.argsort(-likely, kind="stable")[:size])
            found = _among(scaled, points.signs / lengths, likely, which, seconds_left)
            if found is not None:
                return found[0], found[1] / lengths[found[0]]
    return None


def _among(
    scaled: Any, ones: Flat, likely: Flat, which: Indices, seconds_left: Callable[[], float]
) -> tuple[Indices, Flat] | None:
    """Of these points as few as can be found, and their multipliers; None where there are none."""
    from scipy.sparse import csr_array, diags_array

    which = which[_opposed(scaled[which])]
    if len(np.unique(ones[which] > 0)) < 2:
        return None
    used = scaled[:, np.unique(scaled[which].indices)]
    units = np.sqrt(np.asarray(used.multiply(used).sum(axis=0)).reshape(-1))
    used = csr_array(used @ diags_array(1.0 / units)) if len(units) else used
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
    """The points of which every coordinate is met by one of the opposite sign among them."""
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
    """Multipliers above 0 that satisfy the equations, beginning at these; None where they are not reached."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve
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
        # columns that others make up leave the table without an inverse
        table[np.diag_indices(len(table))] += 1e-15 * float(table.diagonal().max())
        try:
            factored = cho_factor(table, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        step = squares * (across @ cho_solve(factored, left))
        shrinking = float((-step / at).max())
        if not np.isfinite(shrinking):
            return None
        part = min(1.0, OF_THE_WAY / shrinking) if shrinking > 0 else 1.0
        at = at + part * step
        if float(np.abs(right - down @ at).max()) <= LEFT:
            return np.asarray(at)
        if part < NOWHERE or 2.0 * seconds_left() < left_before:  # another step would take longer than there is time
            return None
    return None
