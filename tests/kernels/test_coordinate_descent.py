"""Coordinate descent beside its NumPy twin: the same weights and slopes, by pairs and by columns, dense and sparse."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from linnet.kernels import coordinate_descent as kernel

NO_IDS, NO_STARTS = np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int64)


def twin(A, r, h, w, l1, l2, positive, free, sweeps):
    """One weight after the other, with everything worked out anew; the intercept at its best for every weight."""
    M, T = A.T @ h, h.sum()
    H = A.T @ (h[:, None] * A) - (np.outer(M, M) / T if free else 0.0)
    slopes = A.T @ r - (M * r.sum() / T if free else 0.0)
    u = w.copy()
    for _ in range(sweeps):
        for j in range(len(u)):
            s = slopes[j] + H[j] @ (u - w)
            t = H[j, j] * u[j] - s
            u[j] = np.sign(t) * max(abs(t) - l1, 0.0) / (H[j, j] + l2)
            if positive and t < 0:
                u[j] = 0.0
    return u, H, slopes, M, T


def problem(rng, n=40, k=9):
    A = np.where(rng.random((n, k)) < 0.5, rng.normal(size=(n, k)) + 0.5, 0.0)
    w = np.where(rng.random(k) < 0.5, rng.normal(size=k), 0.0)
    return A, rng.normal(size=n) / n, rng.uniform(0.1, 1.0, n) / n, w


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_sweeps_by_pairs_and_by_columns_are_those_of_the_twin(l2, positive, free, rng):
    A, r, h, w = problem(rng)
    w = np.abs(w) if positive else w
    expected, H, slopes, M, T = twin(A, r, h, w, 0.02, l2, positive, free, 3)
    u, s = w.copy(), slopes.copy()
    assert kernel.by_pairs(H, H.diagonal().copy(), s, u, 0.02, l2, positive, 0.0, 3)[0] == 3
    assert np.allclose(u, expected, rtol=1e-10)
    assert np.allclose(s, slopes + H @ (expected - w), atol=1e-12)
    sparse = csc_array(A)
    columns = {
        True: (np.ascontiguousarray(A.T).reshape(-1), NO_IDS, NO_STARTS, len(A), True),
        False: (sparse.data, sparse.indices.astype(np.uint32), sparse.indptr.astype(np.int64), len(A), False),
    }
    sums, total = (M, T) if free else (np.zeros_like(M), 0.0)
    for layout in columns.values():
        u, p, shift = w.copy(), r.copy(), -r.sum() / T if free else 0.0
        for _ in range(3):
            shift, _ = kernel.by_columns(
                *layout, np.arange(len(w)), h, H.diagonal().copy(), sums, total, p, shift, u, 0.02, l2, positive
            )
        assert np.allclose(u, expected, rtol=1e-10)
        if free:
            assert shift == pytest.approx(-(r.sum() + M @ (u - w)) / T)
        assert np.allclose(p, r + h * (A @ (u - w)))


def test_a_column_without_curvature_gets_no_weight():
    u, s = np.array([3.0]), np.array([-5.0])
    kernel.by_pairs(np.zeros((1, 1)), np.zeros(1), s, u, 0.1, 0.0, False, 0.0, 5)
    assert u[0] == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_some_columns_of_sparse_rows_by_row_and_by_column(dtype, rng):
    X = np.where(rng.random((20, 30)) < 0.3, rng.normal(size=(20, 30)), 0.0).astype(dtype)
    rows, which = csr_array(X), np.sort(rng.choice(30, 12, replace=False))
    place = np.full(30, -1, dtype=np.int32)
    place[which] = np.arange(12)
    given = rows.data, rows.indices.astype(np.uint32), rows.indptr.astype(np.int64)
    size = np.count_nonzero(X[:, which])
    values, ids, starts = np.empty(size + 1), np.empty(size + 1, dtype=np.uint32), np.empty(21, dtype=np.int64)
    kernel.some_columns(*given, place, values, ids, starts)
    values, ids = values[:size], ids[:size]
    assert np.array_equal(csr_array((values, ids.astype(np.int32), starts), shape=(20, 12)).toarray(), X[:, which])
    begins = np.append(0, np.cumsum(np.count_nonzero(X[:, which], axis=0)))
    ends = begins[:-1].copy()
    kernel.by_column(*given, place, ends, values, ids)
    assert np.array_equal(ends, begins[1:])
    assert np.array_equal(csc_array((values, ids.astype(np.int32), begins), shape=(20, 12)).toarray(), X[:, which])


def test_sums_products_and_combinations_of_columns(rng):
    A, r, h, w = problem(rng)
    sparse = csc_array(A)
    arrays = sparse.data, sparse.indices.astype(np.uint32), sparse.indptr.astype(np.int64)
    for layout in ((*arrays, len(A), False), (np.ascontiguousarray(A.T).reshape(-1), NO_IDS, NO_STARTS, len(A), True)):
        sums, squares, products = np.empty(len(w)), np.empty(len(w)), np.empty(len(w))
        kernel.column_sums(*layout, h, sums, squares)
        kernel.products(*layout, r, products)
        assert np.allclose(sums, A.T @ h)
        assert np.allclose(squares, (A * A).T @ h)
        assert np.allclose(products, A.T @ r)
    into = np.ones(len(A))
    kernel.combined(*arrays, w, into)
    assert np.allclose(into, 1.0 + A @ w)
