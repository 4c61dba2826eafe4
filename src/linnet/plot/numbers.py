"""Pictures of predicted numbers: beside the true ones, and what is left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.regression import RegressionResult, RegressionTally
from linnet.plot.axes import BLUE, GREY, INK, axes, dressed, legend
from linnet.plot.sources import evaluated, truth_and_prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of more rows than this a regular sample is drawn.
MOST_DRAWN = 5000


def predicted(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """True numbers by predicted ones; on the line they are equal."""
    truth, guess = truth_and_prediction(source, X, y)
    ax = axes(ax)
    ends = [min(truth.min(), guess.min()), max(truth.max(), guess.max())]
    ax.plot(ends, ends, color=INK, linewidth=1, linestyle="--", label="prediction = truth")
    _scatter(ax, guess, truth)
    dressed(ax, "predicted", "true", _headline(source, X, truth, guess))
    legend(ax, loc="upper left")
    return ax


def residuals(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Predicted minus true numbers by predicted ones, and their means in ten equal parts: where these are not near 0,
    the fit is curved; where the spread grows to one side, so does the variance."""
    truth, guess = truth_and_prediction(source, X, y)
    ax = axes(ax)
    _scatter(ax, guess, guess - truth)
    ax.axhline(0.0, color=GREY, linewidth=1, linestyle="--")
    parts = np.array_split(np.argsort(guess, kind="stable"), min(10, max(1, len(guess) // 10)))
    means = np.array([(guess[part].mean(), (guess - truth)[part].mean()) for part in parts])
    ax.plot(*means.T, "o-", color=INK, markersize=4, linewidth=1.2, label=f"means of {len(parts)} equal parts")
    dressed(ax, "predicted", "predicted minus true", _headline(source, X, truth, guess))
    legend(ax, loc="best")
    return ax


def _scatter(ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    step = -(-len(x) // MOST_DRAWN)
    few = len(x) <= 500
    ax.scatter(x[::step], y[::step], s=14 if few else 6, color=BLUE, alpha=0.6 if few else 0.35, linewidths=0)


def _headline(source: Any, X: Any, truth: NDArray[np.float64], guess: NDArray[np.float64]) -> str:
    if X is None:  # the points are a sample, the figures are of all rows
        result = evaluated(source)
        assert isinstance(result, RegressionResult)
    else:
        tally = RegressionTally()
        tally.add(truth, guess)
        result = tally.result()
    return f"R² {result.r2:.3f}, RMSE {result.rmse:.4g} on {result.rows:,} rows"
