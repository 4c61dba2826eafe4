"""What a picture is made of: a model with its saved results, an evaluation result, or an estimator with X and y.

All end in the results of `linnet.evaluation`, so that a picture has the numbers that are printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, RecipeError
from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.label_sets import LabelSetResult
from linnet.evaluation.regression import RegressionResult
from linnet.model.labelled_rows import true_and_predicted
from linnet.model.model import Model

Flat = NDArray[np.float64]
Result = ClassificationResult | RegressionResult | LabelSetResult
NOT_HELD_OUT = (
    "the model has no results on held-out rows: pass data with known targets as well, or train on more rows (held-out "
    "rows are left by default where there are 200 or so)"
)


def evaluated(source: Any, X: Any = None, y: Any = None) -> Result:
    """The evaluation result of a source; of a model without data, that of its held-out rows."""
    if isinstance(source, ClassificationResult | RegressionResult | LabelSetResult):
        return source
    if isinstance(source, Model):
        if X is not None:
            return source.evaluate(X if y is None else (X, y))
        if source.record.held_out is None:
            raise InputError(NOT_HELD_OUT)
        return source.record.held_out
    if not hasattr(source, "predict"):
        raise RecipeError(f"a {type(source).__name__} is not a model, an evaluation result or an estimator")
    if X is None or y is None:
        raise RecipeError(f"of an estimator ({type(source).__name__}) pass X and y as well")
    return _classified(source, X, y)


def classified(source: Any, X: Any = None, y: Any = None) -> ClassificationResult:
    """The result of a classifier of one label a row."""
    found = evaluated(source, X, y)
    if not isinstance(found, ClassificationResult):
        what = "several labels a row" if isinstance(found, LabelSetResult) else "numbers"
        raise RecipeError(f"the results are of {what}, and this picture is of classes")
    return found


def _classified(estimator: Any, X: Any, y: Any) -> ClassificationResult:
    """An estimator of scikit-learn's kind by the tally that linnet's own models are measured with."""
    if not hasattr(estimator, "classes_"):
        raise RecipeError(f"{type(estimator).__name__} is not a fitted classifier of one label a row")
    classes = np.asarray(estimator.classes_)
    tally = ClassificationTally(classes)
    scores = estimator.decision_function(X) if hasattr(estimator, "decision_function") else None
    tally.add(
        codes(classes, y),
        codes(classes, estimator.predict(X)),
        estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else None,
        scores if scores is not None and len(classes) == 2 else None,
    )
    return tally.result()


def codes(classes: NDArray[Any], labels: Any) -> NDArray[np.int64]:
    """The numbers of labels among the classes; -1 for others."""
    known = {label: number for number, label in enumerate(classes.tolist())}
    return np.array([known.get(label, -1) for label in np.asarray(labels).tolist()], dtype=np.int64)


def truth_and_prediction(source: Any, X: Any, y: Any) -> tuple[Flat, Flat]:
    """True and predicted numbers of rows: of the sample in a result, or in a model's own; of a model and labelled data;
    of an estimator, X and y."""
    if isinstance(source, RegressionResult) or (isinstance(source, Model) and X is None):
        return _sampled(evaluated(source))
    if isinstance(source, Model):
        return true_and_predicted(source, X if y is None else (X, y))
    if not hasattr(source, "predict") or y is None:
        raise RecipeError("pass a model, a result of predicted numbers, or an estimator with X and y")
    truth = np.asarray(y, dtype=np.float64)
    predicted = np.asarray(source.predict(X), dtype=np.float64)
    if truth.ndim != 1 or predicted.shape != truth.shape:
        raise InputError("this picture is of one predicted number a row")
    return truth, predicted


def _sampled(result: Result) -> tuple[Flat, Flat]:
    if not isinstance(result, RegressionResult):
        raise RecipeError("the results are of labels, and this picture is of numbers")
    if result.sample is None:
        raise InputError("the results have no sample of predictions: evaluate the model once more")
    return np.array(result.sample.truth), np.array(result.sample.predicted)
