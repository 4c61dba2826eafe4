"""Perceptron: online or batch, its last weights, their mean, or a vote of all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linnet.errors import RecipeError
from linnet.estimators.base import AVERAGING, LinearClassifier
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, chosen, penalty_of
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.learners.recipe import Averaging
from linnet.learners.schedule import constant
from linnet.training.descent import Steps
from linnet.training.fit import Settings

MODES = ("online", "batch", "fixed-increment")


@documented("perceptron", "averaged-perceptron", "voted-perceptron", "batch-perceptron")
class Perceptron(SparseCoefficients, LinearClassifier):
    """The perceptron, in every form of the lectures.

    Passes go on until one makes no mistake, or they no longer help; with `tol=None` until one makes no mistake, however
    many that takes (`max_iter` at most). `max_iter=1` is a single pass.

    >>> from linnet import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> Perceptron(shuffle=False).fit(X, y).predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    """

    def __init__(
        self,
        *,
        averaging: str = "none",
        mode: str = "online",
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        eta0: float = 1.0,
        penalty: str | None = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "joint",
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.averaging = averaging
        self.mode = mode
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eta0 = eta0
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _settings(self) -> Settings:
        settings = super()._settings()
        if self.mode != "fixed-increment":
            return settings
        return replace(settings, steps=Steps(constant(check_positive("eta0", self.eta0)), gain=1.0))

    def _streams(self) -> bool:
        return self.mode == "online"

    def _learner(self) -> Entry:
        averaging = chosen(AVERAGING, "averaging", self.averaging)
        chosen(MODES, "mode", self.mode)
        if self.mode != "online" and averaging is not Averaging.LAST:
            raise RecipeError(
                f"averaging={self.averaging!r} goes with mode='online': a batch step has nothing to average"
            )
        if self.mode != "online" and self.early_stopping:
            raise RecipeError(f"early_stopping goes with mode='online', not {self.mode!r}: it holds out rows of a pass")
        entry = catalogue.find("perceptron" if self.mode == "online" else "batch-perceptron")
        recipe = replace(
            entry.recipe,
            schedule=constant(check_positive("eta0", self.eta0)),
            penalty=penalty_of(self.penalty, check_number("alpha", self.alpha), self.l1_ratio),
            averaging=averaging,
            reduction=self._reduction(),
        )
        return replace(entry, recipe=recipe)
