"""Weights of n-grams by the log-count ratio of a problem's two sides.

An n-gram of a text enters times

    (1/4 + 3/4 |r|) sqrt(idf),   idf = 1 + log((1 + n) / (1 + p + q)),
    r = log( (p + 2 s) / (q + 2 (1 - s)) ) - log( s / (1 - s) )

where p and q of the n rows on either side of the problem have it, and s is the first side's fraction of all n-grams: r
is the naive Bayes log-count ratio (Wang, Manning 2012), smoothed towards 0 also where one side has far more words.
N-grams that distinguish the sides can thus have larger weights.  Text as a whole is then scaled to a mean square
length of 1.  A row of weight k is counted as k rows; class weights change nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import sparse_entries as entries

# The floor of an n-gram's weight, and how much the log-count ratio is smoothed.
FLOOR, SMOOTHING = 0.25, 2.0

Flat = NDArray[np.float64]
UNWEIGHTED: Flat = np.empty(0)


@dataclass(frozen=True, eq=False)
class Text:
    """Which columns are n-grams of a text, and the weights of the rows, if they have any: without those of classes."""

    columns: NDArray[np.bool_]
    row_weights: Flat | None = None

    def of(self, members: NDArray[np.bool_]) -> Text:
        """The same of some of the rows."""
        return self if self.row_weights is None else Text(self.columns, self.row_weights[members])


def weighted(rows: Rows, signs: Flat, text: Text) -> tuple[Rows, Flat]:
    """The rows with their text weighted for this problem, and the weight of each column (1 where it is not text)."""
    if not text.columns.any():
        return rows, np.ones(rows.shape[1])
    weights = term_weights(rows, signs, text)
    values = np.empty_like(rows.values)
    which = text.columns.view(np.uint8)
    if text.row_weights is None:
        mean_square = entries.scaled(rows.values, rows.ids, weights, which, values) / rows.shape[0]
    else:
        squares = (rows.values.astype(np.float64) * weights[rows.ids]) ** 2 * text.columns[rows.ids]
        of_rows = np.repeat(text.row_weights, np.diff(rows.starts))
        mean_square = (of_rows * squares).sum() / text.row_weights.sum()
    weights = np.where(text.columns, weights / (np.sqrt(mean_square) or 1.0), weights)
    entries.scaled(rows.values, rows.ids, weights, which, values)
    return replace(rows, values=values), weights


def term_weights(rows: Rows, signs: Flat, text: Text) -> Flat:
    """The weight of each column; 1 where it is not text."""
    columns, each = text.columns, text.row_weights
    p, q = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    entries.count_sides(rows.ids, rows.starts, signs, UNWEIGHTED if each is None else each, p, q)
    n = rows.shape[0] if each is None else each.sum()
    s = (1.0 + p[columns].sum()) / (2.0 + p[columns].sum() + q[columns].sum())
    ratio = np.log((p + SMOOTHING * s) / (q + SMOOTHING * (1.0 - s))) - np.log(s / (1.0 - s))
    # several entries of a row may have one column where names are hashed: it is not in more rows than there are
    idf = 1.0 + np.log((1.0 + n) / (1.0 + np.minimum(p + q, n)))
    weights = (FLOOR + (1.0 - FLOOR) * np.abs(ratio)) * np.sqrt(idf)
    # rounded to single precision: the C library's logarithm may differ in the last bit between machines
    return np.where(columns, weights.astype(np.float32).astype(np.float64), 1.0)
