"""The kernels of an interior-point step against the equations, by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.kernels import interior_point as kernel


@pytest.fixture
def inside():
    rng = np.random.default_rng(0)
    n = 50
    costs = rng.uniform(0.5, 2.0, n)
    a, s, xi = costs * rng.uniform(0.05, 0.95, n), rng.uniform(0.1, 2.0, n), rng.uniform(0.1, 2.0, n)
    return costs, a, s, xi, rng.standard_normal(n), rng.standard_normal(n), rng.uniform(0.1, 1.0, n)


def test_the_weights_of_rows_are_those_of_the_eliminated_multipliers(inside):
    costs, a, s, xi, margins, _, _ = inside
    T, pulls = np.empty(50), np.empty(50)
    kernel.weighed(costs, a, s, xi, margins, T, pulls)
    np.testing.assert_allclose(T, 1 / (xi / (costs - a) + s / a), rtol=1e-13)
    np.testing.assert_allclose(pulls, T * (margins - 1), rtol=1e-13)


def test_the_predictor_states_how_far_the_bounds_and_what_the_products_become(inside):
    costs, a, s, xi, margins, along, T = inside
    u, da = costs - a, np.empty(50)
    furthest, products, second = kernel.predicted(costs, a, s, xi, margins, T, along, da)
    np.testing.assert_allclose(da, -T * (margins - 1 + along), rtol=1e-13)
    ds, dxi = -s - s / a * da, -xi + xi / u * da
    falls = np.concatenate([-da / a, da / u, -ds / s, -dxi / xi])
    assert furthest == pytest.approx(falls.max())
    for t in (0.3, 1.0):
        there = ((a + t * da) * (s + t * ds) + (u - t * da) * (xi + t * dxi)).sum()
        assert (1 - t) * products - t * t * second == pytest.approx(there)


def test_the_step_solves_the_conditions_with_their_second_order_terms(inside):
    costs, a, s, xi, margins, along, T = inside
    u, mu = costs - a, 0.3
    first = 0.1 * along
    of_a, of_u, pulls = np.empty(50), np.empty(50), np.empty(50)
    kernel.aimed(costs, a, s, xi, margins, T, first, mu, of_a, of_u, pulls)
    first_s, first_xi = -s - s / a * first, -xi + xi / u * first
    np.testing.assert_allclose(of_a, (mu - first * first_s) / a, rtol=1e-12)
    np.testing.assert_allclose(of_u, (mu + first * first_xi) / u, rtol=1e-12)
    np.testing.assert_allclose(pulls, T * (margins - 1 + of_u - of_a), rtol=1e-12)
    da, ds, dxi = np.empty(50), of_a.copy(), of_u.copy()
    furthest = kernel.directed(costs, a, s, xi, T, along, pulls, da, ds, dxi)
    np.testing.assert_allclose(da, -pulls - T * along, rtol=1e-12)
    np.testing.assert_allclose(s * da + a * ds, mu - first * first_s - a * s, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(-xi * da + u * dxi, mu + first * first_xi - u * xi, rtol=1e-10, atol=1e-12)
    assert furthest == pytest.approx(np.concatenate([-da / a, da / u, -ds / s, -dxi / xi]).max())


def test_a_move_adds_a_length_of_every_change_and_sums_the_losses(inside):
    costs, a, s, xi, margins, along, _ = inside
    rng = np.random.default_rng(1)
    da, ds, dxi = (0.01 * rng.standard_normal(50) for _ in range(3))
    moved = [x.copy() for x in (margins, a, s, xi)]
    loss, total, mistakes = kernel.moved(0.5, along, da, ds, dxi, costs, *moved)
    for after, before, change in zip(moved, (margins, a, s, xi), (along, da, ds, dxi), strict=True):
        np.testing.assert_allclose(after, before + 0.5 * change, rtol=1e-14)
    assert loss == pytest.approx(costs @ np.maximum(0, 1 - moved[0]))
    assert total == pytest.approx(moved[1].sum())
    assert mistakes == (moved[0] <= 0).sum()
