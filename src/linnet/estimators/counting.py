"""What the estimators that only count share: one read of the rows, and a closed form of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.training.counting.naive_bayes import CLOSED_FORM, Priors
from linnet.training.fit import Settings

ATTRIBUTES = """
    Attributes
    ----------
    coef_, intercept_ : the weights w and the intercept b: log-odds for two classes, one score a class for more
    classes_ : the labels, sorted
    certificate_ : says that this is a closed form, in which nothing is minimised
    model_ : the `linnet.learners.linear.LinearModel`
    n_features_in_, feature_names_in_ : what the columns were
"""


class CountingClassifier(LinearClassifier):
    """Rows in, sums by class, a linear model out; `partial_fit` in any cut of blocks gives the bits of `fit`."""

    learner: str
    # what learners in several passes leave to their users, and counting has no use for
    fit_intercept = True
    max_iter = 1
    tol = None
    verbose = 0
    class_weight = None
    multiclass = "joint"

    def _parameters(self) -> dict[str, Any]:
        """The parameters of the counting model."""
        raise NotImplementedError

    def _given(self) -> dict[str, Any]:
        """The parameters as they are; get_params would read the signature again, which takes as long as a small fit."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_") and name[-1] != "_"}

    def _learner(self) -> Entry:
        return catalogue.find(self.learner)

    def _settings(self) -> Settings:
        return replace(super()._settings(), counting=self._parameters())

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        self._began_with = self._given()
        return super()._fit(examples, labels, learner)

    def _take(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        assert labels is not None
        training = getattr(self, "_training", None)
        if training is None:
            training = learner.counts_with()(examples.rows.shape[1], Labels(), **self._parameters())
            self._began_with = self._given()
        elif str(self._began_with) != str(self._given()):
            raise RecipeError("the parameters have changed since the stream began: call fit, or clone the estimator")
        training.take(examples, labels)
        self._training = training
        self._show(training.model(), examples.rows.dtype)
        self.certificate_ = CLOSED_FORM
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class."""
        return self._proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class."""
        return self._log_proba(X)


def priors_of(name: str, given: Any, *, estimated: bool = True) -> Priors:
    """The given probabilities; or the frequencies of the classes; or uniform."""
    if given is None:
        return Priors(uniform=not estimated)
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        raise RecipeError(f"{name} is a probability for each class, or None; it is {given!r}")
    return Priors(given=tuple(float(each) for each in given))
