"""The distinct values of a stream, sorted and counted in bounded memory, for ranks and quantiles.

Up to a million distinct values are kept exactly.  Beyond that, their lowest bits are dropped until a million are left.
The number of dropped bits depends on the values alone, not on the blocks: a part of a stream never drops more bits than
the whole, and dropping bits in steps equals dropping them at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Counts, Floats

LIMIT = 1 << 20
SIGN = np.uint64(1 << 63)
Keys = NDArray[np.uint64]


class SortedCounts:
    """The number of rows of each kind at each value."""

    def __init__(self, kinds: int = 1, limit: int = LIMIT) -> None:
        self._kinds = kinds
        self._limit = limit
        self._dropped = 0  # bits
        self._keys: Keys = np.empty(0, np.uint64)
        self._counts: Counts = np.empty((0, kinds), np.int64)
        self._waiting: list[tuple[Keys, Counts]] = []
        self._rows_waiting = 0

    def add(self, values: Floats, kind: NDArray[np.integer] | int = 0, w: Counts | None = None) -> None:
        counts = np.zeros((len(values), self._kinds), np.int64)
        counts[np.arange(len(values)), kind] = 1 if w is None else w
        self._waiting.append((_key(values), counts))
        self._rows_waiting += len(values)
        if self._rows_waiting >= self._limit:
            self._merge()

    @property
    def exact(self) -> bool:
        """Whether every value is kept exactly."""
        self._merge()
        return self._dropped == 0

    def counts(self) -> Counts:
        """(distinct values in rising order, kinds)"""
        self._merge()
        return self._counts

    def values(self) -> Floats:
        """The distinct values in rising order; where bits were dropped, the middle of each range."""
        self._merge()
        if not self._dropped:
            return _value(self._keys)
        return _value((self._keys << np.uint64(self._dropped)) + np.uint64(1 << (self._dropped - 1)))

    def ranked(self, ranks: list[int]) -> list[float]:
        """The values of these ranks; the smallest value has rank 0."""
        upto = self.counts().sum(axis=1).cumsum()
        return [float(value) for value in self.values()[np.searchsorted(upto, ranks, side="right")]]

    def _merge(self) -> None:
        if not self._waiting:
            return
        fresh = np.concatenate([keys for keys, _ in self._waiting]) >> np.uint64(self._dropped)
        keys = np.concatenate([self._keys, fresh])
        counts = np.concatenate([self._counts, *(counts for _, counts in self._waiting)])
        self._waiting, self._rows_waiting = [], 0
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        unlike = keys[1:] ^ keys[:-1]  # zero where neighbours are equal, once enough bits are dropped
        more = 0
        while np.count_nonzero(unlike >> np.uint64(more)) >= self._limit:
            more += 1
        last = np.flatnonzero(np.append(unlike >> np.uint64(more), np.uint64(1))[: len(keys)])
        self._dropped += more
        self._keys = keys[last] >> np.uint64(more)
        self._counts = np.diff(counts.cumsum(axis=0)[last], axis=0, prepend=0)


def _key(values: Floats) -> Keys:
    """Integers in the order of the values; -0 and 0 are equal."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _value(keys: Keys) -> Floats:
    return np.where(keys & SIGN, keys ^ SIGN, ~keys).view(np.float64)
