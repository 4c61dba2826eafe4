"""What sources of named columns share: their columns, which of them to read and as what, and values that do not fit.

This module is always loaded; Arrow, which is slow to load, only where a table is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from linnet.data.column_types import Kind, ReadAs, Reading
from linnet.data.findings import FIRST_SHOWN, Misfits, shown_value
from linnet.data.limits import MOST_COLUMNS, ROW_NAMES
from linnet.data.role import Role
from linnet.data.sources.block import Block, Column, Numbers, Position, Strings
from linnet.data.sources.formats import Format
from linnet.errors import InputError, option

# What a value of a column should be, by the column's kind.
_EXPECTED = {
    Kind.NUMBER: "finite number",
    Kind.DATE: "date",
    Kind.TIME: "time of day",
    Kind.BOOLEAN: "word for true or false",
    Kind.STRING: "text",
}


@dataclass(frozen=True)
class Unfit:
    """The values of a column that do not fit: their rows, in order, and the Arrow array that has them."""

    name: str
    rows: list[int]
    array: Any


@dataclass(frozen=True)
class Layout:
    """The columns of a table and Arrow's types for them, as they are stored; and how those that are wanted are read."""

    types: Mapping[str, Any]
    wanted: Mapping[str, Reading]

    @classmethod
    def of(cls, types: Mapping[str, Any]) -> Layout:
        """All columns that can be read, each as its strings."""
        from linnet.data.sources.arrow import readable

        return cls(types, {name: Reading() for name, kind in types.items() if readable(kind)})

    def select(self, wanted: Mapping[str, Reading]) -> Layout:
        """These columns."""
        return Layout(self.types, wanted)

    def columns(self, table: Any, path: str) -> tuple[dict[str, Column], list[Unfit]]:
        """The columns, all missing where the table has none, and the values that do not fit."""
        from linnet.data.sources.arrow import finite_doubles, is_list, plain, readable
        from linnet.data.sources.conversion import converted

        columns: dict[str, Column] = {}
        unfit: list[Unfit] = []
        there = dict(zip(table.column_names, table.columns, strict=True))
        for name, how in self.wanted.items():
            if name not in there:
                columns[name] = absent(how, table.num_rows)
                continue
            numbers = finite_doubles(there[name]) if _as_stored(how) else None
            if numbers is not None:
                columns[name] = numbers
                continue
            array = plain(there[name])
            if not readable(array.type) or (is_list(array.type) and how.read_as is not ReadAs.TEXT):
                raise InputError(
                    f"{path}: the column {name!r} has values of the type {array.type}: make numbers or strings of "
                    "them first"
                )
            columns[name], wrong = converted(array, how)
            if len(wrong):
                unfit.append(Unfit(name, wrong.tolist(), array))
        return columns, unfit

    def reason(self, name: str, value: Any) -> str:
        """Why a row cannot be used that has a value which does not fit."""
        what = _EXPECTED[self.wanted[name].type.kind]
        shown = shown_value(value)
        return f"{name} should be a {what} but is {shown} (or give it the role category with {option('columns')})"


def _as_stored(how: Reading) -> bool:
    """Whether numbers that are stored as such are taken as they are, if they are finite."""
    return how.is_number and how.type.kind is Kind.NUMBER and not how.missing_numbers


def absent(how: Reading, rows: int) -> Column:
    """A column that is not there: all its values are missing."""
    return Numbers(np.full(rows, np.nan)) if how.is_number else Strings.none(rows)


def with_columns(block: Block, layout: Layout, table: Any, byte_of: Callable[[int, str], int | None]) -> Block:
    """The block with the table's columns; `byte_of` is where a row has a value.

    Rows with a value that does not fit a strict column are bad; other values that do not fit are missing, and counted.
    """
    _refuse_long_lists(block, layout, table)
    columns, unfit = layout.columns(table, block.path)
    block = replace(block, columns=columns)
    if not unfit:
        return block
    bad: dict[int, str] = {}
    misfits: list[Misfits] = []
    for each in unfit:
        if layout.wanted[each.name].strict:
            for row in each.rows:
                bad.setdefault(row, each.name)
        else:
            first = [f"{block.location(row)}: {_value(each, row)}" for row in each.rows[:FIRST_SHOWN]]
            misfits.append(Misfits(each.name, len(each.rows), tuple(first)))
    block = replace(block, misfits=tuple(misfits))
    return _without(block, bad, {each.name: each.array for each in unfit}, layout, byte_of) if bad else block


