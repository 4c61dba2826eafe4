"""SGDClassifier and SGDRegressor: stochastic gradient descent, with the parameters of scikit-learn's classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import LinearClassifier, LinearEstimator, LinearRegressor, offered_if
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, chosen, penalty_of
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Penalty, Recipe, Reduction, Update
from linnet.learners.robust_losses import FixedHuber
from linnet.learners.schedule import Schedule, Step, constant
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from linnet.training.online import OnlineTraining

# Made with `epsilon`, which some have no use for.
OF_NUMBERS: dict[str, Callable[[float], Loss]] = {
    "squared_error": lambda _: Loss.SQUARED,
    "huber": FixedHuber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}
OF_CLASSES: dict[str, Callable[[float], Loss]] = {
    "hinge": lambda _: Loss.HINGE,
    "log_loss": lambda _: Loss.LOGISTIC,
    "modified_huber": lambda _: Loss.MODIFIED_HUBER,
    "squared_hinge": lambda _: Loss.SQUARED_HINGE,
    "perceptron": lambda _: Loss.PERCEPTRON,
    **OF_NUMBERS,
}
WITH_PROBABILITIES = ("log_loss", "modified_huber")
RATES = ("optimal", "constant", "invscaling", "adaptive", "pa1", "pa2")
AGGRESSIVE = {"pa1": Step.PASSIVE_AGGRESSIVE_1, "pa2": Step.PASSIVE_AGGRESSIVE_2}


def _recipe(estimator: Any, losses: dict[str, Callable[[float], Loss]], reduction: Reduction) -> Recipe:
    """The parameters as choices of a recipe."""
    loss = chosen(losses, "loss", estimator.loss)(check_number("epsilon", estimator.epsilon))
    alpha, rate = check_number("alpha", estimator.alpha), estimator.learning_rate
    chosen(RATES, "learning_rate", rate)
    if estimator.penalty == "elasticnet" and estimator.l1_ratio is None:
        raise RecipeError("l1_ratio must be set when penalty is 'elasticnet': a number from 0 (L2) to 1 (L1)")
    # as a number only where it counts
    penalty = penalty_of(estimator.penalty, alpha, 0.0 if estimator.l1_ratio is None else estimator.l1_ratio)
    average = Averaging.AVERAGE if estimator.average else Averaging.LAST
    # a number is the step that the average begins with
    begins = 1 if isinstance(estimator.average, bool) else int(check_number("average", estimator.average))
    if rate == "adaptive":
        return Recipe(loss, Update.ADAPTIVE, constant(0.5), penalty, average, reduction)
    if rate in AGGRESSIVE:
        steps = Schedule(check_positive("eta0", estimator.eta0), 0.0, AGGRESSIVE[rate])
        # their step bounds itself, and scikit-learn's takes no penalty with it either
        penalty = Penalty()
    else:
        steps = _schedule(estimator, alpha)
    return Recipe(
        loss, schedule=steps, penalty=penalty, averaging=average, reduction=reduction, average_from=max(0, begins - 1)
    )


def _schedule(estimator: Any, alpha: float) -> Schedule:
    """The size of step t: eta0, eta0 t^-power_t, or 1 / (alpha (t + t0 - 1)), where t0 makes the first step as long as
    the weights are expected to be (Bottou 2012, Stochastic gradient descent tricks)."""
    if estimator.learning_rate == "optimal":
        if alpha == 0:
            raise RecipeError("alpha must be > 0 since learning_rate is 'optimal', whose steps are 1 / (alpha t)")
        first = sqrt(1.0 / sqrt(alpha))
        return Schedule(1.0 / alpha, 1.0, offset=1.0 / (first * alpha) - 1.0)
    power = check_number("power_t", estimator.power_t) if estimator.learning_rate == "invscaling" else 0.0
    return Schedule(check_positive("eta0", estimator.eta0), power)


class GivenStart(LinearEstimator):
    """As scikit-learn's: a fit may begin at given weights, or with `warm_start` at its own, with the steps of a new
    fit; and a stream cannot stop early."""

    _given: tuple[Any, Any] = (None, None)

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Fit to all rows, beginning at these weights and intercepts, if they are given."""
        self._given = coef_init, intercept_init
        try:
            return super().fit(X, y, sample_weight)  # type: ignore[no-any-return]
        finally:
            del self._given

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        alone = learner.recipe.update is Update.ADDITIVE and learner.recipe.averaging is Averaging.LAST
        given = any(each is not None for each in self._given)
        if self.warm_start and alone and hasattr(self, "coef_") and not given:
            before = self._model()
            self._given, given = (before.weights.T, before.intercepts), True  # steps begin anew, and may be others
        if given:
            self._begin = self._started(examples.rows.shape[1], labels, learner)
        try:
            return super()._fit(examples, labels, learner)
        finally:
            self.__dict__.pop("_begin", None)

    def _running(self, learner: Entry) -> OnlineTraining | None:
        begun: OnlineTraining | None = vars(self).get("_begin")
        return super()._running(learner) if begun is None else begun

    def _started(self, columns: int, labels: Labels | None, learner: Entry) -> OnlineTraining:
        """The learners with the given weights, one a class, or one alone."""
        if learner.recipe.update is not Update.ADDITIVE:
            raise RecipeError("coef_init and intercept_init do not go with learning_rate='adaptive', which has rates")
        training = OnlineTraining(learner.recipe, columns, labels, intercept=bool(self.fit_intercept))
        learners = list(training.learners.values())
        for given, name, width in zip(self._given, ("coef_init", "intercept_init"), (columns, 1), strict=True):
            if given is None:
                continue
            values = np.asarray(given, dtype=np.float64)
            if values.size != len(learners) * width or values.shape[-1:] not in ((), (width,), (len(learners),)):
                raise InputError(
                    f"Provided {name} does not match dataset: it has the shape {values.shape}, and there are "
                    f"{len(learners)} x {width} numbers"
                )
            for each, own in zip(learners, values.reshape(len(learners), width), strict=True):
                if name == "coef_init":
                    each.weights[:-1, 0] = own
                else:
                    each.weights[-1, 0] = own[0]
        return training

    def _take(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        if self._validates():
            raise RecipeError("early_stopping should be False with partial_fit: one pass has nothing to stop")
        return super()._take(examples, labels, learner)


def _proba_of_modified_huber(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zhang 2004: the loss is least where the score is 2 p - 1.  Of several classes these are brought to a sum of 1; if
    all are 0 they are alike (Zadrozny, Elkan 2002, Transforming classifier scores into multiclass probabilities)."""
    p = 0.5 * (np.clip(scores, -1.0, 1.0) + 1.0)
    if p.ndim == 1:
        return np.column_stack([1.0 - p, p])
    sums = p.sum(axis=1, keepdims=True)
    return np.where(sums > 0, p / np.where(sums > 0, sums, 1.0), 1.0 / p.shape[1])


@documented("sgd-hinge", "sgd-logistic")
class SGDClassifier(GivenStart, SparseCoefficients, LinearClassifier):  # type: ignore[misc]
    """Stochastic gradient descent with scikit-learn's parameters: several classes are taken one by one.

    Steps, penalties and averages are scikit-learn's; the order of rows, and when passes end, are linnet's.
    `learning_rate="adaptive"` is linnet's own: a rate for every weight, in its column's scale, which needs neither
    `eta0` nor scaled columns. `OnlineClassifier` takes it by default.

    >>> from linnet import SGDClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 1]
    >>> SGDClassifier(learning_rate="constant", eta0=0.1).fit(X, y).predict(X).tolist()
    [0, 1, 1, 1]
    """

    multiclass = "one-vs-rest"

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    @offered_if(lambda self: self.loss in WITH_PROBABILITIES)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (`loss="log_loss"` or `"modified_huber"`)."""
        return self._proba(X) if self.loss == "log_loss" else _proba_of_modified_huber(self.decision_function(X))

    @offered_if(lambda self: self.loss in WITH_PROBABILITIES)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class (`loss="log_loss"` or `"modified_huber"`)."""
        if self.loss == "log_loss":
            return self._log_proba(X)
        with np.errstate(divide="ignore"):  # a probability may be 0
            return np.log(self.predict_proba(X))

    def _learner(self) -> Entry:
        return replace(catalogue.find("sgd-hinge"), recipe=_recipe(self, OF_CLASSES, self._reduction()))


@documented("widrow-hoff")
class SGDRegressor(GivenStart, LinearRegressor):  # type: ignore[misc]
    """Stochastic gradient descent on squared errors, or on losses beside outliers, with scikit-learn's parameters.

    Steps, penalties and averages are scikit-learn's; the order of rows, and when passes end, are linnet's.
    `learning_rate="adaptive"` is linnet's own, as in `OnlineRegressor`: it needs neither `eta0` nor scaled columns.

    >>> from linnet import SGDRegressor
    >>> X = [[x / 10] for x in range(20)]
    >>> model = SGDRegressor(eta0=0.1).fit(X, [3.0 + 2.0 * x[0] for x in X])
    >>> round(float(model.predict([[1.0]])[0]), 1)
    5.0
    """

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        random_state: Any = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average

    def _learner(self) -> Entry:
        return replace(catalogue.find("widrow-hoff"), recipe=_recipe(self, OF_NUMBERS, Reduction.JOINT))

    def _show(self, model: LinearModel, dtype: Any = np.float64) -> None:
        super()._show(model, dtype)
        self.intercept_ = np.atleast_1d(self.intercept_)  # as scikit-learn's has it
