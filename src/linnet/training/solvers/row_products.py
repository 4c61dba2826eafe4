"""The table of the products of all pairs of rows, centred."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows
from linnet.kernels import row_products as kernel
from linnet.kernels.sparse_entries import entries_by_column
from linnet.training.solvers.least_squares import dense
from linnet.training.threads import over_parts

Flat = NDArray[np.float64]

# Sparse rows with more than this fraction of all entries are multiplied as dense ones.
FULL = 0.2
# A column that more than this fraction of the rows have is multiplied as a dense one, which BLAS does in a tenth of the
# time that entries take; at most this many of them.
COMMON, COMMON_AT_MOST = 0.25, 2000
# Rows that a thread multiplies with all others at once.
ROWS_AT_ONCE = 128


def centred_products(examples: Examples, weights: Flat | None) -> Flat:
    """(X - m)(X - m)', with m the means by these weights, if there are any."""
    n, d = examples.rows.shape
    if examples.rows.dense or len(examples.rows.values) > FULL * n * d:
        A = dense(examples, slice(0, n))
        if weights is not None:
            A = A - weights @ A / weights.sum()
        return dense_products(A)
    products = _products(examples.rows)
    if weights is None:
        return products
    by_mean = products @ weights / weights.sum()
    products -= by_mean[:, np.newaxis]
    products -= by_mean - weights @ by_mean / weights.sum()
    return products


def _products(rows: Rows) -> Flat:
    """X X' of sparse rows: that of common columns by BLAS, the rest entry by entry, one half; the other mirrors it."""
    n, d = rows.shape
    counts = np.asarray(entries_by_column(rows.ids, d))
    common = np.flatnonzero(counts > COMMON * n)
    if len(common) > COMMON_AT_MOST:
        common = np.sort(common[np.argsort(-counts[common], kind="stable")[:COMMON_AT_MOST]])
    products = dense_products(_columns(rows, common))
    counts[common] = 0
    begins = np.append(0, np.cumsum(counts))
    taken = (counts > 0).astype(np.uint8)
    which, values = kernel.by_column(rows.values, rows.ids, rows.starts, begins, taken)

    def part(first: int, last: int) -> None:
        kernel.add_products(rows.values, rows.ids, rows.starts, begins, which, values, first, last, products)

    over_parts(part, n, ROWS_AT_ONCE)
    _mirror(products)
    return products


def dense_products(A: NDArray[Any]) -> NDArray[Any]:
    """A A', its lower half on threads, each of which multiplies some rows with those before; the other mirrors it.

    In single precision if A is.
    """
    n = len(A)
    products = np.empty((n, n), dtype=A.dtype)

    def part(first: int, last: int) -> None:
        own = A[first:last]
        products[first:last, :first] = own @ A[:first].T
        products[first:last, first:last] = own @ own.T  # which NumPy sees is symmetric

    over_parts(part, n, ROWS_AT_ONCE)
    _mirror(products)
    return products


def _mirror(products: NDArray[Any]) -> None:
    n = len(products)
    for first in range(0, n, ROWS_AT_ONCE):
        last = min(n, first + ROWS_AT_ONCE)
        products[:first, first:last] = products[first:last, :first].T
        corner = np.tril(products[first:last, first:last])
        products[first:last, first:last] = corner + np.tril(corner, -1).T


def _columns(rows: Rows, which: NDArray[np.int64]) -> Flat:
    """Some columns of sparse rows, dense."""
    n, d = rows.shape
    place = np.full(d, -1)
    place[which] = np.arange(len(which))
    at, row = place[rows.ids], np.repeat(np.arange(n), np.diff(rows.starts))
    there = at >= 0
    flat = row[there] * len(which) + at[there]
    return np.bincount(flat, rows.values[there], n * len(which)).astype(np.float64).reshape(n, len(which))
