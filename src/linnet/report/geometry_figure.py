"""The lecture's picture: points, the plane between them, its normal vector, the margins, the half-spaces."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from linnet.model.plane import (
    MARGIN_SCORE,
    Flat,
    Geometry,
    Point,
    by_half_planes,
    crossing,
    geometry,
    predicted,
    region,
)
from linnet.report.chart import BOTTOM, LEFT, RIGHT, TOP, WIDTH, Chart, series, shape
from linnet.report.figures import Figure, Table
from linnet.report.markup import element, shortened
from linnet.report.numbers import figure
from linnet.report.scales import Scale

if TYPE_CHECKING:
    from linnet.model.model import Model
    from linnet.model.point_sample import PointSample

HEIGHT = 350.0
# Cells across, where regions are no polygons.
CELLS = 64
# The drawn normal, as a fraction of the width of the picture.
NORMAL = 0.16
LONGEST = 40


def plane_figure(model: Model, sample: PointSample | None) -> Figure | None:
    found = geometry(model, sample)
    if found is None:
        return None
    chart = _chart(found)
    (left, right), (low, high) = (chart.x.low, chart.x.high), (chart.y.low, chart.y.high)
    box: list[Point] = [(left, low), (right, low), (right, high), (left, high)]
    _regions(model, found, chart, box)
    two = len(found.planes) == 1
    words = _plane(found, chart, box) if two else _boundaries(found)
    for (x, y), code in zip(found.points.tolist(), found.codes.tolist(), strict=True):
        class_ = series(code) if code >= 0 else "neutral"
        chart.point(x, y, class_, shape(code if code >= 0 else 3), size=3.0)
    if two:
        _arrow(found, chart, box)
    if two and len(found.points):
        words = [*words, *_nearest(found, chart)]
    drawn = f"{len(found.points):,} points" if sample is None or len(found.points) == sample.rows else (
        f"{len(found.points):,} of {sample.rows:,} points, drawn at random"
    )  # fmt: skip
    if not len(found.points):
        drawn = "no points: give data to draw some"
    units = " Both columns are in standard deviations from their means." if found.standardised else ""
    return Figure(
        "geometry",
        "The plane between the classes" if two else "The regions of the classes",
        f"{'Two half-spaces' if two else f'{len(found.classes)} regions'} of {found.names[0]} and {found.names[1]}, "
        f"with {drawn}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("quantity", "value"), [(a, b) for a, b in _quantities(found)]),
        f"{' '.join(words)} Shown: {drawn}.{units}",
        tuple((series(i), shortened(name, LONGEST)) for i, name in enumerate(found.classes[:8])),
        wide=True,
    )


def _chart(found: Geometry) -> Chart:
    """One scale for both axes, so that what is perpendicular looks so, and distances can be compared."""
    if len(found.points):
        low, high = found.points.min(axis=0), found.points.max(axis=0)
    else:
        spread = found.units if not found.standardised else np.ones(2)
        low, high = found.means - 3 * spread, found.means + 3 * spread
        low, high = (np.array([-3.0, -3.0]), np.array([3.0, 3.0])) if found.standardised else (low, high)
    extent = np.maximum(high - low, max(float((high - low).max()), 1e-9) * 0.05)
    middle, extent = (low + high) / 2, extent * 1.16
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    unit = max(extent[0] / wide, extent[1] / tall)  # data units a pixel
    half = np.array([wide, tall]) * unit / 2
    x = Scale(float(middle[0] - half[0]), float(middle[0] + half[0]), LEFT, WIDTH - RIGHT)
    y = Scale(float(middle[1] - half[1]), float(middle[1] + half[1]), HEIGHT - BOTTOM, TOP)
    return Chart(x, y, found.names[0], found.names[1], WIDTH, HEIGHT)


def _regions(model: Model, found: Geometry, chart: Chart, box: list[Point]) -> None:
    if by_half_planes(model):
        for code in range(len(found.classes)):
            corners = region(found, code, box)
            points = " ".join(f"{chart.x(a):.2f},{chart.y(b):.2f}" for a, b in corners)
            if len(corners) > 2:
                chart.add(element("polygon", points=points, class_=f"region {series(code)}", data_class=str(code)))
        return
    across = np.linspace(chart.x.low, chart.x.high, CELLS + 1)
    down = np.linspace(chart.y.high, chart.y.low, CELLS + 1)
    middles = [(a + b) / 2 for a, b in itertools.pairwise(across)]
    for top, bottom in itertools.pairwise(down):
        codes = predicted(model, found, np.array([(x, (top + bottom) / 2) for x in middles]))
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        for start, stop in zip(starts, [*starts[1:], CELLS], strict=True):
            left, right = float(across[start]), float(across[stop])
            code = int(codes[start])
            chart.add(
                element(
                    "rect", x=chart.x(left), y=chart.y(float(top)), width=chart.x(right) - chart.x(left),
                    height=chart.y(float(bottom)) - chart.y(float(top)), class_=f"region {series(code)}",
                )
            )  # fmt: skip


def _plane(found: Geometry, chart: Chart, box: list[Point]) -> list[str]:
    """The plane, the margins beside it, the normal vector on it; and what to say of them."""
    plane, (margin, how) = found.planes[0], _margin(found)
    for distance in (-margin, margin):
        ends = crossing(plane.moved(distance), box)
        if ends is not None:
            chart.segment(*ends, "margin", "margin")
    ends = crossing(plane, box)
    if ends is None:
        return ["The plane is outside of the picture."]
    chart.segment(*ends, "plane", "plane")
    a, b = plane.normal
    return [
        f"The plane w·x + b = 0 has w = ({figure(float(plane.w[0]), 4)}, {figure(float(plane.w[1]), 4)}), "
        f"b = {figure(plane.b, 4)}, and the unit normal ({figure(a, 4)}, {figure(b, 4)}), drawn as an arrow towards "
        f"{shortened(found.classes[1], LONGEST)}.",
        f"The dashed lines are at the distance {figure(margin, 4)} on either side: {how}.",
    ]


def _margin(found: Geometry) -> tuple[float, str]:
    """How far from the plane the margins are drawn, and why there."""
    known = found.codes >= 0
    if known.any():
        nearest = float(found.signed[known].min())
        if nearest > 0:
            return nearest, "the margin of the points, all of which are on their own side"
    return MARGIN_SCORE / found.planes[0].length, "1/|w|, where the score is ±1"


def _arrow(found: Geometry, chart: Chart, box: list[Point]) -> None:
    """The normal, of a length that is seen, with its head; where fewest points are in its way."""
    plane = found.planes[0]
    ends = crossing(plane, box)
    if ends is None:
        return
    long = NORMAL * (chart.x.high - chart.x.low)
    (a, b), unit = plane.normal, (chart.x.high - chart.x.low) / (chart.x.stop - chart.x.start)
    start, stop = max(
        (_from(ends, step / 10, (long * a, long * b)) for step in range(2, 9)),
        key=lambda each: min(_room(found.points, each), 3 * unit * _inside(each[1], chart)),
    )
    head = (stop[0] - 9 * unit * a, stop[1] - 9 * unit * b)
    chart.segment(start, head, "normal", "normal")
    wings = [(head[0] - 4 * unit * b, head[1] + 4 * unit * a), (head[0] + 4 * unit * b, head[1] - 4 * unit * a)]
    points = " ".join(f"{chart.x(x):.2f},{chart.y(y):.2f}" for x, y in (stop, *wings))
    chart.add(element("polygon", points=points, class_="arrow", data_name="normal"))


def _from(ends: tuple[Point, Point], part: float, by: Point) -> tuple[Point, Point]:
    """A vector that begins at a part of the way between two ends."""
    x, y = (ends[0][i] + part * (ends[1][i] - ends[0][i]) for i in (0, 1))
    return (x, y), (x + by[0], y + by[1])


def _room(points: Flat, vector: tuple[Point, Point]) -> float:
    """The distance of the nearest point from the middle and the head of a vector."""
    (x, y), (u, v) = vector
    at = np.array([((x + u) / 2, (y + v) / 2), (u, v)])
    return float(np.hypot(*(points[:, None] - at).transpose(2, 0, 1)).min()) if len(points) else 1.0


def _inside(point: Point, chart: Chart) -> float:
    """How many pixels a point is from the edges of the picture; negative outside."""
    x, y = ((v - s.low) / (s.high - s.low) for v, s in zip(point, (chart.x, chart.y), strict=True))
    return 300 * min(x, 1 - x, y, 1 - y)


def _nearest(found: Geometry, chart: Chart) -> list[str]:
    """The distance of the nearest point from the plane, drawn."""
    plane = found.planes[0]
    nearest = min(range(len(found.points)), key=lambda i: abs(plane.distance(found.points[i].tolist())))
    point = tuple(found.points[nearest].tolist())
    chart.segment((point[0], point[1]), plane.foot(point), "whisker s3", "distance")
    wrong = int((found.signed[found.codes >= 0] <= 0).sum())
    beside = "none is" if wrong == 0 else "1 is" if wrong == 1 else f"{wrong:,} are"
    return [
        f"The point nearest to the plane is at the distance {figure(abs(plane.distance(point)), 4)}; of the points "
        f"{beside} on the wrong side."
    ]


def _boundaries(found: Geometry) -> list[str]:
    return [f"Each region is where the score of its class is the largest of {len(found.classes)}."]


def _quantities(found: Geometry) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for number, plane in enumerate(found.planes):
        of = "" if len(found.planes) == 1 else f" of {shortened(_output(found, number), LONGEST)}"
        rows.append((f"weights w{of}", f"({figure(float(plane.w[0]), 6)}, {figure(float(plane.w[1]), 6)})"))
        rows.append((f"intercept b{of}", figure(plane.b, 6)))
        if plane.length > 0:
            rows.append((f"|w|{of}", figure(plane.length, 6)))
    if len(found.planes) == 1:
        rows.append(("distance of the margins", figure(_margin(found)[0], 6)))
        if len(found.points):
            nearest = min(abs(found.planes[0].distance(point)) for point in found.points.tolist())
            rows.append(("distance of the nearest point", figure(nearest, 6)))
    return rows


def _output(found: Geometry, number: int) -> str:
    return found.classes[number] if len(found.planes) == len(found.classes) else f"pair {number + 1}"
