"""Pictures of the results of a classifier: confusion matrix and reliability diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.errors import InputError
from linnet.plot.axes import BLUE, GREY, as_text, axes, dressed, legend
from linnet.plot.sources import classified

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of more classes than this the cells have no numbers, for they could not be read.
MOST_WITH_NUMBERS = 20


def confusion(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """The confusion matrix: rows by true and predicted class, the colour by their fraction of the true class."""
    result = classified(source, X, y)
    if not result.confusion:
        raise InputError(f"of {len(result.classes):,} classes no confusion matrix is kept: it would be too large")
    counts = np.array(result.confusion, dtype=np.float64)
    totals = counts.sum(axis=1, keepdims=True)
    fractions = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    side = min(2.8 + 0.36 * len(counts), 8.0)
    ax = axes(ax, side + 0.8, side)
    image = ax.imshow(fractions, cmap="Blues", vmin=0.0, vmax=1.0)
    if len(counts) <= MOST_WITH_NUMBERS:
        for (row, column), count in np.ndenumerate(counts):
            white = fractions[row, column] > 0.55
            faint = 0.35 if not count else 1.0  # what is 0 needs no attention
            ax.text(
                column, row, f"{count:,.6g}", ha="center", va="center", color="white" if white else "black",
                alpha=faint,
                fontsize="medium" if len(counts) <= 8 else "small",
            )  # fmt: skip
    _name_classes(ax, [as_text(each.label, 20) for each in result.classes])
    dressed(ax, "predicted", "true", f"accuracy {result.accuracy:.3f} on {result.rows:,} rows", grid="")
    ax.figure.colorbar(image, ax=ax, fraction=0.046, label="fraction of the true class")
    return ax


def _name_classes(ax: Axes, names: list[str]) -> None:
    if len(names) > 2 * MOST_WITH_NUMBERS:
        return
    places = range(len(names))
    slanted = max(map(len, names)) > (12 if len(names) <= 3 else 4)
    ax.set_xticks(places, names, rotation=45 if slanted else 0, ha="right" if slanted else "center")
    ax.set_yticks(places, names)
    ax.tick_params(length=0, labelsize="medium" if len(names) <= 10 else "small")


def reliability(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, label: str | None = None) -> Axes:
    """The reliability diagram: observed frequency by predicted probability, with intervals, in bins of equal size.

    Of two classes the probability is that of the second; of more, that of the predicted one.
    """
    result = classified(source, X, y)
    if not result.reliability:
        raise InputError("there are no probabilities: calibrate the model, or use a learner of the logistic loss")
    ax = axes(ax)
    predicted, observed = (
        np.array([getattr(each, name) for each in result.reliability]) for name in ("predicted", "observed")
    )
    ends = np.array([tuple(each.observed_interval) for each in result.reliability])
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="calibrated")
    name = as_text(label) if label is not None else "observed, 95 % interval"
    ax.errorbar(
        predicted, observed, np.abs(ends.T - observed), fmt="o-", color=BLUE, markersize=5, linewidth=1.2,
        elinewidth=1.2, capsize=2, label=f"{name}\nexpected calibration error {result.calibration_error:.3g}",
    )  # fmt: skip
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    second = len(result.classes) == 2
    whose = f"of {as_text(result.classes[1].label)}" if second else "of the predicted class"
    dressed(ax, f"predicted probability {whose}", f"observed frequency {whose}" if second else "observed accuracy")
    legend(ax, loc="upper left")
    return ax
