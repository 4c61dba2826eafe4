"""LassoCV and ElasticNetCV: the Lasso and the elastic net with alpha, and the L1 ratio, chosen by folds of a path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.cross_validated import Fold, folds_of, grid, path_of, selected
from linnet.estimators.documentation import ATTRIBUTES, documented
from linnet.estimators.lasso import _CoordinateDescent
from linnet.estimators.parameters import check_number, check_positive
from linnet.learners.entry import Entry
from linnet.training.fit import Settings
from linnet.training.l1_path import largest_l1
from linnet.training.problems import Problems
from linnet.training.threads import in_threads

Numbers = NDArray[np.float64]

TUNED_ATTRIBUTES = (
    ATTRIBUTES
    + """    alpha_, l1_ratio_ : what was chosen
    alphas_ : the alphas that were tried, falling; of several L1 ratios, a row each
    mse_path_ : the mean squared error of every alpha and fold; of several L1 ratios, a table each
    dual_gap_ : the gap of the fit to all rows, in units of the objective
"""
)


class _Tuned(_CoordinateDescent):
    """What both have in common."""

    eps: float
    alphas: Any
    cv: Any
    warm_start = False

    @property
    def alpha(self) -> float:  # type: ignore[override]
        """What the learner takes for alpha: that is tried, and once there is one, that was chosen."""
        return float(vars(self).get("_at", (1.0, 1.0))[0])

    def _ratio(self) -> float:
        return float(vars(self).get("_at", (1.0, self._ratios()[0]))[1])

    def _ratios(self) -> list[float]:
        """The L1 ratios to try."""
        return [1.0]

    def _with(self, alpha: float, ratio: float) -> Entry:
        self._at = (alpha, ratio)
        return self._learner()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    # scikit-learn's has no check_input either
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Choose alpha by folds of the rows, and fit to all of them."""
        ratios = self._ratios()
        learner = self._with(1.0, ratios[0])
        self._check_parameters()
        self._each: list[Any] | None = None
        examples = self._examples(X, y, sample_weight, reset=True)
        alphas = [self._grid(examples, learner, ratio) for ratio in ratios]
        paths = [
            [self._with(float(alpha), ratio) for alpha in each] for ratio, each in zip(ratios, alphas, strict=True)
        ]
        settings = replace(self._settings(), threads=1)
        folds = folds_of(self, X, y, self.cv)
        jobs = [(path, fold) for path in paths for fold in folds]
        found = in_threads(lambda job: _errors(*job, examples, settings), jobs, self._threads())
        errors = np.reshape(found, (len(ratios), len(folds), -1))
        means = errors.mean(axis=1)
        at = np.unravel_index(int(np.argmin(means)), means.shape)
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 2, 1))
        self.alpha_, ratio = float(alphas[at[0]][at[1]]), ratios[at[0]]
        given = not isinstance(self.alphas, int | np.integer)
        self.alphas_ = alphas[0] if given or len(ratios) == 1 else np.array(alphas)
        LinearRegressor._fit(self, examples, None, self._with(self.alpha_, ratio))
        self.dual_gap_ = self._absolute_gap()
        self._chosen_ratio(ratio)
        return self

    def _chosen_ratio(self, ratio: float) -> None:
        """Show the L1 ratio, where there is one to choose."""

    def _grid(self, examples: Examples, learner: Entry, ratio: float) -> Numbers:
        """The alphas for this ratio, falling: as they are given, or from that which leaves no weights on."""

        def so_many(number: int) -> Numbers:
            if ratio == 0:
                raise RecipeError("l1_ratio=0 has no largest alpha to begin with: give alphas, or take RidgeCV")
            problem = Problems(learner, examples, None, intercept=self.fit_intercept)[0].objective
            top = largest_l1(problem) / ratio
            if not np.isfinite(top):
                raise InputError("the targets or the columns are too large to add up: scale them")
            if top <= np.finfo(np.float64).resolution:
                return np.full(number, np.finfo(np.float64).resolution)
            return np.geomspace(top, top * check_positive("eps", self.eps), number)

        return np.sort(grid("alphas", self.alphas, so_many))[::-1]


def _errors(path: list[Entry], fold: Fold, examples: Examples, settings: Settings) -> Numbers:
    """The mean squared error of a fold for each learner of the path."""
    fitted, asked = selected(examples, fold[0]), selected(examples, fold[1])
    fits = path_of(path, fitted, None, settings)
    return np.array(
        [np.average((asked.targets - each.model.predict(asked.rows)) ** 2, weights=asked.weights) for each in fits]
    )


@documented("lasso", attributes=TUNED_ATTRIBUTES)
class LassoCV(_Tuned):
    """The Lasso with alpha chosen by cross-validation, along a path of falling alphas.

    >>> from linnet import LassoCV
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]], [0.0, 1.0, 2.0, 3.0, 4.0]
    >>> model = LassoCV(alphas=5, cv=2).fit(X, y)
    >>> model.mse_path_.shape, len(model.alphas_)
    ((5, 2), 5)
    """

    _name = "lasso"

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        copy_X: bool = True,
        cv: Any = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


@documented("elastic-net", attributes=TUNED_ATTRIBUTES)
class ElasticNetCV(_Tuned):
    """The elastic net with alpha, and the L1 ratio if several are given, chosen by cross-validation.

    >>> from linnet import ElasticNetCV
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]], [0.0, 1.0, 2.0, 3.0, 4.0]
    >>> ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=5, cv=2).fit(X, y).mse_path_.shape
    (2, 5, 2)
    """

    _name = "elastic-net"

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        cv: Any = None,
        copy_X: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _ratios(self) -> list[float]:
        return [check_number("l1_ratio", each) for each in np.atleast_1d(np.asarray(self.l1_ratio, dtype=object))]

    def _chosen_ratio(self, ratio: float) -> None:
        self.l1_ratio_ = ratio
