"""LinearRegression: least squares in closed form, by gradient descent, or online."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import RecipeError
from linnet.estimators.documentation import documented
from linnet.estimators.multi_output import MultiOutputRegressor, Table
from linnet.estimators.parameters import check_positive, chosen
from linnet.estimators.reading import InputTypeError
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.schedule import Schedule, constant
from linnet.theory import inference
from linnet.theory.coefficient_table import Summary
from linnet.training.descent import Steps
from linnet.training.fit import Settings
from linnet.training.multi_output import side_by_side
from linnet.training.result import Trained
from linnet.training.solvers.nonnegative import fit_nonnegative

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("least-squares").solvers), "online")


@documented("least-squares", "widrow-hoff")
class LinearRegression(MultiOutputRegressor):
    """Least squares: minimises the sum of (y - w.x - b)^2 / 2.

    `solver="auto"` takes the analytic solution, and gradient descent where its d x d table would be too large;
    `solver_` and `solver_reason_` say which and why.

    >>> from linnet import LinearRegression
    >>> cars = [[31.5, 6], [36.2, 2], [43.1, 0], [27.6, 2]]  # weight in 100 lb, age in years
    >>> mileage = LinearRegression().fit(cars, [21, 25, 18, 30])
    >>> [round(float(w), 2) for w in (mileage.intercept_, *mileage.coef_)]
    [58.61, -0.92, -1.36]
    """

    _chooses_solver = True

    def __init__(
        self,
        *,
        solver: str = "auto",
        max_iter: int | None = None,
        tol: float | None = 1e-6,
        eta0: float | None = None,
        fit_intercept: bool = True,
        positive: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        if self.positive and self.solver != AUTO:
            raise RecipeError("positive=True has a solver of its own: take solver='auto'")
        if self.solver != "online":
            return catalogue.find("least-squares")
        entry = catalogue.find("widrow-hoff")
        return entry if self.eta0 is None else replace(entry, recipe=replace(entry.recipe, schedule=self._schedule()))

    def _schedule(self) -> Schedule:
        return constant(check_positive("eta0", self.eta0))

    def _settings(self) -> Settings:
        settings = super()._settings()
        if self.solver == "online":
            return settings
        steps = None if self.eta0 is None else Steps(self._schedule(), gain=1.0)
        return replace(settings, solver=self.solver, steps=steps)

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        if not self.positive:
            return super()._fit(examples, labels, learner)
        self._fitted(self._nonnegative(examples), examples.rows.dtype)
        return self

    def _several(self, learner: Entry, rows: Rows, targets: Table, weights: Table | None) -> Trained:
        if not self.positive:
            return super()._several(learner, rows, targets, weights)
        return side_by_side([self._nonnegative(Examples(rows, np.ascontiguousarray(y), weights)) for y in targets.T])

    def _nonnegative(self, examples: Examples) -> Trained:
        if not examples.rows.dense:
            raise InputTypeError(
                "Sparse data was passed for X, but dense data is required. Use '.toarray()', or leave positive=True out"
            )
        return fit_nonnegative(examples, 0.0, intercept=self.fit_intercept, max_iter=self.max_iter)

    def summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, weights_are: str | None = None
    ) -> Summary:
        """The weights with standard errors, t, p-values and intervals, given the rows of the fit again.

        Whole sample weights are frequencies; others are what `weights_are` says: `precisions` (inverse variances), or
        `sampling` (rows stand for others; then the errors are robust ones).
        """
        check_is_fitted(self)
        inference.check_level(level)
        if self.model_.weights.shape[1] > 1:
            raise RecipeError("a summary is of one target: fit to one column of y at a time")
        if self.positive:
            raise RecipeError("standard errors are not known for weights that may not be negative: leave positive out")
        if self.solver == "online":
            raise RecipeError("standard errors hold at the optimum, where no online fit is: take solver='analytic'")
        examples = self._examples(X, y, sample_weight, reset=False)
        w, b = self.model_.weights[:, 0], float(self.model_.intercepts[0])
        return inference.squares(examples, w, b, intercept=self.fit_intercept, weights_are=weights_are, level=level)

    def _streams(self) -> bool:
        return self.solver == "online"
