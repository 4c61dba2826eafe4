"""The geometry of a classifier of two features: points, plane, normal vector, margins and half-spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, RecipeError
from linnet.model.labelled_rows import labelled_points
from linnet.model.model import Model
from linnet.model.plane import Geometry, Plane, Point, by_half_planes, crossing, region
from linnet.model.plane import geometry as geometry_of
from linnet.plot.axes import INK, as_text, axes, colour, dressed, legend_above, marker
from linnet.plot.sources import codes
from linnet.theory.geometric_margins import plane_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What is drawn extends beyond the points by this fraction of their range.
BEYOND = 0.08
# More points than this are drawn without outlines, and smaller.
MANY = 400
# The normal is drawn as long as this fraction of the shorter side.
ARROW = 0.16


def geometry(source: Any, X: Any = None, y: Any = None, *, margin: float | None = None, ax: Axes | None = None) -> Axes:
    """Points of two features, the plane between two classes with its normal vector and margins, or the regions of K.

    `source` is a model, drawn with a sample of its training rows or with labelled data as X; an estimator with `coef_`,
    with X and y; or a plane, a pair (w, b) or a result of `linnet.theory`, with X and y.  The dashed lines are as far
    from the plane as the nearest point where it separates the points, and w · x + b = ±1 where it does not, or where
    the learner has the hinge loss; with `margin` they are w · x + b = ±margin.  Where the columns of a model have very
    different scales, it is drawn in standard deviations from their means.
    """
    found = _of_model(source, X, y) if isinstance(source, Model) else _of_arrays(source, X, y)
    box = _box(found.points)
    (left, bottom), (right, top) = box[0], box[2]
    ax = axes(ax, 5.2, 1.5 + 4.4 * min(max((top - bottom) / (right - left), 0.3), 1.3))
    for number in range(len(found.classes)):
        polygon = np.array(region(found, number, box)).reshape(-1, 2)
        if len(polygon) > 2:
            ax.fill(*polygon.T, color=colour(number), alpha=0.12, linewidth=0, gid=f"region {number}")
    if len(found.planes) == 1:
        _draw_plane(ax, found.planes[0], box, _margin_score(found, source) if margin is None else margin)
    for number, label in enumerate(found.classes):
        _scatter(ax, found.points[found.codes == number], number, as_text(label, 24), len(found.points))
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_aspect("equal", adjustable="box")
    units = " (standard deviations from the mean)" if found.standardised else ""
    dressed(ax, *(f"{as_text(name)}{units}" for name in found.names), grid="")
    legend_above(ax, 2 if len(found.planes) == 1 else 3)
    return ax


def _of_model(model: Model, data: Any, y: Any) -> Geometry:
    sample = model.record.points if data is None else labelled_points(model, data if y is None else (data, y))
    if sample is None:
        raise InputError("the model has no sample of its rows, as those of two columns of numbers have: pass data")
    found = geometry_of(model, sample)
    if found is None or not by_half_planes(model):
        raise RecipeError("the regions of this model are not half-spaces: it votes, or decides by a rule of its own")
    return found


def _of_arrays(source: Any, X: Any, y: Any) -> Geometry:
    if X is None or y is None:
        raise RecipeError("pass the points and their labels, X and y, as well")
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points) or not np.isfinite(points).all():
        raise InputError(f"the geometry is that of two columns of finite numbers, and X has the shape {points.shape}")
    classes = np.asarray(source.classes_) if hasattr(source, "classes_") else np.unique(np.asarray(y))
    names = tuple(map(str, classes.tolist()))
    planes = _planes(source, names)
    return Geometry(_names(source, X), planes, points, codes(classes, y), names, np.zeros(2), np.ones(2), False, (0, 1))


def _planes(source: Any, classes: tuple[str, ...]) -> tuple[Plane, ...]:
    """One for two classes, else one for each."""
    if len(classes) == 2:
        planes = [plane_of(source)]
    elif hasattr(source, "coef_"):
        coefficients = np.asarray(source.coef_, dtype=np.float64)
        planes = list(zip(coefficients, np.broadcast_to(source.intercept_, len(coefficients)).tolist(), strict=True))
    else:
        raise RecipeError(f"a plane is between two classes, and y has {len(classes)}")
    if len(planes) not in (1, len(classes)):
        raise RecipeError(f"the estimator has {len(planes)} planes for {len(classes)} classes, by votes of pairs")
    found = tuple(Plane(np.asarray(w, dtype=np.float64), float(b)) for w, b in planes)
    if any(each.w.shape != (2,) or not np.isfinite([*each.w, each.b]).all() for each in found):
        raise InputError(f"the geometry is that of two finite weights, and there are {found[0].w.size}")
    if len(found) == 1 and not found[0].length > 0:
        raise InputError("the weights are all 0: there is no plane")
    return found


def _names(source: Any, X: Any) -> tuple[str, str]:
    names = [str(name) for name in getattr(source, "feature_names_in_", getattr(X, "columns", ()))]
    return (names[0], names[1]) if len(names) == 2 else ("x₁", "x₂")


def _box(points: NDArray[np.float64]) -> list[Point]:
    """The corners of what is drawn, from the lower left on."""
    low, high = points.min(axis=0), points.max(axis=0)
    widest = max(float((high - low).max()), 1e-9)
    space = BEYOND * widest
    (left, bottom), (right, top) = (low - space).tolist(), (high + space).tolist()
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def _margin_score(found: Geometry, source: Any) -> float:
    """The score at the dashed lines."""
    loss = source.record.recipe.loss.name if isinstance(source, Model) else str(getattr(source, "loss", ""))
    known = found.codes >= 0
    nearest = float(found.signed[known].min(initial=np.inf))
    return nearest * found.planes[0].length if 0 < nearest < np.inf and "hinge" not in loss else 1.0


def _draw_plane(ax: Axes, plane: Plane, box: list[Point], score: float) -> None:
    margin = score / plane.length
    away = abs(plane.distance((0.0, 0.0)))
    named = [(0.0, "-", 1.6, f"plane w·x + b = 0\n{away:.4g} from the origin", "plane")]
    named += [(margin, "--", 1.0, f"margins w·x + b = ±{score:.3g}\n{2 * margin:.4g} apart", "margin")]
    named += [(-margin, "--", 1.0, "", "margin")]
    for distance, style, width, label, gid in named:
        ends = crossing(plane.moved(distance), box)
        if ends is not None:
            x, y = zip(*ends, strict=True)
            ax.plot(x, y, color=INK, linestyle=style, linewidth=width, label=label or None, gid=gid)
            if gid == "plane":
                _draw_normal(ax, plane, ends, ARROW * min(box[2][0] - box[0][0], box[2][1] - box[0][1]))


def _draw_normal(ax: Axes, plane: Plane, ends: tuple[Point, Point], length: float) -> None:
    """From the middle of the line that is seen; of a length that can be seen, for |w| has another unit."""
    start = np.mean(ends, axis=0)
    end = start + length * np.array(plane.normal)
    ax.annotate(
        "", xy=tuple(end), xytext=tuple(start), gid="normal", zorder=4,
        arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    ax.annotate(
        "w", xy=tuple(end), xytext=(5, 3), textcoords="offset points", color=INK, fontweight="bold", zorder=4,
        bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7},
    )  # fmt: skip


def _scatter(ax: Axes, points: NDArray[np.float64], number: int, name: str, total: int) -> None:
    many = total > MANY
    x, y = points.T
    ax.scatter(
        x, y, s=10 if many else 26, color=colour(number), marker=marker(number), label=name, zorder=3,
        edgecolors="none" if many else "white", linewidths=0.5, alpha=0.7 if many else 1.0,
    )  # fmt: skip
