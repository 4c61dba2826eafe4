"""Sums by class are those of NumPy, in whatever cut of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from linnet.data.rows import Rows
from linnet.kernels.class_sums import add_products, add_rows, add_scatter, add_weights, presence_logs, smoothed_logs
from linnet.kernels.moments import add_moments, variances

NONE = np.empty(0)


def rows_of(X, dense):
    return Rows.of(X if dense else csr_matrix(X))


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_class(dense, kind, weighted, rng):
    X = (rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5)).astype(kind)
    codes, weights = rng.integers(3, size=60).astype(float), rng.random(60) if weighted else NONE
    sums, counts = np.zeros((5, 3)), np.zeros(3)
    rows = rows_of(X, dense)
    add_rows(rows.values, rows.ids, rows.starts, 5, dense, codes, weights, sums)
    add_weights(codes, weights, counts)
    member = (codes[:, np.newaxis] == np.arange(3)) * (weights[:, np.newaxis] if weighted else 1.0)
    np.testing.assert_allclose(sums, X.T.astype(float) @ member, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(counts, member.sum(axis=0), rtol=1e-12)


def counted(rng, whole):
    """Sums of 40 columns by 6 classes, half of them 0, with the rows of the classes."""
    sums = rng.integers(1, 600, size=(40, 6)) * (1.0 if whole else rng.random((40, 6))) * (rng.random((40, 6)) < 0.5)
    return sums, sums.max(axis=0) + np.array([0.0, 1.0, 5.0, 1000.0, 0.25, 1e9])


ALPHAS = [np.array([1.0]), np.array([0.3]), np.array([1e-10]), np.linspace(0.1, 5.0, 40)]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("alphas", ALPHAS, ids=["1", "0.3", "tiny", "each"])
def test_logarithms_of_smoothed_sums(alphas, whole, rng):
    sums, counts = counted(rng, whole)
    smoothed, logs = sums + alphas[:, np.newaxis], np.full((40, 6), np.nan)
    smoothed_logs(sums, alphas, logs)
    np.testing.assert_allclose(logs, np.log(smoothed / smoothed.sum(axis=0)), rtol=1e-13, atol=1e-13)
    odds, absent = np.full((40, 6), np.nan), np.zeros(6)
    presence_logs(sums, counts, alphas, odds, absent)
    others = np.log(counts - sums + alphas[:, np.newaxis])
    np.testing.assert_allclose(odds, np.log(smoothed) - others, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(absent, others.sum(axis=0), rtol=1e-13)


def test_a_sum_that_rounding_made_larger_than_its_class_has_no_row_without_it():
    odds, absent = np.empty((1, 1)), np.zeros(1)
    presence_logs(np.array([[0.1 + 0.2]]), np.array([0.3]), np.ones(1), odds, absent)
    assert absent[0] == 0.0
    np.testing.assert_allclose(odds, np.log([[1.3]]), rtol=1e-13)


def test_sums_beyond_the_range_of_numbers_are_not_finite():
    logs = np.zeros((2, 2))
    smoothed_logs(np.array([[1e308, 1.0], [1e308, np.inf]]), np.ones(1), logs)
    assert not np.isfinite(logs).any()


def test_products_do_not_depend_on_the_width(rng):
    left, right = rng.normal(size=(50, 7)), rng.normal(size=(50, 9))
    whole = np.ones((7, 9))
    add_products(left, right, whole)
    np.testing.assert_allclose(whole, 1 + left.T @ right, rtol=1e-12, atol=1e-12)
    for columns in range(1, 9):
        part = np.ones((7, columns))
        add_products(left, np.ascontiguousarray(right[:, :columns]), part)
        assert part.tobytes() == np.ascontiguousarray(whole[:, :columns]).tobytes()


@pytest.mark.parametrize("columns", [1, 4, 12, 13, 31])
def test_scatter_is_symmetric_and_the_sum_of_squares(columns, rng):
    X, step = rng.normal(size=(50, columns)), rng.normal(size=columns)
    into = np.ones((columns, columns))
    add_scatter(X, step, 0.5, into)
    np.testing.assert_allclose(into, 1 + X.T @ X + 0.5 * np.outer(step, step), rtol=1e-12, atol=1e-12)
    assert into.tobytes() == into.T.copy().tobytes()


def test_scatter_does_not_depend_on_the_columns_beside_nor_on_their_order(rng):
    X, step = rng.normal(size=(40, 30)), rng.normal(size=30)
    whole = np.zeros((30, 30))
    add_scatter(X, step, 0.5, whole)
    for some in (np.arange(5), np.arange(3, 17), np.arange(11, 30), rng.permutation(30)):
        part = np.zeros((len(some), len(some)))
        add_scatter(np.ascontiguousarray(X[:, some]), step[some], 0.5, part)
        assert part.tobytes() == whole[np.ix_(some, some)].tobytes()


finite = st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-12)
entries = st.lists(st.tuples(finite, st.integers(0, 2), st.floats(1e-6, 1e6)), min_size=1, max_size=30)


@given(entries, st.booleans(), st.booleans())
def test_moments_have_twice_the_digits(given_rows, dense, weighted):
    """Held against fractions, which have them all."""
    X = np.array([[x] for x, _, _ in given_rows])
    codes = np.array([float(code) for _, code, _ in given_rows])
    weights = np.array([weight if weighted else 1.0 for _, _, weight in given_rows])
    counts, sums, squares, into = np.zeros((3, 2)), np.zeros((1, 3, 2)), np.zeros((1, 2)), np.empty(1)
    rows = rows_of(X, dense)
    add_moments(
        rows.values, rows.ids, rows.starts, 1, dense, codes, weights if weighted else NONE, counts, sums, squares
    )
    exact = [(Fraction(x), int(code), Fraction(weight)) for (x,), code, weight in zip(X, codes, weights, strict=True)]
    total = sum(weight * x * x for x, _, weight in exact)
    close(squares[0], total, total)
    left = total
    for k in range(3):
        n = sum(weight for _, code, weight in exact if code == k)
        s = sum(weight * x for x, code, weight in exact if code == k)
        size = sum(weight * abs(x) for x, code, weight in exact if code == k)
        close(counts[k], n, n)
        close(sums[0, k], s, size)
        left -= s * s / n if n else 0
    variances(counts, sums, squares, into)
    n = sum(weight for _, _, weight in exact)
    assert abs(Fraction(into[0]) - left / n) <= Fraction(1, 2**52) * (left / n) + Fraction(1, 2**95) * (total / n)


def close(pair, exact, size):
    """A pair of doubles, to a hundred bits of the size of what was added up."""
    assert abs(Fraction(pair[0]) + Fraction(pair[1]) - exact) <= Fraction(1, 2**96) * size
