"""The plane of largest margin, by dual coordinate descent with no bound on the multipliers (kernels/dual_svm.py).

    augmented   max over v        min_i z_i . v / |v|               =  min over l  |sum_i l_i z_i|,   z = y (x, 1)
    free        max over w, b     min_i y_i (w . x_i + b) / |w|     =  min over l  1/2 |sum_i l_i y_i x_i|

where l >= 0; in the augmented space sum_i l_i = 1, with a free intercept the l_i of each class sum to 1 (the distance
between the convex hulls; Bennett, Bredensteiner 2000).  Any plane gives a lower bound on the largest margin, any l an
upper bound.  The multipliers a_i of the dual of  min 1/2 |v|^2, z_i . v >= 1  give both: v = sum_i a_i z_i, and
l = a / sum a.  Where no plane separates the classes they grow without end, and the upper bound tends to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.errors import NumericalError
from linnet.kernels import dual_svm as margins
from linnet.theory.signed_points import EPSILON, OUTWARD, Flat, Points, norm
from linnet.training.solvers.dual_ascent import LEAST_FRACTION, RHO, TOO_LONG

# A bound on the multipliers that is never reached; finite, so that the kernel's sums are.
UNBOUNDED = 1e300


@dataclass(frozen=True, eq=False)
class Bracket:
    """A plane of norm 1 with its proven margin, and multipliers with the margin that no plane exceeds, `most`."""

    w: Flat
    b: float
    margin: float
    multipliers: Flat
    most: float

    @property
    def gap(self) -> float:
        """The relative gap between the margin and its upper bound."""
        return (self.most - self.margin) / self.most if self.most > 0 else 0.0


class HardMargin:
    """Dual coordinate descent: the multipliers, their plane, and the active rows."""

    def __init__(self, points: Points, *, free: bool) -> None:
        lengths = points.squared_lengths()
        self.points, self.free = points, free
        with np.errstate(over="ignore"):
            self.rho = (RHO * float(lengths.mean()) or 1.0) if free else 1.0
            if not np.isfinite(lengths.sum() ** 2):
                raise NumericalError(TOO_LONG)
        n = points.n
        self.states = np.column_stack([np.zeros(n), points.signs, np.full(n, UNBOUNDED), 1.0 / (lengths + self.rho)])
        self.w, self.b, self.sweeps = np.zeros(points.d), 0.0, 0
        self.best: Bracket | None = None
        self._activate_all()

    def _activate_all(self) -> None:
        self.order, self.highest, self.lowest = np.arange(self.points.n, dtype=np.uint32), np.inf, -np.inf

    def passes(self, most: float) -> None:
        """Sweeps over active rows that visit as many rows as `most` passes; then all rows are active again."""
        done = 0.0
        while done < most:
            done += max(len(self.order) / self.points.n, LEAST_FRACTION)
            margins.shuffle(self.order, self.sweeps)
            self.sweeps += 1
            kept, self.b, high, low, *_, lost = margins.sweep(
                *self.points.rows.layout, False, self.order, self.states,
                self.w, self.b, self.rho, self.highest, self.lowest,
            )  # fmt: skip
            if lost >= 0:
                raise NumericalError(TOO_LONG)
            if self.free:
                self.b += self.rho * float((self.states[:, 0] * self.points.signs).sum())
            self.highest, self.lowest = high if high > 0 else np.inf, low if low < 0 else -np.inf
            self.order = self.order[:kept]
            if not kept:
                break
        self._activate_all()

    def measured(self) -> Bracket:
        """The best plane and the best multipliers so far; the margin is 0 while no plane separates."""
        return self.improved(self.w, self.b, self.states[:, 0])

    def improved(self, w: Flat, b: float, multipliers: Flat) -> Bracket:
        """The same, given a plane and multipliers found elsewhere."""
        found = bracketed(self.points, w, b, multipliers, free=self.free)
        if self.best is not None:
            better = found if found.margin >= self.best.margin else self.best
            tighter = found if found.most <= self.best.most else self.best
            found = Bracket(better.w, better.b, better.margin, tighter.multipliers, tighter.most)
        self.best = found
        return found


def bracketed(points: Points, w: Flat, b: float, multipliers: Flat, *, free: bool) -> Bracket:
    """The bounds by a plane and multipliers of any scale; a free intercept is set midway between the classes."""
    up = points.signs > 0
    if free:
        scores = points.scores(w)
        b = -0.5 * (float(scores[up].min()) + float(scores[~up].max()))
    length = norm(w) if free else norm(np.append(w, b))
    margin = 0.0
    if length > 0:
        w, b = w / length, b / length
        margin = max(0.0, float(points.sure_margins(w, b).min()) * (1.0 - OUTWARD))
    normalised = np.empty(points.n)
    for side in (up, ~up) if free else (np.full(points.n, True),):
        total = float(multipliers[side].sum())
        normalised[side] = multipliers[side] / total if total > 0 else 1.0 / side.sum()
    return Bracket(w.copy(), b, margin, normalised, at_most(points, normalised, free=free))


def at_most(points: Points, normalised: Flat, *, free: bool) -> float:
    """The margin that no plane exceeds, by multipliers that sum to 1, plus the rounding error.

    The error of a sum of k rows is at most k u times the sum of their lengths, and as much again because the sum of the
    multipliers is not exactly 1.
    """
    apart, ones = points.combination(normalised)
    in_it = normalised > 0
    lengths = np.sqrt(points.squared_lengths()[in_it] + 1.0)
    error = 2.0 * (len(lengths) + 4) * EPSILON * float((normalised[in_it] * lengths).sum())
    found = norm(apart) if free else norm(np.append(apart, ones))
    return (0.5 if free else 1.0) * (found * (1.0 + OUTWARD) + error)
