"""Ridge: least squares with an L2 penalty, in closed form or by conjugate gradients."""

from __future__ import annotations

from dataclasses import replace

from linnet.estimators.documentation import documented
from linnet.estimators.multi_output import MultiOutputRegressor
from linnet.estimators.parameters import check_number, chosen
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.recipe import Penalty
from linnet.training.fit import Settings

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("ridge").solvers))


@documented("ridge")
class Ridge(MultiOutputRegressor):
    """Ridge regression: minimises the sum of (y - w.x - b)^2 + alpha |w|^2, as scikit-learn's does.

    `solver="analytic"` is the closed form, which takes no passes and no tolerance; `"cg"`, conjugate gradients, reads
    the rows once a pass, makes no table of d x d numbers, and stops at a relative duality gap of `tol`.  `"auto"` takes
    `cg` for wide sparse rows; `solver_` and `solver_reason_` say which and why.

    >>> from linnet import Ridge
    >>> model = Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> round(float(model.coef_[0]), 4), round(model.intercept_, 4), model.certificate_.gap < 1e-12
    (0.7143, 0.4286, True)
    """

    _chooses_solver = True
    _keeps_one_column = False

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        solver: str = "auto",
        max_iter: int | None = None,
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

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        penalty = Penalty(l2=check_number("alpha", self.alpha), total=True, intercept=bool(self.penalise_intercept))
        entry = catalogue.find("ridge")
        return replace(entry, recipe=replace(entry.recipe, penalty=penalty))

    def _settings(self) -> Settings:
        return replace(super()._settings(), solver=self.solver)

    def _streams(self) -> bool:
        return False
