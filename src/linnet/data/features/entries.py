"""Terms of several names a row: sets of categories, and named features as Vowpal Wabbit writes them.

Both are read as strings: a set as data/sources/sets.py has it, the features of a row as `|namespace name:value ...`
(kernels/vowpal_wabbit.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.terms import NamedTerm, Piece, canonical, missing_name
from linnet.data.limits import BLOCK_NAMES
from linnet.data.sources.block import Column, Strings
from linnet.data.sources.sets import ELEMENT, elements_of
from linnet.kernels.vocabulary import Vocabulary
from linnet.kernels.vowpal_wabbit import parse


@dataclass(frozen=True, eq=False)
class Entries:
    """The distinct names of a block in the order of their first rows, which of them each row has, and their values."""

    names: Strings
    which: NDArray[np.int64]
    values: NDArray[np.float64]
    starts: NDArray[np.int64]


class EntriesTerm(NamedTerm):
    """What terms of several names a row share; a byte of BETWEEN comes before each."""

    between: ClassVar[bytes]

    def most_names(self, columns: Mapping[str, Column]) -> NDArray[np.int64]:
        """The most names that each row can have: counted if the bytes alone do not show that they are few."""
        given = columns[self.columns[0]]
        assert isinstance(given, Strings)
        lengths = np.diff(given.starts)
        if int(lengths.sum()) <= BLOCK_NAMES:
            return lengths
        text = given.data[given.starts[0] : given.starts[-1]]
        counted = np.flatnonzero(np.isin(text, np.frombuffer(self.between, dtype=np.uint8)))
        return np.asarray(np.diff(np.searchsorted(counted, given.starts - given.starts[0])) + 1)

    def number(self, prepared: Entries, *, frozen: bool) -> Piece:
        numbers = self.vocabulary.numbers(prepared.names.data, prepared.names.starts, b"", frozen)
        ids = numbers[prepared.which] if len(numbers) else prepared.which
        known = ids >= 0
        if known.all():
            return Piece(ids, prepared.values, prepared.starts)
        before = np.concatenate([[0], np.cumsum(known)]).astype(np.int64)
        return Piece(ids[known], prepared.values[known], before[prepared.starts])


class SetTerm(EntriesTerm):
    """A column of sets: a 1 in the feature `column=element` of each element, however often it is there."""

    kind = "set"
    between = ELEMENT.encode()

    def prepare(self, columns: Mapping[str, Column]) -> Entries:
        name = self.columns[0]
        given = columns[name]
        assert isinstance(given, Strings)
        rows = len(given)
        elements, row = elements_of(given)
        codes, names = _coded(elements, lambda value: f"{name}={canonical(value)}" if value.strip() else "")
        kept = codes >= 0
        row, codes = row[kept], codes[kept]
        if given.missing is not None and given.missing.any():
            missing = np.flatnonzero(given.missing)
            there = ~given.missing[row]
            row = np.concatenate([row[there], missing])
            codes = np.concatenate([codes[there], np.full(len(missing), len(names))])
            names = [*names, missing_name(name)]
            order = np.argsort(row, kind="stable")
            row, codes = row[order], codes[order]
        return _entries(rows, row, codes, np.ones(len(row)), names, once=True)


class FeaturesTerm(EntriesTerm):
    """A column of named features with values, each a feature by its own name; one that is there twice counts in sum."""

    kind = "features"
    between = b" \t|"

    def prepare(self, columns: Mapping[str, Column]) -> Entries:
        given = columns[self.columns[0]]
        assert isinstance(given, Strings)
        starts = np.ascontiguousarray(given.starts)
        found = parse(np.ascontiguousarray(given.data), starts[:-1], starts[1:])
        row = np.repeat(np.arange(len(given)), np.diff(found["row_starts"]))
        codes, names = _coded(Strings(found["names"], found["name_starts"]), str)
        return _entries(len(given), row, codes, found["values"], names, once=False)


def _coded(given: Strings, named: Callable[[str], str]) -> tuple[NDArray[np.int64], list[str]]:
    """The code of each string, -1 where it has no name, and the name of each code, in the order of their first."""
    distinct = Vocabulary()
    numbers = np.asarray(distinct.numbers(given.data, given.starts, b"", False))
    found: dict[str, int] = {}
    table = np.empty(len(distinct), dtype=np.int64)
    for number in range(len(distinct)):
        name = named(distinct.name(number))
        table[number] = found.setdefault(name, len(found)) if name else -1
    return (table[numbers] if len(table) else numbers.astype(np.int64)), list(found)


def _entries(
    rows: int,
    row: NDArray[np.int64],
    codes: NDArray[np.int64],
    values: NDArray[np.float64],
    names: list[str],
    *,
    once: bool,
) -> Entries:
    """Row after row, each name of a row once: the first, with the sum of its values or, of a set, 1."""
    keys = row * max(1, len(names)) + codes
    unique, first, which = np.unique(keys, return_index=True, return_inverse=True)
    if len(unique) < len(keys):
        sums = np.ones(len(unique))
        if not once:
            sums = np.asarray(np.bincount(which, weights=values, minlength=len(unique)), dtype=np.float64)
        order = np.argsort(first)
        values, at = sums[order], first[order]
        row, codes = row[at], codes[at]
    used, begins = np.unique(codes, return_index=True)
    by_first = np.argsort(begins)
    rank = np.full(max(1, len(names)), -1, dtype=np.int64)
    rank[used[by_first]] = np.arange(len(used))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    kept = Strings.of([names[code] for code in used[by_first].tolist()])
    return Entries(kept, rank[codes], values, starts)
