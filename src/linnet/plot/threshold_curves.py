"""ROC curve, precision-recall curve and the histogram of margins of a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.errors import InputError, RecipeError
from linnet.evaluation.classification import ClassificationResult
from linnet.evaluation.pictures import ThresholdCurve
from linnet.plot.axes import BLUE, GREY, INK, VERMILION, as_text, axes, colour, dressed, legend
from linnet.plot.sources import classified

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def roc(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, label: str | None = None) -> Axes:
    """The ROC curve of two classes, the second positive: true-positive rate by false-positive rate.

    `label` names the curve in the legend, to draw several on one `ax`; each takes the next colour.
    """
    result = classified(source, X, y)
    curve = _curve(result)
    first, ax = ax is None or not ax.lines, axes(ax, 4.6, 4.4)
    if first:
        ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="chance")
    negatives, positives = (np.array(each, dtype=np.float64) for each in (curve.negatives, curve.positives))
    low, high = result.roc_auc_interval
    interval = "" if np.isnan(low) else f" ({low:.3f} to {high:.3f})"
    ax.plot(
        negatives / negatives[-1], positives / positives[-1], color=_next_colour(ax), linewidth=1.8,
        label=f"{_named(label)}AUC {result.roc_auc:.3f}{interval}",
    )  # fmt: skip
    _unit_square(ax)
    whose = as_text(result.classes[1].label)
    dressed(ax, "false-positive rate", f"true-positive rate ({whose})")
    legend(ax, loc="lower right")
    return ax


def precision_recall(
    source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, label: str | None = None
) -> Axes:
    """The precision-recall curve of the second of two classes, in the steps that its average precision sums."""
    result = classified(source, X, y)
    curve = _curve(result)
    first, ax = ax is None or not ax.lines, axes(ax, 4.6, 4.4)
    negatives, positives = (np.array(each[1:], dtype=np.float64) for each in (curve.negatives, curve.positives))
    if first:
        base = positives[-1] / (positives[-1] + negatives[-1])
        ax.axhline(base, color=GREY, linestyle="--", linewidth=1, label=f"chance {base:.3f}")
    precision = positives / (positives + negatives)
    ax.plot(
        np.append(0.0, positives / positives[-1]), np.append(precision[0], precision), color=_next_colour(ax),
        linewidth=1.8, drawstyle="steps-pre", label=f"{_named(label)}average precision {result.average_precision:.3f}",
    )  # fmt: skip
    _unit_square(ax)
    whose = as_text(result.classes[1].label)
    dressed(ax, f"recall ({whose})", f"precision ({whose})")
    legend(ax, loc="lower left")
    return ax


def margins(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """A histogram of the margins: of two classes y (w · x + b), of more the score of the true class less the largest
    of the others.  Those below 0 are of mistakes."""
    result = classified(source, X, y)
    found = result.margins
    if found is None:
        raise InputError("there are no scores, so there are no margins: the results are of labels or probabilities")
    ax = axes(ax, 5.2, 3.6)
    edges, counts = np.array(found.edges), np.array(found.counts, dtype=np.float64)
    colours = [VERMILION if right <= 0 else BLUE for right in edges[1:]]
    ax.bar(edges[:-1], counts, found.width, align="edge", color=colours, edgecolor="white", linewidth=0.5)
    ax.axvline(0.0, color=INK, linewidth=1)
    beyond = found.below + found.above
    outside = f", {beyond:,.6g} of them beyond the picture" if beyond else ""
    two = len(result.classes) == 2
    name = "margin y (w·x + b)" if two else "margin: score of the true class less the largest of the others"
    dressed(ax, name, "rows", f"{result.rows:,} rows{outside}", grid="y")
    _explain_sides(ax)
    return ax


def _explain_sides(ax: Axes) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=VERMILION, label="mistakes"), Patch(color=BLUE, label="right")]
    legend(ax, handles=handles, loc="best")


def _curve(result: ClassificationResult) -> ThresholdCurve:
    if len(result.classes) != 2:
        raise RecipeError(f"the curve is of two classes, and the results are of {len(result.classes)}")
    if result.curve is None:
        raise InputError("there is no curve: the rows are of one class, or the results have no scores")
    return result.curve


def _named(label: str | None) -> str:
    return "" if label is None else f"{as_text(label)}: "


def _next_colour(ax: Axes) -> str:
    return colour(len(ax.lines) - 1)


def _unit_square(ax: Axes) -> None:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal", adjustable="box")
