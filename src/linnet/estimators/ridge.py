"""Ridge: least squares with an L2 penalty, in closed form or by conjugate gradients."""

from __future__ import annotations

from dataclasses import replace

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor, check_number, chosen
from linnet.estimators.documentation import documented
from linnet.learners import catalogue
from linnet.learners.recipe import Penalty, Recipe
from linnet.training import batch
from linnet.training.history import Watcher
from linnet.training.result import Trained
from linnet.training.solvers import least_squares as analytic
from linnet.training.solvers import ridge

SOLVERS = {"auto": ridge.solve, "analytic": ridge.analytic, "cg": ridge.conjugate_gradients}


@documented("ridge")
class Ridge(LinearRegressor):
    """Ridge regression: minimises the sum of (y - w.x - b)^2 + alpha |w|^2, as scikit-learn's does.

    `solver="analytic"` is the closed form, which takes no passes and no tolerance; `"cg"`, conjugate gradients, reads
    the rows once a pass, makes no table of d x d numbers, and stops at a relative duality gap of `tol`.  `"auto"` takes
    `cg` for wide sparse rows.

    >>> from linnet import Ridge
    >>> model = Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> round(float(model.coef_[0]), 4), round(model.intercept_, 4), model.certificate_.gap < 1e-12
    (0.7143, 0.4286, True)
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        solver: str = "auto",
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        fit_intercept: bool = True,
        penalise_intercept: bool = False,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.warm_start = warm_start
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        penalty = Penalty(l2=check_number("alpha", self.alpha), total=True, intercept=bool(self.penalise_intercept))
        return replace(catalogue.find("ridge").recipe, penalty=penalty)

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        if self.solver == "analytic" and not analytic.fits(examples):
            raise RecipeError(f"the closed form of {examples.rows.shape[1]} columns does not fit: take solver='cg'")
        how = batch.Descent(self.max_iter, self.tol)
        return self._train_in_batch(SOLVERS[self.solver], how, recipe, examples, labels, watch)

    def _streams(self) -> bool:
        return False
