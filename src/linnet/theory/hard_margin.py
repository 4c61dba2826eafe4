"""The plane of largest margin, by dual coordinate descent with no bound on the multipliers (kernels/dual_svm.py).

    augmented   max over v        min_i z_i . v / |v|               =  min over l  |sum_i l_i z_i|,   z = y (x, 1)
    free        max over w, b     min_i y_i (w . x_i + b) / |w|     =  min over l  1/2 |sum_i l_i y_i x_i|

where l >= 0; in the augmented space sum_i l_i = 1, with a free intercept each side sums to 1 by itself (the distance of
the two hulls; Bennett, Bredensteiner 2000).  Any plane is a lower bound of the margin and any l an upper one.  The
multipliers a_i of the dual of  min 1/2 |v|^2, z_i . v >= 1  make both: v = sum_i a_i z_i, and l = a / sum a.  Where no
plane separates the classes they grow for ever, and the upper bound goes to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.errors import NumericalError
from linnet.kernels import dual_svm as margins
from linnet.theory.signed_points import EPSILON, OUTWARD, Flat, Points, norm
from linnet.training.solvers.dual_ascent import LEAST_SHARE, RHO, TOO_LONG

# A bound on multipliers that none ever meets, so that the kernel's sums stay numbers.
UNBOUNDED = 1e300


@dataclass(frozen=True, eq=False)
class Bracket:
    """A plane of length 1 with the margin that it has, proven, and multipliers with the margin that none exceeds."""

    w: Flat
    b: float
    margin: float
    multipliers: Flat
    most: float

    @property
    def gap(self) -> float:
        """How far the margin may be from the best, relative to it."""
        return (self.most - self.margin) / self.most if self.most > 0 else 0.0


class HardMargin:
    """The multipliers, the plane they make, and the rows that take part."""

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
        self._all_take_part()

    def _all_take_part(self) -> None:
        self.order, self.highest, self.lowest = np.arange(self.points.n), np.inf, -np.inf

    def passes(self, most: float) -> None:
        """Sweeps that visit as many rows as so many passes would, then every row takes part again."""
        done = 0.0
        while done < most:
            done += max(len(self.order) / self.points.n, LEAST_SHARE)
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
        self._all_take_part()

    def measured(self) -> Bracket:
        """The best plane and the best multipliers so far; the margin is 0 where no plane separates yet."""
        return self.learnt(self.w, self.b, self.states[:, 0])

    def learnt(self, w: Flat, b: float, multipliers: Flat) -> Bracket:
        """The same, given a plane and multipliers that others have found."""
        found = bracketed(self.points, w, b, multipliers, free=self.free)
        if self.best is not None:
            better = found if found.margin >= self.best.margin else self.best
            tighter = found if found.most <= self.best.most else self.best
            found = Bracket(better.w, better.b, better.margin, tighter.multipliers, tighter.most)
        self.best = found
        return found


def bracketed(points: Points, w: Flat, b: float, multipliers: Flat, *, free: bool) -> Bracket:
    """What a plane and multipliers of any scale prove; the free intercept is set midway between the classes."""
    up = points.signs > 0
    if free:
        scores = points.scores(w)
        b = -0.5 * (float(scores[up].min()) + float(scores[~up].max()))
    length = norm(w) if free else norm(np.append(w, b))
    margin = 0.0
    if length > 0:
        w, b = w / length, b / length
        margin = max(0.0, float(points.sure_margins(w, b).min()) * (1.0 - OUTWARD))
    shares = np.empty(points.n)
    for side in (up, ~up) if free else (np.full(points.n, True),):
        total = float(multipliers[side].sum())
        shares[side] = multipliers[side] / total if total > 0 else 1.0 / side.sum()
    return Bracket(w.copy(), b, margin, shares, at_most(points, shares, free=free))


def at_most(points: Points, shares: Flat, *, free: bool) -> float:
    """The margin that no plane exceeds, by multipliers that sum to 1: rounded up for what rounding may hide.

    A sum of k rows is off by at most k u times the sum of their lengths, and as much again by shares whose own sum is
    not quite 1.
    """
    apart, ones = points.combination(shares)
    in_it = shares > 0
    lengths = np.sqrt(points.squared_lengths()[in_it] + 1.0)
    hidden = 2.0 * (len(lengths) + 4) * EPSILON * float((shares[in_it] * lengths).sum())
    found = norm(apart) if free else norm(np.append(apart, ones))
    return (0.5 if free else 1.0) * (found * (1.0 + OUTWARD) + hidden)
