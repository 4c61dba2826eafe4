"""MomentSums: the sums that the mean and the deviation of every feature follow from, kept while rows are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows, take_rows
from linnet.errors import ModelFileError
from linnet.kernels.feature_moments import add_rows
from linnet.model.moments import Moments
from linnet.pipeline.scaling import Scaling
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]

NO_WEIGHTS = np.empty(0)
# weight of the rows that have it, a first value, and the sums of differences from that and of their squares
SUMS = 4
# Of a stream all rows are summed up to this many (of words and numbered features, which are many a row, fewer), and of
# later ones one in 17, which then counts 17 times: sums over all of them would take a tenth of the time of a pass.
# A prime, so that no period of the rows falls in step.
ALL_OF, ALL_OF_MANY, LATER = 1 << 16, 1 << 10, 17
# The columns whose moments are worked out at once.
COLUMNS_AT_ONCE = 1 << 13
# Below this, the square of a deviation loses digits.
SMALLEST = 1e-150
# Packed rows are summed in parts of this many.
PART_ROWS = 1 << 13


class MomentSums:
    """Of rows in their order: any cut into blocks gives the same bits."""

    def __init__(self, all_of: int = ALL_OF) -> None:
        self.all_of = all_of
        self.total = 0.0
        self._sums = np.zeros((0, SUMS))

    @classmethod
    def of_stream(cls, features: Features) -> MomentSums:
        """To add the blocks of a stream to."""
        return cls(ALL_OF_MANY if features.many_a_row else ALL_OF)

    def add_of_stream(self, rows: Rows, weights: NDArray[np.float64] | None, first: int) -> None:
        """Add the rows of a block that counts, given the number of its first row in the stream."""
        n = rows.shape[0]
        if first + n <= self.all_of:
            self.add(rows, weights)
            return
        numbers = np.arange(first, first + n)
        which = np.flatnonzero((numbers < self.all_of) | (numbers % LATER == 0))
        if len(which):
            counted = np.where(numbers[which] < self.all_of, 1.0, float(LATER))
            self.add(take_rows(rows, which), counted if weights is None else counted * weights[which])

    def add(self, rows: Rows, weights: NDArray[np.float64] | None = None) -> None:
        """Add rows, each by its weight (1 if there are none)."""
        n, columns = rows.shape
        if columns > len(self._sums):  # doubled, or every block would copy all columns so far
            grown = np.zeros((max(columns, 2 * len(self._sums)), SUMS))
            grown[: len(self._sums)] = self._sums
            self._sums = grown
        given = NO_WEIGHTS if weights is None else weights
        add_rows(*rows.layout, n, given, self._sums)
        # one after the other: NumPy's sum depends on how many there are
        self.total = float(np.cumsum(np.append(self.total, given))[-1]) if len(given) else self.total + n

    def state(self, columns: int) -> NDArray[np.float64]:
        """The sums of this many columns; the last row has the weight of all rows."""
        sums = np.zeros((columns + 1, SUMS))
        known = min(columns, len(self._sums))
        sums[:known], sums[-1, 0] = self._sums[:known], self.total
        return sums

    def restore(self, state: NDArray[np.float64], columns: int, path: str) -> None:
        """Go back to what `state` gave, checked."""
        if state.dtype != np.float64 or state.shape != (columns + 1, SUMS):
            raise ModelFileError(f"{path}: is damaged: the sums of its features have the wrong shape")
        weights = state[:, 0]
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ModelFileError(f"{path}: is damaged: the rows that have a feature are not a number of them")
        self.total, self._sums = float(state[-1, 0]), state[:-1].copy()

    def moments(self, features: Features, order: NDArray[np.int64] | None = None) -> Moments:
        """Of these features; `order` has the column that each of them has in the rows, if that is not its number.

        Of the m of n rows that have a feature, with mean a and sum of squared deviations q: the mean is a m / n, the
        variance q / n + a² (m / n) (1 - m / n).  Of a number n are the rows where it is not missing.
        """
        known = len(self._sums)
        columns = np.arange(len(features)) if order is None else order
        rows = np.full(len(features), self.total)
        pairs = np.array(list(features.number_features()), dtype=np.int64).reshape(-1, 2)
        value, missing = pairs.T
        flags, lacking = columns[missing], np.zeros(len(missing))
        lacking[flags < known] = self._sums[flags[flags < known], 0]
        rows[value] = np.maximum(self.total - lacking, 0.0)
        means, deviations = np.zeros(len(features)), np.zeros(len(features))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what leaves the range is the largest
            for first in range(0, len(features), COLUMNS_AT_ONCE):  # few enough for the cache
                at = slice(first, first + COLUMNS_AT_ONCE)
                there = np.flatnonzero(columns[at] < known)
                sums = self._sums[columns[at][there]]
                means[at][there], deviations[at][there] = _mean_and_deviation(sums, rows[at][there])
            deviations[value] *= np.sqrt(rows[value] / self.total)
            means, deviations = np.nan_to_num(means, copy=False), np.nan_to_num(deviations, copy=False)
            words = features.text_features()
            means[words] = 0.0
            # as files have them
            deviations[words] = np.minimum(deviations[words], np.finfo(np.float32).max).astype(np.float32)
            return Moments(means, deviations)


def _mean_and_deviation(sums: Flat, rows: Flat) -> tuple[Flat, Flat]:
    """Of columns with these sums, over this many rows each."""
    had, first, off, squares = np.ascontiguousarray(sums.T)
    rows = np.where(rows > 0, rows, 1.0)
    from_first = off / np.where(had > 0, had, 1.0)
    mean, part = first + from_first, np.minimum(had / rows, 1.0)
    left = np.maximum(squares - off * from_first, 0.0) / rows
    apart = part * (1.0 - part)
    deviations = np.sqrt(left + mean * mean * apart)
    # squares of numbers that are very large or very small are beyond the range of numbers, but not the deviations
    far = ~(np.isfinite(deviations) & (deviations > SMALLEST)) & (had > 0)
    if far.any():
        deviations[far] = np.hypot(np.sqrt(left), np.abs(mean) * np.sqrt(apart))[far]
    return mean * part, deviations


def packed_moments(rows: PackedRows, weights: NDArray[np.float64] | None, scaling: Scaling | None) -> Moments:
    """Of packed rows, whose numbers have been measured already (scaling.py); flags and categories are counted here."""
    table, n = rows.table, rows.shape[0]
    w = np.ones(n) if weights is None else weights
    total = float(w.sum())
    means, deviations = np.zeros(table.features), np.zeros(table.features)
    if not table.filled:
        sums = added(over_parts(lambda first, last: w[first:last] @ rows.matrix(slice(first, last)), n, PART_ROWS))
        sums[table.number_columns] = 0.0
        means[table.used] = sums / total
        deviations[table.used] = np.sqrt(np.maximum(means * (1.0 - means), 0.0))[table.used]
    numbers, flags = table.used[table.number_columns], table.flags[table.number_columns]
    here = 1.0 - np.where(flags >= 0, means[table.used[flags]], 0.0)
    least, most = table.ranges
    varied = (least < most)[table.number_columns]
    means[numbers] = 0.0 if scaling is None else scaling.centres[numbers]
    units = 1.0 if scaling is None else scaling.units[numbers]
    deviations[numbers] = np.where(varied, units * np.sqrt(np.maximum(here, 0.0)), 0.0)
    return Moments(means, deviations)
