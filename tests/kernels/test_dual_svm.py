"""The kernels of the SVMs beside NumPy twins: the order, one step, the nearest point of a simplex."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linnet.data.rows import Rows
from linnet.kernels import crammer_singer
from linnet.kernels import dual_svm as margins
from tests.conftest import both_forms, sparse_table


def test_a_shuffle_is_a_permutation_that_its_seed_tells():
    orders = []
    for seed in (0, 0, 1):
        order = np.arange(100, dtype=np.uint32)
        margins.shuffle(order, seed)
        orders.append(order)
        assert_array_equal(np.sort(order), np.arange(100))
    assert_array_equal(orders[0], orders[1])
    assert (orders[0] != orders[2]).any()


@pytest.mark.parametrize("squared", [False, True])
def test_a_sweep_takes_each_step_of_its_twin(squared, rng):
    table, signs = sparse_table(rng, 30, 5), rng.choice([-1.0, 1.0], 30)
    costs, rho = rng.uniform(0.1, 2, 30), 0.3
    extra, cap = (0.5 / costs, np.full(30, np.inf)) if squared else (np.zeros(30), costs)
    curvature = (table**2).sum(axis=1) + extra + rho
    w, b, alphas = np.zeros(5), 0.0, np.zeros(30)
    for i in (*range(30), *range(30)):
        slope = signs[i] * (table[i] @ w + b) - 1 + extra[i] * alphas[i]
        after = np.clip(alphas[i] - 1.15 * slope / curvature[i], 0, cap[i])
        w, b = w + (after - alphas[i]) * signs[i] * table[i], b + rho * (after - alphas[i]) * signs[i]
        alphas[i] = after
    for X in both_forms(table):
        rows = Rows.of(X)
        states = np.column_stack([np.zeros(30), signs, extra if squared else costs, 1 / curvature])
        weights, intercept, value = np.zeros(5), 0.0, 0.0
        for _ in range(2):
            kept, intercept, *_, gain, _, lost = margins.sweep(
                rows.values, rows.ids, rows.starts, 5, rows.dense, squared, np.arange(30, dtype=np.uint32), states,
                weights, intercept, rho, np.inf, -np.inf,
            )  # fmt: skip
            value += gain
            assert (kept, lost) == (30, -1)
        assert_allclose(weights, w, atol=1e-12)
        assert_allclose(states[:, 0], alphas, atol=1e-12)
        assert intercept == pytest.approx(b)
        assert value == pytest.approx(alphas.sum() - 0.5 * extra @ alphas**2 - 0.5 * w @ w)


def test_the_nearest_point_of_a_simplex_is_nearer_than_others(rng):
    for _ in range(100):
        k, size = int(rng.integers(2, 8)), float(rng.uniform(0.1, 3))
        point = rng.normal(size=k) * rng.choice([0.1, 1, 10])
        nearest = point.copy()
        crammer_singer.nearest_in_simplex(nearest, size, np.empty_like(nearest))
        assert nearest.min() >= 0
        assert nearest.sum() == pytest.approx(size)
        others = size * rng.dirichlet(np.ones(k), 200)
        assert np.linalg.norm(point - nearest) <= np.linalg.norm(point - others, axis=1).min() + 1e-12
