"""What the estimators that only count share: one read of the rows, and a closed form of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier
from linnet.learners import catalogue
from linnet.learners.recipe import Recipe
from linnet.training.counting.naive_bayes import CLOSED_FORM, Counting, Priors
from linnet.training.history import Pass, Watcher
from linnet.training.result import Trained

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

    def _counting(self, columns: int, labels: Labels) -> Counting:
        """What the parameters describe, with no row counted yet."""
        raise NotImplementedError

    def _recipe(self) -> Recipe:
        return catalogue.find(self.learner).recipe

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:  # noqa: ARG002
        assert labels is not None
        began = perf_counter()
        training = self._counting(examples.rows.shape[1], labels)
        training.take(examples)
        model = training.model()
        self._training, self._began_with = training, self.get_params()
        only = Pass(0, len(examples.targets), float("nan"), perf_counter() - began)
        return Trained(model, [only], True, CLOSED_FORM)

    def _take(self, examples: Examples, labels: Labels | None, recipe: Recipe) -> Self:  # noqa: ARG002
        assert labels is not None
        training = getattr(self, "_training", None)
        if training is None:
            training = self._counting(examples.rows.shape[1], Labels())
            self._began_with = self.get_params()
        elif str(self._began_with) != str(self.get_params()):
            raise RecipeError("the parameters have changed since the stream began: call fit, or clone the estimator")
        training.take(examples, labels)
        self._training = training
        self._show(training.model())
        self.certificate_ = CLOSED_FORM
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class."""
        return self._proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class."""
        return self._log_proba(X)


def priors_of(name: str, given: Any, *, learnt: bool = True) -> Priors:
    """Those given, as probabilities; or as often as the classes came; or all alike."""
    if given is None:
        return Priors(uniform=not learnt)
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        raise RecipeError(f"{name} is a probability for each class, or None; it is {given!r}")
    return Priors(given=tuple(float(share) for share in given))
