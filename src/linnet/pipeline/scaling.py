"""The scale on which columns are learnt from, and how it is folded back into the weights.

A column of numbers enters as (x - mean) / deviation, with 0 where it is missing; another column whose entries exceed 1
is divided by its largest.  A word of a text enters times

    (1/4 + 3/4 |r|) sqrt(idf),   idf = 1 + log((1 + n) / (1 + p + q)),
    r = log( (p + 2 s) / (q + 2 (1 - s)) ) - log( s / (1 - s) )

where p and q of the n rows on either side of the problem have it, and s is the first side's share of all words: r is
the naive Bayes log-count ratio (Wang, Manning 2012), smoothed towards 0 also where one side has far more words.  Words
that tell the sides apart are so allowed larger weights.  In the end text is scaled to a mean square length of 1.

All of these are scales of columns, so they are folded into the weights in the end: the model takes rows as they come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.features import Features
from linnet.data.rows import Rows
from linnet.errors import NumericalError
from linnet.kernels import sparse_entries as entries
from linnet.learners.linear import LinearModel

# The floor of a word's scale, and how much the log-count ratio is smoothed.
FLOOR, SMOOTHING = 0.25, 2.0

Flat = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - centre) / unit for every feature; only columns of numbers have a centre."""

    centres: Flat
    units: Flat
    missing: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def scaled(self, rows: Rows) -> Rows:
        ids = rows.ids
        values = (rows.values.astype(np.float64) - self.centres[ids]) / self.units[ids]
        return replace(rows, values=values)

    def unscaled(self, model: LinearModel) -> LinearModel:
        """The model for rows as they come: a missing number, 0 when scaled, is worth its column's mean."""
        with np.errstate(over="ignore", invalid="ignore"):  # told below, once
            weights = model.weights / self.units[:, np.newaxis]
            shift = weights * self.centres[:, np.newaxis]
            weights[self.missing] += shift[self.numbers]
            intercepts = model.intercepts - shift.sum(axis=0)
        if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
            raise NumericalError(
                "the weights left the range of numbers: a column of numbers is too large or too narrow"
            )
        return replace(model, weights=weights, intercepts=intercepts)

    def brought_back(self, model: LinearModel) -> LinearModel:
        """The model for scaled rows again: what `unscaled` was given."""
        shift = model.weights * self.centres[:, np.newaxis]
        weights = model.weights.copy()
        weights[self.missing] -= shift[self.numbers]
        return replace(
            model, weights=weights * self.units[:, np.newaxis], intercepts=model.intercepts + shift.sum(axis=0)
        )

    def rounding(self, model: LinearModel) -> float:
        """What the rounding of the centres, summed in whatever order, may do to a score of this model."""
        shifts = np.abs(model.weights * self.centres[:, np.newaxis]).sum(axis=0)
        return 4.0 * float(np.finfo(np.float64).eps) * float(shifts.max(initial=0.0))


def scaled(rows: Rows, scaling: Scaling | None) -> Rows:
    """The rows on this scale, if there is one."""
    return rows if scaling is None else scaling.scaled(rows)


def measured(features: Features, rows: Rows) -> Scaling | None:
    """The scale of every feature; None where nothing is to be scaled."""
    centres, units = np.zeros(len(features)), np.ones(len(features))
    pairs = np.array(list(features.number_features()), dtype=np.int64).reshape(-1, 2)
    plain = ~features.text_features()
    if plain.any():
        largest = np.zeros(len(features))
        entries.largest(rows.values, rows.ids, largest)
        numbers = pairs[:, 0]
        centres[numbers], units[numbers] = _moments(rows, numbers, largest)
        plain[pairs.reshape(-1)] = False
        units = np.where(plain & (largest > 1.0), largest, units)
    if (units == 1.0).all() and not centres.any():
        return None
    return Scaling(centres, units, pairs[:, 1], pairs[:, 0])


def _moments(rows: Rows, numbers: NDArray[np.int64], largest: Flat) -> tuple[Flat, Flat]:
    """The means of these columns, and their deviations (1 for none)."""
    one_of_them = np.zeros(len(largest), dtype=bool)
    one_of_them[numbers] = True
    at = one_of_them[rows.ids]
    ids = rows.ids[at]
    unit = np.where(largest > 0, largest, 1.0)  # within [-1, 1] no square is lost, however large the numbers
    values = rows.values[at] / unit[ids]
    counts = np.maximum(np.bincount(ids, minlength=len(largest)), 1)
    means = np.bincount(ids, values, len(largest)) / counts
    squares = np.bincount(ids, (values - means[ids]) ** 2, len(largest))
    deviations = (unit * np.sqrt(squares / counts))[numbers]
    return (unit * means)[numbers], np.where(deviations > 0, deviations, 1.0)


def word_scaled(rows: Rows, signs: Flat, text: NDArray[np.bool_]) -> tuple[Rows, Flat]:
    """The rows with each word on its scale, and the scales."""
    if not text.any():
        return rows, np.ones(rows.shape[1])
    scales = word_scales(rows, signs, text)
    values = np.empty_like(rows.values)
    which = text.view(np.uint8)
    squares = entries.scaled(rows.values, rows.ids, scales, which, values)
    scales = np.where(text, scales / (np.sqrt(squares / rows.shape[0]) or 1.0), scales)
    entries.scaled(rows.values, rows.ids, scales, which, values)
    return replace(rows, values=values), scales


def word_scales(rows: Rows, signs: Flat, text: NDArray[np.bool_]) -> Flat:
    """The scale of every word (see the top of this file); 1 for features that are not of text."""
    n, columns = rows.shape
    p, q = np.zeros(columns), np.zeros(columns)
    entries.count_sides(rows.ids, rows.starts, signs, p, q)
    share = (1.0 + p[text].sum()) / (2.0 + p[text].sum() + q[text].sum())
    ratio = np.log((p + SMOOTHING * share) / (q + SMOOTHING * (1.0 - share))) - np.log(share / (1.0 - share))
    idf = 1.0 + np.log((1.0 + n) / (1.0 + p + q))
    scales = (FLOOR + (1.0 - FLOOR) * np.abs(ratio)) * np.sqrt(idf)
    # rounded to single precision: the C library's logarithm may differ in the last bit between machines
    return np.where(text, scales.astype(np.float32).astype(np.float64), 1.0)
