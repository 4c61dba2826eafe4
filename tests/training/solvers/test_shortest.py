"""Rows fewer than columns: the shortest weights that meet every target are those of the pseudo-inverse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from linnet import LinearRegression
from linnet.data.rows import Examples, Rows
from linnet.training.solvers.row_products import dense_products
from linnet.training.solvers.shortest import shortest


def by_pseudo_inverse(X, Y, c, *, intercept):
    m, t = (c @ X / c.sum(), c @ Y / c.sum()) if intercept else (np.zeros(X.shape[1]), np.zeros(Y.shape[1]))
    root = np.sqrt(c)[:, np.newaxis]
    W = np.linalg.pinv(root * (X - m), rcond=1e-12) @ (root * (Y - t))
    return np.column_stack([W.T, t - m @ W])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(2, 3), (12, 31), (40, 300)])
def test_they_are_those_of_the_pseudo_inverse(form, weighted, intercept, n, d, rng):
    X, Y = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d) + 3, rng.normal(size=(n, 3)) + 5
    if not intercept:  # centred, rows of any lengths would be nearly those of the longest
        X *= 10.0 ** rng.uniform(-2, 2, n)[:, np.newaxis]
    c = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    found = shortest(Examples(Rows.of(form(X)), Y, c if weighted else None), intercept=intercept)
    wanted = by_pseudo_inverse(X, Y, c, intercept=intercept)
    assert_allclose(found[0], wanted, rtol=1e-8, atol=1e-9 * np.abs(wanted).max())
    assert_allclose(X @ found[0][:, :-1].T + found[0][:, -1], Y, rtol=1e-9)


def test_the_second_step_gives_back_the_digits_that_squares_lose(rng):
    U, V = (np.linalg.qr(rng.normal(size=(size, 20)))[0] for size in (20, 200))
    s = np.logspace(0, -2.5, 20)
    X, w = (U * s) @ V.T, V @ rng.normal(size=20)
    found = shortest(Examples(Rows.of(X), X @ w), intercept=False)
    assert_allclose(found[0][0, :-1], w, atol=1e-12 * np.abs(w).max())


def test_rows_that_are_collinear_are_left_to_singular_values(rng):
    X, y = rng.normal(size=(20, 50)), rng.normal(size=20)
    X[7] = X[3]
    assert shortest(Examples(Rows.of(X), y), intercept=True) is None
    tiny = rng.normal(size=(20, 50))
    tiny[5] *= 1e-17
    assert shortest(Examples(Rows.of(tiny), y), intercept=False) is None
    assert shortest(Examples(Rows.of(X[:1]), y[:1]), intercept=True) is None
    for table in (X, tiny):
        A = table - table.mean(axis=0)
        wanted = np.linalg.pinv(A, rcond=1e-12) @ (y - y.mean())
        assert_allclose(LinearRegression().fit(table, y).coef_, wanted, atol=1e-9 * np.abs(wanted).max())


def test_as_many_rows_as_columns_are_not_wide(rng):
    assert shortest(Examples(Rows.of(rng.normal(size=(9, 9))), rng.normal(size=9)), intercept=True) is None


def test_nothing_is_proven_of_them_and_the_rank_is_stated(rng):
    X, y = rng.normal(size=(20, 50)), rng.normal(size=20)
    proof = LinearRegression().fit(X, y).certificate_
    assert "rank 19 of 50" in proof.reason
    assert proof.primal < 1e-25
    assert "rank 20 of 50" in LinearRegression(fit_intercept=False).fit(X, y).certificate_.reason


def test_products_of_rows_are_those_of_numpy_with_the_same_bits_on_any_threads(rng, monkeypatch):
    A, found = rng.normal(size=(700, 90)), []
    for cores in (1, 3):
        monkeypatch.setattr("linnet.training.threads.cores", lambda cores=cores: cores)
        found.append(dense_products(A))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[0].T)
    assert_allclose(found[0], A @ A.T, rtol=1e-12, atol=1e-12)
