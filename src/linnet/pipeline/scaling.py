"""The scales of columns in a fit, and how they are folded back into the weights.

A column of numbers enters as (x - mean) / deviation, with 0 where it is missing, both by the weights of the rows;
another column whose entries exceed 1 is divided by its largest.

All of these are scales of columns, so they are folded into the weights in the end: the model takes raw rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.errors import NumericalError
from linnet.kernels import sparse_entries as entries
from linnet.learners.linear import LinearModel
from linnet.training.exact_products import exact_product, two_product
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]
Table = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
# Packed rows are summed in parts of this many.
PART_ROWS = 1 << 13
# Entries of sparse rows that are scaled in one go.
SCALED_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - centre) / unit for every feature; only columns of numbers have a centre."""

    centres: Flat
    units: Flat
    missing: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def scaled(self, rows: Rows) -> Rows:
        if isinstance(rows, PackedRows):
            centres, units = self.centres[rows.used], self.units[rows.used]
            return rows.scaled(centres, units, EPS * np.abs(centres) / units)
        values = rows.values.astype(np.float64)
        for first in range(
            0, len(values), SCALED_AT_ONCE
        ):  # centres and units of all would take twice the rows' memory
            some = slice(first, first + SCALED_AT_ONCE)
            ids = rows.ids[some]
            values[some] -= self.centres[ids]
            values[some] /= self.units[ids]
        return replace(rows, values=values, resolution=EPS * np.abs(self.centres) / self.units)

    def unscaled(self, model: LinearModel) -> LinearModel:
        """The model for raw rows: a missing number, 0 when scaled, counts as its column's mean."""
        with np.errstate(over="ignore", invalid="ignore"):  # one error below instead
            weights = model.weights / self.units[:, np.newaxis]
            # for the weights as they are rounded, so that nothing but the intercept's own rounding is lost
            intercepts = self._shifted(model.intercepts, weights, -1.0)
            # not +=: several numbers of a date share the feature for missing values
            np.add.at(weights, self.missing, weights[self.numbers] * self.centres[self.numbers, np.newaxis])
        if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
            raise NumericalError(
                "the weights left the range of numbers: a column of numbers is too large or too narrow"
            )
        return replace(model, weights=weights, intercepts=intercepts)

    def brought_back(self, model: LinearModel) -> LinearModel:
        """The model for scaled rows again, without the digits that cancel: what `unscaled` was given, but for what
        rounding took from the model for raw rows."""
        weights, numbers = model.weights.copy(), self.numbers
        product, rest = two_product(weights[numbers], self.centres[numbers, np.newaxis])
        np.subtract.at(weights, self.missing, product)
        np.subtract.at(weights, self.missing, np.where(np.isfinite(rest), rest, 0.0))
        intercepts = self._shifted(model.intercepts, model.weights, 1.0)
        return replace(model, weights=weights * self.units[:, np.newaxis], intercepts=intercepts)

    def _shifted(self, intercepts: Flat, weights: Table, sign: float) -> Flat:
        """The intercepts with what the centres add to the scores, or less that, rounded once."""
        at = np.flatnonzero(self.centres)
        if not len(at):
            return intercepts
        centres = np.append(sign * self.centres[at], 1.0)
        return np.array(
            [exact_product(np.append(w, b), centres) for w, b in zip(weights[at].T, intercepts, strict=True)]
        )


def scaled(rows: Rows, scaling: Scaling | None) -> Rows:
    """The rows on this scale, if there is one."""
    return rows if scaling is None else scaling.scaled(rows)


def measured(features: Features, rows: Rows, weights: Flat | None) -> Scaling | None:
    """The scale of every feature in these rows, which count by their weights; None where nothing is to be scaled."""
    centres, units = np.zeros(len(features)), np.ones(len(features))
    pairs = np.array(list(features.number_features()), dtype=np.int64).reshape(-1, 2)
    plain = ~features.text_features()
    if plain.any():
        numbers = pairs[:, 0]
        if isinstance(rows, PackedRows):
            largest = np.ones(len(features))
            centres[numbers], units[numbers] = _packed_moments(rows, weights)
        else:
            largest = np.zeros(len(features))
            entries.largest(rows.values, rows.ids, largest)
            centres[numbers], units[numbers] = _moments(rows, weights, numbers, largest)
        plain[pairs.reshape(-1)] = False
        units = np.where(plain & (largest > 1.0), largest, units)
    if (units == 1.0).all() and not centres.any():
        return None
    return Scaling(centres, units, pairs[:, 1], pairs[:, 0])


