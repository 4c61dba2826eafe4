"""Several targets a row, as scikit-learn's linear models take them: y of shape (rows, targets)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from linnet.data.rows import Rows
from linnet.data.sparse_matrices import is_sparse
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import LinearRegressor
from linnet.estimators.progress import watching
from linnet.estimators.reading import check_size, input_errors, named, read_rows
from linnet.learners.entry import Entry
from linnet.training.multi_output import fit_outputs
from linnet.training.result import Trained

Table = NDArray[np.float64]


class MultiOutputRegressor(LinearRegressor):
    """A regressor of one number a row, or of several, which are fitted by one factorisation.

    Of several, `coef_` has a row, and `intercept_` an entry, for each of them.
    """

    # whether a y of one column gives predictions of one column, as scikit-learn's class of this name does it
    _keeps_one_column = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to all rows; y has a number for each, or several."""
        if _dimensions(y) != 2:
            return super().fit(X, y, sample_weight)
        with input_errors():
            targets = np.asarray(check_array(y, dtype=np.float64, input_name="y", estimator=self))
        check_size(targets)
        if not self._keeps_one_column and targets.shape[1] == 1:
            super().fit(X, targets[:, 0], sample_weight)
            self.intercept_ = np.ravel(self.intercept_)
            return self
        learner = self._learner()
        self._check_parameters()
        if self._streams():
            raise RecipeError("an online solver predicts one number a row: take another solver, or one y at a time")
        rows = self._rows_of_several(X, targets)
        with watching(self.verbose, type(self).__name__, self._iterations() or learner.max_iter):
            trained = self._several(learner, rows, targets, self._weights(sample_weight, rows))
        self._fitted(trained, rows.dtype)
        self.coef_, self.intercept_ = np.atleast_2d(self.coef_), np.ravel(self.intercept_)
        return self

    def _several(self, learner: Entry, rows: Rows, targets: Table, weights: Table | None) -> Trained:
        """The fit to several columns of targets."""
        return fit_outputs(learner, rows, targets, weights, self._settings())

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted number, or numbers, for each row."""
        predicted = super().predict(X)
        one_of_several = self.coef_.ndim == 2 and predicted.ndim == 1
        return predicted[:, np.newaxis] if one_of_several else predicted

    def _rows_of_several(self, X: Any, targets: Table) -> Rows:
        with input_errors():
            if is_sparse(X):
                rows = read_rows(self, X, reset=True)
            else:
                rows = named(
                    Rows.of(validate_data(self, X, reset=True, dtype=(np.float64, np.float32), order="C")), self
                )
        if len(targets) != rows.shape[0]:
            raise InputError(f"X has {rows.shape[0]} rows, but y has {len(targets)} targets")
        return rows


def _dimensions(y: Any) -> int:
    """How many dimensions y has: that of an array or a frame, or how deep its lists are."""
    dimensions = getattr(y, "ndim", None)
    if isinstance(dimensions, int):
        return dimensions
    return 2 if isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray) else 1
