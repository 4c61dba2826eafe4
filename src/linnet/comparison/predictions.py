"""What a contender predicts for the test rows of a fold, and its metrics there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.results import F1
from linnet.data.labels import Labels
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.regression import RegressionTally

Flat = NDArray[np.float64]

# By name, the field of the result; those of numbers likewise.
OF_CLASSES = {
    "accuracy": "accuracy", "macro-f1": "macro_f1", "log-loss": "log_loss", "brier": "brier", "roc-auc": "roc_auc",
    "average-precision": "average_precision",
}  # fmt: skip
OF_NUMBERS = {"r2": "r2", "rmse": "rmse", "mae": "mae"}
BALANCED = "balanced-accuracy"
NEEDS_TWO_CLASSES = ("roc-auc", "average-precision")


@dataclass(frozen=True, eq=False)
class Predictions:
    """Classes by their numbers in the data set, with probabilities of all and scores of two where there are any; or
    numbers."""

    values: Flat
    probabilities: Flat | None = None
    scores: Flat | None = None


def checked_metric(metric: str | None, labels: Labels | None) -> str:
    """The metric that decides, as given or by default; refused where the data do not have it."""
    if metric is None:
        return "r2" if labels is None else "accuracy"
    names = list(OF_NUMBERS) if labels is None else [*OF_CLASSES, BALANCED]
    if metric.startswith(F1) and labels is not None:
        classes = [str(each) for each in labels.classes.tolist()]
        if metric.removeprefix(F1) not in classes:
            raise RecipeError(f"{spelt('metric', metric)} names no label: there are {', '.join(classes[:20])}")
        return metric
    if metric not in names:
        more = "" if labels is None else " and f1:LABEL"
        raise RecipeError(f"{spelt('metric', metric)} is not one of {', '.join(names)}{more}")
    if metric in NEEDS_TWO_CLASSES and labels is not None and len(labels) != 2:
        raise RecipeError(f"{spelt('metric', metric)} is of two classes, and there are {len(labels)}: take another")
    return metric


def metrics_of(
    predicted: Predictions, truth: Flat, weights: Flat | None, labels: Labels | None, metric: str
) -> dict[str, float]:
    """All metrics that are defined, by name; `metric` among them, if it is."""
    found: dict[str, Any]
    if labels is None:
        tally = RegressionTally()
        tally.add(truth, predicted.values, weights)
        numbers = tally.result()
        found = {name: getattr(numbers, field) for name, field in OF_NUMBERS.items()}
    else:
        found = _of_classes(predicted, truth, weights, labels, metric)
    return {name: float(value) for name, value in found.items() if not math.isnan(value)}


def _of_classes(
    predicted: Predictions, truth: Flat, weights: Flat | None, labels: Labels, metric: str
) -> dict[str, float]:
    tally = ClassificationTally(labels.classes)
    scores = predicted.scores if len(labels) == 2 else None
    tally.add(truth, predicted.values, predicted.probabilities, scores, weights)
    result = tally.result()
    found = {name: float(getattr(result, field)) for name, field in OF_CLASSES.items()}
    found[BALANCED] = _balanced_accuracy(result)
    if metric.startswith(F1):
        chosen = [each.f1 for each in result.classes if str(each.label) == metric.removeprefix(F1)]
        found[metric] = chosen[0]
    return found


def _balanced_accuracy(result: ClassificationResult) -> float:
    """The mean recall over the classes that the test rows have."""
    recalls = [each.recall for each in result.classes if each.support > 0]
    return math.fsum(recalls) / len(recalls) if recalls else math.nan
