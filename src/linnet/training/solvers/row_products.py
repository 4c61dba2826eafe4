"""The table of the products of all pairs of rows, centred."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows
from linnet.kernels.sparse_entries import entries_by_column
from linnet.training.solvers.least_squares import dense

Flat = NDArray[np.float64]

# Sparse rows with more than this fraction of all entries are multiplied as dense ones.
FULL = 0.2
# A column that more than this fraction of the rows have is multiplied as a dense one; at most this many of them.
COMMON, COMMON_AT_MOST = 0.05, 2000
# Rows that are multiplied with all others at once.
ROWS_AT_ONCE = 256


def centred_products(examples: Examples, weights: Flat | None) -> Flat:
    """(X - m)(X - m)', with m the means by these weights, if there are any."""
    n, d = examples.rows.shape
    if examples.rows.dense or len(examples.rows.values) > FULL * n * d:
        A = dense(examples, slice(0, n))
        if weights is not None:
            A = A - weights @ A / weights.sum()
        return np.asarray(A @ A.T)
    products = _products(examples.rows)
    if weights is None:
        return products
    by_mean = products @ weights / weights.sum()
    products -= by_mean[:, np.newaxis]
    products -= by_mean - weights @ by_mean / weights.sum()
    return products


def _products(rows: Rows) -> Flat:
    """X X' of sparse rows: that of the common columns by BLAS, which make nearly all pairs, the rest entry by entry."""
    from scipy.sparse import csr_array

    n, d = rows.shape
    counts = np.asarray(entries_by_column(rows.ids, d))
    common = np.flatnonzero(counts > COMMON * n)
    if len(common) > COMMON_AT_MOST:
        common = np.sort(common[np.argsort(-counts[common], kind="stable")[:COMMON_AT_MOST]])
    place = np.full(d, -1)
    place[common] = np.arange(len(common))
    at, row = place[rows.ids], np.repeat(np.arange(n), np.diff(rows.starts))
    of_common = at >= 0
    flat = row[of_common] * len(common) + at[of_common]
    block = np.bincount(flat, rows.values[of_common], n * len(common)).astype(np.float64).reshape(n, len(common))
    products = np.asarray(block @ block.T)
    starts = np.append(0, np.cumsum(np.bincount(row[~of_common], minlength=n)))
    rest = csr_array(
        (rows.values[~of_common].astype(np.float64), rows.ids[~of_common].astype(np.int64), starts), (n, d)
    )
    across = rest.T.tocsr()
    for first in range(0, n, ROWS_AT_ONCE):
        some = slice(first, min(n, first + ROWS_AT_ONCE))
        products[some] += (rest[some] @ across).toarray()
    return products
