"""OneHot: columns of categories to columns of zeros and ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.data.features.terms import CategoryTerm, NamedTerm, Piece, missing_name
from linnet.data.sources.arrow import is_number
from linnet.errors import InputError
from linnet.estimators.columns import checked_bits, names_of
from linnet.estimators.documentation import documented
from linnet.estimators.named import ATTRIBUTES, NamedFeatures
from linnet.estimators.parameters import chosen


@documented(attributes=ATTRIBUTES)
class OneHot(NamedFeatures):
    """A 1 in the column `column=value` for each category, `column is missing` where there is none; sparse.

    The same columns in the same order as scikit-learn's OneHotEncoder: column after column, its values sorted, the
    missing value last. Whole numbers are one category whether they come as 2 or as 2.0.

    >>> from linnet import OneHot
    >>> hot = OneHot()
    >>> hot.fit_transform([["red", 2], ["blue", 10], ["red", 10]]).toarray().astype(int).tolist()
    [[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]]
    >>> hot.get_feature_names_out().tolist()
    ['x0=blue', 'x0=red', 'x1=2', 'x1=10']
    """

    def __init__(self, *, handle_unknown: str = "error", hash_bits: int = 0) -> None:
        self.handle_unknown = handle_unknown
        self.hash_bits = hash_bits

    def _check_parameters(self) -> None:
        chosen(("error", "ignore"), "handle_unknown", self.handle_unknown)

    def _new_terms(self, given: Mapping[str, Any]) -> list[Any]:
        bits = checked_bits(self.hash_bits)
        return [CategoryTerm((name,), bits, as_is=True) for name in given]

    def _order(self, term: NamedTerm, given: Mapping[str, Any]) -> list[int]:
        (column,) = term.columns
        kind = given[column].type
        numbers = is_number(kind.value_type if pa.types.is_dictionary(kind) else kind)
        names = names_of(term)

        def rank(at: int) -> tuple[bool, Any]:
            value = names[at][len(column) + 1 :]
            missing = names[at] == missing_name(column)
            return missing, 0 if missing else _number(value) if numbers else value

        return sorted(range(len(names)), key=rank)

    def _check_known(self, given: Mapping[str, Any], pieces: list[Piece]) -> None:
        if self.handle_unknown == "ignore":
            return
        for (name, array), piece in zip(given.items(), pieces, strict=True):
            unknown = np.flatnonzero(piece.ids < 0)
            if len(unknown):
                row = int(unknown[0])
                raise InputError(
                    f"row {row}: {name} is {array[row].as_py()!r}, which it never was in fit; "
                    f"handle_unknown='ignore' would leave such values out"
                )


def _number(value: str) -> Any:
    """Whole numbers exactly, however large; times and dates sort as they are written."""
    try:
        return int(value)
    except ValueError:
        try:
            return float(value)
        except ValueError:
            return value
