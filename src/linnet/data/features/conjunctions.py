"""Conjunctions: a feature for every set of two or more columns that are non-zero in the same row.

Among d columns there are d (d - 1) / 2 pairs; a row with m non-zero entries has m (m - 1) / 2 of them.  Only pairs that
some row has become features, so a learner of disjunctions learns a k-DNF without listing all conjunctions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.terms import CROSS, NamedTerm, Piece, category_names, missing_name
from linnet.data.rows import Rows
from linnet.data.sources.block import Column, Numbers, Strings
from linnet.kernels.joined_names import joined, taken
from linnet.kernels.vocabulary import Vocabulary

# The most columns in a conjunction: their number grows with this power of the entries of a row.
LARGEST_DEGREE = 5


@dataclass(frozen=True, eq=False)
class ConjunctionValues:
    """The distinct conjunctions of a block in the order of their first rows, which of them each row has, and the
    products of its values."""

    names: Strings
    which: NDArray[np.int64]
    values: NDArray[np.float64]
    starts: NDArray[np.int64]


class ConjunctionTerm(NamedTerm):
    """The feature `a×b` of two to `degree` columns that are non-zero in a row: the product of their values.

    A category enters as `column=value` with the value 1, a numbered column by its number.
    """

    kind = "conjunctions"

    def __init__(
        self, columns: tuple[str, ...], degree: int, bits: int = 0, vocabulary: Vocabulary | None = None
    ) -> None:
        super().__init__(columns, bits, vocabulary)
        self.degree = degree

    def prepare(self, columns: Mapping[str, Column]) -> ConjunctionValues:
        names: list[str] = []
        codes, values = [], []
        for column in self.columns:
            own, own_names, own_values = _literals(column, columns[column])
            codes.append(own + len(names))
            values.append(own_values)
            names += own_names
        ids, products = np.stack(codes, axis=1), np.stack(values, axis=1)
        there = products != 0
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
        return _conjunctions(starts, ids[there], products[there], names, self.degree)

    def prepare_rows(self, rows: Rows) -> ConjunctionValues:
        """As `prepare`, of rows of numbered columns."""
        row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.starts))
        there = rows.values != 0
        ids, values, row = rows.ids[there].astype(np.int64), rows.values[there].astype(np.float64), row[there]
        order = np.lexsort((ids, row))  # 3×17, in whichever order the row has them
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows.shape[0]))]).astype(np.int64)
        known, codes = np.unique(ids[order], return_inverse=True)
        return _conjunctions(starts, codes, values[order], [str(each) for each in known.tolist()], self.degree)

    def count(self, columns: Mapping[str, Column]) -> NDArray[np.int64]:
        """How many conjunctions each row has."""
        given = [columns[name] for name in self.columns]
        zeros = [column.values == 0 for column in given if isinstance(column, Numbers)]
        return self._sets(len(given) - (np.sum(zeros, axis=0) if zeros else np.zeros(len(given[0]), dtype=np.int64)))

    def count_rows(self, rows: Rows) -> NDArray[np.int64]:
        """As `count`, of rows of numbered columns."""
        before = np.concatenate([[0], np.cumsum(rows.values != 0)])
        return self._sets(before[rows.starts[1:]] - before[rows.starts[:-1]])

    def _sets(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sets of 2 to `degree` of a number of entries; what is beyond any limit may be less than it is."""
        sets, found = entries.astype(np.float64), np.zeros(len(entries))
        for size in range(2, self.degree + 1):
            sets = sets * np.maximum(entries - size + 1, 0) / size
            found += sets
        return np.minimum(found, 2.0**62).astype(np.int64)

    def number(self, prepared: ConjunctionValues, *, frozen: bool) -> Piece:
        numbers = self.vocabulary.numbers(prepared.names.data, prepared.names.starts, b"", frozen)
        ids = numbers[prepared.which] if len(numbers) else prepared.which
        known = ids >= 0
        if known.all():
            return Piece(ids, prepared.values, prepared.starts)
        before = np.concatenate([[0], np.cumsum(known)]).astype(np.int64)
        return Piece(ids[known], prepared.values[known], before[prepared.starts])


