"""LinearRegression: least squares in closed form, by gradient descent, or online."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from linnet.estimators.base import LinearRegressor, check_positive, chosen
from linnet.estimators.documentation import documented
from linnet.examples import Examples
from linnet.labels import Labels
from linnet.learners import catalogue
from linnet.learners.recipe import Recipe
from linnet.learners.schedule import constant
from linnet.model import LinearModel
from linnet.training import analytic, batch
from linnet.training.history import Pass, Watcher
from linnet.training.trained import Trained

SOLVERS = ("auto", "analytic", "gradient", "online")


@documented("least-squares", "least-squares-gradient", "widrow-hoff")
class LinearRegression(LinearRegressor):
    """Least squares: minimises the sum of (y - w.x - b)^2 / 2.

    `solver="auto"` takes the analytic solution, and gradient descent where its d x d table would be too large.

    >>> from linnet import LinearRegression
    >>> cars = [[31.5, 6], [36.2, 2], [43.1, 0], [27.6, 2]]  # weight in 100 lb, age in years
    >>> mileage = LinearRegression().fit(cars, [21, 25, 18, 30])
    >>> [round(float(w), 2) for w in (mileage.intercept_, *mileage.coef_)]
    [58.61, -0.92, -1.36]
    """

    def __init__(
        self,
        *,
        solver: str = "auto",
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        eta0: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        recipe = catalogue.find("widrow-hoff").recipe
        return recipe if self.eta0 is None else replace(recipe, schedule=constant(check_positive("eta0", self.eta0)))

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        if self.solver == "online":
            return super()._train(recipe, examples, labels, watch)
        if self.solver == "analytic" or (self.solver == "auto" and analytic.fits(examples)):
            return self._analytic(examples)
        how = batch.Descent(self.max_iter, self.tol, None if self.eta0 is None else recipe.schedule, gain=1.0)
        return self._train_in_batch(batch.descend, how, recipe, examples, labels, watch)

    def _streams(self) -> bool:
        return self.solver == "online"

    def _analytic(self, examples: Examples) -> Trained:
        began = perf_counter()
        w, b = analytic.least_squares(examples, intercept=self.fit_intercept)
        model = LinearModel(w[:, np.newaxis].copy(), np.array([b]))
        residuals = examples.targets - model.decision(examples.rows)
        weights = np.ones(len(residuals)) if examples.weights is None else examples.weights
        with np.errstate(over="ignore"):  # an infinite loss is what it says
            loss = 0.5 * float(weights @ residuals**2) / float(weights.sum())
        return Trained(model, [Pass(0, 1, loss, perf_counter() - began)], True)
