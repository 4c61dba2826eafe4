"""The plane of largest margin for few columns, exact up to rounding; descent is slow where their scales differ.

    min |v|   subject to   g_i . v >= 1

follows from the residual r of the nonnegative least squares  (g_1 ... g_n; 1 ... 1) u = (0, 1):  v = -r / r' with r'
its last entry (Lawson, Hanson 1974, Solving least squares problems, 23.4); u are the multipliers up to their scale.
Points join the active set while the current plane has them nearer than 1.

In the augmented space g = y (x, 1).  With a free intercept g = y (x - c, M): the points are centred, which
changes no margin, and M is so large that the cost of the intercept, (b / M)^2, is negligible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.cores import one_thread, scipy
from linnet.theory.signed_points import Flat, Indices, Points

COLUMNS_AT_MOST = 500
ROUNDS = 100


def nearest(points: Points, likely: Flat, *, free: bool, tol: float) -> tuple[Flat, float, Flat] | None:
    """w, b and a multiplier for each row, starting with the rows of the largest `likely`; None where it fails."""
    n, d = points.n, points.d
    matrix = points.rows.matrix()
    centre = np.asarray(matrix.mean(axis=0), dtype=np.float64).reshape(-1) if free else np.zeros(d)
    scale = float(np.sqrt(points.squared_lengths().max() + 1.0)) + float(np.sqrt(centre @ centre))
    ones = 10.0 / np.sqrt(tol) if free else 1.0 / scale
    joining = d + 2
    taken = np.zeros(n, dtype=bool)
    taken[np.argsort(-likely, kind="stable")[: 2 * joining]] = True
    for side in (points.signs > 0, points.signs < 0):
        taken[np.flatnonzero(side)[:1]] = True
    for _ in range(ROUNDS):
        which = np.flatnonzero(taken)
        found = _solved(_dense(matrix, which), points.signs[which], centre, scale, ones)
        if found is None:
            return None
        w, b, multipliers = found
        margins = points.signs * (points.scores(w) + b)
        near = np.flatnonzero((margins < 1.0 - 0.1 * tol) & ~taken)
        if not len(near):
            likely = np.zeros(n)
            likely[which] = multipliers
            return w, b, likely
        taken[near[np.argsort(margins[near], kind="stable")[:joining]]] = True
    return None


def _dense(matrix: Any, which: Indices) -> Flat:
    rows = matrix[which]
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def _solved(X: Flat, signs: Flat, centre: Flat, scale: float, ones: float) -> tuple[Flat, float, Flat] | None:
    moved = np.column_stack([(X - centre) / scale, np.full(len(X), ones)]) * signs[:, np.newaxis]
    table = np.vstack([moved.T, np.ones(len(X))])
    right = np.zeros(len(table))
    right[-1] = 1.0
    with one_thread():  # the same bits for any number of threads
        try:
            multipliers, _ = scipy("optimize").nnls(table, right, maxiter=30 * len(X))
        except RuntimeError:
            return None
        left = table @ multipliers - right
    if not left[-1] < 0:
        return None
    v = -left[:-1] / left[-1]
    w = v[:-1] / scale
    return w, float(v[-1] * ones - w @ centre), multipliers
