"""What OneHot and Conjunctions share: terms over the columns of a table, with the output's columns in order of name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from linnet.data.features.layout import FeatureLayout, assembled
from linnet.data.features.terms import NamedTerm, Piece
from linnet.data.sources.arrow import is_number, plain
from linnet.data.sources.block import Column, Numbers
from linnet.data.sources.conversion import typed_numbers
from linnet.errors import InputError
from linnet.estimators.columns import categories_of, columns_of, names_of, object_array

ATTRIBUTES = """
    Attributes
    ----------
    collisions_ : how many names share a column with another (0 with an exact dictionary)
    n_features_in_, feature_names_in_ : what the columns were
"""


class NamedFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """One name and one value a row and term. A subclass says the terms, and which columns they take as numbers."""

    hash_bits: int
    _terms: list[Any]
    _numbers: frozenset[str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which names there are."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002
        """As fit and then transform, in one go."""
        self._check_parameters()
        given = columns_of(self, X, reset=True)
        self._numbers = self._taken_as_numbers(given)
        self._terms = self._new_terms(given)
        pieces = self._pieces(given, frozen=False)
        self._arrange(given)
        self.collisions_ = sum(int(term.vocabulary.collisions) for term in self._terms)
        return self._matrix(pieces)

    def transform(self, X: Any) -> Any:
        """The table as sparse rows."""
        check_is_fitted(self)
        given = columns_of(self, X, reset=False)
        pieces = self._pieces(given, frozen=True)
        self._check_known(given, pieces)
        return self._matrix(pieces)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """The name of each column."""
        check_is_fitted(self)
        names: NDArray[Any] = self._names.copy()
        return names

    # -- what a subclass says -------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        """An error where a parameter is wrong."""

    def _taken_as_numbers(self, given: Mapping[str, Any]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def _new_terms(self, given: Mapping[str, Any]) -> list[Any]:
        raise NotImplementedError

    def _order(self, term: NamedTerm, given: Mapping[str, Any]) -> list[int]:  # noqa: ARG002
        """The term's features as its columns are to stand."""
        names = names_of(term)
        return sorted(range(len(names)), key=names.__getitem__)

    def _check_known(self, given: Mapping[str, Any], pieces: list[Piece]) -> None:
        """An error where a name is unknown and must not be."""

    # -- rows -----------------------------------------------------------------------------------------------------

    def _pieces(self, given: Mapping[str, Any], *, frozen: bool) -> list[Piece]:
        columns: dict[str, Column] = {}
        for name, array in given.items():
            try:
                columns[name] = _numbers(name, array) if name in self._numbers else categories_of(array)
            except pa.ArrowException as error:
                raise InputError(f"column {name} was of numbers in fit and is not now: {error}") from None
        pieces = [term.number(term.prepare(columns), frozen=frozen) for term in self._terms]
        for term, piece in zip(self._terms, pieces, strict=True):
            beyond = np.flatnonzero(np.isinf(piece.values))
            if len(beyond):
                raise InputError(f"row {beyond[0]}: the product of {', '.join(term.columns)} is infinite")
        return pieces

    def _arrange(self, given: Mapping[str, Any]) -> None:
        """Term after term; within one, by name."""
        names: list[str] = []
        columns = []
        for term in self._terms:
            order = self._order(term, given)
            columns.append(len(names) + np.argsort(order))
            names += [term.name(number) for number in order]
        self._layout = FeatureLayout.of(columns)
        self._names = object_array(names)

    def _matrix(self, pieces: list[Piece]) -> Any:
        rows = assembled(pieces, self._layout)
        X = csr_matrix((rows.values, rows.ids.view(np.int32), rows.starts), shape=rows.shape)
        X.eliminate_zeros()
        return X


def _numbers(name: str, array: Any) -> Numbers:
    """A column of numbers; an infinite one is for the terms to complain of."""
    array = plain(array)
    if not is_number(array.type) and not pa.types.is_null(array.type):
        raise InputError(f"column {name} was of numbers in fit and is of {array.type} now")
    return Numbers(typed_numbers(array))
