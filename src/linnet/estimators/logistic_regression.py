"""LogisticRegression: by L-BFGS, by plain gradient ascent, by its dual, or online."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier, check_positive, chosen, offered_if, penalty_of
from linnet.estimators.documentation import documented
from linnet.examples import Examples
from linnet.labels import Labels
from linnet.learners import catalogue
from linnet.learners.recipe import Loss, Recipe
from linnet.learners.schedule import constant
from linnet.training import batch, dual
from linnet.training.history import Watcher
from linnet.training.trained import Trained

SOLVERS = ("auto", "lbfgs", "gradient", "dual", "online")


@documented("logistic-gradient", "logistic-dual", "logistic")
class LogisticRegression(LinearClassifier):
    """The log-odds of a class as a linear function of the row; softmax for many classes.

    Minimises penalty + C * sum of the rows' losses.  `solver="auto"` takes L-BFGS, and plain (proximal) gradient
    steps where an L1 penalty leaves nothing smooth to it; `"gradient"` is the lectures' batch gradient ascent; `"dual"`
    is coordinate ascent on the dual, the quickest for text and other wide sparse rows (L2, classes one by one);
    `"online"` learns row by row and takes streams (`partial_fit`).

    >>> from linnet import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [2.5]]).tolist()
    ['low', 'high']
    """

    def __init__(
        self,
        *,
        solver: str = "auto",
        C: float = 1.0,
        penalty: str | None = "l2",
        l1_ratio: float = 0.5,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        eta0: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "joint",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.solver = solver
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _train(self, recipe: Recipe, examples: Examples, labels: Labels | None, watch: Watcher) -> Trained:
        if self.solver == "online":
            return super()._train(recipe, examples, labels, watch)
        sparse = recipe.penalty.l1 > 0
        if self.solver == "lbfgs" and sparse:
            raise RecipeError("solver='lbfgs' needs a smooth penalty: take solver='gradient' or 'online' with L1")
        method = batch.descend if sparse or self.solver == "gradient" else batch.lbfgs
        if self.solver == "dual":
            method = dual.descend
        how = batch.Descent(
            self.max_iter,
            self.tol,
            None if self.eta0 is None else constant(check_positive("eta0", self.eta0)),
            gain=self.C,
        )
        return self._train_in_batch(method, how, recipe, examples, labels, watch)

    def _streams(self) -> bool:
        return self.solver == "online"

    @offered_if(lambda self: self.multiclass != "pairwise")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class."""
        return self._proba(X)

    @offered_if(lambda self: self.multiclass != "pairwise")
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class."""
        return self._log_proba(X)

    def _recipe(self) -> Recipe:
        chosen(SOLVERS, "solver", self.solver)
        steps = catalogue.find("logistic").recipe.schedule
        if self.eta0 is not None:
            steps = replace(steps, eta=check_positive("eta0", self.eta0))
        return Recipe(
            Loss.LOGISTIC,
            schedule=steps,
            penalty=penalty_of(self.penalty, 1.0 / check_positive("C", self.C), self.l1_ratio, total=True),
            reduction=self._reduction(),
        )
