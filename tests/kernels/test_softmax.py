"""The softmax loss along a change of the scores, beside SciPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from linnet.kernels.softmax import along


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
