"""The perceptron convergence theorem, on data whose margin is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import Perceptron


def separable(seed, n, d, margin):
    """Rows at a distance of at least `margin` from the plane u . (x, 1) = 0, u a unit vector; and what they are."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d + 1)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(20 * n + 50, d))
    distance = np.hstack([X, np.ones((len(X), 1))]) @ u
    kept = np.flatnonzero(np.abs(distance) >= margin)[:n]
    return X[kept], (distance[kept] > 0).astype(int), u


PROBLEMS = (st.integers(0, 2**32 - 1), st.integers(5, 200), st.integers(1, 20), st.floats(0.01, 0.3), st.booleans())


@given(*PROBLEMS)
def test_updates_never_exceed_the_bound(seed, n, d, margin, shuffle):
    """Novikoff 1962: at most (R / gamma)^2, both measured on the points (x, 1)."""
    check_bound(seed, n, d, margin, shuffle)


@pytest.mark.slow
@settings(max_examples=5000)
@given(*PROBLEMS)
def test_updates_never_exceed_the_bound_on_thousands_of_problems(seed, n, d, margin, shuffle):
    check_bound(seed, n, d, margin, shuffle)


def check_bound(seed, n, d, margin, shuffle):
    X, y, u = separable(seed, n, d, margin)
    if len(np.unique(y)) < 2:
        return
    Z = np.hstack([X, np.ones((len(X), 1))])
    gamma = ((2 * y - 1) * (Z @ u)).min()
    radius = np.linalg.norm(Z, axis=1).max()
    bound = (radius / gamma) ** 2
    model = Perceptron(max_iter=int(bound) + 2, shuffle=shuffle, random_state=seed % 1000).fit(X, y)
    assert model.history_[-1].mistakes == 0
    assert model.score(X, y) == 1.0
    assert model.updates_ <= bound


@given(st.integers(0, 2**32 - 1), st.integers(3, 5))
def test_the_joint_perceptron_meets_the_bound_for_many_classes(seed, classes):
    """Collins 2002: at most 2 R^2 / gamma^2 for a lead of gamma over every rival under unit-length weights."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(6, classes))
    U /= np.linalg.norm(U)
    X = rng.normal(size=(600, 5))
    Z = np.hstack([X, np.ones((600, 1))])
    scores = Z @ U
    lead = np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]
    kept = lead >= 0.1
    X, Z, y = X[kept], Z[kept], scores[kept].argmax(axis=1)
    if len(np.unique(y)) < 3:
        return
    bound = 2 * (np.linalg.norm(Z, axis=1).max() / lead[kept].min()) ** 2
    model = Perceptron(max_iter=int(bound) + 2).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.updates_ <= bound


def test_a_single_pass_and_a_fixed_number_of_passes(rng):
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    assert Perceptron(max_iter=1, tol=None).fit(X, y).n_iter_ == 1
    assert Perceptron(max_iter=7, tol=None).fit(X, y).n_iter_ == 7


def test_with_no_weights_yet_the_first_row_is_a_mistake():
    model = Perceptron(max_iter=1, tol=None, shuffle=False).fit([[2.0, 1.0], [-1.0, 3.0]], [1, 0])
    assert model.history_[0].mistakes >= 1
    assert model.coef_.any()


@pytest.mark.parametrize("averaging", ["none", "average", "vote"])
def test_scaling_the_step_scales_nothing_but_the_weights(averaging, rng):
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    one = Perceptron(averaging=averaging, max_iter=3, tol=None).fit(X, y)
    four = Perceptron(averaging=averaging, max_iter=3, tol=None, eta0=4.0).fit(X, y)
    np.testing.assert_array_equal(four.coef_, 4 * one.coef_)
    np.testing.assert_array_equal(four.predict(X), one.predict(X))


def fixed_increment(X, y, most):
    """The textbook, in whole numbers of any size: add all mistaken rows, with their signs, until there are none."""
    w, b = [0] * len(X[0]), 0
    for _ in range(most):
        wrong = [i for i, x in enumerate(X) if y[i] * (sum(map(int.__mul__, w, x)) + b) <= 0]
        if not wrong:
            break
        for j in range(len(w)):
            w[j] += sum(y[i] * X[i][j] for i in wrong)
        b += sum(y[i] for i in wrong)
    return w, b


@pytest.mark.parametrize("seed", range(40))
def test_fixed_increments_of_whole_numbers_are_exact(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(int(rng.integers(3, 60)), int(rng.integers(1, 6))))
    y = np.where(X @ rng.integers(-3, 4, size=X.shape[1]) + rng.integers(-5, 6) > 0, 1, -1)
    y[:2] = 1, -1
    model = Perceptron(mode="fixed-increment", max_iter=50, tol=None).fit(X, y)
    w, b = fixed_increment(X.tolist(), y.tolist(), 50)
    assert model.coef_[0].tolist() == w
    assert model.intercept_[0] == b


@pytest.mark.parametrize("mode", ["online", "batch", "fixed-increment"])
def test_passes_end_when_they_no_longer_help(mode, rng):
    X = rng.normal(size=(30_000, 3))
    y = rng.random(30_000) < 0.5
    assert Perceptron(mode=mode).fit(X, y).n_iter_ < (40 if mode == "online" else 400)


def test_without_a_tolerance_passes_go_on_until_none_makes_a_mistake(rng):
    X = rng.normal(size=(3000, 2))
    margin = X @ [1.0, -2.0]
    X, y = X[abs(margin) > 0.002], margin[abs(margin) > 0.002] > 0
    model = Perceptron(tol=None, max_iter=100_000).fit(X, y)
    assert model.score(X, y) == 1
    assert model.history_[-1].mistakes == 0
    assert model.n_iter_ < 100_000
    assert all(each.mistakes for each in model.history_[:-1])
