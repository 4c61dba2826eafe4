"""Second derivatives over the rows, beside the matrices they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linnet.data.rows import Rows
from linnet.kernels import hessian as curvature
from tests.conftest import both_forms, sparse_table


@pytest.fixture
def table(rng):
    return sparse_table(rng, 30, 7)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_hessian_of_sparse_rows_is_a_sum_of_outer_products(dtype, table, rng):
    bends = rng.uniform(size=30) * (rng.random(30) < 0.8)
    rows = Rows.of(both_forms(table.astype(dtype))[1])
    Z = np.column_stack([table.astype(dtype), np.ones(30)])
    into = np.zeros((8, 8))
    curvature.hessian(rows.values, rows.ids, rows.starts, bends, into)
    assert_allclose(into, np.triu(Z.T @ (bends[:, np.newaxis] * Z)), atol=1e-12)


def test_a_product_is_the_hessian_times_the_vector(table, rng):
    bends, v, Z = rng.uniform(size=30), rng.normal(size=8), np.column_stack([table, np.ones(30)])
    for X in both_forms(table):
        along, into = np.empty((30, 1)), np.zeros(8)
        curvature.product(*Rows.of(X).layout, bends, v, along, into)
        assert_allclose(along[:, 0], Z @ v, atol=1e-12)
        assert_allclose(into, Z.T @ (bends * (Z @ v)), atol=1e-12)


@pytest.mark.parametrize("outputs", [1, 3])
def test_gradients_and_diagonals_are_sums_over_the_rows(outputs, table, rng):
    amounts, Z = rng.uniform(size=(30, outputs)), np.column_stack([table, np.ones(30)])
    for X in both_forms(table):
        gradient, diagonal = np.zeros(8 * outputs), np.zeros(8 * outputs)
        curvature.gradient(*Rows.of(X).layout, amounts, gradient)
        curvature.diagonal(*Rows.of(X).layout, amounts, diagonal)
        assert_allclose(gradient.reshape(8, outputs), Z.T @ amounts, atol=1e-12)
        assert_allclose(diagonal.reshape(8, outputs), (Z * Z).T @ amounts, atol=1e-12)
