"""Conjunctions: columns taken together, so that a linear model can weigh combinations of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain, combinations
from typing import Any

from linnet.data.features.terms import CrossTerm
from linnet.data.sources.arrow import is_number
from linnet.errors import RecipeError, listed
from linnet.estimators.columns import checked_bits, is_whole
from linnet.estimators.documentation import documented
from linnet.estimators.named import ATTRIBUTES, NamedFeatures


@documented(attributes=ATTRIBUTES)
class Conjunctions(NamedFeatures):
    """Columns by themselves and together: a 1 in `a=x×b=y` where column a is x and column b is y; sparse.

    A column of numbers stands with its value instead of a 1: `a=x×size` has the size where a is x, `size×weight` the
    product of both; where a number is missing, `size is missing` stands with a 1. To take numbers for categories, make
    them strings. A combination that was not there in fit has no column. Combinations come in the order of the input
    columns, fewer before more; within one the names are sorted.

    >>> from linnet import Conjunctions
    >>> pairs = Conjunctions(degree=(2, 2))
    >>> pairs.fit_transform([["red", "car"], ["red", "bus"], ["blue", "car"]]).toarray().astype(int).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    >>> pairs.get_feature_names_out().tolist()
    ['x0=blue×x1=car', 'x0=red×x1=bus', 'x0=red×x1=car']
    """

    def __init__(
        self,
        degree: int | tuple[int, int] = 2,
        *,
        crosses: Sequence[Sequence[str | int]] | None = None,
        hash_bits: int = 0,
    ) -> None:
        self.degree = degree
        self.crosses = crosses
        self.hash_bits = hash_bits

    def _check_parameters(self) -> None:
        self._degrees()

    def _degrees(self) -> tuple[int, int]:
        given = self.degree if isinstance(self.degree, tuple | list) else (1, self.degree)
        if len(given) != 2 or not all(is_whole(d, 1) for d in given) or given[0] > given[1]:
            raise RecipeError(f"degree must be a whole number, 1 or more, or (fewest, most); it is {self.degree!r}")
        return int(given[0]), int(given[1])

    def _taken_as_numbers(self, given: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(name for name, array in given.items() if is_number(array.type))

    def _new_terms(self, given: Mapping[str, Any]) -> list[Any]:
        names = list(given)
        fewest, most = self._degrees()
        if self.crosses is None:
            crosses = list(chain.from_iterable(combinations(names, d) for d in range(fewest, most + 1)))
            if not crosses:
                raise RecipeError(f"degree={self.degree!r} takes more columns together than the {len(names)} there are")
        else:
            crosses = [tuple(_named(cross, names)) for cross in self.crosses]
        bits = checked_bits(self.hash_bits)
        return [CrossTerm(cross, bits, as_is=True) for cross in crosses]


def _named(cross: Sequence[str | int], names: list[str]) -> Iterator[str]:
    if isinstance(cross, str) or not len(cross):
        raise RecipeError(f"a cross is a tuple of columns; {cross!r} is none")
    for column in cross:
        if is_whole(column, 0, len(names) - 1):
            yield names[int(column)]
        elif column in names:
            yield str(column)
        else:
            near = get_close_matches(str(column), names, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {listed(names)}"
            raise RecipeError(f"the cross {tuple(cross)!r} names {column!r}, which is not a column: {hint}")
