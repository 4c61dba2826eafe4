"""Naive Bayes in its linear forms: MultinomialNB, BernoulliNB, SharedGaussianNB."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.estimators.base import offered_if
from linnet.estimators.counting import ATTRIBUTES, CountingClassifier, priors_of
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive
from linnet.training.counting.naive_bayes import presence


@documented("naive-bayes", attributes=ATTRIBUTES)
class MultinomialNB(CountingClassifier):
    """Naive Bayes for counts, such as words in texts; values are 0 or more.

    >>> from linnet import MultinomialNB
    >>> X, y = [[2, 0, 1], [3, 1, 0], [0, 2, 1], [0, 3, 2]], ["a", "a", "b", "b"]
    >>> MultinomialNB().fit(X, y).predict([[1, 0, 0], [0, 1, 0]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes"

    def __init__(self, *, alpha: float = 1.0, fit_prior: bool = True, class_prior: Any = None) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    # only once fitted: of estimators with scores and probabilities scikit-learn's checks fit negative numbers
    @offered_if(lambda self: hasattr(self, "model_"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w . x + b: one a row for two classes (positive: the second), one a row and class for more."""
        return super().decision_function(X)

    def _parameters(self) -> dict[str, Any]:
        priors = priors_of("class_prior", self.class_prior, estimated=self.fit_prior)
        return {"priors": priors, "alpha": check_positive("alpha", self.alpha)}


@documented("naive-bayes-bernoulli", attributes=ATTRIBUTES)
class BernoulliNB(CountingClassifier):
    """Naive Bayes for what is there or not: a value counts as there where it is above `binarize`.

    The weights are those of rows made of 1 and 0 in this way, and predict converts rows the same way.

    >>> from linnet import BernoulliNB
    >>> X, y = [[5, 0, 1], [1, 0, 0], [0, 2, 1], [0, 1, 0]], ["a", "a", "b", "b"]
    >>> BernoulliNB().fit(X, y).predict([[9, 0, 1], [0, 9, 1]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes-bernoulli"

    def __init__(
        self, *, alpha: float = 1.0, binarize: float = 0.0, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _parameters(self) -> dict[str, Any]:
        priors = priors_of("class_prior", self.class_prior, estimated=self.fit_prior)
        return {"priors": priors, "alpha": check_positive("alpha", self.alpha)}

    def _rows(self, X: Any) -> Rows:
        return presence(super()._rows(X), check_number("binarize", self.binarize))

    def _rows_and_targets(self, X: Any, y: Any, *, reset: bool, numeric: bool) -> tuple[Rows, NDArray[Any]]:
        rows, y = super()._rows_and_targets(X, y, reset=reset, numeric=numeric)
        return presence(rows, check_number("binarize", self.binarize)), y


@documented("naive-bayes-gaussian", attributes=ATTRIBUTES)
class SharedGaussianNB(CountingClassifier):
    """Naive Bayes for measurements: every column a Gaussian whose deviation the classes share.

    scikit-learn's GaussianNB has a variance for each class, which bends the boundary; with a shared one it is a plane,
    and this is discriminant analysis that takes columns for independent.

    >>> from linnet import SharedGaussianNB
    >>> X, y = [[1.0, 20], [1.2, 22], [2.9, 21], [3.1, 19]], ["a", "a", "b", "b"]
    >>> SharedGaussianNB().fit(X, y).predict([[1.5, 20], [2.5, 20]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes-gaussian"

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _parameters(self) -> dict[str, Any]:
        smoothing = check_positive("var_smoothing", self.var_smoothing)
        return {"priors": priors_of("priors", self.priors), "smoothing": smoothing}
