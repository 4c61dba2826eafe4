"""What sources of named columns share: their columns, which of them to read and as what, and values that do not fit.

This module is always loaded; Arrow, which is slow to load, only where a table is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linnet.data.limits import MOST_COLUMNS
from linnet.data.sources.block import Block, Column, Numbers, Position, Strings
from linnet.data.sources.formats import Format
from linnet.errors import InputError, option

SHOWN = 40


@dataclass(frozen=True)
class Misfit:
    """A value that does not have the type of its column: the row, the column's name, and the reason."""

    row: int
    name: str
    reason: str


@dataclass(frozen=True)
class Layout:
    """The columns of a table and Arrow's types for them; `numbers` are read as numbers, the rest as strings."""

    types: Mapping[str, Any]
    wanted: tuple[str, ...]
    numbers: frozenset[str] = frozenset()

    @classmethod
    def of(cls, types: Mapping[str, Any]) -> Layout:
        """All columns that can be read, each by its own type."""
        from linnet.data.sources.arrow import is_number, readable

        wanted = tuple(name for name, kind in types.items() if readable(kind))
        return cls(types, wanted, frozenset(name for name in wanted if is_number(types[name])))

    def select(self, wanted: Mapping[str, bool]) -> Layout:
        """These columns, each as a number (True) or as a string."""
        return Layout(self.types, tuple(wanted), frozenset(name for name, number in wanted.items() if number))

    def columns(self, table: Any, path: str) -> tuple[dict[str, Column], list[Misfit]]:
        """The columns, all missing where the table has none, and at most one misfit for each row."""
        from linnet.data.sources.arrow import numbers, plain, readable, strings

        columns: dict[str, Column] = {}
        misfits: dict[int, Misfit] = {}
        there = frozenset(table.column_names)
        no_number, no_string = Numbers(np.full(table.num_rows, np.nan)), Strings.none(table.num_rows)
        for name in self.wanted:
            if name not in there:
                columns[name] = no_number if name in self.numbers else no_string
                continue
            array = plain(table.column(name))
            if not readable(array.type):
                raise InputError(
                    f"{path}: the column {name!r} has values of the type {array.type}: make numbers or strings of "
                    "them first"
                )
            if name not in self.numbers:
                columns[name] = strings(array)
                continue
            columns[name], wrong = numbers(array, self.types[name])
            for row in wrong.tolist():
                misfits.setdefault(row, Misfit(row, name, self._reason(name, array[row].as_py())))
        return columns, [misfits[row] for row in sorted(misfits)]

    def _reason(self, name: str, value: Any) -> str:
        from linnet.data.sources.arrow import is_time

        what = "time" if is_time(self.types[name]) else "finite number"
        shown = repr(value if not isinstance(value, str) or len(value) <= SHOWN else value[:SHOWN] + "…")
        return f"{name} should be a {what} but is {shown} (or give it the role category with {option('columns')})"


def with_columns(block: Block, layout: Layout, table: Any, byte_of: Callable[[int, str], int | None]) -> Block:
    """The block with the table's columns, without the rows that do not fit; `byte_of` is where a row has a value."""
    columns, misfits = layout.columns(table, block.path)
    block = replace(block, columns=columns)
    if not misfits:
        return block
    more = [block.bad_row(each.row, each.reason, byte_of(each.row, each.name)) for each in misfits]
    fits = np.ones(block.rows, dtype=bool)
    fits[[each.row for each in misfits]] = False
    return replace(block.keep(fits), bad=tuple(sorted([*block.bad, *more], key=lambda row: row.line)))


def refuse_more_columns(count: int, where: str) -> None:
    """Raise for more columns than a table may have."""
    if count > MOST_COLUMNS:
        raise InputError(
            f"{where}: {count:,} columns are more than {MOST_COLUMNS:,}: number them instead of naming them, in an "
            f"svmlight file ({option('format', Format.SVMLIGHT)})"
        )


def types_of(schema: Any, path: str) -> dict[str, Any]:
    """Arrow's types by name; raise if a name is there twice, or if there are too many."""
    refuse_more_columns(len(schema.names), path)
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise InputError(f"{path}: the column {name!r} is there twice: rename one of them")
    return dict(zip(schema.names, schema.types, strict=True))


class TableSource(ABC):
    """A source whose rows have columns with names."""

    format = ""
    layout: Layout
    # Whether rows may lack a column that others have.
    optional_columns = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.layout.types)

    def select_columns(self, wanted: Mapping[str, bool]) -> None:
        """Read only these columns from now on, each as a number (True) or as a string."""
        self.layout = self.layout.select(wanted)

    def header_hint(self, sample: Block) -> str:  # noqa: ARG002
        """What may be wrong with the names of the columns, by the first rows; mostly nothing."""
        return ""

    @abstractmethod
    def sample(self) -> Block:
        """The first rows, with every readable column by its own type."""

    @abstractmethod
    def chunks(self, start: Position) -> Iterator[Any]: ...

    @abstractmethod
    def parse(self, chunk: Any) -> Block: ...
