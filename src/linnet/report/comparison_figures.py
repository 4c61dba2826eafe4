"""Pictures of a comparison: scores with intervals, time against score, mean ranks, learning curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean

from linnet.comparison.reasons import LearningCurve, Sensitivity
from linnet.comparison.results import ContenderResults, Cost, DataResults, Measured
from linnet.evaluation.paired_comparison import Posterior, RankComparison
from linnet.report.chart import HEIGHT, WIDTH, Chart, across, label, mark, series, shape, upwards
from linnet.report.figures import Figure, Table
from linnet.report.markup import Markup, element, shortened
from linnet.report.numbers import count, figure, fixed, p_value, probability, span
from linnet.report.scales import Scale, scale_of, tick_labels

ROW = 24.0
LONGEST = 24
# Curves that are drawn together.
MOST_CURVES = 8


def short(name: str) -> str:
    """A learner's name for a picture: of an import path its last part."""
    return shortened(name.rsplit(".", 1)[-1] if " " not in name else name, LONGEST)


def measured(contender: ContenderResults, metric: str) -> Measured | None:
    return next((each for each in contender.metrics if each.metric == metric), None)


def scores(data: DataResults, names: Sequence[str]) -> Figure | None:
    """A point for every learner, with the interval of its mean; the folds behind it."""
    found = [(each.name, each.yardstick, measured(each, data.metric)) for each in data.contenders]
    shown = sorted(
        (
            (name, yardstick, score)
            for name, yardstick, score in found
            if score is not None and math.isfinite(score.mean)
        ),
        key=lambda each: list(names).index(each[0]),
    )
    if not shown:
        return None
    gutter = min(170.0, 20 + 6.4 * max(len(short(name)) for name, _, _ in shown))
    bottom = 10 + ROW * len(shown)
    ends = [end for _, _, each in shown for end in (*each.interval, each.mean) if math.isfinite(end)]
    x = scale_of(ends, gutter, WIDTH - 14)
    parts: list[Markup] = []
    ticks = x.ticks(4)
    for tick, spelt in zip(ticks, tick_labels(ticks), strict=True):
        parts.append(element("line", x1=x(tick), y1=6.0, x2=x(tick), y2=bottom, class_="grid"))
        parts.append(label(x(tick), bottom + 17, spelt, "tick x-tick", "middle"))
    for row, (name, yardstick, each) in enumerate(shown):
        at, colour = 10 + ROW * (row + 0.5), "s7" if yardstick else "s0"
        low, high = each.interval
        parts.append(element("text", element("title", name), short(name), x=gutter - 10, y=at + 4, text_anchor="end"))
        if math.isfinite(low) and math.isfinite(high):
            parts.append(
                element("line", x1=x(low), y1=at, x2=x(high), y2=at, class_=f"whisker {colour}", data_name=name)
            )
        tip = f"{name}: {fixed(each.mean, 4)} ({span(each.interval, 4)})"
        parts.append(mark(x(each.mean), at, colour, "diamond" if yardstick else "circle", tip, 4.4))
    parts.append(label((gutter + WIDTH) / 2, bottom + 35, data.metric, "axis-title", "middle"))
    yardsticks = any(yardstick for _, yardstick, _ in shown)
    rows = [
        (name, fixed(each.mean, 4), span(each.interval, 4), fixed(min(each.scores), 4), fixed(max(each.scores), 4))
        for name, _, each in shown
        if each.scores
    ]
    return Figure(
        "scores",
        f"Mean {data.metric}",
        f"The mean {data.metric} of {len(shown)} learners over {data.folds * data.repeats} folds, with 95 % intervals.",
        element("g", parts),
        WIDTH,
        bottom + 40,
        Table(("learner", data.metric, "interval", "worst fold", "best fold"), rows),
        "Means over the folds, with intervals corrected for the overlap of the training sets. All were measured on the "
        "same folds: whether two learners differ is in the table of pairs, not in these intervals.",
        (("s0", "linear learner"), ("s7", "yardstick")) if yardsticks else (),
    )