def _refuse_long_lists(block: Block, layout: Layout, table: Any) -> None:
    """Raise for a list of more elements than a row may have, before a string is made of each."""
    from linnet.data.sources.arrow import is_list

    for name in set(layout.wanted) & set(table.column_names):
        if is_list(table.schema.field(name).type) and table.nbytes > ROW_NAMES:  # an element takes a byte or more
            from linnet.data.sources.arrow_functions import pc

            lengths = np.asarray(pc.list_value_length(table.column(name)).fill_null(0))
            if (lengths > ROW_NAMES).any():
                row = int(np.argmax(lengths))
                raise InputError(
                    f"{block.location(row)}: the list {name!r} has {lengths[row]:,} values, more than {ROW_NAMES:,}"
                )


def _without(
    block: Block, bad: Mapping[int, str], arrays: Mapping[str, Any], layout: Layout, byte_of: Callable[..., int | None]
) -> Block:
    """The block without these rows, of which a column each does not fit."""
    more = [
        block.bad_row(row, layout.reason(name, arrays[name][row].as_py()), byte_of(row, name))
        for row, name in sorted(bad.items())
    ]
    fits = np.ones(block.rows, dtype=bool)
    fits[list(bad)] = False
    every = tuple(sorted([*block.bad, *more], key=lambda row: row.line))
    return replace(block.keep(fits), bad=every, misfits=block.misfits)


def _value(unfit: Unfit, row: int) -> str:
    return f"{unfit.name} is {shown_value(unfit.array[row].as_py())}"


def refuse_more_columns(count: int, where: str) -> None:
    """Raise for more columns than a table may have."""
    if count > MOST_COLUMNS:
        raise InputError(
            f"{where}: {count:,} columns are more than {MOST_COLUMNS:,}: number them instead of naming them, in an "
            f"svmlight file ({option('format', Format.SVMLIGHT)})"
        )


def types_of(schema: Any, path: str) -> dict[str, Any]:
    """Arrow's types by name, those of objects key by key; raise if a name is there twice, or if there are too many."""
    from linnet.data.sources.nesting import leaves

    refuse_more_columns(len(schema.names), path)
    found = leaves(schema)
    refuse_more_columns(len(found), path)
    for name, times in Counter(name for name, _, _ in found).items():
        if times > 1:
            raise InputError(f"{path}: the column {name!r} is there twice: rename one of them")
    return {name: kind for name, _, kind in found}


class TableSource(ABC):
    """A source whose rows have columns with names."""

    format = ""
    layout: Layout
    # The target and the roles of columns, where the format says what they are for.
    own_target: str | None = None
    own_roles: Mapping[str, Role] = MappingProxyType({})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.layout.types)

    @property
    def there(self) -> tuple[str, ...]:
        """The columns that the data have, as far as the first rows show."""
        return self.names

    def expect_columns(self, names: Iterable[str]) -> None:  # noqa: B027 - most formats have no lists
        """Take lists for vectors where a model was trained on such: it has columns of these names."""

    def select_columns(self, wanted: Mapping[str, Reading]) -> None:
        """Read only these columns from now on, each as it is to be read."""
        self.layout = self.layout.select(wanted)

    def header_hint(self, sample: Block) -> str:  # noqa: ARG002
        """What may be wrong with the names of the columns, by the first rows; mostly nothing."""
        return ""

    @abstractmethod
    def sample(self) -> Block:
        """The first rows, with every readable column as its strings."""

    @abstractmethod
    def chunks(self, start: Position) -> Iterator[Any]: ...

    @abstractmethod
    def parse(self, chunk: Any) -> Block: ...
