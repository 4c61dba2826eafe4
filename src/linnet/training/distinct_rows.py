"""Rows each once, with the weight of all their copies, in an order that follows from their contents.

So a row of weight k and its k copies are the same to whatever is drawn at random from these rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import fingerprints as kernel

Flat = NDArray[np.float64]


def distinct(rows: Rows, targets: Flat, weights: Flat | None) -> tuple[NDArray[np.int64], Flat | None]:
    """The number of one of each kind, in a random order, and their weights; None where all are 1.

    Rows of the weight 0 are left out.
    """
    numbers, keys = np.empty(len(targets), dtype=np.uint64), np.empty(len(targets), dtype=np.uint64)
    values, ids, starts, columns, dense = rows.layout
    kernel.fingerprints(values, ids, starts, columns, dense, targets, np.empty(0), numbers)
    kernel.scramble(numbers, 0, keys)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(which, weights, len(first)).astype(np.float64)
    first, summed = first[summed > 0], summed[summed > 0]
    return first, None if bool((summed == 1.0).all()) else summed
