"""The certificate of ridge regression, from the table of squares that solved it: no second look at the rows.

With S = sum_i c_i (x_i, y_i)(x_i, y_i)', centred, u = (w, -1), r = S u and N = sum_i c_i, the objective of ridge.py
over 2 N and the bound of its dual at the slopes of w and the best intercept (duality_gap.py) are

    f = u'r / 2N + l2/2 |w|^2
    D = -(w . r_x + r_y) / 2N - |r_x|^2 / (2 N^2 l2)

S is known up to E, |E_jk| <= e a_j a_k (centred_squares.py).  With s = sum_j a_j |u_j| an entry r_j is then off by at
most e a_j s, and f and D by

    e s^2 / 2N        e s^2 / 2N + (2 |r_x| e s |a_x| + (e s |a_x|)^2) / (2 N^2 l2)

The intercept itself is rounded, too: off by h, it adds h^2 / 2 to f.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from linnet.training.duality_gap import Certificate
from linnet.training.solvers.centred_squares import UNIT, CentredSquares

Flat = NDArray[np.float64]

# What f and D may be off by, relative to f, for the squares to prove enough: a look at the rows proves no less.
OFF_AT_MOST = 1e-9


def certificate_of(found: CentredSquares, w: Flat, alpha: float) -> Certificate | None:
    """What these squares prove of these weights and the intercept that the means give; None where it is too little."""
    d, N, l2 = len(w), found.total, alpha / found.total
    u, a = np.append(w, -1.0), found.lengths
    r = found.squares @ u
    primal = 0.5 * float(u @ r) / N + 0.5 * l2 * float(w @ w)
    pulled = float(r[:d] @ r[:d]) / (2.0 * N * alpha)
    dual = -0.5 * float(w @ r[:d] + r[d]) / N - pulled
    # the sums of d + 1 terms here are off, too; so is N
    e = found.error + 4.0 * UNIT * (d + 4.0)
    s = float(a @ np.abs(u))
    of_sums = e * s * sqrt(float(a[:d] @ a[:d]))
    h = e * s / sqrt(N) + e * float(np.abs(u) @ np.abs(found.means))
    off = e * s * s / N + 0.5 * h * h + e * (abs(primal) + pulled)
    off += (2.0 * sqrt(float(r[:d] @ r[:d])) * of_sums + of_sums * of_sums) / (2.0 * N * alpha)
    if not off <= OFF_AT_MOST * primal or not np.isfinite(dual):
        return None
    return Certificate(primal, max(dual - 2.0 * off, 0.0), rounding=off)
