"""Pictures of a training run: top features, choice of the penalty, progressive error, mistakes against the bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linnet.model.explanation import TopFeature
from linnet.model.record import Progressive, StrengthChoice
from linnet.report.chart import HEIGHT, WIDTH, Chart, across, label, series, upwards
from linnet.report.figures import Figure, Table
from linnet.report.markup import Markup, element, shortened
from linnet.report.numbers import count, figure, fixed
from linnet.report.scales import Scale, scale_of, tick_labels
from linnet.theory.mistake_bounds import Mistakes

# Coefficients whose paths have a colour and a name of their own.
NAMED_PATHS = 6
BAR, GUTTER, LONGEST = 19.0, 168.0, 25


def top_features(
    key: str,
    output: str,
    favour: Sequence[TopFeature],
    against: Sequence[TopFeature],
    *,
    number: bool,
    ends: str,
    two: bool,
) -> Figure | None:
    """Bars of what features contribute, those for the output first."""
    shown = [*favour, *against[::-1]]
    if not shown:
        return None
    largest = max(each.spread for each in shown) or 1.0
    colours = ("s1", "s0") if two else ("s0", "s1")  # of two classes as they have in other pictures
    height = BAR * len(shown) + 40
    gutter = min(GUTTER, 18 + 6.0 * max(len(shortened(each.feature, LONGEST)) for each in shown))
    x = Scale(-largest if against else 0.0, largest if favour else 0.0, gutter, WIDTH - 12)
    parts: list[Markup] = []
    for tick in x.ticks(4):
        parts.append(element("line", x1=x(tick), y1=6.0, x2=x(tick), y2=height - 34, class_="grid"))
    for row, each in enumerate(shown):
        top, down = 8 + BAR * row, each.weight < 0
        a, b = sorted((x(0), x(-each.spread if down else each.spread)))
        tip = f"{each.feature}: weight {figure(each.weight, 4)}, contribution ±{figure(each.spread, 4)}"
        spelt = shortened(each.feature, LONGEST)
        parts.append(
            element("text", element("title", each.feature), spelt, x=gutter - 8, y=top + 11.5, text_anchor="end",
                    class_="small")
        )  # fmt: skip
        colour = colours[down]
        parts.append(
            element("rect", element("title", tip), x=a, y=top + 1.5, width=max(b - a, 0.6), height=BAR - 5,
                    class_=f"bar {colour}")
        )  # fmt: skip
    parts.append(element("line", x1=x(0), y1=4.0, x2=x(0), y2=height - 34, class_="axis"))
    ticks = x.ticks(4)
    parts += [
        label(x(tick), height - 20, spelt, "tick", "middle")
        for tick, spelt in zip(ticks, tick_labels(ticks), strict=True)
    ]
    parts.append(label((gutter + WIDTH) / 2, height - 4, "contribution to the score", "axis-title", "middle"))
    rows = [(each.feature, figure(each.weight, 4), figure(each.spread, 4)) for each in shown]
    up, down_ = ("raises the prediction", "lowers it") if number else (f"for {shortened(output, 40)}", ends)
    return Figure(
        key,
        f"Top features: {shortened(output, LONGEST * 2)}",
        f"A bar for each of the {len(shown)} features whose contributions to the score spread most.",
        element("g", parts),
        WIDTH,
        height,
        Table(("feature", "weight", "|weight| × deviation"), rows),
        "Weight times the standard deviation of the feature in the training rows.",
        tuple(pair for pair, any_ in (((colours[0], up), favour), ((colours[1], down_), against)) if any_),
    )


def strength(choice: StrengthChoice) -> Figure | None:
    """The score, or the loss, at each candidate; with standard errors where they are known."""
    found = choice.scores or choice.losses  # scores, errors and paths are those of a tuned model
    if len(choice.tried) < 2 or len(found) != len(choice.tried):
        return None
    metric = choice.metric or "loss"
    around = choice.standard_errors or (0.0,) * len(found)
    order = sorted(range(len(found)), key=lambda i: choice.tried[i])
    tried, scores, errors = ([each[i] for i in order] for each in (choice.tried, found, around))
    x = scale_of(tried, *across(), log=True)
    lows, highs = ([s + sign * e for s, e in zip(scores, errors, strict=True)] for sign in (-1, 1))
    y = scale_of([*lows, *highs], *upwards())
    chart = Chart(x, y, f"{choice.name} (logarithmic)", metric)
    if any(errors):
        chart.area(tried, lows, highs, "s0")
    chart.segment((choice.value, y.low), (choice.value, y.high), "reference", "chosen")
    chart.line(tried, scores, "s0", "scores")
    for a, b in zip(tried, scores, strict=True):
        chart.point(a, b, "s0" if math.isclose(a, choice.value) else "s0 hollow", title=f"{figure(a)}: {figure(b, 4)}")
    rows = [
        (figure(a, 4), figure(b, 5), figure(e, 3) if e else "–") for a, b, e in zip(tried, scores, errors, strict=True)
    ]
    return Figure(
        "strength",
        f"Choice of {choice.name}",
        f"The {metric} at each of {len(tried)} values of {choice.name}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table((choice.name, metric, "standard error"), rows),
        f"{choice.name} = {figure(choice.value)} (dashed line) was chosen by {choice.way} on {choice.rows:,} rows."
        + (" The band is one standard error either way." if any(errors) else ""),
    )


def coefficient_paths(
    name: str, tried: Sequence[float], paths: Sequence[tuple[str, Sequence[float]]], chosen: float
) -> Figure | None:
    """Coefficients against the strength of the penalty, the largest in colours of their own."""
    if len(tried) < 2 or not paths:
        return None
    order = sorted(range(len(tried)), key=lambda i: tried[i])
    rising = [tried[i] for i in order]
    largest = sorted(paths, key=lambda path: -max(map(abs, path[1])))
    x = scale_of(rising, *across(), log=True)
    y = scale_of([value for _, path in paths for value in path], *upwards(), include=[0.0])
    chart = Chart(x, y, f"{name} (logarithmic)", "coefficient")
    chart.segment((rising[0], 0), (rising[-1], 0), "axis")
    for index, (feature, path) in reversed(list(enumerate(largest))):
        colour = series(index) if index < NAMED_PATHS else "neutral thin"
        chart.line(rising, [path[i] for i in order], colour, feature)
    chart.segment((chosen, y.low), (chosen, y.high), "reference", "chosen")
    rows = [(feature, *(figure(path[i], 3) for i in order)) for feature, path in largest]
    return Figure(
        "paths",
        "Coefficients against the penalty",
        f"The coefficients of {len(paths)} features at {len(tried)} values of {name}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("feature", *(f"{name} {figure(value)}" for value in rising)), rows),
        f"The dashed line is the {name} that was chosen.",
        tuple((series(i), shortened(feature, LONGEST)) for i, (feature, _) in enumerate(largest[:NAMED_PATHS])),
    )


def progressive(found: Progressive) -> Figure | None:
    """The error rate so far against the rows so far."""
    if len(found.curve_rows) < 3:
        return None
    rows = [*found.curve_rows]
    errors = [made / n for made, n in zip(found.curve_mistakes, rows, strict=True)]
    if found.mistakes is not None and found.rows > rows[-1]:
        rows, errors = [*rows, found.rows], [*errors, found.mistakes / found.rows]
    x = scale_of(rows, *across(), log=True, padding=0.0)
    chart = Chart(
        x, scale_of([0.0, *errors], *upwards(), padding=0.02), "rows so far (logarithmic)", "error rate so far"
    )
    if found.baseline_accuracy is not None:
        at = 1 - found.baseline_accuracy
        chart.segment((x.low, at), (x.high, at), "reference", "baseline")
    chart.line(rows, errors, "s0", "progressive")
    baseline = "" if found.baseline_accuracy is None else (
        f" The dashed line is the error of always predicting the most frequent label: "
        f"{fixed(1 - found.baseline_accuracy, 4)}."
    )  # fmt: skip
    return Figure(
        "progressive",
        "Progressive validation error",
        f"The fraction of mistakes among the rows so far, for {found.rows:,} rows: {fixed(errors[-1], 4)} in the end.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("rows", "error rate"), [(count(n), fixed(e, 4)) for n, e in zip(rows, errors, strict=True)]),
        f"Every row is predicted before it is first trained on; {100 * errors[-1]:.2f} % of "
        f"{found.rows:,} rows were mistakes.{baseline}",
    )


def mistakes_and_bound(certificate: Mistakes, found: Progressive | None) -> Figure | None:
    """Mistakes so far, where they are known, below the largest number that is possible."""
    if certificate.reason or not math.isfinite(certificate.bound) or certificate.bound <= 0:
        return None
    made, bound = certificate.made, certificate.bound
    log = bound > 20 * max(made, 1)
    if found is None or len(found.curve_rows) < 3:
        rows, upto = [1.0, 2.0], [float(made), float(made)]
    else:
        rows, upto = [float(n) for n in found.curve_rows], [float(n) for n in found.curve_mistakes]
    x = scale_of(rows, *across(), log=True, padding=0.0)
    y = scale_of([*(max(n, 1.0) for n in upto), bound, made] if log else [0.0, bound, made], *upwards(), log=log)
    chart = Chart(x, y, "rows of the first pass (logarithmic)", "mistakes" + (" (logarithmic)" if log else ""))
    chart.segment((x.low, bound), (x.high, bound), "whisker s1", "bound")
    chart.line(rows, [max(n, 1.0) for n in upto] if log else upto, "s0", "mistakes")
    chart.segment((x.low, max(made, 1)), (x.high, max(made, 1)), "whisker s0 dotted", "made")
    return Figure(
        "bound",
        "Mistakes against the bound",
        f"{made:,} mistakes were made; at most {figure(bound, 4)} were possible.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("quantity", "value"), [
            ("mistakes in all passes", count(made)), ("bound", figure(bound, 6)),
            *((_FACTS.get(key, key), figure(value, 5)) for key, value in certificate.facts.items()),
        ]),
        str(certificate) + ".",
        (("s0", "mistakes (dotted: in all passes)"), ("s1", "largest number possible")),
    )  # fmt: skip


_FACTS = {"radius": "radius R", "margin": "margin γ", "losses": "sum of losses L", "factor": "factor"}


def losses_by_pass(losses: Sequence[float]) -> Figure | None:
    if len(losses) < 2 or not all(map(math.isfinite, losses)):
        return None
    passes = list(range(1, len(losses) + 1))
    chart = Chart(scale_of(passes, *across()), scale_of(losses, *upwards()), "pass", "loss on held-out rows")
    chart.line([float(n) for n in passes], losses, "s0")
    best = min(range(len(losses)), key=lambda i: losses[i])
    for i, loss in enumerate(losses):
        chart.point(
            float(passes[i]), loss, "s0" if i == best else "s0 hollow", title=f"pass {passes[i]}: {figure(loss, 5)}"
        )
    return Figure(
        "passes",
        "Learning curve by pass",
        f"The loss on held-out rows after each of {len(losses)} passes; the best is pass {best + 1}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("pass", "loss"), [(str(n), figure(loss, 5)) for n, loss in zip(passes, losses, strict=True)]),
        f"The model is that of pass {best + 1}, the filled point.",
    )


def paths_of(choice: StrengthChoice) -> Figure | None:
    """The coefficient paths of the choice, if they were kept."""
    named = [(f"{each.label}: {each.feature}" if each.label else each.feature, each.weights) for each in choice.paths]
    return coefficient_paths(choice.name, choice.tried, named, choice.value)
