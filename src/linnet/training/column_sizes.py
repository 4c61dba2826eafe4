"""How large the entries of every column are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.kernels import sparse_entries as entries
from linnet.training.threads import over_parts

Flat = NDArray[np.float64]

# As many entries are squared at once: of dense rows, no more than a cache holds.
BLOCK, IN_CACHE = 1 << 22, 1 << 16


def largest_entries(rows: Rows, rows_a_part: int) -> Flat:
    """The largest |x| of every column; a thread takes as many dense rows at once."""
    n, d = rows.shape
    if isinstance(rows, PackedRows):
        return rows.largest_entries
    if not rows.dense:
        into = np.zeros(d)
        entries.largest(rows.values, rows.ids, into)
        return into

    def part(first: int, last: int) -> Flat:
        into = np.zeros(d)
        entries.largest_in_table(rows.values[first * d : last * d], into)
        return into

    parts = over_parts(part, n, rows_a_part)
    return np.asarray(np.max(parts, axis=0)) if parts else np.zeros(d)


def squares(rows: Rows, c: Flat) -> Flat:
    """sum_i c_i x_ij^2 for every column j, or without sample weights sum_i x_ij^2."""
    n, d = rows.shape
    into = np.zeros(d)
    if rows.dense:
        table, step = rows.values.reshape(n, d), max(1, IN_CACHE // max(d, 1))
        ones = np.ones(step)
        for first in range(0, n, step):
            block = table[first : first + step].astype(np.float64)
            block *= block
            into += (ones[: len(block)] if not len(c) else c[first : first + step]) @ block
        return into
    for first in range(0, len(rows.values), BLOCK):
        block = rows.values[first : first + BLOCK].astype(np.float64) ** 2
        if len(c):
            at = np.arange(first, first + len(block))
            block *= c[np.searchsorted(rows.starts, at, side="right") - 1]
        into += np.bincount(rows.ids[first : first + BLOCK], weights=block, minlength=d)
    return into
