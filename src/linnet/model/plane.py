"""The geometry of a classifier of two numbers: its planes (lines, here), their normals, distances and half-spaces.

With w the weights of an output and b its intercept, the plane is w . x + b = 0, its unit normal w / |w|, and the
distance of a point from it |w . x + b| / |w|.  Where the two numbers have very different scales, all of it is computed
and drawn in standard deviations from the mean: with x = m + s z the plane is (s w) . z + (b + w . m) = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.terms import NumberedTerm
from linnet.data.rows import Rows
from linnet.learners.sparse_weights import SparseWeights
from linnet.model.point_sample import two_numbers

if TYPE_CHECKING:
    from linnet.model.model import Model
    from linnet.model.point_sample import PointSample

Flat = NDArray[np.float64]
Point = tuple[float, float]
# Deviations whose ratio is above this are not drawn to one scale.
COMPARABLE = 4.0
MARGIN_SCORE = 1.0
# Products of numbers below this are numbers.
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Plane:
    """w . x + b = 0, in the coordinates that are drawn."""

    w: Flat
    b: float

    @property
    def length(self) -> float:
        return math.hypot(*self.w)

    @property
    def normal(self) -> Point:
        return (float(self.w[0]) / self.length, float(self.w[1]) / self.length)

    def score(self, point: Sequence[float]) -> float:
        return float(self.w[0] * point[0] + self.w[1] * point[1] + self.b)

    def distance(self, point: Sequence[float]) -> float:
        """Signed: positive on the side that the normal points to."""
        return self.score(point) / self.length

    def foot(self, point: Sequence[float]) -> Point:
        """The nearest point of the plane."""
        away, (a, b) = self.distance(point), self.normal
        return point[0] - away * a, point[1] - away * b

    def moved(self, distance: float) -> Plane:
        """The parallel plane at this signed distance."""
        return Plane(self.w, self.b - distance * self.length)


@dataclass(frozen=True, eq=False)
class Geometry:
    """Planes and points in the coordinates that are drawn; `standardised` if these are not the columns themselves."""

    names: tuple[str, str]
    planes: tuple[Plane, ...]
    points: Flat
    codes: NDArray[np.int64]
    classes: tuple[str, ...]
    means: Flat
    units: Flat
    standardised: bool
    columns: tuple[int, int]

    def raw(self, points: Flat) -> Flat:
        """Points as they are in the data."""
        return np.asarray(self.means + points * self.units)

    @property
    def signed(self) -> Flat:
        """Of two classes: the distance of each point from the plane, negative on the wrong side."""
        plane = self.planes[0]
        distances = (self.points @ plane.w + plane.b) / plane.length
        return np.where(self.codes == 1, distances, -distances)


def two_columns(model: Model) -> tuple[int, int] | None:
    """The two features that are all of the model, if it has exactly two, which are numbers."""
    terms, named = model.features.terms, two_numbers(model.features)
    if named is not None:
        return named[0], named[1]
    if len(terms) == 1 and isinstance(terms[0], NumberedTerm) and len(terms[0]) in (2, 3):
        # svmlight numbers columns from 1 mostly, and then there is no column 0
        return (0, 1) if len(terms[0]) == 2 else (1, 2) if _unused(model, 0) else None
    return None


def _unused(model: Model, column: int) -> bool:
    return model.moments is not None and not model.moments.deviations[column]


def geometry(model: Model, sample: PointSample | None) -> Geometry | None:
    """What can be drawn of the model; None if it is not a classifier of two numbers, or nothing is known of them."""
    columns = two_columns(model)
    classes = model.linear.classes
    if columns is None or classes is None or model.several or len(classes) < 2:
        return None
    if isinstance(model.linear.weights, SparseWeights) or model.linear.votes or model.moments is None:
        return None
    at = list(columns)
    w, b = model.linear.weights[at], model.linear.intercepts
    means, deviations = model.moments.means[at], model.moments.deviations[at]
    if sample is not None and len(sample.x):
        points, codes = np.column_stack([sample.x, sample.y]), np.array(sample.codes, np.int64)
    elif deviations.all():
        points, codes = np.empty((0, 2)), np.empty(0, np.int64)
    else:
        return None
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = float(deviations.max() / deviations.min()) if deviations.all() else 1.0
        standardised = not ratio <= COMPARABLE
        centre, units = (means, deviations) if standardised else (np.zeros(2), np.ones(2))
        planes = tuple(Plane(units * w[:, k], float(b[k] + w[:, k] @ centre)) for k in range(w.shape[1]))
        points = (points - centre) / units
    every = np.concatenate([points.ravel(), *([*each.w, each.b] for each in planes)])
    finite = bool((np.abs(every) < LARGEST).all())
    if not finite or not any(each.length > 0 for each in planes) or (len(planes) == 1 and not planes[0].length > 0):
        return None
    names = model.features.names_of(at)
    return Geometry(
        (names[0], names[1]), planes, points, codes, tuple(map(str, classes.tolist())), centre, units, standardised,
        columns,
    )  # fmt: skip


def by_half_planes(model: Model) -> bool:
    """Whether each region is where one score is largest; not so for pairs that vote, and by other rules."""
    return not model.linear.pairwise and model.rule is None and model.calibration is None


def region(found: Geometry, code: int, box: list[Point]) -> list[Point]:
    """The part of the box that is predicted as a class: where its score is the largest."""
    if len(found.planes) == 1:
        plane = found.planes[0]
        return clipped(box, plane if code == 1 else Plane(-plane.w, -plane.b))
    own = found.planes[code]
    for other in found.planes:
        if other is not own:
            box = clipped(box, Plane(own.w - other.w, own.b - other.b))
    return box


def clipped(polygon: list[Point], plane: Plane) -> list[Point]:
    """The part of a convex polygon on the positive side (Sutherland, Hodgman 1974, Reentrant polygon clipping)."""
    kept: list[Point] = []
    for start, stop in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        a, b = plane.score(start), plane.score(stop)
        if a >= 0:
            kept.append(start)
        if (a >= 0) != (b >= 0):
            t = a / (a - b)
            kept.append((start[0] + t * (stop[0] - start[0]), start[1] + t * (stop[1] - start[1])))
    return kept


def crossing(plane: Plane, box: list[Point]) -> tuple[Point, Point] | None:
    """The part of the plane within a convex polygon."""
    ends: list[Point] = []
    for start, stop in zip(box, [*box[1:], *box[:1]], strict=True):
        a, b = plane.score(start), plane.score(stop)
        if (a >= 0) != (b >= 0):
            t = a / (a - b)
            ends.append((start[0] + t * (stop[0] - start[0]), start[1] + t * (stop[1] - start[1])))
    return (ends[0], ends[1]) if len(ends) >= 2 else None


def predicted(model: Model, found: Geometry, points: Flat) -> NDArray[np.int64]:
    """The class of each point, by the model itself, with its calibration and its rule."""
    rows = np.zeros((len(points), len(model.features)))
    rows[:, list(found.columns)] = found.raw(points)
    return model.classifier.answers(Rows.of(rows)).codes
