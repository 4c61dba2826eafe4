"""Polynomial: products and powers of columns of numbers, under linnet's names."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from linnet.data.features.terms import CROSS
from linnet.data.sparse_matrices import is_sparse, sound
from linnet.estimators.documentation import documented
from linnet.estimators.reading import check_kind, input_errors

_ATTRIBUTES = """
    Attributes
    ----------
    powers_ : the exponent of each input column in each output column
    n_output_features_ : how many columns come out
    n_features_in_, feature_names_in_ : what the columns were
"""


@documented(attributes=_ATTRIBUTES)
class Polynomial(PolynomialFeatures):  # type: ignore[misc]
    """Every product of up to `degree` columns, as scikit-learn's PolynomialFeatures computes them, named `a^2`, `a×b`.

    Dense rows stay dense, sparse rows sparse.

    >>> from linnet import Polynomial
    >>> square = Polynomial()
    >>> square.fit_transform([[2, 3]]).tolist()
    [[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]
    >>> square.get_feature_names_out(["a", "b"]).tolist()
    ['1', 'a', 'b', 'a^2', 'a×b', 'b^2']
    """

    def __init__(
        self, degree: int | tuple[int, int] = 2, *, interaction_only: bool = False, include_bias: bool = True
    ) -> None:
        super().__init__(degree, interaction_only=interaction_only, include_bias=include_bias)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take down how many columns there are, and their names."""
        with input_errors():
            super().fit(_sound(X), y)
        return self

    def transform(self, X: Any) -> Any:
        """The products of the columns."""
        check_is_fitted(self)
        with input_errors():
            return super().transform(_sound(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The name of each column."""
        check_is_fitted(self)
        columns = _check_feature_names_in(self, input_features)
        names = [
            CROSS.join(f"{columns[j]}^{row[j]}" if row[j] > 1 else str(columns[j]) for j in np.flatnonzero(row))
            for row in self.powers_
        ]
        return np.array([name or "1" for name in names], dtype=object)


def _sound(X: Any) -> Any:
    """A sparse matrix checked, for scikit-learn trusts its arrays; CSC stays CSC."""
    check_kind(X, "X")
    if not is_sparse(X):
        return X
    matrix = sound(X)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # what follows changes its arrays, which may be the caller's
        matrix.sum_duplicates()
    return matrix.tocsc() if getattr(X, "format", "csr") == "csc" else matrix
