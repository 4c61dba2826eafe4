"""Predictions that line up with the rows of the data: a row that cannot be read has an empty one, in its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.label_types import number_of
from linnet.data.on_error import BadRow
from linnet.data.sources.block import Block, Strings
from linnet.data.sources.formats import Format
from linnet.data.sources.source import Source
from linnet.data.sources.table import TableSource

NOTHING: Any = None
UNTYPED = (Format.CSV, Format.TSV)


@dataclass(frozen=True, eq=False)
class Predictions:
    """The predictions for some rows, in order: of labels None, of numbers NaN where there is none.

    There is none for rows that a decision rule rejects, and for those that could not be read (`unread`), which have
    neither probabilities (NaN) nor ids (None).
    """

    labels: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    ids: Mapping[str, list[Any]]
    unread: NDArray[np.bool_]
    # the id columns that hold integers alone
    integers: frozenset[str] = frozenset()
    # whether numbers are predicted, not labels
    numbers: bool = False

    def with_unread(self, before: NDArray[np.int64]) -> Predictions:
        """With a row that could not be read before each of these rows."""
        if not len(before):
            return self
        none: Any = np.nan if self.numbers else NOTHING
        given = self.labels if self.numbers else self.labels.astype(object)
        p = self.probabilities
        return Predictions(
            np.insert(given, before, none),
            None if p is None else np.insert(p, before, np.nan, axis=0),
            {name: np.insert(_objects(values), before, NOTHING).tolist() for name, values in self.ids.items()},
            np.insert(self.unread, before, True),
            self.integers,
            self.numbers,
        )


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@dataclass
class UnreadRows:
    """Where unreadable rows are among those of a block; a block that is used in parts has all of them at once."""

    waiting: list[BadRow] = field(default_factory=list)
    # of those that lines do not tell of: how many rows are before each, in this part and those that follow
    counts: list[int] = field(default_factory=list)

    def before(self, block: Block) -> NDArray[np.int64]:
        """Before which rows of the block, or of this part of it, there are rows that could not be read."""
        if block.bad_before:
            self.counts = list(block.bad_before)
        elif block.bad:
            self.waiting = list(block.bad)
        begins, bad = block.lines, [each.line for each in self.waiting]
        offsets = [each.offset for each in self.waiting if each.offset is not None]
        if block.records is not None and len(offsets) == len(bad):  # several objects of JSON may be on one line
            begins, bad = block.records.starts, offsets
        bad, counts = sorted(bad), self.counts
        if block.after.rows and block.rows:  # the rest of the block comes next
            bad = [each for each in bad if each < begins[-1]]
            counts = [count for count in counts if count < block.rows]
        in_order = sorted(self.waiting, key=lambda each: (each.line, each.offset or 0))
        self.waiting = in_order[len(bad) :]
        self.counts = [count - block.rows for count in self.counts[len(counts) :]]
        return np.concatenate([np.searchsorted(begins, bad), counts]).astype(np.int64)


class Ids:
    """The columns that identify rows, with values of the type that the data have: integers as integers."""

    def __init__(self, source: Source | None, names: Iterable[str]) -> None:
        self.names = list(names)
        self.typed: frozenset[str] = frozenset()  # that are integers by their type
        self.integers: frozenset[str] = frozenset()
        if isinstance(source, TableSource):
            self.names = [name for name in self.names if name in source.names]
            self.typed = frozenset(_typed(source, self.names))
            self.integers = self.typed | frozenset(_spelt(source, self.names))

    def of(self, block: Block) -> dict[str, list[Any]]:
        """Those of a block, by column; None where one is missing."""
        found: dict[str, list[Any]] = {}
        for name in self.names:
            column = block.columns.get(name)
            if isinstance(column, Strings):
                integer = name in self.integers
                values = column.strings()
                found[name] = [_integer(each) for each in values] if integer else list(values)
        return found


def _typed(source: TableSource, names: list[str]) -> Iterable[str]:
    """The columns that are integers by their type, in formats that have types."""
    if not names or source.format in UNTYPED:
        return []
    from linnet.data.sources.arrow import is_integer

    return [name for name in names if is_integer(source.layout.types[name])]


def _spelt(source: TableSource, names: list[str]) -> Iterable[str]:
    """The columns that are integers in the first rows, in formats without types."""
    if not names or source.format not in UNTYPED:
        return []
    sample = source.sample()
    columns = ((name, sample.columns.get(name)) for name in names)
    return [name for name, each in columns if isinstance(each, Strings) and _all_integers(each.strings())]


def _all_integers(texts: list[str]) -> bool:
    given = [text for text in texts if text]
    return bool(given) and all(isinstance(number_of(text), int) for text in given)


def _integer(text: str) -> Any:
    number = number_of(text)
    return number if isinstance(number, int) else text or None
