"""CostSensitive: any classifier with probabilities, deciding by the least expected cost."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from linnet.data.sparse_matrices import sound
from linnet.decisions.costs import REJECTED, Rule, check_given
from linnet.errors import RecipeError
from linnet.estimators.base import offered_if
from linnet.estimators.documentation import documented

ATTRIBUTES = """
    Attributes
    ----------
    estimator_ : the fitted classifier
    rule_ : the decision rule: `rule_.costs` (truth down, decision across), for two classes `rule_.threshold`
    classes_ : the labels, sorted
"""


@documented(attributes=ATTRIBUTES)
class CostSensitive(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The label that costs least on average by a classifier's probabilities; or none, where that costs too much.

    Decisions are only as good as the probabilities: `sklearn.calibration.CalibratedClassifierCV` makes them, for
    classifiers that have none or bad ones.  `sklearn.frozen.FrozenEstimator` keeps a fitted one as it is.

    >>> from linnet import CostSensitive, LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["ham", "ham", "spam", "spam"]
    >>> careful = CostSensitive(LogisticRegression(), costs={("ham", "spam"): 9}).fit(X, y)
    >>> careful.predict([[0.0], [2.0], [9.0]]).tolist()
    ['ham', 'ham', 'spam']
    >>> round(careful.rule_.threshold, 3)
    0.9
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        reject: float | None = None,
        least: float | None = None,
        reject_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.reject = reject
        self.least = least
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the classifier; costs must name labels that y has."""
        check_given(self.costs, self.reject, self.least)
        if not hasattr(self.estimator, "predict_proba"):
            name = type(self.estimator).__name__
            raise RecipeError(f"{name} gives no probabilities to weigh costs by: put CalibratedClassifierCV around it")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        X = sound(X)
        self.estimator_ = clone(self.estimator).fit(X, y, **weights)
        self.classes_ = self.estimator_.classes_
        self.rule_ = Rule.of(self.classes_, self.costs, self.reject, self.least)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row; `reject_label` for those rejected."""
        check_is_fitted(self)
        codes = self.rule_.decide(self.predict_proba(X))
        labels: NDArray[Any] = self.classes_[codes]
        rejected = codes == REJECTED
        if self.reject is None and self.least is None:
            return labels
        mark = np.asarray(self.reject_label)
        kind = np.result_type(labels, mark) if labels.dtype.kind == mark.dtype.kind else np.dtype(object)
        labels = labels.astype(kind)
        labels[rejected] = self.reject_label
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(rows, classes): the classifier's probabilities."""
        check_is_fitted(self)
        X = sound(X)
        probabilities: NDArray[np.float64] = np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)
        return probabilities

    def expected_costs(self, X: Any) -> NDArray[np.float64]:
        """(rows, classes): what deciding for each label costs on average."""
        check_is_fitted(self)
        return self.rule_.expected(self.predict_proba(X))

    @offered_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The classifier's scores, which know nothing of costs."""
        check_is_fitted(self)
        X = sound(X)
        scores: NDArray[np.float64] = self.estimator_.decision_function(X)
        return scores
