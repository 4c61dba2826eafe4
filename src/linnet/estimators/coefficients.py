"""coef_ and intercept_: what a fit shows of its model, in the type of X, and what predicts if a user changes them.

As in scikit-learn, weights that are written into a fitted estimator are those that predict, and an estimator that was
never fitted predicts once it is given `coef_`, `intercept_` and, for classes, `classes_`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linnet.cores import scipy
from linnet.data.rows import Rows
from linnet.data.sparse_matrices import is_sparse
from linnet.errors import InputError
from linnet.learners.linear import LinearModel

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class Coefficients:
    """The weights as users see them; `model_` has them in float64, as they were fitted."""

    model_: LinearModel
    classes_: NDArray[Any]
    coef_: Any
    intercept_: Any

    def _show(self, model: LinearModel, dtype: Any = np.float64) -> None:
        """Keep the model, and show its weights in this type; in float64 they are the model's own."""
        self.model_ = model
        dtype = dtype if dtype in FLOATS else np.float64
        coef, intercepts = model.weights.T.astype(dtype, copy=False), model.intercepts.astype(dtype, copy=False)
        if model.classes is not None:
            self.classes_ = model.classes
        one = model.classes is None and len(intercepts) == 1
        self.coef_, self.intercept_ = (coef[0], intercepts[0]) if one else (coef, intercepts)

    def _model(self) -> LinearModel:
        """The model that predicts: the fitted one, or, if `coef_` or `intercept_` were changed, one of them."""
        model: LinearModel | None = vars(self).get("model_")
        if model is not None and (model.votes or self._unchanged(model)):
            return model
        coef = self.coef_.toarray() if is_sparse(self.coef_) else np.asarray(self.coef_)
        weights = np.ascontiguousarray(np.atleast_2d(coef).T, dtype=np.float64)
        intercepts = np.array(np.broadcast_to(np.ravel(self.intercept_), weights.shape[1]), dtype=np.float64)
        if model is None:
            return LinearModel(weights, intercepts, vars(self).get("classes_"))
        if model.weights.shape != weights.shape:
            raise InputError(f"coef_ was changed to the shape {coef.shape}: predictions need that of the fit")
        if np.array_equal(coef, np.reshape(model.weights.T, coef.shape).astype(coef.dtype)):
            weights = model.weights  # with all their digits
        return replace(model, weights=weights, intercepts=intercepts)

    def _unchanged(self, model: LinearModel) -> bool:
        """Whether `coef_` and `intercept_` are the model's; where they share memory, without a look at the numbers."""
        if is_sparse(self.coef_):
            return False
        coef, shown = np.atleast_2d(self.coef_), model.weights.T
        same = _same_memory(coef, shown) or np.array_equal(coef, shown.astype(coef.dtype))
        intercepts = np.ravel(self.intercept_)
        return same and np.array_equal(intercepts, model.intercepts.astype(intercepts.dtype))

    def _type_of(self, rows: Rows) -> np.dtype[Any]:
        """The type of a prediction: float32 where both X and the weights are."""
        single = getattr(self.coef_, "dtype", None) == np.float32 and rows.dtype == np.float32
        return np.dtype(np.float32 if single else np.float64)


class SparseCoefficients:
    """For estimators whose weights may be sparse: `coef_` as a sparse matrix, and back."""

    coef_: Any

    def densify(self) -> Self:
        """Make `coef_` an array again."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        if is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Self:
        """Make `coef_` a sparse matrix (CSR), which is smaller where most weights are 0; predictions stay the same."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        if not is_sparse(self.coef_):
            self.coef_ = scipy("sparse").csr_matrix(self.coef_)
        return self


def _same_memory(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return (a.__array_interface__["data"], a.strides, a.dtype) == (b.__array_interface__["data"], b.strides, b.dtype)
