"""Pictures of how a model of numbers did: predicted against true values, and residuals."""

from __future__ import annotations

from linnet.evaluation.regression import RegressionResult
from linnet.report.chart import HEIGHT, WIDTH, Chart, across, upwards
from linnet.report.classification_figures import beyond, histogram_chart, histogram_table
from linnet.report.figures import Figure, Table
from linnet.report.numbers import count, figure
from linnet.report.scales import Scale, scale_of


def predicted_against_true(result: RegressionResult) -> Figure | None:
    sample = result.sample
    if sample is None:
        return None
    both = scale_of((*sample.truth, *sample.predicted), 0, 1)
    chart = Chart(Scale(both.low, both.high, *across()), Scale(both.low, both.high, *upwards()), "true", "predicted")
    chart.segment((both.low, both.low), (both.high, both.high), "reference")
    for truth, predicted in zip(sample.truth, sample.predicted, strict=True):
        chart.point(truth, predicted, "s0 faint", size=2.8)
    drawn, rows = len(sample.truth), result.rows
    some = f"a random sample of {drawn:,} of {count(rows)} rows" if drawn < rows else f"{drawn:,} rows"
    table = [(figure(a, 5), figure(b, 5)) for a, b in zip(sample.truth, sample.predicted, strict=True)]
    return Figure(
        "predicted",
        "Predicted against true values",
        f"A scatter plot of predicted against true values of {some}.",
        chart.body(),
        WIDTH,
        HEIGHT,
        Table(("true", "predicted"), table, left=frozenset()),
        f"{some[0].upper()}{some[1:]}; on the dashed line a prediction is exact.",
    )


def residuals(result: RegressionResult) -> Figure | None:
    found = result.residuals
    if found is None:
        return None
    chart = histogram_chart(found, "prediction − truth", ("s0", "s0"))
    return Figure(
        "residuals",
        "Residuals",
        "A histogram of the differences between predictions and true values.",
        chart.body(),
        WIDTH,
        HEIGHT,
        histogram_table(found, "prediction − truth"),
        f"Mean {figure(result.bias)}, root mean square {figure(result.rmse)}{beyond(found)}.",
    )
