"""Ridge: least squares with an L2 penalty, in closed form or by conjugate gradients; RidgeClassifier: of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import LinearClassifier, LinearEstimator
from linnet.estimators.documentation import documented
from linnet.estimators.multi_output import MultiOutputRegressor, Table
from linnet.estimators.parameters import check_number, chosen
from linnet.estimators.solver_names import Nearest, gap_of_gradient, nearest
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Penalty, Reduction
from linnet.training.fit import Settings, fit
from linnet.training.multi_output import fit_outputs, side_by_side
from linnet.training.result import Trained
from linnet.training.solvers.nonnegative import fit_nonnegative

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("ridge").solvers))
# scikit-learn's solvers, and the nearest here; those of SAME are the same under another name.
THEIRS = {"svd": "analytic", "cholesky": "analytic"} | dict.fromkeys(("sparse_cg", "lsqr", "sag", "saga"), AUTO)
SAME = ("svd", "cholesky")


class RidgeParameters(LinearEstimator):
    """What ridge regression of numbers and of labels share."""

    alpha: Any
    solver: str
    positive: bool
    penalise_intercept: bool
    _chooses_solver = True

    def _learner(self) -> Entry:
        chosen((*SOLVERS, *THEIRS, "lbfgs"), "solver", self.solver)
        if self.solver == "lbfgs" and not self.positive:
            raise RecipeError("'lbfgs' solver can be used only when positive=True. Please use another solver.")
        if self.positive and self.solver not in (AUTO, "lbfgs"):
            raise RecipeError(
                f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or "
                "'lbfgs', or set `positive=False`"
            )
        if self.positive and self.penalise_intercept:
            raise RecipeError("with positive=True the intercept is not penalised: leave penalise_intercept out")
        entry = catalogue.find("ridge")
        return self._with_alpha(entry, self._alphas()[0])

    def _with_alpha(self, entry: Entry, alpha: float) -> Entry:
        penalty = Penalty(l2=alpha, total=True, intercept=bool(self.penalise_intercept))
        return replace(entry, recipe=replace(entry.recipe, penalty=penalty))

    def _alphas(self, targets: int | None = None) -> list[float]:
        """One for all targets, or one for each."""
        several = isinstance(self.alpha, np.ndarray | list | tuple) and np.size(self.alpha) > 0
        alphas = [check_number("alpha", each) for each in (np.ravel(self.alpha) if several else [self.alpha])]
        if targets is not None and len(alphas) not in (1, targets):
            raise InputError(f"Number of targets and number of penalties do not correspond: {len(alphas)} != {targets}")
        return alphas

    def _several(self, learner: Entry, rows: Rows, targets: Table, weights: Table | None) -> Trained:
        """The fit to several columns of targets: with one alpha, by one factorisation."""
        alphas = self._alphas(targets.shape[1])
        if len(alphas) == 1 and not self.positive:
            return fit_outputs(learner, rows, targets, weights, self._settings())
        each = alphas if len(alphas) > 1 else alphas * targets.shape[1]
        return side_by_side(
            [
                self._trained(Examples(rows, np.ascontiguousarray(y), weights), self._with_alpha(learner, alpha))
                for y, alpha in zip(targets.T, each, strict=True)
            ]
        )

    def _nearest(self) -> Nearest:
        if self.solver in SAME:
            return Nearest(THEIRS[self.solver], f"solver={self.solver!r} is {THEIRS[self.solver]!r} here")
        return nearest(type(self).__name__, self.solver, THEIRS, SOLVERS)

    def _settings(self) -> Settings:
        settings = super()._settings()
        taken = self._nearest()
        tol = gap_of_gradient(settings.tol) if taken.note else settings.tol
        return replace(settings, solver=taken.solver, tol=tol)

    def _trained(self, examples: Examples, learner: Entry) -> Trained:
        """The weights for these numbers."""
        if not self.positive:
            return fit(learner, examples, None, self._settings())
        alpha, settings = learner.recipe.penalty.l2, super()._settings()
        return fit_nonnegative(examples, alpha, intercept=settings.intercept, max_iter=settings.max_iter)

    def _fitted(self, trained: Trained, dtype: Any = np.float64) -> None:
        super()._fitted(trained, dtype)
        taken = self._nearest() if self.solver != "lbfgs" else Nearest(AUTO)
        if taken.note:
            self.solver_reason_ = f"{taken.note}; {trained.solver_reason}"
            self.solver_ = self.solver if self.solver in SAME else trained.solver

    def _streams(self) -> bool:
        return False


@documented("ridge")
class Ridge(RidgeParameters, MultiOutputRegressor):
    """Ridge regression: minimises the sum of (y - w.x - b)^2 + alpha |w|^2, as scikit-learn's does.

    `solver="analytic"` is the closed form, which takes no passes and no tolerance; `"cg"`, conjugate gradients, reads
    the rows once a pass, makes no table of d x d numbers, and stops at a relative duality gap of `tol`.  `"auto"` takes
    `cg` for wide sparse rows; `solver_` and `solver_reason_` say which and why.  scikit-learn's `"svd"` and
    `"cholesky"` are the closed form, and for its other solvers `"auto"` is taken.

    >>> from linnet import Ridge
    >>> model = Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> round(float(model.coef_[0]), 4), round(float(model.intercept_), 4), model.certificate_.gap < 1e-9
    (0.7143, 0.4286, True)
    """

    _keeps_one_column = False

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        solver: str = "auto",
        max_iter: int | None = None,
        tol: float | None = 1e-6,
        fit_intercept: bool = True,
        penalise_intercept: bool = False,
        positive: bool = False,
        copy_X: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.positive = positive
        self.copy_X = copy_X
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        self._alphas(1)
        if not self.positive:
            return super()._fit(examples, labels, learner)
        self._fitted(self._trained(examples, learner), examples.rows.dtype)
        return self


@documented("ridge")
class RidgeClassifier(RidgeParameters, LinearClassifier):
    """Ridge regression on labels: of each class, on 1 for its rows and -1 for others; the largest score wins.

    >>> from linnet import RidgeClassifier
    >>> RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]).predict([[0.4]]).tolist()
    ['low']
    """

    multiclass = "one-vs-rest"

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        solver: str = "auto",
        max_iter: int | None = None,
        tol: float | None = 1e-6,
        class_weight: Any = None,
        fit_intercept: bool = True,
        penalise_intercept: bool = False,
        positive: bool = False,
        copy_X: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.positive = positive
        self.copy_X = copy_X
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        assert labels is not None
        own = examples.targets[:, np.newaxis] == ([1] if len(labels) == 2 else np.arange(len(labels)))
        self.classes_ = labels.classes
        trained = self._several(learner, examples.rows, np.where(own, 1.0, -1.0), examples.weights)
        self._fitted(self._of_labels(trained, labels.classes), examples.rows.dtype)
        return self

    def _show(self, model: LinearModel, dtype: Any = np.float64) -> None:
        super()._show(model, dtype)
        if len(self.coef_) == 1:  # as scikit-learn's has it
            self.coef_ = self.coef_[0]

    def _of_labels(self, trained: Trained, classes: Any) -> Trained:
        """The fit to 1 and -1 as one to labels."""
        return replace(trained, model=replace(trained.model, classes=classes, reduction=Reduction.ONE_VS_REST))
