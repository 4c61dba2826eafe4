"""The figures of an evaluation: tiles and tables, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linnet.evaluation.classification import ClassificationResult, ClassResult
from linnet.evaluation.intervals import Interval
from linnet.evaluation.label_sets import LabelSetResult
from linnet.evaluation.regression import RegressionResult
from linnet.report.figures import Table
from linnet.report.markup import element, shortened
from linnet.report.numbers import DASH, count, figure, fixed, span
from linnet.report.page import Tile

Result = ClassificationResult | RegressionResult | LabelSetResult
MOST_CLASSES = 100
LONGEST = 80


def result_tiles(result: Result) -> list[Tile]:
    """The figures that the page begins with."""
    if isinstance(result, ClassificationResult):
        shown = [
            Tile("Accuracy", _percent(result.accuracy), _percents(result.accuracy_interval)),
            Tile("Always the most frequent label", _percent(result.baseline_accuracy), "accuracy of the baseline"),
        ]
        if not math.isnan(result.roc_auc):
            shown.append(Tile("ROC AUC", fixed(result.roc_auc), _ends(result.roc_auc_interval)))
        if not math.isnan(result.log_loss):
            shown.append(Tile("Log loss", fixed(result.log_loss), _ends(result.log_loss_interval)))
        if math.isnan(result.roc_auc):
            shown.append(Tile("Macro F1", fixed(result.macro_f1), _ends(result.macro_f1_interval)))
        return shown
    if isinstance(result, RegressionResult):
        return [
            Tile("R²", fixed(result.r2), _ends(result.r2_interval)),
            Tile("RMSE", figure(result.rmse, 4), _ends(result.rmse_interval, None)),
            Tile("RMSE of the mean", figure(result.baseline_rmse, 4), "the baseline"),
            Tile("Mean absolute error", figure(result.mae, 4), _ends(result.mae_interval, None)),
        ]
    return [
        Tile("Micro F1", fixed(result.micro_f1)),
        Tile("Macro F1", fixed(result.macro_f1)),
        Tile("Subset accuracy", _percent(result.subset_accuracy), _percents(result.subset_accuracy_interval)),
        Tile("Precision@1", fixed(result.precision_at_1)),
    ]


def metrics(result: Result) -> Table:
    """Every metric that is defined, with its interval if it has one."""
    rows: list[tuple[str, float, Interval | None]]
    if isinstance(result, ClassificationResult):
        rows = [
            ("accuracy", result.accuracy, result.accuracy_interval),
            ("baseline accuracy (most frequent label)", result.baseline_accuracy, None),
            ("macro F1", result.macro_f1, result.macro_f1_interval),
            ("weighted F1", result.weighted_f1, None),
            ("ROC AUC", result.roc_auc, result.roc_auc_interval),
            ("average precision", result.average_precision, None),
            ("log loss", result.log_loss, result.log_loss_interval),
            ("Brier score", result.brier, result.brier_interval),
            ("expected calibration error", result.calibration_error, None),
        ]
        if result.costs is not None:
            costs = result.costs
            rows += [
                ("mean cost", costs.realised, costs.realised_interval),
                ("mean cost expected by the probabilities", costs.expected, costs.expected_interval),
                ("mean cost of the best constant decision", costs.baseline, None),
                (
                    "accuracy of the rows that were not rejected",
                    costs.accuracy_decided,
                    costs.accuracy_decided_interval,
                ),
            ]
    elif isinstance(result, RegressionResult):
        rows = [
            ("R²", result.r2, result.r2_interval),
            ("RMSE", result.rmse, result.rmse_interval),
            ("RMSE of always predicting the mean", result.baseline_rmse, None),
            ("mean absolute error", result.mae, result.mae_interval),
            ("median absolute error", result.median_absolute_error, result.median_absolute_error_interval),
            ("bias (mean of prediction − truth)", result.bias, result.bias_interval),
        ]
        if result.loss is not None:
            rows += [
                (f"mean {result.loss.name}", result.loss.mean, result.loss.mean_interval),
                ("D²", result.loss.d2, None),
            ]
    else:
        rows = [
            ("micro F1", result.micro_f1, None),
            ("macro F1", result.macro_f1, None),
            ("subset accuracy", result.subset_accuracy, result.subset_accuracy_interval),
            ("Hamming loss", result.hamming_loss, None),
            *((f"precision@{k}", value, None) for k, value in zip((1, 3, 5), result.precisions, strict=True)),
        ]
    return Table(
        ("metric", "value", "95 % interval"),
        [(name, figure(value, 4), _of(interval)) for name, value, interval in rows if not math.isnan(value)],
    )


def _of(interval: Interval | None) -> str:  # markup is text, too
    if interval is None:
        return ""
    found = span(interval, None)
    if found or not interval.reason:
        return found or DASH
    return element("span", f"none: {interval.reason}", class_="why")


def by_class(classes: Sequence[ClassResult]) -> Table:
    """Precision and recall of each class, the most frequent first where they are many."""
    shown = list(classes)
    if len(shown) > MOST_CLASSES:
        shown = sorted(shown, key=lambda each: -each.support)[:MOST_CLASSES]
    rows = [
        (
            shortened(each.label, LONGEST),
            *(fixed(v, 4) for v in (each.precision, each.recall, each.f1)),
            count(each.support),
        )
        for each in shown
    ]
    return Table(("label", "precision", "recall", "F1", "rows"), rows)


def _ends(interval: Interval, decimals: int | None = 3) -> str:
    found = span(interval, decimals)
    return f"95 % interval {found}" if found else f"no interval: {interval.reason}" if interval.reason else ""


def _percents(interval: Interval) -> str:
    low, high = interval
    return "" if math.isnan(low) else f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"


def _percent(value: float) -> str:
    return (
        DASH if math.isnan(value) else f"{100 * value:.1f} %" if value <= 0.99 or value == 1 else f"{100 * value:.2f} %"
    )
