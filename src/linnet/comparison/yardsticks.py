"""Yardsticks: scikit-learn estimators on the features that linear learners have, of the same folds.

Features are on the scale of the training rows (pipeline/scaling.py), as batch learners take them: numbers standardised,
missing ones 0 with a flag, categories one-hot, n-grams by the logarithm of their counts at unit length.  Rows are a
dense array where that is small enough, else a sparse matrix.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.compared_data import ComparedData
from linnet.comparison.contenders import Contender, estimator_of
from linnet.comparison.fold_view import FoldView
from linnet.comparison.predictions import Predictions
from linnet.data.rows import Rows
from linnet.errors import InputError
from linnet.errors import option as spelt
from linnet.pipeline.scaling import Scaling, measured, scaled

Flat = NDArray[np.float64]

# Seeds of NumPy's generators have 32 bits.
SEEDS = 2**32


class Fitted:
    """A fitted estimator, and the scale of the rows that it takes."""

    def __init__(self, estimator: Any, features: Any, scaling: Scaling | None, *, dense: bool) -> None:
        self.estimator = estimator
        self.features = features
        self.scaling = scaling
        self.dense = dense


def check(contender: Contender, data: ComparedData) -> None:
    """Refuse a yardstick that cannot be made, or is for another task."""
    estimator_of(contender, data.task)


def fitted(contender: Contender, view: FoldView, seed: int) -> Fitted:
    """The estimator fitted to the training rows."""
    data, train = view.data, view.fold.train
    estimator = _seeded(estimator_of(contender, data.task), seed)
    features = view.features()
    rows, weights = view.train_rows(features), view.weights(train)
    scaling = measured(features, rows, weights)
    size = 8 * data.rows * len(features)
    dense = size <= data.options.memory // 4
    given: dict[str, Any] = {}
    if weights is not None:
        if "sample_weight" not in inspect.signature(estimator.fit).parameters:
            raise InputError("rows have weights, and it takes none")
        given["sample_weight"] = weights
    targets = data.dataset.targets[train]
    y = targets if data.labels is None else targets.astype(np.int64)
    with warnings.catch_warnings(), _one_thread():
        warnings.simplefilter("ignore")  # of convergence and the like: the figures show what they cost
        try:
            estimator.fit(_matrix(scaled(rows, scaling), dense=dense), y, **given)
        except TypeError as error:
            if dense or "dense" not in str(error):
                raise
            raise InputError(
                f"it takes dense rows alone, and these would take {size / 1e9:.1f} GB: allow four times as much "
                f"({spelt('memory')})"
            ) from None
    return Fitted(estimator, features, scaling, dense=dense)


def predicted(made: Fitted, view: FoldView) -> Predictions:
    """Its predictions for the test rows."""
    matrix = _matrix(scaled(view.test_rows(made.features), made.scaling), dense=made.dense)
    estimator, labels = made.estimator, view.data.labels
    with warnings.catch_warnings(), _one_thread():
        warnings.simplefilter("ignore")
        values = np.asarray(estimator.predict(matrix)).reshape(-1).astype(np.float64)
        if labels is None:
            return Predictions(values)
        classes = np.asarray(estimator.classes_).astype(np.int64)
        probabilities = None
        if hasattr(estimator, "predict_proba"):
            probabilities = np.zeros((len(values), len(labels)))
            probabilities[:, classes] = estimator.predict_proba(matrix)
        scores = None
        if probabilities is None and len(classes) == 2 and hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(matrix), dtype=np.float64).reshape(-1)
    return Predictions(values, probabilities, scores)


def _one_thread() -> Any:
    """Linear algebra and OpenMP on one thread: sums on several would be added in another order."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _seeded(estimator: Any, seed: int) -> Any:
    """The estimator with a seed, if it draws and was given none."""
    if estimator.get_params(deep=False).get("random_state", 0) is None:
        estimator.set_params(random_state=seed % SEEDS)
    return estimator


def _matrix(rows: Rows, *, dense: bool) -> Any:
    """The rows as scikit-learn takes them."""
    from scipy.sparse import csr_matrix

    starts = rows.starts if rows.entries > np.iinfo(np.int32).max else rows.starts.astype(np.int32)
    values = rows.values.astype(np.float64)
    matrix = csr_matrix((values, rows.ids.astype(np.int32), starts), shape=rows.shape)
    return matrix.toarray() if dense else matrix
