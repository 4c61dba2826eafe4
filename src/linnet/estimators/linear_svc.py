"""LinearSVC: the linear support vector machine."""

from __future__ import annotations

from typing import Any

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier, check_positive, chosen, penalty_of
from linnet.estimators.documentation import documented
from linnet.learners.recipe import Loss, Recipe, Reduction
from linnet.learners.schedule import inverse_sqrt
from linnet.training import batch
from linnet.training.history import Watcher
from linnet.training.result import Trained
from linnet.training.solvers import dual_svm as svm
from linnet.training.solvers import smoothed_hinge as rounded
from linnet.training.solvers.until_gap import to_gap

SOLVERS = ("auto", "dual", "newton", "lbfgs", "gradient")
METHODS: dict[str, batch.Method] = {
    "dual": svm.descend,
    "newton": rounded.newton,
    "lbfgs": to_gap(batch.lbfgs),
    "gradient": to_gap(batch.descend),
}
# Up to so many columns, whatever their scales, steps on all rows are the safer way to the optimum.
FEW_COLUMNS = 50
# On the squared hinge few steps are needed: up to so many columns, and entries a row, they are the quicker way, too.
PAIRED_COLUMNS = 500
PAIRED_ENTRIES = 100
LOSSES = {"hinge": Loss.HINGE, "squared_hinge": Loss.SQUARED_HINGE}


@documented("svm", "svm-squared", "crammer-singer", "hinge-subgradient")
class LinearSVC(LinearClassifier):
    """The widest margin that the rows allow: minimises |w|^2 / 2 + C * sum of (squared) hinge losses.

    `solver="auto"` takes `"dual"`, coordinate ascent on the dual, where the penalty is L2 and columns are many. For few
    columns, whatever their scales, it takes `"newton"`, Newton's steps on the squared hinge, or on the hinge with its
    kink rounded off; with L1 `"gradient"`, (sub)gradient steps. All end when the relative duality gap, a proven
    bound on what better weights could save, is at most `tol` (`certificate_` has it). `solver_` and `solver_reason_`
    tell what was taken and why. For streams there is `OnlineClassifier("pegasos")`.

    >>> from linnet import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.4], [2.6]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        loss: str = "squared_hinge",
        C: float = 1.0,
        penalty: str = "l2",
        l1_ratio: float = 0.5,
        solver: str = "auto",
        max_iter: int = 1000,
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
        self.loss = loss
        self.C = C
        self.penalty = penalty
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

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        return Recipe(
            chosen(LOSSES, "loss", self.loss),
            penalty=penalty_of(
                self.penalty,
                1.0 / check_positive("C", self.C),
                self.l1_ratio,
                total=True,
                intercept=self.penalise_intercept,
            ),
            reduction=self._reduction(),
        )

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        squared = recipe.loss is Loss.SQUARED_HINGE
        joint = recipe.reduction is Reduction.JOINT and labels is not None and len(labels) > 2
        if squared and joint:
            raise RecipeError("multiclass='joint' goes with loss='hinge': squared, take 'one-vs-rest' or 'pairwise'")
        self.solver_, self.solver_reason_ = self._chosen_solver(recipe, examples.rows, joint)
        method = METHODS[self.solver_]
        steps = None if self.eta0 is None else inverse_sqrt(check_positive("eta0", self.eta0))
        how = batch.Descent(self.max_iter, self.tol, steps, gain=self.C)
        return self._train_in_batch(method, how, recipe, examples, labels, watch)

    def _chosen_solver(self, recipe: Recipe, rows: Rows, joint: bool) -> tuple[str, str]:
        """The solver to take, and why."""
        n, columns = rows.shape
        smooth = recipe.loss is Loss.SQUARED_HINGE and recipe.penalty.l1 == 0
        if self.solver == "lbfgs" and not smooth:
            raise RecipeError("solver='lbfgs' needs loss='squared_hinge' and penalty='l2': take solver='auto'")
        if self.solver == "newton" and (joint or recipe.penalty.l1 > 0 or recipe.penalty.l2 == 0):
            raise RecipeError("solver='newton' is for penalty='l2', classes one by one: take solver='auto'")
        if self.solver != "auto":
            return self.solver, "as asked for"
        if recipe.penalty.l1 > 0 or recipe.penalty.l2 == 0:
            return "gradient", "the dual ascent is for a penalty of L2 alone"
        if self.eta0 is not None:
            return "gradient", "a step size was given"
        paired = smooth and columns <= PAIRED_COLUMNS and len(rows.values) <= PAIRED_ENTRIES * n
        if (columns <= FEW_COLUMNS or paired) and not joint:
            return "newton", f"{columns} columns are few: steps on all rows take their scales in, which the dual cannot"
        return "dual", "with an L2 penalty the dual proves how near the optimum is"

    def _streams(self) -> bool:
        return False
