"""The geometry of a linear classifier of two features: plane, normal vector, margins, half-spaces, regions.

With two features x the plane w · x + b = 0 is a line.  Its unit normal is w / |w|, which points to the positive side;
its distance from the origin is |b| / |w|; the lines w · x + b = ±1 are 2 / |w| apart.  Of K classes each has the region
where its score is the largest: an intersection of half-spaces, so a convex polygon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import InputError

Flat = NDArray[np.float64]
Points = NDArray[np.float64]
# What is drawn extends beyond the points by this fraction of their range.
BEYOND = 0.08


class Box(NamedTuple):
    """The part of the plane that is drawn."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def corners(self) -> Points:
        """Counter-clockwise, from the lower left."""
        left, right, bottom, top = self
        return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])

    @property
    def similar_scales(self) -> bool:
        """Whether both features can be drawn by one scale, so that a normal looks perpendicular."""
        width, height = self.right - self.left, self.top - self.bottom
        return bool(width <= 3 * height and height <= 3 * width)


def box_around(points: Points) -> Box:
    """The range of the points, and some space around it."""
    if not len(points) or not np.isfinite(points).all():
        raise InputError("there are no points to draw, or some are not finite")
    low, high = points.min(axis=0), points.max(axis=0)
    space = np.where(high > low, BEYOND * (high - low), 1.0)
    (left, bottom), (right, top) = (low - space).tolist(), (high + space).tolist()
    return Box(left, right, bottom, top)


@dataclass(frozen=True, eq=False)
class Plane:
    """w · x + b = 0 in two dimensions."""

    w: Flat
    b: float

    def __post_init__(self) -> None:
        if self.w.shape != (2,):
            raise InputError(f"the plane has {self.w.size} weights, and a picture is of two features")
        if not 0 < self.length < np.inf or not np.isfinite(self.b):
            raise InputError(f"the weights are {'all 0' if self.length == 0 else 'not finite'}: there is no plane")

    @property
    def length(self) -> float:
        """|w|."""
        return float(np.hypot(*self.w))

    @property
    def normal(self) -> Flat:
        """The unit normal, which points to the positive side."""
        return np.asarray(self.w / self.length)

    @property
    def distance(self) -> float:
        """Of the plane from the origin."""
        return abs(self.b) / self.length

    @property
    def foot(self) -> Flat:
        """The point of the plane that is nearest to the origin."""
        return self.nearest(np.zeros(2))

    @property
    def margin(self) -> float:
        """The distance of the lines w · x + b = ±1 from the plane: half of 2 / |w|."""
        return 1.0 / self.length

    def scores(self, points: Points) -> Flat:
        return np.asarray(points @ self.w + self.b)

    def nearest(self, point: Flat) -> Flat:
        """The point of the plane that is nearest to this one."""
        return np.asarray(point - float(point @ self.w + self.b) / self.length * self.normal)

    def at(self, score: float) -> Plane:
        """The parallel plane of the points with this score."""
        return Plane(self.w, self.b - score)

    def segment(self, box: Box) -> Points:
        """(2, 2): the two ends of the line in a box; (0, 2) if it does not cross it."""
        ends = clipped(clipped(box.corners, self.w, self.b), -self.w, -self.b)
        if len(ends) < 2:
            return np.empty((0, 2))
        along = ends @ np.array([-self.w[1], self.w[0]])
        return np.asarray(ends[[along.argmin(), along.argmax()]])

    def half_spaces(self, box: Box) -> tuple[Points, Points]:
        """The negative and the positive side in a box, as polygons."""
        return clipped(box.corners, -self.w, -self.b), clipped(box.corners, self.w, self.b)


def clipped(polygon: Points, a: ArrayLike, c: float) -> Points:
    """The part of a convex polygon with a · x + c >= 0 (Sutherland, Hodgman 1974)."""
    heights = polygon @ np.asarray(a, dtype=np.float64) + c
    kept: list[Flat] = []
    for here, point in enumerate(polygon):
        before, height = heights[here - 1], heights[here]
        if (before > 0 > height) or (before < 0 < height):
            kept.append(polygon[here - 1] + before / (before - height) * (point - polygon[here - 1]))
        if height >= 0:
            kept.append(point)
    return np.array(kept).reshape(-1, 2)


def regions(weights: Points, intercepts: Flat, box: Box) -> list[Points]:
    """Of each of K classes the polygon where its score is the largest; weights are (2, K)."""
    classes = len(intercepts)
    found = []
    for own in range(classes):
        polygon = box.corners
        for other in range(classes):
            if other != own and len(polygon):
                difference = weights[:, own] - weights[:, other]
                polygon = clipped(polygon, difference, float(intercepts[own] - intercepts[other]))
        found.append(polygon)
    return found


def smallest_margin(plane: Plane, points: Points, positive: NDArray[np.bool_]) -> float:
    """The smallest distance of a point from the plane, negative if some point is on the wrong side."""
    return float((np.where(positive, 1.0, -1.0) * plane.scores(points)).min() / plane.length)


@dataclass(frozen=True, eq=False)
class Planar:
    """A classifier of two features: their names, (2, outputs) weights, an intercept each, and the classes."""

    names: tuple[str, str]
    weights: Points
    intercepts: Flat
    classes: tuple[Any, ...]

    def __post_init__(self) -> None:
        if self.weights.ndim != 2 or len(self.weights) != 2:
            raise InputError(f"the geometry is that of two features, and the model has {len(self.weights)}")
        if len(self.intercepts) != (1 if len(self.classes) == 2 else len(self.classes)):
            raise InputError(
                f"the model has {len(self.intercepts)} planes for {len(self.classes)} classes: the geometry is of one "
                "plane for two classes, or of one score for each of more"
            )

    @property
    def plane(self) -> Plane | None:
        """That of two classes."""
        return Plane(np.ascontiguousarray(self.weights[:, 0]), float(self.intercepts[0])) if self.binary else None

    @property
    def binary(self) -> bool:
        return len(self.classes) == 2
