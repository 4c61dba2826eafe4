"""Rows without the columns that none of them has an entry in, and dense where they are filled.

A fit gives such columns the weight 0 whatever else it finds, but a table of all pairs of columns is the larger for
them; and a filled table is multiplied much faster where it need not name its columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels.sparse_entries import entries_by_column

# Rows with at least this fraction of all entries are made dense.
FILLED = 0.3


def columns_in_use(rows: Rows) -> NDArray[np.int64]:
    """The columns that some row has an entry in."""
    d = rows.shape[1]
    return np.arange(d) if rows.dense else np.flatnonzero(entries_by_column(rows.ids, d))


def compact(rows: Rows) -> Rows:
    """The same rows on the columns in use."""
    if rows.dense:
        return rows
    n, used = rows.shape[0], columns_in_use(rows)
    numbers = np.zeros(rows.shape[1], dtype=np.uint32)
    numbers[used] = np.arange(len(used), dtype=np.uint32)
    fewer = Rows(rows.values, numbers[rows.ids], rows.starts, (n, len(used)))
    if len(rows.values) < FILLED * n * len(used):
        return fewer
    table = np.zeros((n, len(used)), dtype=rows.values.dtype)
    np.add.at(table, (np.repeat(np.arange(n), np.diff(rows.starts)), fewer.ids), rows.values)
    return Rows.of(table)
