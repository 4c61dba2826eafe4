"""The folds of a comparison, the same for all contenders.

Rows that must not be separated are a unit: exact copies of a row, and rows of the same group; the whole of a unit is in
one fold, so that no copy of a test row was trained on.

- Repeated and stratified: units are dealt out at random, class by class, so that folds are even; every repeat anew.
- In time: rows in order of time make one block more than there are folds.  Each block but the first is tested once, by
  learners that were trained on all rows before it.  Rows of one time are in one block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.errors import option as spelt
from linnet.evaluation.splits import Purpose, random_keys

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Fold:
    """The numbers of the rows to train on and of those to test on, each in the order in which learners see them."""

    train: Numbers
    test: Numbers


@dataclass(frozen=True, eq=False)
class Splits:
    """All folds, repeat after repeat; `way` is stratified, grouped, random (of numbers) or in time."""

    way: str
    folds: int
    repeats: int
    units: Numbers
    _assigned: tuple[NDArray[np.int16], ...] = ()
    # in time: the rows in order, and where each block ends
    _order: Numbers | None = None
    _ends: tuple[int, ...] = ()

    def __len__(self) -> int:
        return self.folds * self.repeats

    def __getitem__(self, number: int) -> Fold:
        repeat, fold = divmod(number, self.folds)
        if self._order is None:
            test = self._assigned[repeat] == fold
            return Fold(np.flatnonzero(~test), np.flatnonzero(test))
        first, last = self._ends[fold], self._ends[fold + 1]
        tested = self._order[first:last]
        past = self._order[:first]
        return Fold(past[~np.isin(self.units[past], self.units[tested])], tested)

    @property
    def held_out(self) -> int:
        """The number of the fold that is the one held-out set: the first; in time the last, with most before it."""
        return 0 if self._order is None else self.folds - 1


def units_of(prints: NDArray[np.uint64], groups: Numbers | None) -> Numbers:
    """The unit of every row: copies are one, and so are groups, and whatever these join."""
    _, copies = np.unique(prints, return_inverse=True)
    if groups is None:
        return copies.astype(np.int64)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kinds, n = int(copies.max()) + 1, int(copies.max()) + 1 + int(groups.max()) + 1
    edges = coo_array((np.ones(len(groups), dtype=np.int8), (copies, kinds + groups)), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1])[copies].astype(np.int64)


def stratified(
    units: Numbers, codes: NDArray[np.float64], folds: int, repeats: int, seed: int, way: str = "stratified"
) -> Splits:
    """Repeated folds of even size, with even numbers of rows of each class; codes are all 0 for numbers."""
    of_unit = _Units(units, codes.astype(np.int64))
    if of_unit.count < folds:
        raise InputError(
            f"there are {of_unit.count:,} different rows or groups, too few for {folds} folds: take fewer "
            f"({spelt('folds')})"
        )
    assigned = tuple(of_unit.dealt(folds, seed, repeat) for repeat in range(repeats))
    return Splits(way, folds, repeats, units, assigned)


def in_time(units: Numbers, times: NDArray[np.float64], folds: int) -> Splits:
    """Blocks of rows in the order of time, each tested by learners of the rows before it."""
    order = np.argsort(times, kind="stable")
    changes = np.append(np.flatnonzero(np.diff(times[order]) > 0) + 1, len(order))
    wanted = [round(len(order) * (block + 1) / (folds + 1)) for block in range(folds + 1)]
    ends = tuple(int(changes[np.searchsorted(changes, each)]) for each in wanted)
    if len(set(ends)) < len(ends):
        raise InputError(
            f"there are too few different times for {folds} folds: take fewer ({spelt('folds')}), or a finer time"
        )
    return Splits("in time", folds, 1, units, _order=order, _ends=ends)


class _Units:
    """Units with their sizes and classes, to be dealt out to folds."""

    def __init__(self, units: Numbers, codes: Numbers) -> None:
        self.units = units
        self.count = int(units.max()) + 1
        self.classes = int(codes.max()) + 1
        self._by_unit = np.argsort(units, kind="stable")
        self._sizes = np.bincount(units, minlength=self.count)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        in_order = codes[self._by_unit]
        self._codes = in_order
        self._class = np.minimum.reduceat(in_order, self._starts[:-1])
        self._mixed = self._class != np.maximum.reduceat(in_order, self._starts[:-1])
        self._of_class = np.maximum(np.bincount(codes, minlength=self.classes), 1)

    def dealt(self, folds: int, seed: int, repeat: int) -> NDArray[np.int16]:
        """The fold of every row."""
        first_rows = self._by_unit[self._starts[:-1]].astype(np.uint64)
        keys = random_keys(first_rows, seed, Purpose.COMPARISON, repeat)
        counts = np.zeros((self.classes, folds), dtype=np.int64)
        fold = np.empty(self.count, dtype=np.int16)
        several = np.flatnonzero(self._sizes > 1)
        # large ones first, while there is room to even them out
        for unit in several[np.lexsort((keys[several], -self._sizes[several]))].tolist():
            fold[unit] = self._put(unit, counts)
        alone = np.flatnonzero(self._sizes == 1)
        alone = alone[np.lexsort((keys[alone], self._class[alone]))]
        cuts = np.flatnonzero(np.diff(self._class[alone])) + 1
        for units in np.split(alone, cuts) if len(alone) else []:
            code = int(self._class[units[0]])
            quotas = _quotas(counts[code], counts.sum(axis=0), len(units))
            fold[units] = np.repeat(np.arange(folds), quotas)
            counts[code] += quotas
        return fold[self.units]

    def _put(self, unit: int, counts: Numbers) -> int:
        """The fold for a unit of several rows: the one that has the least of its classes."""
        if not self._mixed[unit]:
            code = int(self._class[unit])
            chosen = _least(counts[code], counts)
            counts[code, chosen] += self._sizes[unit]
            return chosen
        codes, rows = np.unique(self._codes[self._starts[unit] : self._starts[unit + 1]], return_counts=True)
        share = (counts[codes] * (rows / self._of_class[codes])[:, np.newaxis]).sum(axis=0)
        chosen = _least(share, counts)
        counts[codes, chosen] += rows
        return chosen


def _least(of_class: NDArray[Any], counts: Numbers) -> int:
    """The fold with the least of a class; of several, the smallest."""
    candidates = np.flatnonzero(of_class == of_class.min())
    if len(candidates) == 1:
        return int(candidates[0])
    return int(candidates[np.argmin(counts[:, candidates].sum(axis=0))])


def _quotas(has: Numbers, sizes: Numbers, more: int) -> Numbers:
    """How many more rows of a class each fold gets, so that all end with the same number, or one less."""
    low, high = int(has.min()), int(has.max()) + more
    while low < high:  # the smallest level that takes them all
        level = (low + high) // 2
        low, high = (low, level) if np.maximum(level - has, 0).sum() >= more else (level + 1, high)
    quotas = np.maximum(low - has, 0)
    too_many = int(quotas.sum()) - more
    filled = np.flatnonzero(quotas)
    quotas[filled[np.argsort(-(sizes + quotas)[filled], kind="stable")[:too_many]]] -= 1
    return quotas
