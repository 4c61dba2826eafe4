"""The two reads of L-BFGS's memory, beside NumPy's sums of the same vectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linnet.kernels.quasi_newton import arrival, direction

# Blocks have 8192 weights, and products 16 sums: none of these is a multiple of either, and one is less than both.
SIZES = [(5, 3, 0, 5), (20_003, 20_000, 0, 20_003), (20_003, 9_000, 1_000, 19_000)]
REMEMBERED = 3


def memory(rng, size):
    return rng.normal(size=(2 * REMEMBERED, size)).astype(np.float32)


@pytest.mark.parametrize(("size", "penalised", "start", "stop"), SIZES)
def test_a_direction_is_the_combination_in_plain_weights(size, penalised, start, stop, rng):
    kept, (gradient, per_unit, weights) = memory(rng, size), rng.uniform(0.5, 2.0, size=(3, size))
    coefficients, into = rng.normal(size=2 * REMEMBERED).astype(np.float32), np.full(size, np.nan)
    coefficients[1] = 0.0
    slope, crossed, squared = direction(
        start, stop, coefficients, kept, -0.7, gradient, per_unit, weights, penalised, into
    )  # fmt: skip

    at, seen = slice(start, stop), slice(start, min(stop, penalised))
    p = coefficients.astype(float) @ kept - 0.7 * gradient
    assert_allclose(into[at], (p * per_unit)[at], atol=1e-5)
    assert np.isnan(np.delete(into, np.arange(start, stop))).all()
    assert_allclose(slope, p[at] @ gradient[at], rtol=1e-5)
    assert_allclose(crossed, into[seen] @ weights[seen], rtol=1e-12)
    assert_allclose(squared, into[seen] @ into[seen], rtol=1e-12)


@pytest.mark.parametrize(("size", "penalised", "start", "stop"), SIZES)
def test_an_arrival_moves_the_weights_and_remembers_step_and_change(size, penalised, start, stop, rng):
    along, pulls, weights, gradient = rng.normal(size=(4, size))
    units, kept, products = rng.uniform(0.5, 2.0, size=size), memory(rng, size), np.empty(2 * REMEMBERED)
    length, l2, slot, at = 0.3, 0.2, 1, slice(start, stop)
    w, g, k = weights.copy(), gradient.copy(), kept.copy()
    w[at] += length * along[at]
    slopes = pulls + l2 * w * (np.arange(size) < penalised)
    g[at] = (slopes / units)[at]
    step, change = (length * along * units)[at], g[at] - gradient[at]
    k[slot, at], k[slot + REMEMBERED, at] = step, change

    total, bend, squared, steepness = arrival(
        start, stop, length, along, pulls, units, 1.0 / units, l2, penalised, weights, gradient, kept, slot, products
    )  # fmt: skip
    assert_allclose(weights, w, rtol=1e-14)
    assert_allclose(gradient, g, rtol=1e-13, atol=1e-15)
    assert_allclose(kept, k, rtol=1e-6, atol=1e-9)
    assert_array_equal(
        np.delete(kept[:, at], [slot, slot + REMEMBERED], axis=0),
        np.delete(k[:, at], [slot, slot + REMEMBERED], axis=0),
    )
    lengths = np.linalg.norm(k[:, at].astype(float), axis=1) * np.linalg.norm(g[at])
    assert_allclose(products / lengths, (k[:, at].astype(float) @ g[at]) / lengths, atol=1e-6)
    seen = slopes[start : min(stop, penalised)]
    assert_allclose([total, squared, steepness], [g[at] @ g[at], change @ change, seen @ seen], rtol=1e-12)
    assert_allclose(bend, step @ change, rtol=1e-9)
