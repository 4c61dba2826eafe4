"""HuberRegressor: least squares in which outliers count by their size, with a scale that is fitted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from linnet.estimators.base import LinearRegressor
from linnet.estimators.documentation import ATTRIBUTES, documented
from linnet.estimators.parameters import check_number
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.learners.recipe import Penalty
from linnet.learners.robust_losses import Huber
from linnet.training.problems import Problems
from linnet.training.solvers.huber_point import scale_of

_SCALE = """    scale_ : the scale of the residuals, sigma
    outliers_ : which rows of the fit are beyond epsilon times the scale
"""


@documented("huber", attributes=ATTRIBUTES + _SCALE)
class HuberRegressor(LinearRegressor):
    """Huber's regression: minimises the sum of sigma + sigma H((y - w.x - b) / sigma) plus alpha |w|^2 over w, b and
    sigma, as scikit-learn's does.  `certificate_` is of half of that, divided by the number of rows.

    >>> from linnet import HuberRegressor
    >>> X = [[float(i)] for i in range(20)]
    >>> y = [i + 0.1 * (-1) ** i for i in range(19)] + [500.0]
    >>> model = HuberRegressor().fit(X, y)
    >>> round(float(model.coef_[0]), 2), model.outliers_.tolist().index(True)
    (1.0, 19)
    """

    scale_: float
    outliers_: Any

    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int | None = 100,
        alpha: float = 1e-4,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float | None = 1e-6,
        verbose: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to all rows."""
        super().fit(X, y, sample_weight)
        examples = self._examples(X, y, sample_weight, reset=False)
        part = Problems(self._learner(), examples, None, intercept=self.fit_intercept)[0]
        self.scale_, inside = scale_of(part.objective, part.weights_in(self.model_))
        self.outliers_ = ~np.asarray(inside)
        return self

    def _learner(self) -> Entry:
        entry = catalogue.find("huber")
        loss, penalty = (
            Huber(check_number("epsilon", self.epsilon)),
            Penalty(l2=check_number("alpha", self.alpha), total=True),
        )
        return replace(entry, recipe=replace(entry.recipe, loss=loss, penalty=penalty))

    def _streams(self) -> bool:
        return False
