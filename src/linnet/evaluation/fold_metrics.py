"""The metrics of tuning on the rows of one fold: plain functions of arrays, one number each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.tuning_metrics import Metric

Flat = NDArray[np.float64]

# A probability of 0 has no logarithm.
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of some rows, and the truth: numbers, or codes of classes.

    `scores` are those of the second of two classes; `probabilities` are (rows, classes), where there are any.
    """

    truth: Flat
    predicted: NDArray[Any]
    weights: Flat | None = None
    scores: Flat | None = None
    probabilities: Flat | None = None

    @property
    def w(self) -> Flat:
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    @property
    def codes(self) -> NDArray[np.int64]:
        return self.truth.astype(np.int64)


def value(metric: Metric, predicted: Predicted, positive: int | None = None) -> float:
    """The metric of these predictions; `positive` is the code of the label of f1."""
    if metric.label is not None:
        assert positive is not None
        return float(_f1(predicted)[positive])
    return float(_METRICS[metric.name](predicted))


def _mean(each: NDArray[Any], weights: Flat | None) -> float:
    return float(np.average(each, weights=weights))


def _confusion(p: Predicted) -> tuple[Flat, Flat, Flat]:
    """By class: the weight of hits, of true rows and of predicted rows."""
    truth, guessed, w = p.codes, np.asarray(p.predicted, dtype=np.int64), p.w
    classes = int(max(truth.max(initial=0), guessed.max(initial=0))) + 1
    if p.probabilities is not None:
        classes = max(classes, p.probabilities.shape[1])
    of = ((truth, w * (truth == guessed)), (truth, w), (guessed, w))
    hits, true, asked = (np.bincount(codes, weights, classes).astype(np.float64) for codes, weights in of)
    return hits, true, asked


def _ratio(above: Flat, below: Flat) -> Flat:
    return np.divide(above, below, out=np.zeros_like(below), where=below > 0)


def _f1(p: Predicted) -> Flat:
    hits, true, guessed = _confusion(p)
    return _ratio(2.0 * hits, true + guessed)


def _macro_f1(p: Predicted) -> float:
    _, true, guessed = _confusion(p)
    return float(_f1(p)[(true + guessed) > 0].mean())


def _balanced_accuracy(p: Predicted) -> float:
    hits, true, _ = _confusion(p)
    return float(_ratio(hits, true)[true > 0].mean())


def _roc_auc(p: Predicted) -> float:
    assert p.scores is not None
    _, at = np.unique(p.scores, return_inverse=True)
    positive, negative = (np.bincount(at, p.w * (p.codes == side)) for side in (1, 0))
    pairs = positive.sum() * negative.sum()
    below = np.cumsum(negative) - negative
    return float((positive * (below + 0.5 * negative)).sum() / pairs) if pairs > 0 else float("nan")


def log_losses(p: Predicted) -> Flat:
    """The log loss of every row."""
    assert p.probabilities is not None
    own = p.probabilities[np.arange(len(p.truth)), p.codes]
    return np.asarray(-np.log(np.clip(own, LEAST_PROBABILITY, 1.0)))


def _brier(p: Predicted) -> float:
    assert p.probabilities is not None
    classes = p.probabilities.shape[1]
    off = p.probabilities - (p.codes[:, np.newaxis] == np.arange(classes))
    return _mean((off * off).sum(axis=1), p.weights) / (2.0 if classes == 2 else 1.0)


def _squared_error(p: Predicted) -> float:
    return _mean((p.truth - p.predicted) ** 2, p.weights)


def _r2(p: Predicted) -> float:
    spread = _mean((p.truth - _mean(p.truth, p.weights)) ** 2, p.weights)
    return 1.0 - _squared_error(p) / spread if spread > 0 else float("nan")


_METRICS: dict[str, Callable[[Predicted], float]] = {
    "accuracy": lambda p: _mean(p.predicted == p.truth, p.weights),
    "balanced-accuracy": _balanced_accuracy,
    "macro-f1": _macro_f1,
    "roc-auc": _roc_auc,
    "log-loss": lambda p: _mean(log_losses(p), p.weights),
    "brier": _brier,
    "r2": _r2,
    "rmse": lambda p: float(np.sqrt(_squared_error(p))),
    "mae": lambda p: _mean(np.abs(p.truth - p.predicted), p.weights),
}
