"""Geometric margins: of a point, of a data set, the maximum margin, and the distance of a plane from the origin.

    margin of a point        y (w . x + b) / |w|, its distance from the plane, negative on the wrong side
    margin of a data set     the smallest margin of its points
    maximum margin           max over w, b of  min_i y_i (w . x_i + b) / |w|
    distance from origin     |b| / |w|

These are distances in the space of x, with a free intercept.  Mistake bounds use the space (x, 1), in which the
intercept is a weight (`separability`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.cores import one_thread
from linnet.errors import InputError, NumericalError, RecipeError
from linnet.notebook import card
from linnet.theory.active_set import COLUMNS_AT_MOST, nearest
from linnet.theory.hard_margin import Bracket, HardMargin, at_most
from linnet.theory.linear_separability import decide
from linnet.theory.separability_proofs import sides
from linnet.theory.signed_points import Flat, Indices, Points, norm, read

# Passes: between measurements, before descent is called slow, and at most.
BETWEEN, SLOW, PASSES = 10, 200, 20_000


@dataclass(frozen=True, eq=False)
class MaximumMargin:
    """The plane of largest margin, |w| = 1, with its `margin` (primal value); no margin exceeds `most` (dual value).

    `most` is half the distance between two points, one in the convex hull of each class: the combinations of the
    `support` rows with these `multipliers`, which sum to 1 in each class.
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
        """The relative gap between the margin and its upper bound."""
        return (self.most - self.margin) / self.most

    def check(self, X: Any, y: Any) -> bool:
        """Recompute both values from the data; True where they hold."""
        points = _two_sides(X, y)
        if points.d != len(self.weights) or points.classes != self.classes or self.support.max() >= points.n:
            return False
        multipliers = np.zeros(points.n)
        multipliers[self.support] = self.multipliers
        sums = [float(multipliers[side].sum()) for side in (points.signs > 0, points.signs < 0)]
        slack = 1e-9
        return bool(
            (multipliers >= 0).all()
            and np.allclose(sums, 1.0, rtol=slack, atol=0)
            and at_most(points, multipliers, free=True) <= self.most * (1 + slack)
            and abs(norm(self.weights) - 1.0) <= slack
            and points.sure_margins(self.weights, self.bias).min() >= self.margin * (1 - slack)
        )

    def __str__(self) -> str:
        return (
            f"margin {self.margin:.6g}, at most {self.most:.6g} is possible (relative gap {self.gap:.1g}); "
            f"{len(self.support)} support vectors"
        )

    def _repr_html_(self) -> str:
        facts = [("margin", f"{self.margin:.6g}"), ("at most possible", f"{self.most:.6g}")]
        facts += [("relative gap", f"{self.gap:.2g}"), ("support vectors", f"{len(self.support):,}")]
        return card(f"maximum margin between {self.classes[0]} and {self.classes[1]}", facts)


@one_thread()
def max_margin(
    X: Any, y: Any, *, tol: float = 1e-3, watch: Callable[[Bracket], None] = lambda _: None
) -> MaximumMargin:
    """The plane with the largest margin between two classes, to a proven relative gap of `tol`.

    Raises InputError where no plane separates the classes, with the reason, and NumericalError where the plane is not
    found to `tol`.
    """
    if not 0 < tol < 1:
        raise RecipeError(f"tol must be a relative gap between 0 and 1; it is {tol!r}")
    points = _two_sides(X, y)
    descent = HardMargin(points, free=True)
    for passes in range(BETWEEN, PASSES + 1, BETWEEN):
        descent.passes(BETWEEN)
        found = descent.measured()
        if passes == SLOW and found.gap > tol:
            found = _checked(points, descent, found, tol)
        watch(found)
        if found.margin > 0 and found.gap <= tol:
            support = np.flatnonzero(found.multipliers)
            multipliers = found.multipliers[support]
            return MaximumMargin(found.w, found.b, found.margin, found.most, support, multipliers, points.classes)
    raise NumericalError(
        f"the margin did not converge: it is between {found.margin:.6g} and {found.most:.6g}, a relative gap of "
        f"{found.gap:.2g}; raise tol, or scale the columns"
    )


def _checked(points: Points, descent: HardMargin, found: Bracket, tol: float) -> Bracket:
    """Where descent is slow: an error if no plane separates, and the exact plane where the columns are few."""
    if found.margin == 0:
        answer = decide(points)
        if answer.separable is False:
            raise InputError(f"there is no margin to maximise: {answer}")
        if answer.separable is None:
            raise NumericalError(f"whether there is a margin to maximise is unknown: {answer}")
    if points.d <= COLUMNS_AT_MOST:
        exact = nearest(points, found.multipliers, free=True, tol=tol)
        if exact is not None:
            return descent.improved(*exact)
    return found


@one_thread()
def margins(model: Any, X: Any, y: Any) -> Flat:
    """The margin of every row: its distance from the plane, negative on the wrong side.

    `model` is an estimator for two classes with `coef_` and `intercept_`, a result of this package with `weights` and
    `bias`, or a pair (w, b).  The greater of the two labels is the positive one.
    """
    w, b = plane_of(model)
    points = _sides(X, y)
    if len(w) != points.d:
        raise InputError(f"the plane has {len(w)} weights, but the rows have {points.d} columns")
    return points.signs * (points.scores(w) + b) / _length(w)


def margin(model: Any, X: Any, y: Any) -> float:
    """The margin of a data set: the smallest margin of its rows."""
    return float(margins(model, X, y).min())


def distance_from_origin(model: Any) -> float:
    """The distance of the plane from the origin, |b| / |w|."""
    w, b = plane_of(model)
    return abs(b) / _length(w)


def plane_of(model: Any) -> tuple[Flat, float]:
    """w and b of a model for two classes, of a result of this package, or of a pair."""
    if hasattr(model, "coef_"):
        w, b = model.coef_, model.intercept_
    elif hasattr(model, "weights"):
        w, b = model.weights, model.bias if hasattr(model, "bias") else model.intercepts
    else:
        w, b = model
    w, b = np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if w.size != max(w.shape, default=0) or b.size != 1:
        raise InputError(f"a margin is that of one plane, and the model has {b.size}: fit it to two classes")
    return np.ascontiguousarray(w.reshape(-1)), float(b.reshape(-1)[0])


def _length(w: Flat) -> float:
    length = norm(w)
    if not 0 < length < np.inf:
        raise InputError(f"the weights are {'all 0' if length == 0 else 'not finite'}: there is no plane")
    return length


def _sides(X: Any, y: Any) -> Points:
    rows, labels, codes = read(X, y)
    if len(labels) > 2:
        raise InputError(f"y has {len(labels)} labels, and a margin is between two: pass the rows of two labels")
    return sides(rows, labels, codes, labels.classes.tolist()[-1])


def _two_sides(X: Any, y: Any) -> Points:
    points = _sides(X, y)
    if abs(points.signs.sum()) == points.n:
        raise InputError("every row has the same label, so there is no largest margin: pass rows of two labels")
    return points
