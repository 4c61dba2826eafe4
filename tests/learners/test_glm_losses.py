"""Deviances: their parts agree with one another, with scikit-learn's, and with a conjugate that is searched for."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from sklearn.metrics import mean_tweedie_deviance

from linnet.errors import RecipeError
from linnet.learners.glm_losses import Tweedie
from linnet.learners.losses import Loss

CONVEX = [Tweedie(1.0), Tweedie(1.2), Tweedie(1.5), Tweedie(1.9), Tweedie(2.0), Tweedie(0.0, "identity")]
OTHERS = [Tweedie(0.0), Tweedie(3.0), Tweedie(2.5), Tweedie(1.0, "identity"), Tweedie(2.0, "identity")]
TARGETS = st.sampled_from([0.0, 1.0, 2.5, 40.0])


def usable(loss, target):
    return target if target > 0 or loss.power < 2 else 0.5


@pytest.mark.parametrize("loss", [*CONVEX, *OTHERS], ids=repr)
@given(score=st.floats(0.05, 4.0), target=TARGETS)
def test_the_value_is_half_of_scikit_learns_deviance_and_the_slope_its_derivative(loss, score, target):
    target, h = usable(loss, target), 1e-6
    mean = loss.mean(np.array([score]))
    half = 0.5 * mean_tweedie_deviance([target], mean, power=loss.power)
    z, y = np.array([score - h, score, score + h]), np.full(3, target)
    values, slopes = loss.at(z, y)
    assert_allclose(values[1], half, rtol=1e-7, atol=1e-9)
    assert_allclose(loss.of_mean(mean, y[:1]), half, rtol=1e-9, atol=1e-9)
    assert_allclose(slopes[1], (values[2] - values[0]) / (2 * h), rtol=1e-3, atol=1e-3 * (1 + abs(values[1])))


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(score=st.floats(-4.0, 4.0), target=TARGETS)
def test_the_curvature_is_the_derivative_of_the_slope(loss, score, target):
    target, h = usable(loss, target), 1e-6
    z, y = np.array([score - h, score, score + h]), np.full(3, target)
    slopes = loss.slope(z, y)
    assert_allclose(loss.curvature(z, y)[1], (slopes[2] - slopes[0]) / (2 * h), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(slope=st.integers(-30_000, 30_000).map(lambda thousandths: thousandths / 1000), target=TARGETS)
def test_the_conjugate_is_a_maximum_that_a_search_does_not_exceed_and_comes_near(loss, slope, target):
    y = np.array([usable(loss, target)])
    g = loss.allowed(np.array([slope]), y)
    found = loss.conjugate(g, y)[0]

    def minus(z):
        return float(loss.value(np.array([z]), y)[0] - g[0] * z)

    low, high = (-300.0, 60.0) if loss.power else (-200.0, 200.0)  # a target of 0 has its best score at -infinity
    best = -minimize_scalar(minus, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).fun
    assert best <= found + 1e-7 * (1 + abs(found))
    assert found <= best + 1e-4 * (1 + abs(found))


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(score=st.floats(-20.0, 20.0), target=st.floats(1e-3, 1e4))
def test_value_and_conjugate_meet_at_the_slope_and_nowhere_below(loss, score, target):
    z, y = np.array([score]), np.array([target])
    value, slope = loss.at(z, y)
    scale = 1.0 + abs(value[0]) + abs(slope[0] * score)
    assert_allclose(value + loss.conjugate(slope, y) - slope * z, 0.0, atol=1e-9 * scale)
    other = loss.allowed(slope + 1.0, y)
    assert loss.value(z, y)[0] + loss.conjugate(other, y)[0] - other[0] * score >= -1e-9 * scale


def test_a_loss_with_parameters_is_the_same_from_a_file_a_copy_and_a_pickle():
    for loss in (*CONVEX, *OTHERS):
        assert Loss.from_plain(loss.to_plain()) == copy.deepcopy(loss) == pickle.loads(pickle.dumps(loss)) == loss
    for wrong in ("tweedie:x:log", "tweedie:0.5:log", "tweedie:1:probit", "tweedie:1", "nothing:1"):
        with pytest.raises(TypeError, match="no loss is called"):
            Loss.from_plain(wrong)


def test_powers_and_links_that_do_not_exist_are_refused():
    with pytest.raises(RecipeError, match=r"power must be 0, or 1 and above; it is 0\.5"):
        Tweedie(0.5)
    with pytest.raises(RecipeError, match="link='probit' is not known"):
        Tweedie(1.0, "probit")
