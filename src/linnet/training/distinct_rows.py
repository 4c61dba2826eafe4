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
# Of a sample, the fewest rows of each class, unless the class has fewer.
OF_EACH_CLASS = 8


def distinct(
    rows: Rows, targets: Flat, weights: Flat | None, most: int | None = None
) -> tuple[NDArray[np.int64], Flat | None]:
    """The number of one of each kind, in a random order, and their weights; None where all are 1.

    Rows of the weight 0 are left out.  Where there are more kinds than `most`, that many are drawn, and some more of
    classes that have few among them.
    """
    numbers = fingerprints(rows, targets)
    keys = np.empty_like(numbers)
    kernel.scramble(numbers, 0, keys)
    if weights is not None and not weights.all():
        at = np.flatnonzero(weights)
        at = at[_drawn(keys[at], targets[at], most)]
    else:
        at = _drawn(keys, targets, most)
    keys, weights = keys[at], None if weights is None else weights[at]
    first = np.argsort(keys, kind="stable")
    in_order = keys[first]
    if weights is None and not (in_order[1:] == in_order[:-1]).any():
        return at[first], None
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(which, weights, len(first)).astype(np.float64)
    return at[first], None if bool((summed == 1.0).all()) else summed


def fingerprints(rows: Rows, targets: Flat | None = None) -> NDArray[np.uint64]:
    """A number for each row that equal rows share; rows with other targets are others, if targets are given."""
    n = rows.shape[0]
    targets, numbers = np.zeros(n) if targets is None else targets, np.empty(n, dtype=np.uint64)
    if isinstance(rows, PackedRows):
        _packed_fingerprints(rows, targets, numbers)
    else:
        kernel.fingerprints(*rows.layout, targets, np.empty(0), numbers)
    return numbers


def _drawn(keys: NDArray[np.uint64], targets: Flat, most: int | None) -> NDArray[np.int64]:
    """The rows of the kinds with the smallest keys, with all their copies: a sample that depends on contents alone."""
    n, looked_at = len(keys), 2 * most if most is not None else len(keys)
    while most is not None and looked_at < n:
        at = np.flatnonzero(keys <= np.partition(keys, looked_at)[looked_at])
        kinds = np.unique(keys[at])
        if len(kinds) > most:
            return _with_rare_classes(at[keys[at] < kinds[most]], keys, targets)
        looked_at *= 4  # they are copies of one another
    return np.arange(n)


def _with_rare_classes(drawn: NDArray[np.int64], keys: NDArray[np.uint64], targets: Flat) -> NDArray[np.int64]:
    """These rows, and of every class that has few of them those with the smallest keys."""
    kinds = drawn[np.unique(keys[drawn], return_index=True)[1]]
    seen = dict(zip(*np.unique(targets[kinds], return_counts=True), strict=True))
    rare = [code for code in np.flatnonzero(np.bincount(targets.astype(np.int64))) if seen.get(code, 0) < OF_EACH_CLASS]
    chosen = [drawn]
    for code in rare:
        own = np.flatnonzero(targets == code)
        own_keys = np.unique(keys[own])
        chosen.append(own[keys[own] <= own_keys[min(OF_EACH_CLASS, len(own_keys)) - 1]])
    return np.unique(np.concatenate(chosen))


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
