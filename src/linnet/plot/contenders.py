"""Pictures of a comparison: scores with intervals, and mean ranks with their critical difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linnet.comparison.results import ContenderResults, DataResults, Results, larger_is_better
from linnet.errors import InputError, RecipeError, listed
from linnet.evaluation.paired_comparison import RankComparison
from linnet.plot.axes import BLUE, GREY, INK, ORANGE, as_text, axes, dressed, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def comparison(
    results: Results | DataResults, data: str | int = 0, *, metric: str | None = None, ax: Axes | None = None
) -> Axes:
    """Each learner's mean score over the folds, the best on top, with its interval and the scores of the folds.

    `data` is the data set, by name or number, of several; `metric` is the one that decides by default.
    """
    found = _one(results, data)
    metric = metric or found.metric
    shown = []
    for contender in found.contenders:
        measured = next((each for each in contender.metrics if each.metric == metric), None)
        if measured is not None:
            shown.append((contender, measured))
    if not shown:
        raise InputError(f"no learner has the metric {metric!r} on {found.name}")
    best_last = 1.0 if larger_is_better(metric) else -1.0
    shown.sort(key=lambda pair: best_last * pair[1].mean)
    ax = axes(ax, 6.0, 1.1 + 0.36 * len(shown))
    for row, (contender, measured) in enumerate(shown):
        colour = ORANGE if contender.yardstick else BLUE
        low, high = measured.interval
        ax.plot(measured.scores, [row] * len(measured.scores), "|", color=colour, alpha=0.35, markersize=7)
        ax.hlines(row, low, high, color=colour, linewidth=2)
        ax.plot(measured.mean, row, "s" if contender.yardstick else "o", color=colour, markersize=7, gid="mean")
    ax.set_yticks(range(len(shown)), [_name(contender) for contender, _ in shown])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, len(shown) - 0.4)
    folds = f"{found.folds} folds" + (f" × {found.repeats}" if found.repeats > 1 else "")
    dressed(ax, as_text(metric), "", f"{as_text(found.name)}: {folds}", grid="x")
    _key(ax, yardsticks=any(contender.yardstick for contender, _ in shown))
    return ax


def _name(contender: ContenderResults) -> str:
    """Of a yardstick its class and parameters, without the modules."""
    path, bracket, parameters = contender.name.partition("(")
    own = path.rpartition(".")[2] if contender.yardstick else path
    return as_text(f"{own}{bracket}{parameters}")


def _key(ax: Axes, *, yardsticks: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=BLUE, marker="o", linewidth=2, label="mean, interval")]
    if yardsticks:
        handles.append(Line2D([], [], color=ORANGE, marker="s", linewidth=2, label="yardstick"))
    handles.append(Line2D([], [], color=GREY, marker="|", linestyle="", markersize=7, label="fold"))
    legend(ax, handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3)


def _one(results: Results | DataResults, data: str | int) -> DataResults:
    if isinstance(results, DataResults):
        return results
    if not isinstance(results, Results):
        raise RecipeError(f"a {type(results).__name__} is not the results of a comparison")
    if isinstance(data, int):
        if not 0 <= data < len(results.data):
            raise RecipeError(f"there are {len(results.data)} data sets, and data is {data}")
        return results.data[data]
    for each in results.data:
        if each.name == data:
            return each
    raise RecipeError(f"there is no data set {data!r}: {listed([each.name for each in results.data])}")


def critical_difference(results: Results | RankComparison, *, ax: Axes | None = None) -> Axes:
    """Mean ranks of learners over several data sets; bars join those that differ by less than the critical difference
    of Nemenyi's test (Demšar 2006, Statistical comparisons of classifiers over multiple data sets)."""
    ranks = results if isinstance(results, RankComparison) else results.over_data
    if ranks is None:
        raise InputError("the results are of one data set: mean ranks need several")
    order = np.argsort(ranks.mean_ranks, kind="stable")
    n = len(order)
    half = -(-n // 2)
    ax = axes(ax, 6.4, 1.6 + 0.28 * half + 0.16 * len(ranks.groups))
    depth = _group_bars(ax, ranks)
    for place, which in enumerate(order):
        left = place < half
        level = depth - 0.55 * ((place if left else n - 1 - place) + 1)
        rank, edge = ranks.mean_ranks[which], 0.7 if left else n + 0.3
        ax.plot([rank, rank, edge], [0, level, level], color=INK, linewidth=1)
        name = f"{as_text(ranks.learners[which])} ({rank:.2f})"
        ax.text(
            edge + (-0.08 if left else 0.08), level, name, ha="right" if left else "left", va="center", fontsize="small"
        )
        ax.plot(rank, 0, "o", color=BLUE, markersize=5, clip_on=False, gid="rank")
    ax.plot([1, 1 + ranks.critical_difference], [0.7, 0.7], color=ORANGE, linewidth=3, gid="critical difference")
    ax.text(1, 0.85, f"critical difference {ranks.critical_difference:.3g}", fontsize="small", va="bottom")
    _rank_axis(ax, n, depth - 0.55 * (half + 0.5))
    return ax


def _group_bars(ax: Axes, ranks: RankComparison) -> float:
    """A bar for each group, below the axis; returns how far down they reach."""
    of = dict(zip(ranks.learners, ranks.mean_ranks, strict=True))
    level = 0.0
    for group in ranks.groups:
        if len(group) > 1:
            level -= 0.35
            ends = [min(of[name] for name in group), max(of[name] for name in group)]
            ax.plot(
                [ends[0] - 0.04, ends[1] + 0.04],
                [level, level],
                color=INK,
                linewidth=4,
                solid_capstyle="butt",
                gid="group",
            )
    return level


def _rank_axis(ax: Axes, n: int, bottom: float) -> None:
    ax.set_xlim(0.6, n + 0.4)
    ax.set_ylim(bottom, 1.3)
    ax.set_yticks([])
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.spines["top"].set_position(("data", 0.0))
    ax.xaxis.set_ticks_position("top")
    ax.set_xticks(range(1, n + 1))
    ax.set_title("mean rank, 1 is best", fontsize="medium", loc="left")
