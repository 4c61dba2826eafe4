"""Pictures of learning: error by training size, progressive error, and mistakes beside their bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import LearningCurve
from linnet.comparison.results import DataResults, Results
from linnet.errors import InputError, RecipeError
from linnet.evaluation.intervals import proportion_interval
from linnet.model.model import Model
from linnet.plot.axes import BLUE, ORANGE, as_text, axes, colour, dressed, legend, legend_above, marker
from linnet.theory.mistake_bounds import Mistakes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Flat = NDArray[np.float64]
# Before this many rows the error says nothing, and is not shown.
FIRST_SHOWN = 10
# The blocks that an estimator is trained on, one after another, for its progressive error.
BLOCKS = 50


def learning_curve(source: LearningCurve | DataResults | Results, *, ax: Axes | None = None) -> Axes:
    """The error by training size with its interval, the power law fitted to it, and what twice the rows would give.

    Of the results of a comparison, the curves of all learners that have one.
    """
    curves = _curves(source)
    ax = axes(ax, 5.6, 4.0)
    for number, curve in enumerate(curves):
        _draw_curve(ax, curve, number)
    ax.set_xscale("log")
    ax.set_xticks(_ticks(curves), minor=False)
    ax.set_xticks([], minor=True)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    dressed(ax, "training rows (hollow: predicted for twice as many)", as_text(curves[0].metric))
    legend(ax, loc="upper right")
    return ax


def _ticks(curves: tuple[LearningCurve, ...]) -> list[int]:
    """Some of the sizes that were measured, the last and its double among them."""
    sizes = sorted({size for curve in curves for size in (*curve.rows, 2 * curve.rows[-1])})
    return sizes[:: -max(1, round(len(sizes) / 6))]


def _draw_curve(ax: Axes, curve: LearningCurve, number: int) -> None:
    rows, errors = np.array(curve.rows, dtype=np.float64), np.array(curve.errors)
    ends = np.array([tuple(each) for each in curve.intervals])
    _with_interval(ax, rows, errors, ends, number, label=f"{as_text(curve.learner)}: {_law(curve)}")
    twice = 2 * rows[-1]
    if np.isfinite(curve.at_twice):
        x = np.geomspace(rows[0], twice, 100)
        ax.plot(x, curve.floor + curve.scale * x**-curve.exponent, color=colour(number), linewidth=1.2, gid="law")
        ends = np.array([tuple(curve.at_twice_interval)])
        _with_interval(ax, np.array([twice]), np.array([curve.at_twice]), ends, number, markerfacecolor="white")


def _with_interval(ax: Axes, x: Flat, y: Flat, ends: Flat, number: int, **drawn: Any) -> None:
    off = np.nan_to_num(np.abs(ends.T - y))
    ax.errorbar(x, y, off, fmt=marker(number), color=colour(number), markersize=5, elinewidth=1.2, capsize=2, **drawn)


def _law(curve: LearningCurve) -> str:
    if not np.isfinite(curve.at_twice):
        return "no power law"
    return f"{curve.floor:.3g} + {curve.scale:.3g} n^-{curve.exponent:.2g}"


def _curves(source: LearningCurve | DataResults | Results) -> tuple[LearningCurve, ...]:
    if isinstance(source, LearningCurve):
        return (source,)
    if isinstance(source, Results):
        if len(source.data) != 1:
            raise RecipeError(f"the results are of {len(source.data)} data sets: pass one of them, results.data[0]")
        source = source.data[0]
    if not isinstance(source, DataResults):
        raise RecipeError(f"a {type(source).__name__} has no learning curves")
    if source.reasons is None or not source.reasons.curves:
        raise InputError(f"no learning curves were measured on {source.name}")
    return source.reasons.curves


def progressive(source: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, label: str | None = None) -> Axes:
    """The progressive validation error of an online classifier: of each row before it is first trained on.

    `source` is a model, whose record has it; or an estimator: then a copy of it is trained once on X and y, in their
    order, by `partial_fit`.  The error is of all rows so far, with its 95 % interval.
    """
    rows, mistaken = _of_record(source) if isinstance(source, Model) else _by_blocks(source, X, y)
    error = mistaken / rows
    ends = np.array([tuple(proportion_interval(int(k), int(n))) for k, n in zip(mistaken, rows, strict=True)])
    first, ax = ax is None or not ax.lines, axes(ax, 5.4, 3.8)
    drawn = colour(len(ax.lines))
    ax.fill_between(rows, *ends.T, color=drawn, alpha=0.15, linewidth=0)
    own = source.learner if isinstance(source, Model) else type(source).__name__
    name = as_text(own if label is None else label)
    ax.plot(rows, error, color=drawn, linewidth=1.6, label=f"{name}: {error[-1]:.3f} after {rows[-1]:,} rows")
    settled = rows >= min(FIRST_SHOWN, rows[-1])
    highest = max(float(error[settled].max()), 0.0 if first else ax.get_ylim()[1] / 1.1)
    ax.set_ylim(0, min(1.1 * highest, 1.0) or 1.0)
    ax.set_xscale("log")
    ax.set_xlim(left=float(rows[settled][0]))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    dressed(ax, "rows seen", "progressive validation error")
    legend_above(ax, 1)
    return ax


def _of_record(model: Model) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = model.record.progressive
    if found is None or not found.curve_rows:
        raise InputError("the model has no progressive validation: it is of online classifiers")
    return np.array(found.curve_rows), np.array(found.curve_mistakes)


def _by_blocks(estimator: Any, X: Any, y: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not hasattr(estimator, "partial_fit") or X is None or y is None:
        raise RecipeError("pass a model of an online learner, or an estimator with partial_fit, X and y")
    labels = np.asarray(y)
    classes, n = np.unique(labels), len(labels)
    learner = type(estimator)(**estimator.get_params())
    ends = np.unique(np.round(np.geomspace(1, n, BLOCKS)).astype(np.int64))
    table = X.iloc if hasattr(X, "iloc") else X
    made = []
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        learner.partial_fit(table[start:end], labels[start:end], classes=classes)
        made.append(learner.history_[-1].mistakes)
    return ends, np.cumsum(made)


def mistakes(source: Any, *, ax: Axes | None = None) -> Axes:
    """The mistakes of an online learner since the beginning, and the most that were possible on these rows.

    `source` is a fitted estimator, whose mistakes are shown by pass; a model, whose mistakes are shown by rows of the
    first pass; or a certificate, which knows their number alone.
    """
    found = source.certificate if isinstance(source, Model) else getattr(source, "certificate_", source)
    if not isinstance(found, Mistakes):
        raise RecipeError("there is no count of mistakes: the learner does not change by mistakes alone")
    ax = axes(ax, 5.4, 3.4)
    x, made, unit = _history(source)
    if len(x):
        ax.plot(x, made, "o-", color=BLUE, markersize=4, label=f"mistakes: {made[-1]:,}", gid="mistakes")
        if made[-1] != found.made:
            ax.axhline(found.made, color=BLUE, linewidth=1, linestyle=":", label=f"in all passes: {found.made:,}")
    else:
        ax.axhline(found.made, color=BLUE, linewidth=2, label=f"mistakes: {found.made:,}", gid="mistakes")
        ax.set_xticks([])
    if found.reason:
        ax.plot([], [], linestyle="none", label=f"no bound: {found.reason}")
    else:
        ax.axhline(found.bound, color=ORANGE, linewidth=2, label=f"possible at most: {found.bound:,.6g}", gid="bound")
    _mistake_scales(ax, found, unit)
    dressed(ax, unit, "mistakes since the beginning", grid="y")
    legend_above(ax, 2 if not found.reason else 1)
    return ax


def _history(source: Any) -> tuple[list[int], list[int], str]:
    """When mistakes were counted, and how many there were by then."""
    passes = [int(each.mistakes) for each in getattr(source, "history_", [])]
    if passes:
        return list(range(1, len(passes) + 1)), np.cumsum(passes).tolist(), "pass"
    progress = source.record.progressive if isinstance(source, Model) else None
    if progress is not None and progress.curve_rows:
        return list(progress.curve_rows), list(progress.curve_mistakes), "rows seen"
    return [], [], ""


def _mistake_scales(ax: Axes, found: Mistakes, unit: str) -> None:
    if unit == "pass":
        ax.locator_params(axis="x", integer=True)
    elif unit:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    if not found.reason and found.bound > 20 * max(found.made, 1):
        ax.set_yscale("symlog", linthresh=1)
        ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylim(bottom=0)
