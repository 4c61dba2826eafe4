"""Pictures of how a classifier did: ROC, precision-recall, confusion, reliability, margins."""

from __future__ import annotations

from linnet.evaluation.classification import ClassificationResult
from linnet.evaluation.pictures import Histogram, ThresholdCurve
from linnet.report.chart import HEIGHT, WIDTH, Chart, across, label, upwards
from linnet.report.figures import Figure, Table
from linnet.report.markup import Markup, element, shortened
from linnet.report.numbers import count, figure, fixed, span
from linnet.report.scales import Scale, scale_of

# Classes of a drawn confusion matrix, and of one with numbers in it; of more, so many pairs are listed.
MOST_DRAWN = 20
MOST_NUMBERED = 10
MOST_PAIRS = 15
LONGEST = 60
# A name beside the matrix.
NAME = 14


def roc(result: ClassificationResult) -> Figure | None:
    if result.curve is None or len(result.classes) != 2:
        return None
    fall_out, recall, _ = _rates(result.curve)
    chart = _unit_chart("false-positive rate", "true-positive rate (recall)")
    chart.segment((0, 0), (1, 1), "reference")
    chart.area(fall_out, [0.0] * len(recall), recall, "s0")
    chart.line(fall_out, recall, "s0", "roc")
    area = f"AUC {fixed(result.roc_auc, 4)}"
    ends = span(result.roc_auc_interval, 4)
    chart.text(chart.x(0.97), chart.y(0.07), area, "strong", "end")
    positive = shortened(result.classes[1].label, LONGEST)
    rows = [(_threshold(t), *(fixed(v, 4) for v in rates)) for t, *rates in _by_threshold(result.curve)]
    return Figure(
        "roc",
        "ROC curve",
        f"The true-positive rate against the false-positive rate over all thresholds; {area}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("score at least", "false-positive rate", "recall", "precision"), rows),
        f"{area}{f' (95 % interval {ends})' if ends else ''}: how often a random row of {positive} has a larger score "
        "than one of the other class. The dashed line is chance.",
    )


def precision_recall(result: ClassificationResult) -> Figure | None:
    if result.curve is None or len(result.classes) != 2:
        return None
    _, recall, precision = _rates(result.curve)
    positives, negatives = result.curve.positives[-1], result.curve.negatives[-1]
    share = positives / (positives + negatives)
    chart = _unit_chart("recall", "precision")
    chart.segment((0, share), (1, share), "reference")
    chart.line(recall[1:], precision[1:], "s0", "precision-recall")
    positive = shortened(result.classes[1].label, LONGEST)
    average = fixed(result.average_precision, 4)
    rows = [(_threshold(t), *(fixed(v, 4) for v in rates)) for t, *rates in _by_threshold(result.curve)]
    return Figure(
        "precision-recall",
        "Precision and recall",
        f"Precision against recall of {positive} over all thresholds; average precision {average}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("score at least", "false-positive rate", "recall", "precision"), rows),
        f"Average precision {average}. The dashed line is the precision of predicting {positive} for every row: "
        f"{fixed(share, 3)}.",
    )


def _rates(curve: ThresholdCurve) -> tuple[list[float], list[float], list[float]]:
    """False-positive rate, recall, and precision (1 before the first row)."""
    n, p = curve.negatives[-1], curve.positives[-1]
    precision = [b / (a + b) if a + b else 1.0 for a, b in zip(curve.negatives, curve.positives, strict=True)]
    return [a / n for a in curve.negatives], [b / p for b in curve.positives], precision


