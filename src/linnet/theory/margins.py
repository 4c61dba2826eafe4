"""Margins: of a point, of a data set, the best that there is; and how far a plane is from the origin.

    of a point        y (w . x + b) / |w|, its distance from the plane, below 0 on the wrong side
    of a data set     the least margin of its points
    the best          the largest margin that a plane has: max over w, b of  min_i y_i (w . x_i + b) / |w|
    from the origin   |b| / |w|

These are distances in the space of x, with the intercept free.  Mistake bounds are of another space, (x, 1), in which
the intercept is a weight (`separability`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.errors import InputError, NumericalError, RecipeError
from linnet.theory.active_set import COLUMNS_AT_MOST, nearest
from linnet.theory.hard_margin import Bracket, HardMargin, at_most
from linnet.theory.separability import answered
from linnet.theory.separability_proofs import sides
from linnet.theory.signed_points import Flat, Indices, Points, norm, read

# Passes between measurements, after which descent is found slow, and the most that are made.
BETWEEN, DOUBTING, PASSES = 10, 200, 20_000


@dataclass(frozen=True, eq=False)
class MaximumMargin:
    """The plane of largest margin, |w| = 1: it has `margin` (primal value), and none has more than `most` (dual value).

    `most` is half the distance of two points, one in the convex hull of each class: the combinations of the `support`
    rows with these `multipliers`, which sum to 1 on each side.
    """

    weights: Flat
    bias: float
    margin: float
    most: float
    support: Indices
    multipliers: Flat
    classes: tuple[Any, Any]

    @property
    def gap(self) -> float:
        """How far the margin may be from the best, relative to it."""
        return (self.most - self.margin) / self.most

    def check(self, X: Any, y: Any) -> bool:
        """Work both values out again from the data: do they hold?"""
        points = _two_sides(X, y)
        if points.d != len(self.weights) or points.classes != self.classes or self.support.max() >= points.n:
            return False
        shares = np.zeros(points.n)
        shares[self.support] = self.multipliers
        sums = [float(shares[side].sum()) for side in (points.signs > 0, points.signs < 0)]
        slack = 1e-9
        return bool(
            (shares >= 0).all()
            and np.allclose(sums, 1.0, rtol=slack, atol=0)
            and at_most(points, shares, free=True) <= self.most * (1 + slack)
            and abs(norm(self.weights) - 1.0) <= slack
            and points.sure_margins(self.weights, self.bias).min() >= self.margin * (1 - slack)
        )

    def __str__(self) -> str:
        return (
            f"margin {self.margin:.6g}, and no plane has more than {self.most:.6g} (gap {self.gap:.1g}); "
            f"{len(self.support)} support vectors"
        )


def max_margin(
    X: Any, y: Any, *, tol: float = 1e-3, watch: Callable[[Bracket], None] = lambda _: None
) -> MaximumMargin:
    """The plane with the largest margin between two classes, to a relative gap of `tol` that is proven.

    Where no plane separates them there is none: an InputError then says why.  A NumericalError says that it was not
    found, or not as near as `tol`.
    """
    if not 0 < tol < 1:
        raise RecipeError(f"tol is a relative gap, between 0 and 1; not {tol!r}")
    points = _two_sides(X, y)
    climbed = HardMargin(points, free=True)
    for passes in range(BETWEEN, PASSES + 1, BETWEEN):
        climbed.passes(BETWEEN)
        found = climbed.measured()
        if passes == DOUBTING and found.gap > tol:
            found = _doubted(points, climbed, found, tol)
        watch(found)
        if found.margin > 0 and found.gap <= tol:
            support = np.flatnonzero(found.multipliers)
            shares = found.multipliers[support]
            return MaximumMargin(found.w, found.b, found.margin, found.most, support, shares, points.classes)
    raise NumericalError(
        f"the margin was found to a relative gap of {found.gap:.2g} only, from {found.margin:.6g} to {found.most:.6g}: "
        "ask for a larger tol, or bring the columns to like scales"
    )


def _doubted(points: Points, climbed: HardMargin, found: Bracket, tol: float) -> Bracket:
    """Descent is slow: is there a plane at all?  If there is, and the columns are few, it can be had at once."""
    if found.margin == 0:
        answer = answered(points)
        if answer.separable is False:
            raise InputError(f"there is no margin to maximise: {answer}")
        if answer.separable is None:
            raise NumericalError(f"whether there is a margin to maximise is not known: {answer}")
    if points.d <= COLUMNS_AT_MOST:
        exact = nearest(points, found.multipliers, free=True, tol=tol)
        if exact is not None:
            return climbed.learnt(*exact)
    return found


def margins(model: Any, X: Any, y: Any) -> Flat:
    """The margin of every row: its distance from the plane, below 0 on the wrong side.

    `model` has `coef_` and `intercept_` (two classes), or `weights` and `bias` as the answers here have, or it is a
    pair (w, b).  The greater of the two labels is the positive one.
    """
    w, b = plane_of(model)
    points = _sides(X, y)
    if len(w) != points.d:
        raise InputError(f"the plane has {len(w)} weights, the rows have {points.d} columns")
    return points.signs * (points.scores(w) + b) / _length(w)


def margin(model: Any, X: Any, y: Any) -> float:
    """The margin of a data set: that of the row nearest to the plane, or farthest on the wrong side."""
    return float(margins(model, X, y).min())


def distance_from_origin(model: Any) -> float:
    """How far the plane is from the origin: |b| / |w|."""
    w, b = plane_of(model)
    return abs(b) / _length(w)


def plane_of(model: Any) -> tuple[Flat, float]:
    """w and b of a model of two classes, of an answer, or of a pair."""
    if hasattr(model, "coef_"):
        w, b = model.coef_, model.intercept_
    elif hasattr(model, "weights"):
        w, b = model.weights, model.bias if hasattr(model, "bias") else model.intercepts
    else:
        w, b = model
    w, b = np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if w.size != max(w.shape, default=0) or b.size != 1:
        raise InputError(f"one plane has a margin, and the model has {b.size}: take it for two classes")
    return np.ascontiguousarray(w.reshape(-1)), float(b.reshape(-1)[0])


def _length(w: Flat) -> float:
    length = norm(w)
    if not 0 < length < np.inf:
        raise InputError("the weights are all 0, so there is no plane to be near to" if length == 0 else
                         "the weights are not finite: there is no plane to be near to")  # fmt: skip
    return length


def _sides(X: Any, y: Any) -> Points:
    rows, labels, codes = read(X, y)
    if len(labels) > 2:
        raise InputError(f"a plane has two sides, and y has {len(labels)} labels: take two at a time")
    return sides(rows, labels, codes, labels.classes.tolist()[-1])


def _two_sides(X: Any, y: Any) -> Points:
    points = _sides(X, y)
    if abs(points.signs.sum()) == points.n:
        raise InputError("every row has the same label: any margin can be had, there is no largest")
    return points
