"""The softmax loss at scores and along a change of them, beside SciPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from linnet.kernels.softmax import along, at, bent, curvatures, distance, weighed


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_loss_slopes_slope_bend_and_mistakes_are_those_of_softmax(scale, rng):
    n, outputs, length = 30, 5, 0.7
    scores, change = scale * rng.normal(size=(n, outputs)), rng.normal(size=(n, outputs))
    y, sample_weights, slopes = rng.integers(outputs, size=n), rng.random(n), np.empty((n, outputs))
    sample_weights[:3] = 0.0
    loss, slope, bend, mistakes = along(scores, change, length, y.astype(float), sample_weights, slopes)

    z = scores + length * change
    p, own = softmax(z, axis=1), np.eye(outputs)[y]
    assert_allclose(loss, -sample_weights @ log_softmax(z, axis=1)[np.arange(n), y])
    assert_allclose(slopes, sample_weights[:, np.newaxis] * (p - own), atol=1e-14)
    assert_allclose(slope, (slopes * change).sum())
    spread = (p * change**2).sum(axis=1) - (p * change).sum(axis=1) ** 2
    assert_allclose(bend, sample_weights @ spread, atol=1e-12)
    assert mistakes == np.count_nonzero((z.argmax(axis=1) != y) & (sample_weights > 0))


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_what_scores_determine_is_that_of_softmax(scale, rng):
    n, outputs = 30, 5
    scores, y, c = scale * rng.normal(size=(n, outputs)), rng.integers(outputs, size=n), rng.random(n)
    c[:3] = 0.0
    p, slopes, losses = np.empty((n, outputs)), np.empty((n, outputs)), np.empty(n)
    loss, mistakes = at(scores, y.astype(float), c, p, slopes, losses)
    own = np.eye(outputs)[y]
    assert_allclose(p, softmax(scores, axis=1), atol=1e-15)
    assert_allclose(slopes, p - own, atol=1e-15)
    assert_allclose(losses, -log_softmax(scores, axis=1)[np.arange(n), y], atol=1e-12)
    assert_allclose(loss, c @ losses)
    assert mistakes == np.count_nonzero((scores.argmax(axis=1) != y) & (c > 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_curvature_times_a_change_and_what_is_summed_of_it(dtype, rng):
    n, outputs = 30, 4
    p, c, change = softmax(rng.normal(size=(n, outputs)), axis=1), rng.random(n), rng.normal(size=(n, outputs))
    change, close = change.astype(dtype), 1e-6 if dtype == np.float32 else 1e-14
    expected = [k * (np.diag(q) - np.outer(q, q)) @ t for k, q, t in zip(c, p, change, strict=True)]
    cases = (
        (bent, (p, change, c), np.array(expected)),
        (weighed, (change.astype(float), c), c[:, np.newaxis] * change),
        (curvatures, (p, c), c[:, np.newaxis] * p * (1 - p)),
    )
    for kernel, given, table in cases:
        into, sums = np.empty((n, outputs), dtype), np.ones(outputs)
        kernel(*given, into, sums)
        assert_allclose(into, table, atol=close)
        assert_allclose(sums, 1.0 + table.sum(axis=0), atol=1e-12)
    others = rng.normal(size=(n, outputs))
    p[0, 0] = 0.0
    apart = ((change - others) ** 2 / np.maximum(p, 1e-3)).sum(axis=1)
    assert_allclose(distance(p, change.astype(float), others, c, 1e-3), c @ apart)
