"""LinearSVR: linear support vector regression."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, chosen
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.recipe import Penalty
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from linnet.training.fit import Settings

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("svr-squared").solvers))
LOSSES = {
    "epsilon_insensitive": ("svr", EpsilonInsensitive),
    "squared_epsilon_insensitive": ("svr-squared", SquaredEpsilonInsensitive),
}


@documented("svr", "svr-squared")
class LinearSVR(LinearRegressor):
    """Linear support vector regression: minimises |w|^2 / 2 + C * sum of max(0, |y - w.x - b| - epsilon), or of its
    squares, to a proven relative duality gap of `tol`.

    `solver="auto"` is `"dual"`, coordinate ascent on the dual; for the squared loss over few columns, Newton's method.

    >>> from linnet import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 30.0]
    >>> round(float(LinearSVR(C=10.0).fit(X, y).predict([[1.5]])[0]), 2)
    1.5
    """

    _chooses_solver = True

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float | None = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int | None = 1000,
        solver: str = "auto",
        penalise_intercept: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver
        self.penalise_intercept = penalise_intercept
        self.warm_start = warm_start

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        name, loss = chosen(LOSSES, "loss", self.loss)
        if self.dual != "auto" and not isinstance(self.dual, bool | np.bool_):
            raise RecipeError(f"dual must be 'auto', True or False; it is {self.dual!r}")
        if self.dual is False and name == "svr":
            raise RecipeError(
                "Unsupported set of arguments: the combination of penalty='l2' and loss='epsilon_insensitive' is not "
                "supported when dual=False; with dual='auto' a solver that suits is taken"
            )
        penalty = Penalty(
            l2=1.0 / check_positive("C", self.C),
            total=True,
            # scaled, it is liblinear's, which is penalised
            intercept=bool(self.penalise_intercept or self.intercept_scaling != 1) and self.fit_intercept,
        )
        entry = catalogue.find(name)
        recipe = replace(entry.recipe, loss=loss(check_number("epsilon", self.epsilon)), penalty=penalty)
        return replace(entry, recipe=recipe)

    def _settings(self) -> Settings:
        solver = "dual" if self.dual is True and self.solver == AUTO else self.solver
        scaling = check_positive("intercept_scaling", self.intercept_scaling)
        return replace(super()._settings(), solver=solver, intercept_scaling=scaling)

    def _streams(self) -> bool:
        return False
