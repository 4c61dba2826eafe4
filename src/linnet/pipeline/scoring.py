"""Predictions of a model held against the truth, for the tallies of evaluation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.regression import RegressionResult, RegressionTally
from linnet.examples import Rows
from linnet.model import LinearModel

Tally = ClassificationTally | RegressionTally
Result = ClassificationResult | RegressionResult


def tally_for(model: LinearModel) -> Tally:
    """An empty tally of the kind that the model's predictions need."""
    return RegressionTally() if model.classes is None else ClassificationTally(model.classes)


def add_result(tally: Tally, model: LinearModel, rows: Rows, truth: NDArray[np.float64], *, probable: bool) -> float:
    """Predict rows, add how that went to the tally; the sum of losses comes back (log loss, mistakes, or squares)."""
    if model.classes is None:
        assert isinstance(tally, RegressionTally)
        predicted = model.predict(rows)
        tally.add(truth, predicted)
        return float(((predicted - truth) ** 2).sum())
    assert isinstance(tally, ClassificationTally)
    decision = model.decision(rows)
    codes = decision.argmax(axis=1) if decision.ndim > 1 else (decision > 0).astype(np.int64)
    if len(model.classes) == 1:
        codes = np.zeros(len(truth), dtype=np.int64)
    probabilities = model.predict_proba(rows) if probable else None
    scores = decision if decision.ndim == 1 and len(model.classes) == 2 else None
    tally.add(truth, codes, probabilities=probabilities, scores=scores)
    if probabilities is None:
        return float((codes != truth).sum())
    known = truth >= 0
    right = probabilities[np.flatnonzero(known), truth[known].astype(np.int64)]
    return float(-np.log(np.maximum(right, 1e-15)).sum())
