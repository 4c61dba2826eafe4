"""Targets that some weights fit exactly, or that rounding keeps from being fitted better: solvers come to an end."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from linnet import LinearSVC, LinearSVR

ROWS = 3000
COLUMNS = {
    "ones": lambda _: np.ones((ROWS, 1)),
    "counts": lambda rng: rng.integers(0, 3, (ROWS, 4)).astype(float),
    "numbers": lambda rng: rng.standard_normal((ROWS, 5)),
    "collinear": lambda rng: rng.standard_normal((ROWS, 5))[:, [0, 1, 2, 3, 4, 0]],
    "zeros": lambda _: np.zeros((ROWS, 2)),
}


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("target", [1.0, 0.1, 1e9, 1 / 3e-9])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_constant_target_is_fitted_in_few_passes(rng, loss, target, columns):
    X, y = COLUMNS[columns](rng), np.full(ROWS, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        for epsilon, C in [(0.0, 1.0), (0.0, 1e6), (0.1, 1.0)]:
            model = LinearSVR(loss=loss, epsilon=epsilon, C=C).fit(X, y)
            assert model.n_iter_ <= 40
            np.testing.assert_allclose(model.predict(X), y, rtol=1e-14, atol=epsilon * (1 + 1e-9))


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_two_targets_within_epsilon_of_their_mean_cost_nothing(rng, loss):
    X = rng.standard_normal((ROWS, 3))
    y = np.where(np.arange(ROWS) % 2, 1.1, 0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = LinearSVR(loss=loss, epsilon=0.1, C=1.0).fit(X, y)
    assert model.n_iter_ <= 40
    assert model.certificate_.primal < 1e-15


@pytest.mark.parametrize("C", [1e15, 1e20, 1e30])
def test_a_penalty_that_rounding_hides_does_not_use_up_all_passes(rng, C):
    X = rng.standard_normal((ROWS, 5))
    X = np.r_[X + 5, X - 5]
    y = np.repeat([1, -1], ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(C=C, max_iter=100_000).fit(X, y)
    assert model.n_iter_ <= 2000
    assert model.score(X, y) == 1.0