def time_and_score(data: DataResults, costs: dict[str, Cost], *, larger: bool) -> Figure | None:
    """Seconds of a fit, on a logarithmic scale, against the score."""
    points = []
    for each in data.contenders:
        score, cost = measured(each, data.metric), costs.get(each.name)
        if score is not None and cost is not None and cost.fit_seconds and math.isfinite(score.mean):
            points.append((each.name, max(mean(cost.fit_seconds), 1e-6), score.mean, each.yardstick, cost))
    if len(points) < 2:
        return None
    x = scale_of([each[1] for each in points], *across(), log=True, padding=0.12)
    y = scale_of([each[2] for each in points], *upwards(), padding=0.1)
    chart = Chart(x, y, "seconds to fit (logarithmic)", data.metric)
    taken: list[tuple[float, float, float]] = []
    for name, seconds, value, yardstick, _ in sorted(points, key=lambda each: -each[2]):
        chart.point(seconds, value, "s7" if yardstick else "s0", "diamond" if yardstick else "circle",
                    f"{name}: {figure(seconds)} s, {fixed(value, 4)}", 4.2)  # fmt: skip
        _name_beside(chart, seconds, value, shortened(short(name), 18), taken)
    rows = [
        (name, figure(seconds), figure(mean(cost.predict_seconds) if cost.predict_seconds else math.nan),
         "–" if cost.peak_bytes is None else f"{cost.peak_bytes / 1e6:,.0f} MB", fixed(value, 4))
        for name, seconds, value, _, cost in points
    ]  # fmt: skip
    return Figure(
        "time",
        "Time against score",
        f"The mean {data.metric} of {len(points)} learners against the seconds that a fit takes.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("learner", "seconds to fit", "seconds to predict", "peak memory", data.metric), rows),
        f"Mean seconds of one fit. Better is {'up' if larger else 'down'} and to the left.",
    )


def _name_beside(chart: Chart, x: float, y: float, name: str, taken: list[tuple[float, float, float]]) -> None:
    """A name right of a point, or left of it; left out where others would be covered: the table has it."""
    wide, at, down = 6.0 * len(name), chart.x(x), chart.y(y)
    for left in (at + 8, at - 8 - wide):
        inside = chart.x.start <= left and left + wide <= chart.x.stop + 10
        if inside and all(abs(down - d) > 12 or left > right or left + wide < start for start, right, d in taken):
            taken.append((left, left + wide, down))
            chart.text(left, down + 4, name, "small")
            return


