"""A loss that works out values, slopes and second derivatives at once has those that it works out one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linnet.learners.glm_losses import Tweedie
from linnet.learners.losses import Loss


@pytest.mark.parametrize(
    "loss",
    [
        Loss.LOGISTIC,
        Loss.SQUARED,
        Loss.SQUARED_HINGE,
        *(Tweedie(power, "log") for power in (0, 1, 1.5, 2, 3)),
        Tweedie(1, "identity"),
    ],
    ids=repr,
)
def test_all_three_together_are_each_by_itself(loss, rng):
    y = np.sign(rng.normal(size=50)) if loss in (Loss.LOGISTIC, Loss.SQUARED_HINGE) else rng.uniform(0.1, 5, 50)
    z = rng.uniform(0.1, 3, 50)
    values, slopes, bends = loss.with_curvature(z, y)
    assert_allclose(values, loss.value(z, y), rtol=1e-14)
    assert_allclose(slopes, loss.slope(z, y), rtol=1e-14)
    assert_allclose(bends, loss.curvature(z, y), rtol=1e-14)
    step = 1e-5
    assert_allclose(slopes, (loss.value(z + step, y) - loss.value(z - step, y)) / (2 * step), rtol=1e-5, atol=1e-6)
