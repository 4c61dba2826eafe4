"""BestThreshold: any classifier of two labels, deciding where a metric is best."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from linnet.data.sparse_matrices import sound
from linnet.decisions.thresholds import USUAL, Goal, choose
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import offered_if
from linnet.estimators.documentation import documented
from linnet.estimators.reading import check_kind, input_errors

ATTRIBUTES = """
    Attributes
    ----------
    estimator_ : the classifier, fitted to all rows
    threshold_ : the second label is predicted where its probability (or, without any, its score) is above this
    choice_ : how the threshold did, and the usual one, on held-out rows: `at_threshold`, `at_usual`, `rows`
    classes_ : the two labels, sorted
"""


@documented(attributes=ATTRIBUTES)
class BestThreshold(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Of two labels, the second where its probability is above a threshold: the best for a metric on held-out folds.

    Every row is scored by a copy of the classifier that was not fitted to it.  The thresholds midway between two
    neighbouring scores are compared; of equally good ones the nearest to the default is taken.  A classifier without
    probabilities gets a threshold for its scores.  `linnet train --threshold-for` does the same.

    `metric` is `f1`, `f0.5`, `f2`, `accuracy`, `balanced-accuracy` or `matthews`; or one measure subject to a
    minimum of another: `precision@recall=0.95`, `recall@precision=0.9`.

    >>> from linnet import BestThreshold, LogisticRegression
    >>> X, y = [[float(i)] for i in range(12)], [0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1]
    >>> model = BestThreshold(LogisticRegression(), metric="f1", cv=2).fit(X, y)
    >>> round(model.threshold_, 2), round(model.choice_.at_threshold["f1"], 2), round(model.choice_.at_usual["f1"], 2)
    (0.38, 0.67, 0.57)
    """

    def __init__(self, estimator: Any, *, metric: str = "balanced-accuracy", positive: Any = None, cv: Any = 5) -> None:
        self.estimator = estimator
        self.metric = metric
        self.positive = positive
        self.cv = cv

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Choose the threshold by folds, and fit the classifier to all rows.

        Further parameters go to the classifier's fit; a `sample_weight` also weights the metric.
        """
        goal = Goal.parsed(self.metric, self.positive)
        self._method(self.estimator)
        if y is None:
            raise InputError("BestThreshold requires y to be passed, but the target y is None")
        weights = params.get("sample_weight")
        with input_errors():
            check_kind(y, "y")
            y = column_or_1d(y, warn=True)
            kind = type_of_target(y, input_name="y") if len(y) else "unknown"
            check_kind(weights, "sample_weight")
            weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        if kind not in ("binary", "unknown"):
            raise InputError(f"Only binary classification is supported. The type of the target is {kind}.")
        if weights is not None and weights.ndim != 1:
            raise InputError(f"sample_weight must be one weight for each row; it has {weights.ndim} dimensions")
        if weights is not None and len(weights) == len(y) and len(np.unique(y[weights > 0])) == 1:
            raise InputError("sample_weight leaves rows of one class only: a threshold parts two")
        X = sound(X)
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        goal = goal.among(self.classes_)
        scores = self._held_out_scores(X, y, params)
        usual, ends = USUAL, (0.0, 1.0)
        if self._method(self.estimator) == "decision_function":
            far = 1.0 + 2.0 * float(np.abs(scores).max())
            usual, ends = 0.0, (-far, far)
        self.choice_ = choose(goal, self.classes_, scores, y == self.classes_[1], weights, usual=usual, ends=ends)
        self.threshold_ = self.choice_.threshold
        return self

    def _held_out_scores(self, X: Any, y: NDArray[Any], params: dict[str, Any]) -> NDArray[np.float64]:
        """The second label's score of every row, by a copy that was not fitted to it."""
        cv = self.cv
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            fewest = int(np.unique(y, return_counts=True)[1].min())
            if cv < 2 or fewest < 2:
                raise InputError(f"a threshold takes two folds or more, and two rows of each label: {cv=}, {fewest=}")
            cv = StratifiedKFold(min(int(cv), fewest), shuffle=True, random_state=0)
        method = self._method(self.estimator)
        scores = cross_val_predict(clone(self.estimator), X, y, cv=cv, method=method, params=params)
        return _of_second(scores)

    @staticmethod
    def _method(estimator: Any) -> str:
        for method in ("predict_proba", "decision_function"):
            if hasattr(estimator, method):
                return method
        name = type(estimator).__name__
        raise RecipeError(f"{name} gives neither probabilities nor scores to put a threshold on: take another")

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row."""
        check_is_fitted(self)
        scores = _of_second(getattr(self.estimator_, self._method(self.estimator_))(sound(X)))
        labels: NDArray[Any] = self.classes_[(scores > self.threshold_).astype(np.int64)]
        return labels

    @offered_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(rows, 2): the classifier's probabilities."""
        check_is_fitted(self)
        X = sound(X)
        probabilities: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return probabilities

    @offered_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The classifier's scores, which know nothing of the threshold."""
        check_is_fitted(self)
        X = sound(X)
        scores: NDArray[np.float64] = self.estimator_.decision_function(X)
        return scores


def _of_second(scores: Any) -> NDArray[np.float64]:
    each: NDArray[np.float64] = np.asarray(scores, dtype=np.float64)
    return each[:, 1] if each.ndim == 2 else each
