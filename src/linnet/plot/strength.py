"""The regularisation path: score and weights against the strength of the penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from linnet.errors import InputError, RecipeError
from linnet.model.model import Model
from linnet.model.record import StrengthChoice
from linnet.plot.axes import BLUE, GREY, INK, as_text, axes, colour, dressed, legend
from linnet.plot.path_sources import path_of_estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of more points than this only the line is drawn, with its standard error beside it.
MANY_POINTS = 30


def path(
    source: Any, *, show: Literal["score", "coefficients"] = "score", count: int = 8, ax: Axes | None = None
) -> Axes:
    """The mean score over the folds with its standard error, or the weights of `count` features, those largest at the
    chosen strength, against the strength of the penalty, from strong to weak.

    `source` is a model whose strength was tuned (`linnet.train(..., tune=True)`), its `record.strength`, or a fitted
    estimator such as `LogisticRegressionCV` or `LassoCV`, linnet's or scikit-learn's.
    """
    if show not in ("score", "coefficients"):
        raise RecipeError(f"show is {show!r}: it is 'score' or 'coefficients'")
    found = _choice(source)
    ax = axes(ax, 5.6 if show == "score" else 6.8, 3.8)
    chosen = f"chosen: {found.name} = {found.value:.3g}"
    ax.axvline(found.value, color=GREY, linestyle="--", linewidth=1.2, label=chosen, gid="chosen")
    if show == "score":
        _draw_scores(ax, found)
    else:
        _draw_weights(ax, found, count)
    ax.set_xscale("log")
    if found.name != "C":  # from strong to weak, whichever way the number goes
        ax.set_xlim(max(found.tried) * 1.2, min(found.tried) / 1.2)
    ax.set_xlabel(f"{found.name} (strong penalty to the left)")
    return ax


def _choice(source: Any) -> StrengthChoice:
    if isinstance(source, Model):
        if source.record.strength is None:
            raise InputError("the strength of the penalty was not chosen from the rows: train with tune=True")
        source = source.record.strength
    found = source if isinstance(source, StrengthChoice) else path_of_estimator(source)
    if not found.tried:
        raise InputError(f"{found.name} was chosen without a path: there is nothing to draw")
    return found


def _draw_scores(ax: Axes, found: StrengthChoice) -> None:
    scores = np.array(found.scores or found.losses)
    metric = found.metric or "mean loss"
    if not len(scores):
        raise InputError("the path has weights, but no scores")
    errors = np.array(found.standard_errors) if found.standard_errors else np.zeros(len(scores))
    over = f" of {found.folds} folds" if found.folds else ""
    name = f"mean{over} ± standard error" if errors.any() else f"mean{over}"
    if len(scores) <= MANY_POINTS:
        ax.errorbar(
            found.tried, scores, errors if errors.any() else None, fmt="o-", color=BLUE, markersize=5, linewidth=1.4,
            elinewidth=1.2, capsize=2, label=name,
        )  # fmt: skip
    else:
        ax.plot(found.tried, scores, color=BLUE, linewidth=1.6, label=name)
        ax.fill_between(found.tried, scores - errors, scores + errors, color=BLUE, alpha=0.2, linewidth=0)
    dressed(ax, "", as_text(metric))
    legend(ax, loc="best")


def _draw_weights(ax: Axes, found: StrengthChoice, count: int) -> None:
    if not found.paths:
        raise InputError("the path has scores, but no weights")
    at = int(np.abs(np.log(np.array(found.tried) / found.value)).argmin())
    largest = sorted(found.paths, key=lambda each: -abs(each.weights[at]))[:count]
    for number, each in enumerate(sorted(largest, key=lambda each: -each.weights[-1])):
        name = f"{each.label}: {each.feature}" if each.label else each.feature
        ax.plot(found.tried, each.weights, color=colour(number), linewidth=1.6, label=as_text(name, 30), gid="weight")
    ax.axhline(0.0, color=INK, linewidth=0.8)
    dressed(ax, "", "weight × standard deviation" if found.rows else "weight")
    legend(ax, loc="center left", bbox_to_anchor=(1.0, 0.5))
