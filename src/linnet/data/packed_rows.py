"""Large tables in memory: numbers in four bytes each wherever that loses nothing, categories as codes.

A `PackedTable` has the blocks of a table as they were read.  `PackedRows` are rows of it, all or some, raw or on a
scale: dense rows to a solver, which gets the part that it works on unpacked to doubles (`matrix`), and no more than
that is ever in memory.  Columns that no row has, such as flags of missing values where none is missing, are left out:
column i of the rows is feature used[i].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import NO_IDS, NO_STARTS, Rows
from linnet.kernels.packed_numbers import MISSING, MOST_DECIMALS, pack, unpack

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

NONE = np.empty(0, dtype=np.int64)
# The fewest rows that are unpacked at once where all are looked at.
PART_ROWS = 1 << 13


@dataclass(frozen=True, eq=False)
class PackedBlock:
    """Some rows: numbers as integers with a power of ten for each column, other numbers as they are, and codes.

    `of_narrow` and `of_wide` are the numbers of the table's number columns that are here as integers, and as doubles.
    """

    narrow: NDArray[np.int32]
    powers: Flat
    wide: Flat
    codes: NDArray[np.int32]
    of_narrow: Numbers
    of_wide: Numbers
    # of each column of integers: how many are missing, the least and the largest of the others
    extent: NDArray[np.int64]

    @classmethod
    def of(cls, numbers: Sequence[Flat], codes: Sequence[NDArray[Any]], rows: int, decimals: list[int]) -> PackedBlock:
        """A block of these columns; `decimals` has a guess for each column of numbers, which is corrected here."""
        narrow = np.empty((rows, len(numbers)), dtype=np.int32)
        narrow_at, wide_at, powers, extent = list[int](), list[int](), list[float](), list[tuple[int, int, int]]()
        for number, values in enumerate(numbers):
            values = np.ascontiguousarray(values, dtype=np.float64)
            for k in (decimals[number], *range(MOST_DECIMALS + 1)):
                if (found := pack(values, k, narrow, len(narrow_at))) is not None:
                    break
            else:
                wide_at.append(number)
                continue
            decimals[number] = k
            extent.append(found)
            powers.append(10.0**k)
            narrow_at.append(number)
        if wide_at:
            narrow = np.ascontiguousarray(narrow[:, : len(narrow_at)])
        wide = np.empty((rows, len(wide_at)))
        for at, number in enumerate(wide_at):
            wide[:, at] = numbers[number]
        table = np.empty((rows, len(codes)), dtype=np.int32)
        for at, column in enumerate(codes):
            table[:, at] = column
        places = np.array(narrow_at, np.int64), np.array(wide_at, np.int64)
        return cls(narrow, np.array(powers), wide, table, *places, np.array(extent, np.int64).reshape(-1, 3))

    @property
    def rows(self) -> int:
        return len(self.codes)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """As the kernel takes them."""
        return self.narrow, self.powers, self.wide, self.codes

    def number(self, column: int) -> Flat:
        """A column of numbers, NaN where they are missing."""
        if column in self.of_wide:
            return self.wide[:, int(np.searchsorted(self.of_wide, column))].copy()
        at = int(np.searchsorted(self.of_narrow, column))
        whole = self.narrow[:, at]
        return np.where(whole == MISSING, np.nan, whole / self.powers[at])

    def missing(self, columns: int) -> NDArray[np.int64]:
        """How many numbers of each column are missing."""
        counts = np.zeros(columns, dtype=np.int64)
        counts[self.of_narrow] = self.extent[:, 0]
        counts[self.of_wide] = np.isnan(self.wide).sum(axis=0)
        return counts

    def ranges(self, columns: int) -> tuple[Flat, Flat]:
        """The least and the largest number of each column; infinity and -infinity, if all are missing."""
        least, most = np.full(columns, np.inf), np.full(columns, -np.inf)
        _, smallest, largest = self.extent.T
        there = smallest <= largest
        least[self.of_narrow[there]] = (smallest / self.powers)[there]
        most[self.of_narrow[there]] = (largest / self.powers)[there]
        wide = np.isnan(self.wide)
        least[self.of_wide] = np.where(wide, np.inf, self.wide).min(axis=0, initial=np.inf)
        most[self.of_wide] = np.where(wide, -np.inf, self.wide).max(axis=0, initial=-np.inf)
        return least, most


class PackedTable:
    """Blocks one after the other, and where their columns are among the features of a model.

    `numbers` has the feature of each column of numbers, and of its flag for missing ones; `categories` the first
    feature of each column of categories, and their number.
    """

    def __init__(
        self,
        blocks: list[PackedBlock],
        features: int,
        numbers: Sequence[tuple[int, int]],
        categories: Sequence[tuple[int, int]],
    ) -> None:
        self.blocks, self.features = blocks, features
        self.ends = np.cumsum([block.rows for block in blocks])
        self.rows = int(self.ends[-1]) if blocks else 0
        values = np.array(numbers, dtype=np.int64).reshape(-1, 2)
        self.missing = _added(block.missing(len(values)) for block in blocks)
        flagged = self.missing > 0
        one_hot = [np.arange(first, first + size) for first, size in categories]
        self.used = np.sort(np.concatenate([values[:, 0], values[flagged, 1], *one_hot]).astype(np.int64))
        self.number_columns = np.searchsorted(self.used, values[:, 0])
        self.code_columns = np.searchsorted(self.used, [first for first, _ in categories]).astype(np.int64)
        self.flags = np.full(len(self.used), -1, dtype=np.int64)
        self.flags[self.number_columns[flagged]] = np.searchsorted(self.used, values[flagged, 1])
        self._places = [
            (self.number_columns[block.of_narrow], self.number_columns[block.of_wide], self.code_columns, self.flags)
            for block in blocks
        ]
        # whether unpacking sets every column, of all rows
        self.filled = not len(categories) and not flagged.any()

    @property
    def columns(self) -> int:
        return len(self.used)

    @cached_property
    def ranges(self) -> tuple[Flat, Flat]:
        """The least and the largest entry of each column of the rows: 0 and 1, of flags and categories."""
        least, most = np.zeros(self.columns), np.ones(self.columns)
        each = [block.ranges(len(self.number_columns)) for block in self.blocks]
        least[self.number_columns] = np.min([low for low, _ in each], axis=0)
        most[self.number_columns] = np.max([high for _, high in each], axis=0)
        never = least > most  # all are missing
        least[never] = most[never] = 0.0
        return least, most

    def unpacked(self, first: int, last: int, which: Numbers | None, scaling: tuple[Flat, Flat]) -> Flat:
        """Rows first to last - 1; with `which`, those of its entries from first on."""
        order = None
        if which is not None:
            which = which[first:last]
            if (which[1:] < which[:-1]).any():
                order = np.argsort(which, kind="stable")
                which = which[order]
        into = (np.empty if self.filled else np.zeros)((last - first, self.columns))
        done = 0
        while done < last - first:
            row = first + done if which is None else int(which[done])
            number = int(np.searchsorted(self.ends, row, side="right"))
            block, end = self.blocks[number], int(self.ends[number])
            begin = end - block.rows
            if which is None:
                count, rows, at = min(last, end) - row, NONE, row - begin
            else:
                count = int(np.searchsorted(which[done:], end))
                rows, at = which[done : done + count] - begin, 0
            unpack(block.arrays, self._places[number], scaling, rows, at, into[done : done + count])
            done += count
        if order is not None:
            back = np.empty_like(into)
            back[order] = into
            return back
        return into


def _added(counts: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(sum(counts, start=np.zeros(1, dtype=np.int64)))


class PackedRows(Rows):
    """Rows of a packed table: all, or those with the numbers `which`; raw, or as (x - centre) / unit.

    What asks for `values` gets all of them, unpacked and kept: solvers of large tables work on parts of `matrix`.
    """

    table: PackedTable
    which: Numbers | None
    scaling: tuple[Flat, Flat]

    def __init__(
        self,
        table: PackedTable,
        which: Numbers | None = None,
        scaling: tuple[Flat, Flat] | None = None,
        resolution: Flat | None = None,
    ) -> None:
        scaling = (np.zeros(table.columns), np.ones(table.columns)) if scaling is None else scaling
        rows = table.rows if which is None else len(which)
        given = {"ids": NO_IDS, "starts": NO_STARTS, "shape": (rows, table.columns), "names": ()}
        for name, value in (given | {"table": table, "which": which, "scaling": scaling}).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "resolution", resolution)

    @cached_property
    def values(self) -> Flat:
        return np.asarray(self.matrix().reshape(-1))

    @property
    def entries(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    @property
    def used(self) -> Numbers:
        """The feature of each column."""
        return self.table.used

    def matrix(self, rows: Numbers | slice = slice(None)) -> Any:
        if "values" in self.__dict__:
            return self.values.reshape(self.shape)[rows]
        if isinstance(rows, slice):
            first, last, step = rows.indices(self.shape[0])
            if step == 1:
                return self.table.unpacked(first, max(first, last), self.which, self.scaling)
            rows = np.arange(first, last, step)
        return self.table.unpacked(0, len(rows), self._numbers(rows), self.scaling)

    def _numbers(self, rows: Numbers) -> Numbers:
        """The numbers in the table of some of these rows."""
        return rows if self.which is None else self.which[rows]

    def scaled(self, centres: Flat, units: Flat, resolution: Flat | None = None) -> PackedRows:
        """The same rows as (x - centre) / unit, by columns; only raw rows can be scaled."""
        return PackedRows(self.table, self.which, (centres, units), resolution)

    @property
    def largest_entries(self) -> Flat:
        """The largest size that an entry of each column can have: scaling keeps the order of numbers."""
        centres, units = self.scaling
        least, most = ((end - centres) / units for end in self.table.ranges)
        ones = np.ones(self.shape[1])
        ones[self.table.number_columns] = 0.0
        return np.asarray(np.maximum(np.maximum(np.abs(least), np.abs(most)), ones))

    def check_finite(self) -> None:
        """Integers are, and so are doubles that were read; scaled ones may not be."""
        if any(block.wide.size for block in self.table.blocks):
            for first in range(0, self.shape[0], PART_ROWS):
                part = Rows.of(self.matrix(slice(first, first + PART_ROWS)))
                part.check_finite()

    def take(self, which: Numbers) -> Rows:
        return PackedRows(self.table, self._numbers(which), self.scaling, self.resolution)

    def every(self, step: int) -> Rows:
        return self.take(np.arange(0, self.shape[0], step))

    def unpacked(self) -> Rows:
        """These raw rows as sparse ones of all features: the entries that each row has, in their order."""
        n, size = self.shape[0], 0
        room = n * (len(self.table.number_columns) + len(self.table.code_columns))
        values, ids, starts = np.empty(room), np.empty(room, dtype=np.uint32), np.zeros(n + 1, dtype=np.int64)
        for first in range(0, n, PART_ROWS):
            last = min(n, first + PART_ROWS)
            table = self.matrix(slice(first, last))
            there = self._there(table)
            counts = there.sum(axis=1)
            stop = size + int(counts.sum())
            values[size:stop] = table[there]
            ids[size:stop] = np.broadcast_to(self.used, table.shape)[there]
            starts[first + 1 : last + 1] = size + np.cumsum(counts)
            size = stop
        return Rows(values[:size], ids[:size], starts, (n, self.table.features))

    def _there(self, raw: Flat) -> NDArray[np.bool_]:
        """Which entries of raw rows a sparse row would have: numbers that are not missing, and ones."""
        there: NDArray[np.bool_] = raw != 0
        flags = self.table.flags[self.table.number_columns]
        for column, flag in zip(self.table.number_columns.tolist(), flags.tolist(), strict=True):
            there[:, column] = True if flag < 0 else raw[:, flag] == 0
        return there
