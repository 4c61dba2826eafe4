"""What a comparison comes to, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from linnet.comparison.results import ContenderResults, Cost, DataResults, larger_is_better
from linnet.evaluation.paired_comparison import PairedComparison, RankComparison

# Metrics that are fractions, shown in percent; their differences are points.
FRACTIONS = ("accuracy", "balanced-accuracy", "macro-f1", "roc-auc", "average-precision", "f1:")
# A learner is said to be faster from this factor on.
FASTER = 1.5

Times = Mapping[str, Cost]


def shown(metric: str, value: float) -> str:
    """A score as users read it."""
    return f"{100 * value:.2f} %" if metric.startswith(FRACTIONS) else f"{value:.4g}"


def apart(metric: str, difference: float, pair: PairedComparison | None = None) -> str:
    """A difference of scores, with half the width of its interval."""
    in_points = metric.startswith(FRACTIONS)
    half = math.nan if pair is None else (pair.interval.high - pair.interval.low) / 2
    if not in_points:
        return f"{abs(difference):.2g}" if math.isnan(half) else f"{abs(difference):.2g} ± {half:.2g}"
    points = f"{100 * abs(difference):.2f}"
    if math.isnan(half):
        short = points.rstrip("0").rstrip(".")
        return f"{short} point" if short == "1" else f"{short} points"
    return f"{points} ± {100 * half:.2f} points"


def short_names(contenders: Sequence[ContenderResults]) -> dict[str, str]:
    """Yardsticks without the module that they come from, unless two would have the same name."""
    found = {each.name: _without_module(each.name) if each.yardstick else each.name for each in contenders}
    return found if len(set(found.values())) == len(found) else {name: name for name in found}


def _without_module(name: str) -> str:
    head, bracket, rest = name.partition("(")
    return head.rpartition(".")[2] + bracket + rest


def concluded(data: DataResults, confidence: float, times: Times | None = None) -> tuple[str, ...]:
    """Who is best, whom it beats, and who cannot be told from it; with times, who is faster.

    Learners are told apart where the corrected test, after Holm's correction, is below 1 - confidence.
    """
    data, times = _renamed(data, times)
    ranked = [each for each in data.contenders if not each.failed and _mean(each, data.metric) is not None]
    failed = tuple(f"{each.name} failed: {each.failed}" for each in data.contenders if each.failed)
    without = tuple(
        f"{each.name} has no {data.metric}: it gives no probabilities or scores"
        for each in data.contenders
        if not each.failed and _mean(each, data.metric) is None
    )
    if not ranked:
        return (*without, *failed)
    best = ranked[0]
    pairs = {each.second: each for each in data.pairs if each.first == best.name}
    beaten = [each for each in ranked[1:] if _told_apart(pairs.get(each.name), confidence)]
    alike = [each for each in ranked[1:] if each not in beaten]
    lines = [_best_line(data, best, confidence)]
    if beaten:
        named = [f"{each.name} by {_by(data, pairs[each.name])}" for each in beaten]
        lines.append(f"{best.name} beats {_list(named)}.")
    for each in alike:
        lines.append(_alike_line(data, best, each, pairs.get(each.name), times))
    lines += _yardstick_lines(data, best, beaten, alike, pairs, times)
    return (*lines, *without, *failed)


def _renamed(data: DataResults, times: Times | None) -> tuple[DataResults, Times | None]:
    """The same with short names."""
    short = short_names(data.contenders)
    contenders = tuple(replace(each, name=short[each.name]) for each in data.contenders)
    pairs = tuple(replace(each, first=short[each.first], second=short[each.second]) for each in data.pairs)
    renamed = None if times is None else {short[name]: cost for name, cost in times.items() if name in short}
    return replace(data, contenders=contenders, pairs=pairs), renamed


def concluded_over_data(ranks: RankComparison | None) -> tuple[str, ...]:
    """What ranks over several data sets come to."""
    if ranks is None:
        return ()
    order = sorted(zip(ranks.mean_ranks, ranks.learners, strict=True))
    listed = ", ".join(f"{name} {rank:.2f}" for rank, name in order)
    lines = [f"Mean ranks over {ranks.data_sets} data sets (1 is best): {listed}."]
    lines.append(
        f"Mean ranks that differ by less than {ranks.critical_difference:.2f} cannot be told apart; Friedman's test: "
        f"p = {ranks.friedman_p_value:.3g}."
    )
    return tuple(lines)


def seconds(cost: Cost) -> float:
    """The median time of a trial, to fit and to predict."""
    return median(a + b for a, b in zip(cost.fit_seconds, cost.predict_seconds, strict=True))


def _mean(contender: ContenderResults, metric: str) -> float | None:
    return next((each.mean for each in contender.metrics if each.metric == metric), None)


def _best_line(data: DataResults, best: ContenderResults, confidence: float) -> str:
    measured = next(each for each in best.metrics if each.metric == data.metric)
    which = "largest" if larger_is_better(data.metric) else "smallest"
    low, high = measured.interval
    interval = "" if math.isnan(low) else (
        f" ({100 * confidence:.0f} % interval {shown(data.metric, low)} to {shown(data.metric, high)})"
    )  # fmt: skip
    return f"{best.name} has the {which} {data.metric}, {shown(data.metric, measured.mean)}{interval}."


def _told_apart(pair: PairedComparison | None, confidence: float) -> bool:
    return pair is not None and pair.adjusted_p_value < 1 - confidence


def _by(data: DataResults, pair: PairedComparison) -> str:
    text, rope = apart(data.metric, pair.difference, pair), apart(data.metric, pair.posterior.rope)
    if pair.posterior.equivalent > 0.5:
        text += f" (yet within {rope} with a probability of {_percent(pair.posterior.equivalent)})"
    return text


def _alike_line(
    data: DataResults,
    best: ContenderResults,
    each: ContenderResults,
    pair: PairedComparison | None,
    times: Times | None,
) -> str:
    if pair is None:
        return f"{each.name} cannot be compared with {best.name}."
    difference = apart(data.metric, pair.difference, pair)
    within = apart(data.metric, pair.posterior.rope)
    return (
        f"{each.name} cannot be told from {best.name}{_faster(each, best, times)} (difference {difference}, "
        f"p = {pair.adjusted_p_value:.2g}; equivalent within {within} with a probability of "
        f"{_percent(pair.posterior.equivalent)})."
    )


def _yardstick_lines(
    data: DataResults,
    best: ContenderResults,
    beaten: list[ContenderResults],
    alike: list[ContenderResults],
    pairs: Mapping[str, PairedComparison],
    times: Times | None,
) -> list[str]:
    """Where a yardstick is best, how far behind the best linear learner is."""
    linear = next((each for each in beaten if not each.yardstick), None)
    if not best.yardstick or linear is None or any(not each.yardstick for each in alike):
        return []
    behind = apart(data.metric, pairs[linear.name].difference)
    return [f"The best linear learner is {linear.name}, {behind} behind{_faster(linear, best, times)}."]


def _faster(each: ContenderResults, than: ContenderResults, times: Times | None) -> str:
    if times is None or each.name not in times or than.name not in times:
        return ""
    ratio = seconds(times[than.name]) / max(seconds(times[each.name]), 1e-9)
    if ratio >= FASTER:
        return f" and is {ratio:.2g}× faster" if ratio < 10 else f" and is {ratio:,.0f}× faster"
    return f" and is {1 / ratio:.2g}× slower" if 1 / ratio >= FASTER else ""


def _percent(probability: float) -> str:
    if probability > 0.995:
        return "> 99 %" if probability < 1 else "100 %"
    return f"{100 * probability:.0f} %"


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
