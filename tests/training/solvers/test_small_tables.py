"""Newton's method on few rows, in one call: the optimum that SciPy and the general solver find, and a true gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit

from linnet.data.rows import Examples, Rows
from linnet.errors import NumericalError
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.solvers import newton, small_newton
from linnet.training.solvers.summed_squares import BLOCKING

HOW = Descent(100, 1e-8)


def problem_of(X, y, loss, l2=1.0, weights=None, *, intercept=True):
    examples = Examples(Rows.of(X), y.astype(float), weights)
    return Objective(examples, loss, Penalty(l2=l2, total=True), 1, intercept=intercept, regression=False)


def drawn(seed, *, weighted=False, scales=1.0):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 90)), int(rng.integers(1, 12))
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-scales, scales, size=d)
    y = (X @ (rng.normal(size=d) / np.abs(X).max(axis=0)) + 0.3 * rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    weights = rng.integers(0, 3, n) + rng.choice([0.0, 0.5], n) if weighted else None
    if weighted:
        weights[:2] = 1.0
    return X, y, weights


def value(X, y, loss, flat, l2, c):
    """sum_i c_i loss_i + l2/2 |w|^2, and its gradient."""
    signs = 2.0 * y - 1
    margins = signs * (X @ flat[:-1] + flat[-1])
    if loss is Loss.LOGISTIC:
        losses, pulls = np.logaddexp(0, -margins), expit(-margins)
    else:
        losses, pulls = np.maximum(0, 1 - margins) ** 2, 2 * np.maximum(0, 1 - margins)
    g = -c * signs * pulls
    return (c * losses).sum() + l2 / 2 * flat[:-1] @ flat[:-1], np.append(X.T @ g + l2 * flat[:-1], g.sum())


def least(X, y, loss, l2, c, *, intercept):
    units = np.append(np.sqrt(l2 + (c[:, np.newaxis] * X * X).sum(axis=0)), np.sqrt(c.sum()))

    def both(scaled):
        flat = scaled / units
        flat[-1] *= intercept
        found, gradient = value(X, y, loss, flat, l2, c)
        gradient[-1] *= intercept
        return found, gradient / units

    how = {"ftol": 0.0, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 40_000, "maxcor": 30}
    return minimize(both, np.zeros(len(units)), jac=True, method="L-BFGS-B", options=how).fun


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
@given(
    seed=st.integers(0, 2**32 - 1),
    l2=st.sampled_from([0.05, 1.0, 100.0]),
    weighted=st.booleans(),
    intercept=st.booleans(),
    single=st.booleans(),
)
def test_it_ends_at_the_optimum_and_proves_no_more_than_is_true(loss, seed, l2, weighted, intercept, single):
    X, y, weights = drawn(seed, weighted=weighted)
    X = X.astype(np.float32) if single else X
    problem = problem_of(X, y, loss, l2, weights, intercept=intercept)
    assert small_newton.suits(problem)
    found = small_newton.descend(problem, HOW, ignore)
    c = np.ones(len(y)) if weights is None else weights
    X = X.astype(float)
    reached, best = value(X, y, loss, found.weights, l2, c)[0], least(X, y, loss, l2, c, intercept=intercept)
    assert found.converged
    assert found.certificate.gap <= HOW.tol
    assert reached == pytest.approx(best, rel=1e-6)
    assert reached - best <= found.certificate.gap * reached + 1e-11 * reached
    assert found.certificate.primal == pytest.approx(reached / c.sum(), rel=1e-12)
    assert intercept or found.weights[-1] == 0


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans(), intercept=st.booleans())
def test_its_steps_are_those_of_the_general_solver(loss, seed, weighted, intercept):
    X, y, weights = drawn(seed, weighted=weighted, scales=0.3)
    problem = problem_of(X, y, loss, weights=weights, intercept=intercept)
    steps = Descent(3, None)
    ours = small_newton.descend(problem, steps, ignore)
    theirs = newton._descend(problem, np.zeros(problem.size), steps, ignore, newton._Cholesky(BLOCKING))
    many = min(len(ours.history), len(theirs.history))
    assert_allclose([p.loss for p in ours.history][:many], [p.loss for p in theirs.history][:many], rtol=1e-9)
    assert_allclose(ours.weights, theirs.weights, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
def test_columns_that_depend_on_one_another(loss, rng):
    X = rng.normal(size=(40, 3))
    X = np.hstack([X, X[:, :1] + X[:, 1:2], np.zeros((40, 1)), np.full((40, 1), 7.0)])
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    found = small_newton.descend(problem_of(X, y, loss, 1e-6), HOW, ignore)
    assert found.converged
    assert value(X, y, loss, found.weights, 1e-6, np.ones(40))[0] == pytest.approx(
        least(X, y, loss, 1e-6, np.ones(40), intercept=True), rel=1e-6
    )


def test_what_it_reports_of_a_step_is_true_of_the_weights_after_it(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem, seen = problem_of(X, y, Loss.LOGISTIC), []
    found = small_newton.descend(problem, HOW, seen.append)
    scores = X @ found.weights[:-1] + found.weights[-1]
    signs = 2 * y - 1
    assert seen == found.history
    assert found.history[-1].mistakes == np.count_nonzero(signs * scores <= 0)
    assert found.history[-1].loss == pytest.approx(np.logaddexp(0, -signs * scores).mean(), rel=1e-12)


def test_it_makes_no_more_steps_than_asked_for_and_starts_where_it_is_told(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = problem_of(X, y, Loss.LOGISTIC)
    once = small_newton.descend(problem, Descent(1, 1e-12), ignore)
    assert len(once.history) == 1
    assert not once.converged
    best = small_newton.descend(problem, HOW, ignore)
    begin = best.weights.copy()
    again = small_newton.descend(problem, Descent(100, 1e-8, start=begin), ignore)
    assert len(again.history) == 1
    assert_array_equal(begin, best.weights)


def test_a_trial_ends_at_the_same_weights_without_a_certificate(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = problem_of(X, y, Loss.SQUARED_HINGE)
    trial = small_newton.descend(problem, Descent(100, 1e-8, proven=False), ignore)
    assert trial.converged
    assert trial.certificate is None
    assert_array_equal(trial.weights, small_newton.descend(problem, HOW, ignore).weights)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_beyond_the_range_are_an_error():
    X, y = np.array([[1e200], [-1e200], [1e190]]), np.array([0, 1, 1])
    with pytest.raises(NumericalError, match="range"):
        small_newton.descend(problem_of(X, y, Loss.SQUARED_HINGE), HOW, ignore)
