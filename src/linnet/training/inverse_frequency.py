"""Weights of n-grams by their inverse document frequency (Spärck Jones 1972), for numbers to predict.

An n-gram that rows of weight f, of N in all, have enters times 1 + log((1 + N) / (1 + f)): frequent ones distinguish
rows less, so a penalty should keep their weights small.  Text as a whole is then scaled to a mean square length of 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples

Flat = NDArray[np.float64]


def weighted(examples: Examples, text: NDArray[np.bool_]) -> tuple[Examples, Flat]:
    """The examples with their text weighted, and the weight of each column (1 where it is not text)."""
    rows = examples.rows
    if rows.dense or not text.any():
        return examples, np.ones(rows.shape[1])
    ids = rows.ids[rows.starts[0] : rows.starts[-1]]
    values = rows.values[rows.starts[0] : rows.starts[-1]].astype(np.float64)
    c = None if examples.weights is None else np.repeat(examples.weights, np.diff(rows.starts))
    frequency = np.bincount(ids, c, rows.shape[1])
    # rounded to single precision: the C library's logarithm may differ in the last bit between machines
    idf = (1.0 + np.log((1.0 + examples.total_weight) / (1.0 + frequency))).astype(np.float32).astype(np.float64)
    squares = np.bincount(ids, values * values if c is None else c * values * values, rows.shape[1])
    length = np.float32(np.sqrt(float((idf * idf * squares)[text].sum()) / examples.total_weight)) or 1.0
    weights = np.where(text, idf / float(length), 1.0)
    scaled = replace(rows, values=values * weights[ids], ids=ids, starts=rows.starts - rows.starts[0])
    return replace(examples, rows=scaled), weights
