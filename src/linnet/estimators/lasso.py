"""Lasso and ElasticNet: least squares with an L1 penalty, and with an L1 and an L2 penalty."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from linnet.errors import RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.documentation import documented
from linnet.estimators.l1_paths import enet_path, lasso_path
from linnet.estimators.parameters import check_number, chosen
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.learners.recipe import Penalty

SELECTIONS = ("cyclic", "random")


class _CoordinateDescent(LinearRegressor):
    """What both have in common; `y` of several columns is fitted column by column."""

    alpha: float
    positive: bool
    precompute: Any
    copy_X: bool
    selection: str
    n_iter_: Any
    verbose = 0
    _chooses_solver = True
    _name = ""

    def _ratio(self) -> float:
        raise NotImplementedError

    def _learner(self) -> Entry:
        chosen(SELECTIONS, "selection", self.selection)
        alpha, ratio = check_number("alpha", self.alpha), check_number("l1_ratio", self._ratio())
        if ratio > 1:
            raise RecipeError(f"l1_ratio must lie between 0 and 1; it is {ratio:g}")
        if self.positive and alpha == 0:
            raise RecipeError("positive=True needs a penalty: take an alpha above 0, however small")
        entry = catalogue.find(self._name)
        penalty = Penalty(alpha * ratio, alpha * (1.0 - ratio), positive=bool(self.positive))
        return replace(entry, recipe=replace(entry.recipe, penalty=penalty))

    def _streams(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:  # noqa: ARG002
        """Fit to all rows, which are checked whatever `check_input` says."""
        targets = np.asarray(y) if isinstance(y, (np.ndarray, list, tuple)) or hasattr(y, "__array__") else y
        self._each: list[Any] | None = None
        if getattr(targets, "ndim", 1) == 2 and targets.shape[1] > 1:
            self._fit_each(X, targets, sample_weight)
            return self
        super().fit(X, y, sample_weight)
        self.dual_gap_: Any = self._absolute_gap()
        return self

    def _fit_each(self, X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        """A model for each column of y."""
        self._each = [clone(self).fit(X, y[:, column], sample_weight) for column in range(y.shape[1])]
        first = self._each[0]
        for name in ("n_features_in_", "feature_names_in_", "solver_", "solver_reason_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        self.coef_ = np.array([each.coef_ for each in self._each])
        self.intercept_ = np.array([each.intercept_ for each in self._each])
        self.dual_gap_ = np.array([each.dual_gap_ for each in self._each])
        self.n_iter_ = [each.n_iter_ for each in self._each]
        self.certificate_ = [each.certificate_ for each in self._each]  # type: ignore[assignment]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted number for each row; for several targets, one for each."""
        check_is_fitted(self)
        if self._each is None:
            return super().predict(X)
        return np.column_stack([each.predict(X) for each in self._each])

    @property
    def sparse_coef_(self) -> Any:
        """The weights as a sparse matrix, one row for each target."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self)
        return csr_matrix(self.coef_)

    def _absolute_gap(self) -> float:
        certificate: Any = self.certificate_
        return float("nan") if certificate.reason else max(0.0, certificate.primal - certificate.dual)


@documented("lasso")
class Lasso(_CoordinateDescent):
    """The Lasso: minimises the sum of (y - w.x - b)^2 / 2n + alpha |w|_1, as scikit-learn's does.

    Fitting stops when the objective is proven to lie within a fraction `tol` of the optimum; the proof is
    `certificate_`, and `dual_gap_` the gap in units of the objective.  With `positive` no weight is below 0.

    >>> from linnet import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.0, 1.0, 2.0, 3.0])
    >>> [round(float(w), 3) for w in model.coef_], round(float(model.intercept_), 3), model.certificate_.gap <= 1e-4
    ([0.92, 0.0], 0.12, True)
    """

    _name = "lasso"
    path = staticmethod(lasso_path)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _ratio(self) -> float:
        return 1.0


@documented("elastic-net")
class ElasticNet(_CoordinateDescent):
    """The elastic net: minimises the sum of (y - w.x - b)^2 / 2n + alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2).

    As scikit-learn's; see `Lasso`, which is the case `l1_ratio=1`.  `l1_ratio=0` is ridge regression, in closed form
    where that is quickest.

    >>> from linnet import ElasticNet
    >>> model = ElasticNet(alpha=0.1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> [round(float(w), 3) for w in model.coef_], round(float(model.intercept_), 3)
    ([0.471, 0.471], 0.088)
    """

    _name = "elastic-net"
    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float | None = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def _ratio(self) -> float:
        return self.l1_ratio
