"""The distinct values of a stream, sorted and counted in bounded memory, for ranks and quantiles.

Up to a million distinct values are kept exactly.  Beyond that, their lowest bits are dropped until a million are left.
The number of dropped bits depends on the values alone, not on the blocks: a part of a stream never drops more bits than
the whole, and dropping bits in steps equals dropping them at once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.weights import PART, ROWS_BEFORE_CARRY, carry, parts_of, whole_or_float

LIMIT = 1 << 20
SIGN = np.uint64(1 << 63)
Keys = NDArray[np.uint64]


class SortedCounts:
    """The weight of the rows of each kind at each value.

    The columns of the table are the kinds; once there are weights, these thrice, for the three parts of a sum of
    weights, and the number of rows.
    """

    def __init__(self, kinds: int = 1, limit: int = LIMIT) -> None:
        self._kinds = kinds
        self._limit = limit
        self._dropped = 0  # bits
        self._keys: Keys = np.empty(0, np.uint64)
        self._counts: Counts = np.empty((0, kinds), np.int64)
        self._weighted = False
        self._waiting: list[tuple[Keys, Counts]] = []
        self._rows_waiting = 0

    def add(self, values: Floats, kind: NDArray[np.integer] | int = 0, w: Floats | None = None) -> None:
        if w is not None and len(values) > ROWS_BEFORE_CARRY:
            kinds = np.broadcast_to(kind, len(values))
            for start in range(0, len(values), ROWS_BEFORE_CARRY):
                some = slice(start, start + ROWS_BEFORE_CARRY)
                self.add(values[some], kinds[some], w[some])
            return
        parts: list[Any] = [1] if w is None else parts_of(w)
        counts = np.zeros((len(values), self._kinds if w is None else 3 * self._kinds + 1), np.int64)
        for position, part in enumerate(parts):
            counts[np.arange(len(values)), position * self._kinds + kind] = part
        if w is not None:
            counts[:, -1] = 1
            self._weighted = True
        self._waiting.append((_key(values), counts))
        self._rows_waiting += len(values)
        if self._rows_waiting >= self._limit:
            self._merge()

    @property
    def exact(self) -> bool:
        """Whether every value is kept exactly."""
        self._merge()
        return self._dropped == 0

    def counts(self) -> Counts | Floats:
        """(distinct values in rising order, kinds): integers if all weights are."""
        self._merge()
        if not self._weighted:
            return self._counts
        return whole_or_float(np.split(self._counts[:, :-1], 3, axis=1))

    def rows(self) -> Counts:
        """The number of rows at each distinct value, whatever their weights."""
        self._merge()
        numbers: Counts = self._counts[:, -1] if self._weighted else self._counts.sum(axis=1)
        return numbers

    def values(self) -> Floats:
        """The distinct values in rising order; where bits were dropped, the middle of each range."""
        self._merge()
        if not self._dropped:
            return _value(self._keys)
        return _value((self._keys << np.uint64(self._dropped)) + np.uint64(1 << (self._dropped - 1)))

    def ranked(self, ranks: Sequence[int | Fraction]) -> list[float]:
        """The values of these ranks: the weight of smaller values is at most the rank, with the value's it exceeds it.

        So where all weights are 1, the smallest value has rank 0.
        """
        upto, values = self._weight_upto(), self.values()
        return [float(values[bisect_right(range(len(values)), rank, key=upto)]) for rank in ranks]

    def middle(self) -> float:
        """The median; halfway between two values where half of the weight is below and half above."""
        upto, values = self._weight_upto(), self.values()
        half = upto(len(values) - 1) / 2
        low, high = (
            float(values[bisect(range(len(values)), half, key=upto)]) for bisect in (bisect_left, bisect_right)
        )
        return low + (high - low) / 2

    def tail_index(self) -> float:
        """ξ of a tail in which values beyond u have the probability (u / value)^(1/ξ): at most 1.

        The mean of log(value / u) over the largest fifth, u the next value (Hill 1975, A simple general approach to
        inference about the tail of a distribution).
        """
        weights, values = self.counts().sum(axis=1), self.values()
        below = 0.8 * (1 - 1e-9) * weights.sum()  # a sum of weights that is rounded must not exceed its own four fifths
        first = min(int(np.searchsorted(weights.cumsum(), below)), len(values) - 2)
        if first < 0 or values[first] <= 0:
            return 1.0 if first >= 0 else 0.0
        above = weights[first + 1 :]
        index = (above * np.log(values[first + 1 :] / values[first])).sum() / above.sum()
        return min(float(index), 1.0)

    def _weight_upto(self) -> Callable[[int], Fraction]:
        """The weight of the values up to that of an index, exactly."""
        self._merge()
        parts = np.split(self._counts[:, :-1], 3, axis=1) if self._weighted else [self._counts]
        sums = [part.sum(axis=1).cumsum() for part in parts]
        return lambda index: sum((Fraction(int(each[index]), 1 << PART * k) for k, each in enumerate(sums)), Fraction())

    def _merge(self) -> None:
        if not self._waiting:
            return
        fresh = np.concatenate([keys for keys, _ in self._waiting]) >> np.uint64(self._dropped)
        keys = np.concatenate([self._keys, fresh])
        tables = [self._counts, *(counts for _, counts in self._waiting)]
        counts = np.concatenate([self._widened(table) for table in tables])
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
        if self._weighted:
            carry(np.split(self._counts[:, :-1], 3, axis=1))

    def _widened(self, counts: Counts) -> Counts:
        """The columns of weighted rows, where there are some."""
        if not self._weighted or counts.shape[1] > self._kinds:
            return counts
        none = np.zeros((len(counts), 2 * self._kinds), np.int64)
        return np.hstack([counts, none, counts.sum(axis=1, keepdims=True)])


def _key(values: Floats) -> Keys:
    """Integers in the order of the values; -0 and 0 are equal."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _value(keys: Keys) -> Floats:
    return np.where(keys & SIGN, keys ^ SIGN, ~keys).view(np.float64)
