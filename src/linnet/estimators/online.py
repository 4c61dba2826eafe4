"""OnlineClassifier and OnlineRegressor: any recipe, by name or your own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.task import Task
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier, LinearRegressor, offered_if
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, penalty_of
from linnet.learners import catalogue
from linnet.learners.entry import Entry, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Recipe, Reduction


def _adjusted(estimator: Any, task: Task) -> Entry:
    """The learner with what the user set instead: a step size, a power, a penalty."""
    asked = estimator.learner
    entry = _own(asked, task) if isinstance(asked, Recipe) else catalogue.find(asked, Way.ONLINE, task)
    recipe = entry.recipe
    schedule = recipe.schedule
    if estimator.eta0 is not None:
        schedule = replace(schedule, eta=check_positive("eta0", estimator.eta0), per_penalty=False)
    if estimator.power_t is not None:
        schedule = replace(schedule, power=check_number("power_t", estimator.power_t))
    penalty = recipe.penalty
    if estimator.alpha is not None or estimator.penalty != "keep":
        kind = "l2" if estimator.penalty == "keep" else estimator.penalty
        weight = 1e-4 if estimator.alpha is None else check_number("alpha", estimator.alpha)
        penalty = penalty_of(kind, weight, estimator.l1_ratio)
    if task is Task.REGRESSION and recipe.loss is not Loss.SQUARED:
        raise RecipeError("regression takes the squared loss: take Recipe(Loss.SQUARED, ...)")
    return replace(entry, recipe=replace(recipe, schedule=schedule, penalty=penalty))


def _own(recipe: Recipe, task: Task) -> Entry:
    """A recipe of the user's own as a row."""
    return Entry("recipe", recipe, Way.ONLINE, (task,), "A recipe of your own.", "", "")


@documented(*(entry.name for entry in catalogue.entries(Way.ONLINE, Task.CLASSIFICATION)))
class OnlineClassifier(SparseCoefficients, LinearClassifier):
    """Any online learner: the adaptive one by default, which needs no scaled features and no step size.

    >>> from linnet import OnlineClassifier
    >>> X, y = [[0, 2000], [1, 1000], [0, 3000], [1, 500]], ["a", "b", "a", "b"]
    >>> OnlineClassifier().fit(X, y).predict(X).tolist()
    ['a', 'b', 'a', 'b']
    """

    def __init__(
        self,
        learner: str | Recipe = "adaptive",
        *,
        max_iter: int = 100,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        eta0: float | None = None,
        power_t: float | None = None,
        penalty: str | None = "keep",
        alpha: float | None = None,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "joint",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eta0 = eta0
        self.power_t = power_t
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @offered_if(lambda self: self._learner().recipe.has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (learners of the logistic loss)."""
        return self._proba(X)

    @offered_if(lambda self: self._learner().recipe.has_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class (learners of the logistic loss)."""
        return self._log_proba(X)

    def _learner(self) -> Entry:
        entry, reduction = _adjusted(self, Task.CLASSIFICATION), self._reduction()
        return (
            entry if reduction is Reduction.JOINT else replace(entry, recipe=replace(entry.recipe, reduction=reduction))
        )


@documented(*(entry.name for entry in catalogue.entries(Way.ONLINE, Task.REGRESSION)))
class OnlineRegressor(LinearRegressor):
    """Any online learner of numbers: the adaptive one by default, which needs no scaling of features or target.

    >>> from linnet import OnlineRegressor
    >>> X = [[x / 10] for x in range(100)]
    >>> model = OnlineRegressor(max_iter=100, tol=None).fit(X, [1000 + 3 * x[0] for x in X])
    >>> round(model.predict([[5.0]])[0])
    1015
    """

    def __init__(
        self,
        learner: str | Recipe = "adaptive-squared",
        *,
        max_iter: int = 100,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        eta0: float | None = None,
        power_t: float | None = None,
        penalty: str | None = "keep",
        alpha: float | None = None,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eta0 = eta0
        self.power_t = power_t
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def _learner(self) -> Entry:
        return _adjusted(self, Task.REGRESSION)
