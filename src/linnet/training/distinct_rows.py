"""Rows each once, with the weight of all their copies, in an order that follows from their contents.

So a row of weight k and its k copies are the same to whatever is drawn at random from these rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.kernels import fingerprints as kernel
from linnet.training.threads import over_parts

Flat = NDArray[np.float64]

# Packed rows are unpacked in parts of this many.
PART_ROWS = 1 << 13


def distinct(rows: Rows, targets: Flat, weights: Flat | None) -> tuple[NDArray[np.int64], Flat | None]:
    """The number of one of each kind, in a random order, and their weights; None where all are 1.

    Rows of the weight 0 are left out.
    """
    numbers, keys = np.empty(len(targets), dtype=np.uint64), np.empty(len(targets), dtype=np.uint64)
    if isinstance(rows, PackedRows):
        _packed_fingerprints(rows, targets, numbers)
    else:
        kernel.fingerprints(*rows.layout, targets, np.empty(0), numbers)
    kernel.scramble(numbers, 0, keys)
    first = np.argsort(keys, kind="stable")
    in_order = keys[first]
    if weights is None and not (in_order[1:] == in_order[:-1]).any():
        return first, None
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(which, weights, len(first)).astype(np.float64)
    first, summed = first[summed > 0], summed[summed > 0]
    return first, None if bool((summed == 1.0).all()) else summed


def _packed_fingerprints(rows: PackedRows, targets: Flat, into: NDArray[np.uint64]) -> None:
    """The fingerprints that the same rows have when they are sparse; zeros do not count in them."""
    d = rows.shape[1]
    ids = np.tile(rows.used.astype(np.uint32), PART_ROWS)
    starts = np.arange(PART_ROWS + 1, dtype=np.int64) * d

    def part(first: int, last: int) -> None:
        values = rows.matrix(slice(first, last)).reshape(-1)
        at = slice(first, last)
        kernel.fingerprints(values, ids, starts, rows.table.features, False, targets[at], np.empty(0), into[at])

    over_parts(part, rows.shape[0], PART_ROWS)