def critical_difference(ranks: RankComparison) -> Figure | None:
    """Mean ranks over data sets on one axis; bars join those that cannot be distinguished (Demšar 2006)."""
    order = sorted(range(len(ranks.learners)), key=lambda i: ranks.mean_ranks[i])
    if len(order) < 2:
        return None
    high = max(len(order), math.ceil(max(ranks.mean_ranks)))
    x = Scale(1.0, float(high), 120.0, WIDTH - 120.0)
    groups = [group for group in ranks.groups if len(group) > 1]
    axis = 52.0
    below = axis + 14 + 9 * len(groups)
    half = (len(order) + 1) // 2
    height = below + 20 * half + 16
    parts: list[Markup] = [element("line", x1=x.start, y1=axis, x2=x.stop, y2=axis, class_="axis")]
    for tick in range(1, high + 1, max(1, high // 10)):
        parts.append(element("line", x1=x(tick), y1=axis - 5, x2=x(tick), y2=axis, class_="axis"))
        parts.append(label(x(tick), axis - 9, str(tick), "tick x-tick", "middle"))
    width = ranks.critical_difference
    if math.isfinite(width) and width <= high - 1:
        parts.append(
            element(
                "line", x1=x(1), y1=16.0, x2=x(1 + width), y2=16.0, class_="whisker s3", data_name="critical difference"
            )
        )
        parts.append(label(x(1 + width) + 6, 20, f"critical difference {fixed(width, 2)}", "small"))
    by_name = dict(zip(ranks.learners, ranks.mean_ranks, strict=True))
    for level, group in enumerate(groups):
        found = [by_name[name] for name in group if name in by_name]
        at = axis + 8 + 9 * level
        if found:
            parts.append(
                element("line", x1=x(min(found)) - 3, y1=at, x2=x(max(found)) + 3, y2=at, class_="group s0",
                        data_name="group", style="stroke:var(--c);stroke-width:4;stroke-linecap:round")
            )  # fmt: skip
    for place, index in enumerate(order):
        name, rank, left = ranks.learners[index], ranks.mean_ranks[index], place < half
        down = below + 20 * (place if left else len(order) - 1 - place)
        end = x.start - 6 if left else x.stop + 6
        points = f"{x(rank):.2f},{axis:.2f} {x(rank):.2f},{down:.2f} {end:.2f},{down:.2f}"
        parts.append(element("polyline", points=points, class_="line thin neutral", data_name=name))
        words = f"{shortened(short(name), 12)} {fixed(rank, 2)}"
        parts.append(
            element("text", element("title", name), words, x=end + (-4 if left else 4), y=down + 4,
                    text_anchor="end" if left else None, class_="small")
        )  # fmt: skip
    rows = [(ranks.learners[i], fixed(ranks.mean_ranks[i], 3)) for i in order]
    return Figure(
        "ranks",
        "Mean ranks over data sets",
        f"Mean ranks of {len(order)} learners over {ranks.data_sets} data sets; bars join those that cannot be "
        "distinguished.",
        element("g", parts),
        WIDTH,
        height,
        Table(("learner", "mean rank"), rows),
        f"Rank 1 is best. Friedman's test over {ranks.data_sets} data sets: {p_value(ranks.friedman_p_value)}. "
        "Learners joined by a bar differ by less than the critical difference of Nemenyi's test, "
        f"{fixed(width, 2)}.",
        wide=True,
    )


def learning_curves(curves: Sequence[LearningCurve]) -> Figure | None:
    """Errors by training size, with the fitted power law up to twice the rows."""
    shown = [curve for curve in curves if len(curve.rows) > 1][:MOST_CURVES]
    if not shown:
        return None
    most = max(curve.rows[-1] for curve in shown)
    x = scale_of([*(n for curve in shown for n in curve.rows), 2 * most], *across(), log=True)
    errors = [e for curve in shown for e in (*curve.errors, curve.at_twice) if math.isfinite(e)]
    y = scale_of(errors, *upwards(), padding=0.1)
    chart = Chart(x, y, "training rows (logarithmic)", f"error ({shown[0].metric})")
    for index, curve in enumerate(shown):
        colour = series(index)
        start, stop = curve.rows[0], 2 * curve.rows[-1]
        sizes = [start * (stop / start) ** (step / 40) for step in range(41)]
        fitted = [curve.floor + curve.scale * size**-curve.exponent for size in sizes]
        if all(map(math.isfinite, fitted)):
            chart.line(sizes, fitted, f"{colour} thin dashed", f"power law of {curve.learner}")
        for rows, error, interval in zip(curve.rows, curve.errors, curve.intervals, strict=True):
            low, high = interval
            if math.isfinite(low) and math.isfinite(high):
                chart.interval(float(rows), low, high, colour)
            chart.point(
                float(rows), error, colour, shape(index), f"{curve.learner}, {rows:,} rows: {fixed(error, 4)}", 3.6
            )
        if math.isfinite(curve.at_twice):
            chart.point(float(stop), curve.at_twice, f"{colour} hollow", shape(index), size=3.6)
    table = [
        (curve.learner, count(n), fixed(e, 4), span(i, 4))
        for curve in shown
        for n, e, i in zip(curve.rows, curve.errors, curve.intervals, strict=True)
    ]
    return Figure(
        "curves",
        "Learning curves",
        f"The error of {len(shown)} learners by the number of training rows.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("learner", "rows", "error", "interval"), table),
        "Dashed: the power law floor + scale · rows^−exponent that was fitted. Hollow: what it predicts for twice the "
        "rows.",
        tuple((series(i), short(curve.learner)) for i, curve in enumerate(shown)),
    )


def sensitivities(found: Sequence[Sensitivity]) -> Figure | None:
    """The scores of each learner over orders of the rows and seeds."""
    shown = [each for each in found if each.scores]
    if not shown:
        return None
    gutter = min(170.0, 20 + 6.4 * max(len(short(each.learner)) for each in shown))
    bottom = 10 + ROW * len(shown)
    x = scale_of([score for each in shown for score in each.scores], gutter, WIDTH - 14)
    parts: list[Markup] = []
    ticks = x.ticks(4)
    for tick, spelt in zip(ticks, tick_labels(ticks), strict=True):
        parts.append(element("line", x1=x(tick), y1=6.0, x2=x(tick), y2=bottom, class_="grid"))
        parts.append(label(x(tick), bottom + 17, spelt, "tick x-tick", "middle"))
    for row, each in enumerate(shown):
        at = 10 + ROW * (row + 0.5)
        parts.append(
            element(
                "text", element("title", each.learner), short(each.learner), x=gutter - 10, y=at + 4, text_anchor="end"
            )
        )
        parts += [mark(x(score), at, "s0 faint", size=3.4) for score in each.scores]
    parts.append(label((gutter + WIDTH) / 2, bottom + 35, shown[0].metric, "axis-title", "middle"))
    return Figure(
        "sensitivity",
        "Sensitivity to order and seed",
        f"The {shown[0].metric} of {len(shown)} learners over orders of the rows and seeds.",
        element("g", parts),
        WIDTH,
        bottom + 40,
        Table(
            ("learner", "deviation", "worst", "best"),
            [
                (each.learner, figure(each.deviation), fixed(min(each.scores), 4), fixed(max(each.scores), 4))
                for each in shown
            ],
        ),
        "Each point is a run on the same rows in another order, or with another seed.",
    )


def posterior_bar(posterior: Posterior, first: str, second: str) -> Markup:
    """The three probabilities side by side."""
    parts, at = [], 0.0
    named = (
        (posterior.better, "s0", f"{first} is better"),
        (posterior.equivalent, "s7", "equivalent"),
        (posterior.worse, "s1", f"{second} is better"),
    )
    for value, colour, what in named:
        width = 100 * value
        if width > 0:
            parts.append(
                element("rect", element("title", f"{what}: {probability(value)}"), x=at, y=0.0, width=width,
                        height=10.0, class_=f"bar {colour}")
            )  # fmt: skip
        at += width
    words = ", ".join(f"{what} {probability(value)}" for value, _, what in named)
    odds = " / ".join(fixed(value, 2) for value, _, _ in named)
    bar = element(
        "svg", parts, viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=words, class_="bayes"
    )
    return Markup(bar + element("span", odds, class_="odds"))
