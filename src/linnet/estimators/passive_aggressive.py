"""PassiveAggressive: the smallest step that corrects each row; under scikit-learn's name with its parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linnet.estimators.base import AVERAGING, LinearClassifier
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_positive, chosen
from linnet.learners import catalogue
from linnet.learners.entry import Entry

ROWS = {"hinge": "passive-aggressive-1", "squared_hinge": "passive-aggressive-2"}


@documented("passive-aggressive-1", "passive-aggressive-2")
class PassiveAggressive(SparseCoefficients, LinearClassifier):
    """Passive where a row has its margin, aggressive where it has not: `loss="hinge"` is PA-I, `"squared_hinge"` PA-II.

    >>> from linnet import PassiveAggressive
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> PassiveAggressive(shuffle=False, tol=None, max_iter=20).fit(X, y).predict(X).tolist()
    [0, 1, 1, 1]
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "hinge",
        averaging: str = "none",
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "joint",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.averaging = averaging
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learner(self) -> Entry:
        entry = catalogue.find(chosen(ROWS, "loss", self.loss))
        recipe = replace(
            entry.recipe,
            schedule=replace(entry.recipe.schedule, eta=check_positive("C", self.C)),
            averaging=chosen(AVERAGING, "averaging", self.averaging),
            reduction=self._reduction(),
        )
        return replace(entry, recipe=recipe)


@documented("passive-aggressive-1", "passive-aggressive-2")
class PassiveAggressiveClassifier(PassiveAggressive):
    """`PassiveAggressive` with the parameters of scikit-learn's class: several classes are taken one by one.

    >>> from linnet import PassiveAggressiveClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> PassiveAggressiveClassifier(shuffle=False, tol=None, max_iter=20).fit(X, y).predict(X).tolist()
    [0, 1, 1, 1]
    """

    multiclass = "one-vs-rest"

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "hinge",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        average: bool | int = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average

    @property
    def averaging(self) -> str:  # type: ignore[override]
        return "average" if self.average else "none"
