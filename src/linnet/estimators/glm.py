"""PoissonRegressor, GammaRegressor and TweedieRegressor: generalised linear models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, chosen
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.glm_losses import LINKS, Tweedie
from linnet.learners.recipe import Penalty
from linnet.training.fit import Settings

SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("poisson").solvers))


class GeneralisedLinearRegressor(LinearRegressor):
    """What the three share: half of the mean deviance, and an L2 penalty."""

    alpha: float
    solver: str
    _chooses_solver = True
    _row: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self._loss().targets is not None
        return tags

    def _loss(self) -> Tweedie:
        loss = catalogue.find(self._row).recipe.loss
        assert isinstance(loss, Tweedie)
        return loss

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        entry = catalogue.find(self._row)
        penalty = Penalty(l2=check_number("alpha", self.alpha))
        return replace(entry, recipe=replace(entry.recipe, loss=self._loss(), penalty=penalty))

    def _settings(self) -> Settings:
        return replace(super()._settings(), solver=self.solver)

    def _streams(self) -> bool:
        return False

    def _examples(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Examples:
        examples = super()._examples(X, y, sample_weight, reset=reset)
        if (takes := self._loss().targets) is not None:
            takes.check_targets(examples.targets)
        return examples

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the fraction of the deviance explained: 1 - deviance of the predictions / that of the mean of y."""
        examples = self._examples(X, y, sample_weight, reset=False)
        y, c = examples.targets, examples.weights
        loss, mean = self._loss(), np.average(y, weights=c)
        of_model = np.average(loss.of_mean(self.model_.predict(examples.rows), y), weights=c)
        of_mean = np.average(loss.of_mean(np.full(len(y), mean), y), weights=c)
        return float(1.0 - of_model / of_mean) if of_mean > 0 else float("nan")


@documented("poisson")
class PoissonRegressor(GeneralisedLinearRegressor):
    """Poisson regression, for counts: minimises the mean of exp(z) - y z, plus alpha |w|^2 / 2, with z = w.x + b.

    `predict` returns the mean, exp(z).  A fit ends when the relative duality gap is at most `tol`, `certificate_` has
    it; with alpha=0, where nothing can be proven, when a step of Newton's method gains no more.

    >>> from linnet import PoissonRegressor
    >>> model = PoissonRegressor(alpha=0).fit([[1.0], [2.0], [3.0], [4.0]], [1, 2, 4, 8])
    >>> round(float(model.coef_[0]), 3), [round(float(m), 1) for m in model.predict([[1.0], [5.0]])]
    (0.693, [1.0, 16.0])
    """

    _row = "poisson"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        max_iter: int | None = 100,
        tol: float | None = 1e-6,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


@documented("gamma")
class GammaRegressor(GeneralisedLinearRegressor):
    """Gamma regression, for positive numbers: minimises the mean of y exp(-z) + z, plus alpha |w|^2 / 2.

    `predict` returns the mean, exp(z) with z = w.x + b.

    >>> from linnet import GammaRegressor
    >>> model = GammaRegressor(alpha=0).fit([[1.0], [2.0], [3.0], [4.0]], [1, 2, 4, 8])
    >>> round(float(model.coef_[0]), 3), round(model.score([[1.0], [2.0], [3.0], [4.0]], [1, 2, 4, 8]), 3)
    (0.693, 1.0)
    """

    _row = "gamma"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        max_iter: int | None = 100,
        tol: float | None = 1e-6,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


@documented("tweedie")
class TweedieRegressor(GeneralisedLinearRegressor):
    """Tweedie regression: half of the mean deviance of a power, plus alpha |w|^2 / 2.

    `link="auto"` is the identity for power 0 and the logarithm for all others.  The deviance is convex, and its optimum
    proven, for the log link with 1 <= power <= 2; `certificate_` says so otherwise.

    >>> from linnet import TweedieRegressor
    >>> model = TweedieRegressor(power=1.5, alpha=0).fit([[1.0], [2.0], [3.0], [4.0]], [1, 2, 4, 8])
    >>> round(float(model.coef_[0]), 3)
    0.693
    """

    _row = "tweedie"

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: str = "auto",
        solver: str = "auto",
        max_iter: int | None = 100,
        tol: float | None = 1e-6,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _loss(self) -> Tweedie:
        power = self.power
        if isinstance(power, bool) or not isinstance(power, int | float | np.number):
            raise RecipeError(f"power must be a number; it is {power!r}")
        link = chosen(("auto", *LINKS), "link", self.link)
        if link == "auto":
            link = "identity" if power <= 0 else "log"
        if link == "identity" and power != 0 and not self.fit_intercept:
            raise RecipeError("the identity link starts at the mean of y: it takes fit_intercept=True, or power=0")
        return Tweedie(float(power), link)
