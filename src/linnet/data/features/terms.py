"""Terms: the features that a column, or a cross of columns, becomes; each term numbers its own features 0, 1, 2, ...

A term's work on a block has two parts.  `prepare` depends on the block alone, so that threads can prepare several
blocks at once.  `number` gives new names their numbers, block after block: numbers follow the order of the rows, and
never depend on where blocks begin.  Text has a module of its own (text.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.transforms import Log
from linnet.data.missing_markers import normal
from linnet.data.sources.block import Column, Numbers, Strings
from linnet.kernels.vocabulary import Vocabulary

ONE_EACH = np.empty(0, dtype=np.int64)
NUMBER_HERE = np.zeros(1, dtype=np.int64)
NUMBER_HERE.flags.writeable = False
CROSS = "×"
# Up to here Python encodes faster than Arrow, which need not even be loaded.
FEW_ROWS = 64
# An integer with a point, as some programs write it; and any number with one.
WHOLE = re.compile(r"-?(0|[1-9]\d*)\.0+")
DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d+")


@dataclass(frozen=True, eq=False)
class Piece:
    """A term's entries in a block of rows: feature numbers (-1: unknown) and values.

    Without starts there is exactly one entry a row.  With a table, the values are a column of it, and so are those of
    all other terms (layout.py).
    """

    ids: NDArray[Any]
    values: NDArray[Any]
    starts: NDArray[np.int64] = field(default_factory=lambda: ONE_EACH)
    table: NDArray[np.float64] | None = None

    @property
    def only(self) -> int | None:
        """The feature that every row has, if it is stored once for all of them: a column of numbers, none missing."""
        return int(self.ids[0]) if self.ids.strides == (0,) and len(self.ids) else None

    @property
    def all_known(self) -> bool:
        only = self.only
        return only >= 0 if only is not None else bool(self.ids.min(initial=0) >= 0)


class NumberTerm:
    """A column of numbers: the feature `column` has its value; `column is missing` is 1 where there is none.

    Where it enters by its logarithm (transforms.py), the feature is `log(column)`.
    """

    kind = "number"
    # its feature that is a number, with the one for missing values
    numbers = ((0, 1),)

    def __init__(self, column: str, log: Log | None = None) -> None:
        self.columns = (column,)
        self.log = log

    def __len__(self) -> int:
        return 2

    def prepare(self, columns: Mapping[str, Column]) -> Piece:
        column = columns[self.columns[0]]
        assert isinstance(column, Numbers)
        values = column.values if self.log is None else self.log(column.values)
        if column.all_there:
            return Piece(_all_here(len(column)), values)
        missing = np.isnan(column.values)
        return Piece(missing.astype(np.int64), np.where(missing, 1.0, values))

    def number(self, prepared: Piece, *, frozen: bool) -> Piece:  # noqa: ARG002
        return prepared

    def name(self, number: int) -> str:
        if number == 1:
            return missing_name(self.columns[0])
        return self.columns[0] if self.log is None else self.log.name(self.columns[0])


def _all_here(rows: int) -> NDArray[np.int64]:
    """NUMBER_HERE for each row, stored once; np.broadcast_to would take as long as many a column."""
    return np.ndarray((rows,), np.int64, NUMBER_HERE, strides=(0,))


def missing_name(column: str) -> str:
    return f"{column} is missing"


@dataclass(frozen=True, eq=False)
class NamedValues:
    """The distinct names of a block in the order of their first rows, which one each row has, and its value."""

    names: Strings
    which: NDArray[np.int64]
    values: NDArray[np.float64]


class NamedTerm:
    """What categories and crosses share: one name a row, numbered by a vocabulary.

    `as_is` takes values as they are; otherwise they are spelt the same for every format (see `canonical`).
    """

    kind: str

    def __init__(
        self, columns: tuple[str, ...], bits: int = 0, vocabulary: Vocabulary | None = None, *, as_is: bool = False
    ) -> None:
        self.columns = columns
        self.as_is = as_is
        self.vocabulary = Vocabulary(bits) if vocabulary is None else vocabulary  # type: ignore[call-arg]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def prepare(self, columns: Mapping[str, Column]) -> Any:
        raise NotImplementedError

    def number(self, prepared: Any, *, frozen: bool) -> Piece:
        numbers = self.vocabulary.numbers(prepared.names.data, prepared.names.starts, b"", frozen)
        return Piece(numbers[prepared.which] if len(numbers) else prepared.which, prepared.values)

    def name(self, number: int) -> str:
        return str(self.vocabulary.name(number))


class CategoryTerm(NamedTerm):
    """A column of categories: a 1 in the feature `column=value`."""

    kind = "category"
    _missing_number = -1  # of `column is missing`, once it has one: numbers never change

    def prepare(self, columns: Mapping[str, Column]) -> NamedValues:
        name = self.columns[0]
        given = columns[name]
        assert isinstance(given, Strings)
        if (
            len(given) and given.missing is not None and given.missing.all()
        ):  # as most columns of a wide and sparse table are
            rows = len(given)
            return NamedValues(self._only_missing, _alike(0, rows, np.int64), _alike(1, rows, np.float64))
        codes, names = category_names(name, given, as_is=self.as_is)
        return in_order(codes, names, np.ones(len(codes)))

    def number(self, prepared: NamedValues, *, frozen: bool) -> Piece:
        if prepared.names is not self._only_missing:
            return super().number(prepared, frozen=frozen)
        if self._missing_number < 0:
            self._missing_number = int(super().number(prepared, frozen=frozen).ids[0])
        return Piece(_alike(self._missing_number, len(prepared.which), np.int64), prepared.values)

    @cached_property
    def _only_missing(self) -> Strings:
        return Strings.of([missing_name(self.columns[0])])


@lru_cache(maxsize=16)
def _alike(value: int, rows: int, kind: type) -> NDArray[Any]:
    """Rows that all have one value: the same array for every column that is so, and never changed."""
    values: NDArray[Any] = np.full(rows, value, dtype=kind)
    values.flags.writeable = False
    return values


class CrossTerm(NamedTerm):
    """Columns crossed: categories by their combination of values, numbers by their product."""

    kind = "cross"

    def prepare(self, columns: Mapping[str, Column]) -> NamedValues:
        values = np.ones(len(columns[self.columns[0]]))
        codes = np.zeros(len(values), dtype=np.int64)
        names = [""]
        for column in self.columns:
            given = columns[column]
            if isinstance(given, Numbers):
                missing = np.isnan(given.values)
                with np.errstate(over="ignore"):  # Features reports the row of an infinite product
                    values = values * np.where(missing, 1.0, given.values)
                own, own_names = missing.astype(np.int64), [column, missing_name(column)]
            else:
                own, own_names = category_names(column, given, as_is=self.as_is)
            joint, codes = np.unique(codes * len(own_names) + own, return_inverse=True)
            names = [_joined(names[at // len(own_names)], own_names[at % len(own_names)]) for at in joint.tolist()]
        return in_order(codes, names, values)


def _joined(before: str, name: str) -> str:
    return f"{before}{CROSS}{name}" if before else name


def category_names(column: str, given: Column, *, as_is: bool = False) -> tuple[NDArray[np.int64], list[str]]:
    """The code of each row, and the name of each code."""
    assert isinstance(given, Strings)
    codes, values = _encoded(given)
    if not as_is:
        values = [canonical(value) for value in values]
    markers = frozenset() if as_is else given.markers
    names = [missing_name(column) if normal(value) in markers else f"{column}={value}" for value in values]
    if given.missing is not None:
        codes[given.missing] = len(names)
        names.append(missing_name(column))
    return codes, names


def _encoded(given: Strings) -> tuple[NDArray[np.int64], list[str]]:
    """The code of each string, and the distinct strings in the order of their first rows."""
    if len(given) <= FEW_ROWS:
        found: dict[str, int] = {}
        codes = [found.setdefault(value, len(found)) for value in given.strings()]
        return np.array(codes, dtype=np.int64), list(found)
    distinct = Vocabulary()
    numbers = distinct.numbers(given.data, np.ascontiguousarray(given.starts), b"", False)
    return numbers, distinct.names()  # type: ignore[no-untyped-call]


def canonical(value: str) -> str:
    """A value as every format spells it: without surrounding blanks, 1 for 1.0, 1.5 for 1.50, true for True."""
    value = value.strip()
    if DECIMAL.fullmatch(value):
        return value.rstrip("0").removesuffix(".")
    return value.lower() if value in ("True", "False", "TRUE", "FALSE") else value


def in_order(codes: NDArray[np.int64], names: list[str], values: NDArray[np.float64]) -> NamedValues:
    """Names in the order in which rows first have them."""
    if len(codes) <= FEW_ROWS:
        found: dict[int, int] = {}
        few = [found.setdefault(code, len(found)) for code in codes.tolist()]
        return NamedValues(Strings.of([names[code] for code in found]), np.array(few, dtype=np.int64), values)
    used, first, which = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return NamedValues(Strings.of([names[code] for code in used[order].tolist()]), rank[which], values)


class NumberedTerm:
    """Columns named by numbers, as in svmlight files: feature j is column j."""

    kind = "numbered"
    columns: tuple[str, ...] = ()

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def name(self, number: int) -> str:
        return str(number)
