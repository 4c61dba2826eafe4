"""LinearSVC: the linear support vector machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_positive, chosen, penalty_of
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.losses import Loss
from linnet.learners.recipe import Reduction
from linnet.learners.schedule import inverse_sqrt
from linnet.training.descent import Steps
from linnet.training.fit import Settings

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("svm-squared").solvers))
# scikit-learn's names for how several classes are taken.
THEIRS = ("ovr", "crammer_singer")
ROWS = {"hinge": "svm", "squared_hinge": "svm-squared"}


@documented("svm", "svm-squared", "crammer-singer")
class LinearSVC(SparseCoefficients, LinearClassifier):
    """The widest margin that the rows allow: minimises |w|^2 / 2 + C * sum of (squared) hinge losses.

    `solver="auto"` takes `"dual"`, coordinate ascent on the dual, where the penalty is L2 and columns are many. For few
    columns, whatever their scales, it takes `"newton"`, Newton's steps on the squared hinge, or for the hinge an
    interior-point method; with L1 `"coordinate-descent"`; `"gradient"` takes (sub)gradient steps. All end when the
    relative duality gap, a proven bound on what better weights could save, is at most `tol` (`certificate_` has it).
    `solver_` and `solver_reason_` say which was taken and why. For streams there is `OnlineClassifier("pegasos")`.

    >>> from linnet import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.4], [2.6]]).tolist()
    [0, 1]
    """

    _chooses_solver = True

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        C: float = 1.0,
        multi_class: str = "ovr",
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        l1_ratio: float = 0.5,
        solver: str = "auto",
        max_iter: int | None = None,
        tol: float | None = 1e-4,
        eta0: float | None = None,
        fit_intercept: bool = True,
        penalise_intercept: bool = False,
        multiclass: str = "one-vs-rest",
        class_weight: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.C = C
        self.multi_class = multi_class
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        chosen(THEIRS, "multi_class", self.multi_class)
        crammer_singer = self.multi_class == "crammer_singer"
        entry = catalogue.find(chosen(ROWS, "loss", "hinge" if crammer_singer else self.loss))
        reduction = Reduction.JOINT if crammer_singer else self._reduction()
        self._check_theirs()
        if reduction is Reduction.JOINT and entry.recipe.loss is Loss.HINGE:
            entry = catalogue.find("crammer-singer")
        penalty = penalty_of(
            "l2" if crammer_singer else self.penalty,
            1.0 / check_positive("C", self.C),
            self.l1_ratio,
            total=True,
            # scaled, it is liblinear's, which is penalised
            intercept=bool(self.penalise_intercept or self.intercept_scaling != 1) and self.fit_intercept,
        )
        return replace(entry, recipe=replace(entry.recipe, penalty=penalty, reduction=reduction))

    def _settings(self) -> Settings:
        schedule = None if self.eta0 is None else inverse_sqrt(check_positive("eta0", self.eta0))
        steps = None if schedule is None else Steps(schedule, gain=self.C)
        # the dual of the squared hinge has a solver; other problems have one that suits, whatever dual says
        solver = "dual" if self.dual is True and self.solver == AUTO else self.solver
        scaling = check_positive("intercept_scaling", self.intercept_scaling)
        return replace(super()._settings(), solver=solver, steps=steps, intercept_scaling=scaling)

    def _check_theirs(self) -> None:
        """What scikit-learn's refuses, in the same words; the combinations are liblinear's."""
        if self.multi_class == "crammer_singer" or self.dual == "auto":
            return
        if not isinstance(self.dual, bool | np.bool_):
            raise RecipeError(f"dual must be 'auto', True or False; it is {self.dual!r}")
        refused = {("l1", "hinge", False), ("l1", "hinge", True), ("l2", "hinge", False), ("l1", "squared_hinge", True)}
        if (self.penalty, self.loss, bool(self.dual)) in refused:
            raise RecipeError(
                f"Unsupported set of arguments: The combination of penalty='{self.penalty}' and loss='{self.loss}' are "
                f"not supported when dual={self.dual}, Parameters: penalty='{self.penalty}', loss='{self.loss}', "
                f"dual={self.dual}; with dual='auto' a solver that suits is taken"
            )

    def _streams(self) -> bool:
        return False