def _by_threshold(curve: ThresholdCurve) -> list[tuple[float, float, float, float]]:
    """A third of the points: the table is to be read."""
    rows = list(zip(curve.thresholds, *_rates(curve), strict=True))
    step = max(1, len(rows) // 60)
    return [*rows[1:-1:step], rows[-1]]


def _threshold(value: float) -> str:
    return figure(value, 4)


def _unit_chart(x: str, y: str) -> Chart:
    return Chart(Scale(0, 1, *across()), Scale(0, 1, *upwards()), x, y)


def reliability(result: ClassificationResult) -> Figure | None:
    bins = result.reliability
    if not bins:
        return None
    two = len(result.classes) == 2
    what = f"of {shortened(result.classes[1].label, 30)}" if two else "of the most probable class"
    chart = _unit_chart("predicted probability (mean of a bin)", "observed frequency")
    chart.segment((0, 0), (1, 1), "reference")
    for each in bins:
        low, high = each.observed_interval
        chart.interval(each.predicted, low, high, "s0")
    chart.line([each.predicted for each in bins], [each.observed for each in bins], "s0 thin")
    for each in bins:
        tip = f"predicted {fixed(each.predicted)}, observed {fixed(each.observed)}, {count(each.rows)} rows"
        chart.point(each.predicted, each.observed, "s0", title=tip, size=3.8)
    error, chance = fixed(result.calibration_error, 4), fixed(result.calibration_error_by_chance, 4)
    rows = [(fixed(b.predicted, 4), fixed(b.observed, 4), span(b.observed_interval, 4), count(b.rows)) for b in bins]
    return Figure(
        "reliability",
        "Reliability of probabilities",
        f"Observed frequency against predicted probability {what}, in {len(bins)} bins.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("predicted", "observed", "95 % interval", "rows"), rows),
        f"Probabilities {what}, in bins of about equal size, with 95 % intervals; calibrated ones lie on the dashed "
        f"line. Expected calibration error {error}; calibrated probabilities would have about {chance} by chance.",
    )


def confusion(result: ClassificationResult) -> Figure | None:
    """The matrix, shaded by the fraction of the true class; of many classes there is a list of pairs instead."""
    k = len(result.classes)
    if not 2 <= k <= MOST_DRAWN or [len(row) for row in result.confusion] != [k] * k:
        return None
    names = [str(each.label) for each in result.classes]
    longest = max(len(shortened(name, NAME)) for name in names)
    left = 40 + 6.2 * longest
    side = min((WIDTH - left - 14) / k, 84.0)
    upright = side < 6.4 * longest  # the names of the columns
    top = (34 + 6.6 * longest) if upright else 42.0
    parts = [
        label(left + side * k / 2, 13, "predicted", "axis-title", "middle"),
        _turned(11, top + side * k / 2, "true"),
    ]
    for i, (name, row) in enumerate(zip(names, result.confusion, strict=True)):
        at = left + side * (i + 0.5)
        spelt = shortened(name, NAME)
        parts.append(
            _turned(at + 4, top - 7, spelt, "tick", "start") if upright else label(at, top - 8, spelt, "tick", "middle")
        )
        parts.append(label(left - 7, top + side * (i + 0.5) + 4, spelt, "tick", "end"))
        for j, rows in enumerate(row):
            parts += _cell((left + side * j, top + side * i, side), rows, sum(row), (name, names[j]))
    table = Table(
        ("true", *(f"predicted {name}" for name in names)),
        [(name, *map(count, row)) for name, row in zip(names, result.confusion, strict=True)],
    )
    return Figure(
        "confusion",
        "Confusion matrix",
        f"How many rows of each of {k} classes were predicted as each class.",
        element("g", parts),
        WIDTH,
        top + side * k + 6,
        table,
        "Rows by true and predicted class; the shade is the fraction of the true class.",
    )


def _turned(x: float, y: float, words: str, class_: str = "axis-title", anchor: str = "middle") -> Markup:
    """Text that runs upwards."""
    turn = f"translate({x:.1f} {y:.1f}) rotate(-90)"
    return element("text", words, transform=turn, class_=class_, text_anchor=None if anchor == "start" else anchor)


def _cell(square: tuple[float, float, float], rows: float, total: float, names: tuple[str, str]) -> list[Markup]:
    """A square with the number of rows, and their fraction of the true class where there is room."""
    (x, y, side), part = square, rows / total if total else 0.0
    tip = f"true {names[0]}, predicted {names[1]}: {count(rows)} rows, {100 * part:.1f} % of {names[0]}"
    shade = f"fill:rgba(var(--heat),{0.04 + 0.56 * part:.3f})"
    title = element("title", tip)
    parts = [element("rect", title, x=x, y=y, width=side, height=side, class_="cell", style=shade)]
    middle, small = x + side / 2, side < 46
    if side >= 24:
        size = "small" if small else "strong" if names[0] == names[1] else ""
        parts.append(label(middle, y + side / 2 + (4 if small else -1), _short(rows), size, "middle"))
    if not small:
        parts.append(label(middle, y + side / 2 + 15, f"{100 * part:.1f} %", "small muted", "middle"))
    return parts


def _short(rows: float) -> str:
    return count(rows) if rows < 10_000 else f"{rows / 1000:,.0f}k" if rows < 1e6 else f"{rows / 1e6:,.1f}M"


def most_confused(result: ClassificationResult) -> Table | None:
    """The pairs of classes that are taken for one another most often, where there are too many for a matrix."""
    k = len(result.classes)
    if k <= MOST_NUMBERED or [len(row) for row in result.confusion] != [k] * k:
        return None
    names = [shortened(each.label, LONGEST) for each in result.classes]
    pairs = [(rows, i, j) for i, row in enumerate(result.confusion) for j, rows in enumerate(row) if i != j and rows]
    pairs.sort(key=lambda each: (-each[0], each[1], each[2]))
    rows = [(names[i], names[j], count(many)) for many, i, j in pairs[:MOST_PAIRS]]
    return Table(("true", "predicted", "rows"), rows, left=frozenset({0, 1})) if rows else None


def margins(result: ClassificationResult) -> Figure | None:
    """Mistakes, which have a margin of 0 or less, in another colour."""
    if result.margins is None:
        return None
    two = len(result.classes) == 2
    what = "y (w·x + b)" if two else "score of the true class less the largest of the others"
    chart = histogram_chart(result.margins, "margin", ("s1", "s0"))
    wrong = sum(rows for left, rows in zip(result.margins.edges, result.margins.counts, strict=False) if left < 0) + (
        result.margins.below if result.margins.first < 0 or result.margins.below else 0
    )
    return Figure(
        "margins",
        "Margins",
        f"A histogram of the margins of the rows: {what}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        histogram_table(result.margins, "margin"),
        f"How far each row is on its own side of the boundary: {what}. {_on_the_other_side(wrong)}"
        f"{beyond(result.margins)}.",
        (("s0", "correct side"), ("s1", "wrong side")),
    )


def _on_the_other_side(rows: float) -> str:
    return "No row is on the other side" if rows == 0 else (
        f"{count(rows)} row{' is' if rows == 1 else 's are'} on the other side"
    )  # fmt: skip


def histogram_chart(found: Histogram, title: str, colours: tuple[str, str]) -> Chart:
    """Bars; those left of 0 in the first colour."""
    edges = found.edges
    x = Scale(edges[0], edges[-1], *across())
    y = scale_of([0.0, *found.counts], *upwards(), padding=0.0)
    y = Scale(0.0, 1.06 * y.high, y.start, y.stop)
    chart = Chart(x, y, title, "rows")
    for left, right, rows in zip(edges, edges[1:], found.counts, strict=False):
        gap = 0.06 * found.width
        colour = colours[0] if right <= found.width * 1e-9 else colours[1]
        chart.bar(left + gap, right - gap, 0, rows, colour, f"{figure(left)} to {figure(right)}: {count(rows)} rows")
    if edges[0] < 0 < edges[-1]:
        chart.segment((0, 0), (0, y.high), "reference")
    return chart


def histogram_table(found: Histogram, name: str) -> Table:
    rows: list[tuple[object, ...]] = [
        (f"{figure(left, 4)} to {figure(right, 4)}", count(rows))
        for left, right, rows in zip(found.edges, found.edges[1:], found.counts, strict=False)
    ]
    ends = (
        ([("below", count(found.below))] if found.below else []),
        ([("above", count(found.above))] if found.above else []),
    )
    return Table((name, "rows"), [*ends[0], *rows, *ends[1]])


def beyond(found: Histogram) -> str:
    """That some rows are not in the picture."""
    outside = found.below + found.above
    rows = f"{count(outside)} row{' beyond its ends is' if outside == 1 else 's beyond its ends are'}"
    return f"; {rows} not drawn" if outside else ""
