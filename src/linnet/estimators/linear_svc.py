"""LinearSVC: the linear support vector machine."""

from __future__ import annotations

from typing import Any

from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier, check_positive, chosen, penalty_of
from linnet.estimators.documentation import documented
from linnet.examples import Examples
from linnet.labels import Labels
from linnet.learners.recipe import Loss, Recipe, Reduction
from linnet.learners.schedule import inverse_sqrt
from linnet.training import batch
from linnet.training.history import Watcher
from linnet.training.trained import Trained

SOLVERS = ("auto", "lbfgs", "gradient")
LOSSES = {"hinge": Loss.HINGE, "squared_hinge": Loss.SQUARED_HINGE}


@documented("hinge-subgradient")
class LinearSVC(LinearClassifier):
    """The widest margin that the rows allow: minimises |w|^2 / 2 + C * sum of (squared) hinge losses.

    `solver="auto"` takes `"lbfgs"` for the squared hinge, which is smooth, and `"gradient"`, subgradient steps, for the
    hinge, which is not. For streams there is `OnlineClassifier("pegasos")`.

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
        multiclass: str = "one-vs-rest",
        class_weight: Any = None,
        n_jobs: int | None = None,
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
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        return Recipe(
            chosen(LOSSES, "loss", self.loss),
            penalty=penalty_of(self.penalty, 1.0 / check_positive("C", self.C), self.l1_ratio, total=True),
            reduction=self._reduction(),
        )

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        squared = recipe.loss is Loss.SQUARED_HINGE
        if squared and recipe.reduction is Reduction.JOINT and labels is not None and len(labels) > 2:
            raise RecipeError("multiclass='joint' goes with loss='hinge': squared, take 'one-vs-rest' or 'pairwise'")
        smooth = squared and recipe.penalty.l1 == 0
        if self.solver == "lbfgs" and not smooth:
            raise RecipeError("solver='lbfgs' needs loss='squared_hinge' and penalty='l2': take solver='gradient'")
        method = batch.lbfgs if smooth and self.solver != "gradient" else batch.descend
        steps = None if self.eta0 is None else inverse_sqrt(check_positive("eta0", self.eta0))
        how = batch.Descent(self.max_iter, self.tol, steps, gain=self.C)
        return self._train_in_batch(method, how, recipe, examples, labels, watch)

    def _streams(self) -> bool:
        return False