def _literals(column: str, given: Column) -> tuple[NDArray[np.int64], list[str], NDArray[np.float64]]:
    """The literal of each row by number, its value, and the names of the literals."""
    if isinstance(given, Numbers):
        missing = np.isnan(given.values)
        return missing.astype(np.int64), [column, missing_name(column)], np.where(missing, 1.0, given.values)
    codes, names = category_names(column, given)
    return codes, names, np.ones(len(codes))


def _conjunctions(
    starts: NDArray[np.int64], ids: NDArray[np.int64], values: NDArray[np.float64], names: list[str], degree: int
) -> ConjunctionValues:
    """All sets of two to `degree` entries of each row, smaller sets first."""
    lengths = np.diff(starts)
    row, end = np.repeat(np.arange(len(lengths)), lengths), np.repeat(starts[1:], lengths)
    last, codes, products = np.arange(len(ids)), ids, values
    # the sets of a long row, which is a block of its own, are all different, and in order
    alone = len(lengths) == 1 and bool((np.diff(ids) > 0).all())
    single = Strings.of(names)
    longer, found = single, []  # names of the conjunctions one smaller, by code
    for _ in range(2, degree + 1):
        later = end[last] - last - 1  # the entries of the row that follow
        parents = np.repeat(np.arange(len(last)), later)
        joining = last[parents] + 1 + np.arange(len(parents)) - np.repeat(np.cumsum(later) - later, later)
        with np.errstate(over="ignore"):  # Features reports the row of an infinite product
            products = products[parents] * values[joining]
        pairs = codes[parents] * len(names) + ids[joining]
        del parents  # arrays of this length are what takes the memory
        pairs, codes = (pairs, np.arange(len(pairs))) if alone else np.unique(pairs, return_inverse=True)
        first, second = np.divmod(pairs, max(1, len(names)))
        longer = Strings(*joined(longer.data, longer.starts, first, CROSS.encode(), single.data, single.starts, second))
        del pairs, first, second
        last = joining
        found.append((row[last], codes, products, longer))
    return _of_one_row(found) if alone else _in_order(len(lengths), found)


_Found = list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], Strings]]


def _of_one_row(found: _Found) -> ConjunctionValues:
    """Conjunctions that are all different, as they are."""
    values = np.concatenate([each for _, _, each, _ in found])
    return ConjunctionValues(
        Strings(*_one_after_the_other(found)), np.arange(len(values)), values, np.array([0, len(values)])
    )


def _one_after_the_other(found: _Found) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The names of all sizes together: their text, and where each begins."""
    before = np.cumsum([0] + [len(names.data) for _, _, _, names in found])
    ends = [names.starts[1:] + at for (_, _, _, names), at in zip(found, before[:-1], strict=True)]
    return np.concatenate([names.data for _, _, _, names in found]), np.concatenate([np.zeros(1, np.int64), *ends])


def _in_order(rows: int, found: _Found) -> ConjunctionValues:
    """Row after row, with names in the order of their first rows."""
    offsets = np.cumsum([0] + [len(names) for _, _, _, names in found])
    row = np.concatenate([each for each, _, _, _ in found])
    order = np.argsort(row, kind="stable")
    codes = np.concatenate([each + offset for (_, each, _, _), offset in zip(found, offsets[:-1], strict=True)])[order]
    values = np.concatenate([each for _, _, each, _ in found])[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    del row, order
    used, first, which = np.unique(codes, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    rank = np.empty_like(by_first)
    rank[by_first] = np.arange(len(by_first))
    names = Strings(*taken(*_one_after_the_other(found), used[by_first]))
    return ConjunctionValues(names, rank[which], values, starts)
