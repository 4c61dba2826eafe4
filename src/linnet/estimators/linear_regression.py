"""LinearRegression: least squares in closed form, by gradient descent, or online."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor, check_positive, chosen
from linnet.estimators.documentation import documented
from linnet.learners import catalogue
from linnet.learners.recipe import Recipe
from linnet.learners.schedule import constant
from linnet.theory import inference
from linnet.theory.coefficient_table import Summary
from linnet.training import batch
from linnet.training.history import Watcher
from linnet.training.result import Trained
from linnet.training.solvers import least_squares as analytic

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
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        recipe = catalogue.find("widrow-hoff").recipe
        return recipe if self.eta0 is None else replace(recipe, schedule=constant(check_positive("eta0", self.eta0)))

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        if self.solver == "online":
            return super()._train(recipe, examples, labels, watch)
        if self.solver == "analytic" or (self.solver == "auto" and analytic.fits(examples)):
            how = batch.Descent(1, None)
            return self._train_in_batch(analytic.solve, how, recipe, examples, labels, watch)
        how = batch.Descent(self.max_iter, self.tol, None if self.eta0 is None else recipe.schedule, gain=1.0)
        return self._train_in_batch(batch.descend, how, recipe, examples, labels, watch)

    def summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, weights_are: str | None = None
    ) -> Summary:
        """The weights with standard errors, t, p-values and intervals, given the rows of the fit again.

        Whole sample weights are frequencies; others are what `weights_are` says: `precisions` (inverse variances), or
        `sampling` (rows stand for others; then the errors are robust ones).
        """
        check_is_fitted(self)
        inference.check_level(level)
        if self.solver == "online":
            raise RecipeError("standard errors hold at the optimum, where no online fit is: take solver='analytic'")
        examples = self._examples(X, y, sample_weight, reset=False)
        w, b = self.model_.weights[:, 0], float(self.model_.intercepts[0])
        return inference.squares(examples, w, b, intercept=self.fit_intercept, said=weights_are, level=level)

    def _streams(self) -> bool:
        return self.solver == "online"
