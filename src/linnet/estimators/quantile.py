"""QuantileRegressor: the median, or any other quantile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, chosen
from linnet.estimators.solver_names import nearest
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.recipe import Penalty
from linnet.learners.robust_losses import Pinball
from linnet.training.fit import Settings

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("quantile").solvers))
# scikit-learn's names for the methods of HiGHS, which chooses among them here, and for one that SciPy no longer has.
THEIRS = {"highs-ds": "highs", "highs-ipm": "highs", "revised simplex": "highs"}


@documented("quantile")
class QuantileRegressor(LinearRegressor):
    """Quantile regression: minimises the mean pinball loss plus alpha |w|_1, as scikit-learn's does.

    The optimum of the linear programme is found to a relative duality gap of `tol`, and then at a vertex.

    >>> from linnet import QuantileRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 100.0]
    >>> model = QuantileRegressor(alpha=0).fit(X, y)
    >>> round(float(model.coef_[0]), 6), round(float(model.predict([[10.0]])[0]), 6)
    (1.0, 10.0)
    """

    _chooses_solver = True

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        solver_options: dict[str, Any] | None = None,
        max_iter: int | None = 200,
        tol: float | None = 1e-6,
        verbose: int = 0,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def _learner(self) -> Entry:
        chosen((*SOLVERS, *THEIRS), "solver", self.solver)
        if not isinstance(self.solver_options, dict | None):
            raise RecipeError(f"solver_options must be a dictionary or None; it is {self.solver_options!r}")
        entry = catalogue.find("quantile")
        loss = Pinball(check_number("quantile", self.quantile))
        penalty = Penalty(l1=check_number("alpha", self.alpha))
        return replace(entry, recipe=replace(entry.recipe, loss=loss, penalty=penalty))

    def _settings(self) -> Settings:
        taken = nearest(type(self).__name__, self.solver, THEIRS, SOLVERS)
        return replace(super()._settings(), solver=taken.solver)

    def _streams(self) -> bool:
        return False