def _moments(rows: Rows, weights: Flat | None, numbers: NDArray[np.int64], largest: Flat) -> tuple[Flat, Flat]:
    """The means of these columns, and their deviations (1 for none)."""
    one_of_them = np.zeros(len(largest), dtype=bool)
    one_of_them[numbers] = True
    at = one_of_them[rows.ids]
    ids = rows.ids[at]
    # within [-2, 2] no square is lost, however large the numbers; and powers of two cost no digits
    unit = np.ldexp(1.0, np.where(largest > 0, np.frexp(largest)[1] - 1, 0))
    values = rows.values[at] / unit[ids]
    # a power of two brings weights near 1, so that none is lost, however they are scaled
    w = None if weights is None else np.repeat(weights / _power_near(weights), np.diff(rows.starts))[at]
    totals = np.bincount(ids, w, len(largest))
    counts = np.where(totals > 0, totals, 1.0)
    means = np.bincount(ids, values if w is None else w * values, len(largest)) / counts
    rest = values - means[ids]  # of a large mean, which is rounded
    means += np.bincount(ids, rest if w is None else w * rest, len(largest)) / counts
    squares = (values - means[ids]) ** 2
    variances = np.bincount(ids, squares if w is None else w * squares, len(largest)) / counts
    deviations = (unit * np.sqrt(variances))[numbers]
    return (unit * means)[numbers], np.where(deviations > 0, deviations, 1.0)


def _packed_moments(rows: PackedRows, weights: Flat | None) -> tuple[Flat, Flat]:
    """The same for the columns of numbers of packed rows, part by part."""
    numbers, flags = rows.table.number_columns, rows.table.flags[rows.table.number_columns]
    n, (least, most) = rows.shape[0], rows.table.ranges
    largest = np.maximum(np.abs(least), np.abs(most))
    unit = np.ldexp(1.0, np.where(largest > 0, np.frexp(largest)[1] - 1, 0))
    w = np.ones(n) if weights is None else weights / _power_near(weights)

    def summed(centres: Flat) -> tuple[Flat, Flat]:
        """The weighted sums of (x - centre) / unit, and of its squares, over the rows that have x; of a flag, over the
        rows that have none."""
        about = rows.scaled(centres, unit)

        def part(first: int, last: int) -> Flat:
            x = about.matrix(slice(first, last))
            return np.array([w[first:last] @ x, w[first:last] @ (x * x)])

        sums, squares = added(over_parts(part, n, PART_ROWS))
        return sums, squares

    # about the mean of the first rows, which are among all: so a large mean cancels no digits, and few do at all
    some = rows.matrix(slice(0, PART_ROWS))
    have = len(some) - np.where(flags >= 0, some[:, flags].sum(axis=0), 0.0)
    centres = np.zeros(len(unit))
    centres[numbers] = (some[:, numbers] / unit[numbers]).sum(axis=0) / np.maximum(have, 1.0) * unit[numbers]
    sums, squares = summed(centres)
    there = float(w.sum()) - np.where(flags >= 0, sums[flags], 0.0)
    counts = np.where(there > 0, there, 1.0)
    off = sums[numbers] / counts
    variances = np.maximum(squares[numbers] / counts - off * off, 0.0)
    variances[least[numbers] == most[numbers]] = 0.0
    deviations = unit[numbers] * np.sqrt(variances)
    return centres[numbers] + unit[numbers] * off, np.where(deviations > 0, deviations, 1.0)


def _power_near(weights: Flat) -> float:
    """The power of two below the largest weight."""
    return float(2.0 ** np.floor(np.log2(weights.max())))
