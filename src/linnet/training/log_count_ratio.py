"""Weights of n-grams by the log-count ratio of a problem's two sides.

An n-gram of a text enters times

    (1/4 + 3/4 |r|) sqrt(idf),   idf = 1 + log((1 + n) / (1 + p + q)),
    r = log( (p + 2 s) / (q + 2 (1 - s)) ) - log( s / (1 - s) )

where p and q of the n rows on either side of the problem have it, and s is the first side's fraction of all n-grams: r
is the naive Bayes log-count ratio (Wang, Manning 2012), smoothed towards 0 also where one side has far more words.
N-grams that distinguish the sides can thus have larger weights.  Text as a whole is then scaled to a mean square
length of 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import sparse_entries as entries

# The floor of an n-gram's weight, and how much the log-count ratio is smoothed.
FLOOR, SMOOTHING = 0.25, 2.0

Flat = NDArray[np.float64]


def weighted(rows: Rows, signs: Flat, text: NDArray[np.bool_]) -> tuple[Rows, Flat]:
    """The rows with their text weighted for this problem, and the weight of each column (1 where it is not text)."""
    if not text.any():
        return rows, np.ones(rows.shape[1])
    weights = term_weights(rows, signs, text)
    values = np.empty_like(rows.values)
    which = text.view(np.uint8)
    squares = entries.scaled(rows.values, rows.ids, weights, which, values)
    weights = np.where(text, weights / (np.sqrt(squares / rows.shape[0]) or 1.0), weights)
    entries.scaled(rows.values, rows.ids, weights, which, values)
    return replace(rows, values=values), weights


def term_weights(rows: Rows, signs: Flat, text: NDArray[np.bool_]) -> Flat:
    """The weight of each column; 1 where it is not text."""
    n, columns = rows.shape
    p, q = np.zeros(columns), np.zeros(columns)
    entries.count_sides(rows.ids, rows.starts, signs, p, q)
    s = (1.0 + p[text].sum()) / (2.0 + p[text].sum() + q[text].sum())
    ratio = np.log((p + SMOOTHING * s) / (q + SMOOTHING * (1.0 - s))) - np.log(s / (1.0 - s))
    idf = 1.0 + np.log((1.0 + n) / (1.0 + p + q))
    weights = (FLOOR + (1.0 - FLOOR) * np.abs(ratio)) * np.sqrt(idf)
    # rounded to single precision: the C library's logarithm may differ in the last bit between machines
    return np.where(text, weights.astype(np.float32).astype(np.float64), 1.0)
