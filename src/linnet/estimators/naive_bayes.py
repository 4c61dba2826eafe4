"""Naive Bayes in its linear forms: MultinomialNB, ComplementNB, BernoulliNB, SharedGaussianNB."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.errors import RecipeError
from linnet.estimators.base import offered_if
from linnet.estimators.counting import ATTRIBUTES, CountingClassifier, priors_of
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive
from linnet.training.counting.naive_bayes import ClassSums, presence

# What scikit-learn adds to counts at least, unless alpha is to be taken as it is.
LEAST_ALPHA = 1e-10

COUNTS = """class_count_, class_log_prior_ : of each class the weight of its rows, and the logarithm of its prior
    feature_count_, feature_log_prob_ : the sum of every feature by class, and the logarithm of its probability
    """
OF_COUNTS = ATTRIBUTES.replace("certificate_", f"{COUNTS}certificate_")


class DiscreteNB(CountingClassifier):
    """What naive Bayes of counts and of presence share: smoothing, priors, and the counts themselves."""

    _least_classes = 1
    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def _sums(self) -> ClassSums:
        """The sums of the fit; an attribute that is made of them is not there before."""
        if not hasattr(self, "model_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        sums: ClassSums = self._training
        return sums

    @property
    def class_count_(self) -> NDArray[np.float64]:
        return self._sums.counts.copy()

    @property
    def feature_count_(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self._sums.sums.T)

    @property
    def class_log_prior_(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):  # a class that has no row yet has the logarithm -inf
            return np.asarray(np.log(self._sums.priors.probabilities(self._sums.counts)))

    @property
    def feature_log_prob_(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self._sums.log_probabilities().T)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class together with the row, up to what all classes share."""
        rows = self._rows(X)
        return self._sums.joint(rows)

    def _parameters(self) -> dict[str, Any]:
        return {"priors": priors_of("class_prior", self.class_prior, estimated=self.fit_prior), "alpha": self._alpha()}

    def _alpha(self) -> float | tuple[float, ...]:
        """The smoothing, for all features or for each."""
        if not isinstance(self.alpha, Sequence | np.ndarray) or isinstance(self.alpha, str):
            return self._at_least(check_number("alpha", self.alpha))
        if np.min(self.alpha) < 0:
            raise RecipeError(f"All values in alpha must be greater than 0. They are {np.ravel(self.alpha).tolist()}")
        return tuple(self._at_least(check_number("alpha", each)) for each in np.ravel(self.alpha).tolist())

    def _at_least(self, alpha: float) -> float:
        if not self.force_alpha and alpha < LEAST_ALPHA:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use "
                "force_alpha=True to take it as it is",
                UserWarning,
                stacklevel=5,
            )
            return LEAST_ALPHA
        return check_positive("alpha", alpha)


@documented("naive-bayes", attributes=OF_COUNTS)
class MultinomialNB(DiscreteNB):
    """Naive Bayes for counts, such as words in texts; values are 0 or more.

    >>> from linnet import MultinomialNB
    >>> X, y = [[2, 0, 1], [3, 1, 0], [0, 2, 1], [0, 3, 2]], ["a", "a", "b", "b"]
    >>> MultinomialNB().fit(X, y).predict([[1, 0, 0], [0, 1, 0]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes"

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    # only once fitted: of estimators with scores and probabilities scikit-learn's checks fit negative numbers
    @offered_if(lambda self: hasattr(self, "model_"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w . x + b: one a row for two classes (positive: the second), one a row and class for more."""
        return super().decision_function(X)


@documented("naive-bayes-complement", attributes=OF_COUNTS)
class ComplementNB(MultinomialNB):
    """Naive Bayes for counts where classes differ much in size: each class by what all the others have.

    Priors do not enter the scores, as in scikit-learn's; `class_log_prior_` has them.

    >>> from linnet import ComplementNB
    >>> X, y = [[2, 0, 1], [3, 1, 0], [0, 2, 1], [0, 3, 2]], ["a", "a", "b", "b"]
    >>> ComplementNB().fit(X, y).predict([[1, 0, 0], [0, 1, 0]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes-complement"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def feature_all_(self) -> NDArray[np.float64]:
        return np.asarray(self._sums.sums.sum(axis=1))

    def _parameters(self) -> dict[str, Any]:
        return super()._parameters() | {"norm": bool(self.norm)}


@documented("naive-bayes-bernoulli", attributes=OF_COUNTS)
class BernoulliNB(DiscreteNB):
    """Naive Bayes for what is there or not: a value counts as there where it is above `binarize`.

    The weights are those of rows made of 1 and 0 in this way, and predict converts rows the same way.

    >>> from linnet import BernoulliNB
    >>> X, y = [[5, 0, 1], [1, 0, 0], [0, 2, 1], [0, 1, 0]], ["a", "a", "b", "b"]
    >>> BernoulliNB().fit(X, y).predict([[9, 0, 1], [0, 9, 1]]).tolist()
    ['a', 'b']
    """

    learner = "naive-bayes-bernoulli"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _rows(self, X: Any) -> Rows:
        return self._present(super()._rows(X))

    def _rows_and_targets(self, X: Any, y: Any, *, reset: bool, numeric: bool) -> tuple[Rows, NDArray[Any]]:
        rows, y = super()._rows_and_targets(X, y, reset=reset, numeric=numeric)
        return self._present(rows), y

    def _present(self, rows: Rows) -> Rows:
        return rows if self.binarize is None else presence(rows, check_number("binarize", self.binarize))


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
