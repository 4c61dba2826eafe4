"""Maps from scores to probabilities, against other people's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from linnet.decisions.calibration import Calibration, Isotonic, Method, Sigmoid, fit, isotonic, sigmoid
from linnet.errors import InputError

drawings = {"seed": st.integers(0, 10**6), "n": st.integers(2, 60), "rounded": st.booleans(), "weighted": st.booleans()}


def drawn(seed, n, rounded, weighted, scale=1.0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    f = scale * (rng.normal(size=n) + y + 3)
    w = rng.uniform(0.1, 4, n) if weighted else np.ones(n)
    return np.round(f, 1) if rounded else f, y, w


def platt_loss(ab, f, y, w):
    up, down = w[y].sum(), w[~y].sum()
    t = np.where(y, (up + 1) / (up + 2), 1 / (down + 2))
    z = ab[0] * f + ab[1]
    return (w * (t * np.logaddexp(0, -z) + (1 - t) * np.logaddexp(0, z))).sum()


@given(**drawings, scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_sigmoid_is_where_another_optimiser_ends(seed, n, rounded, weighted, scale):
    f, y, w = drawn(seed, n, rounded, weighted)
    found = sigmoid(f * scale, y, w)
    other = minimize(platt_loss, [0.0, 0.0], (f, y, w), method="BFGS", options={"gtol": 1e-9})
    loss = platt_loss([found.slope * scale, found.offset], f, y, w)
    assert loss <= other.fun + 1e-9
    if loss > other.fun - 1e-9:  # it sometimes gives up early
        theirs = 1 / (1 + np.exp(-(other.x[0] * f + other.x[1])))
        np.testing.assert_allclose(found(f * scale), theirs, atol=1e-3)


def test_the_sigmoid_of_separated_scores_stays_finite():
    f = np.concatenate([np.full(50, -1e8), np.full(50, 1e8)])
    y = f > 0
    p = sigmoid(f, y, np.ones(100))(f)
    np.testing.assert_allclose(p, np.where(y, 51 / 52, 1 / 52), rtol=1e-6)  # Platt's targets, met exactly


def test_the_sigmoid_of_one_score_is_the_mean_of_the_targets():
    y = np.arange(10) < 3
    t = (3 * 4 / 5 + 7 * 1 / 9) / 10
    np.testing.assert_allclose(sigmoid(np.ones(10), y, np.ones(10))(np.ones(10)), t, rtol=1e-6)


@given(**drawings)
def test_the_rising_line_is_scikit_learns(seed, n, rounded, weighted):
    f, y, w = drawn(seed, n, rounded, weighted)
    ours = isotonic(f, y, w)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(f, y.astype(float), sample_weight=w)
    at = np.concatenate([f, np.linspace(f.min() - 1, f.max() + 1, 101)])
    np.testing.assert_allclose(ours(at), theirs.predict(at), atol=1e-10)
    assert (np.diff(ours.scores) > 0).all()
    assert (np.diff(ours.values) >= 0).all()


@pytest.mark.parametrize("method", list(Method))
def test_each_of_many_classes_is_held_against_the_rest_and_all_add_up_to_1(method):
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=300).astype(float)
    decision = rng.normal(size=(300, 3)) + 2 * (y[:, np.newaxis] == np.arange(3))
    found = fit(method, decision, y)
    alone = [
        (sigmoid if method is Method.SIGMOID else isotonic)(decision[:, k], y == k, np.ones(300)) for k in range(3)
    ]
    raw = np.column_stack([each(decision[:, k]) for k, each in enumerate(alone)])
    p = found.probabilities(decision)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    some = raw.sum(axis=1) > 0
    np.testing.assert_allclose(p[some], (raw / raw.sum(axis=1, keepdims=True))[some])


def test_where_no_class_was_seen_all_are_alike():
    never = Isotonic(np.array([0.0]), np.array([0.0]))
    found = Calibration(Method.ISOTONIC, (never, never, never)).probabilities(np.zeros((2, 3)))
    np.testing.assert_array_equal(found, np.full((2, 3), 1 / 3))


def test_a_row_of_weight_0_is_not_there():
    f, y, _ = drawn(1, 40, False, False)
    w = (np.arange(40) % 3 > 0).astype(float)
    for method in Method:
        weighted = fit(method, f, y.astype(float), w).probabilities(f)
        without = fit(method, f[w > 0], y[w > 0].astype(float)).probabilities(f)
        np.testing.assert_array_equal(weighted, without)


def test_two_classes_have_one_map():
    found = Calibration(Method.SIGMOID, (Sigmoid(2.0, 1.0),)).probabilities(np.array([0.0, -0.5]))
    np.testing.assert_allclose(found, [[1 / (1 + np.e), np.e / (1 + np.e)], [0.5, 0.5]])


def test_rows_of_one_class_cannot_calibrate():
    with pytest.raises(InputError, match="do not show every class: pass more rows, or leave calibrate out"):
        fit(Method.SIGMOID, np.arange(4.0), np.ones(4))
