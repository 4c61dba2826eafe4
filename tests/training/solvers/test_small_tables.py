"""Newton's method on few rows, in one call: the optimum that SciPy and the general solver find, and a true gap."""

from __future__ import annotations

from unittest.mock import patch

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
from linnet.training.duality_gap import certify
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers import coordinate_descent, newton, small_tables
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
    assert small_tables.suits(problem)
    found = small_tables.newton(problem, HOW, ignore)
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
    ours = small_tables.newton(problem, steps, ignore)
    theirs = newton._descend(problem, np.zeros(problem.size), steps, ignore, newton._Cholesky(BLOCKING))
    many = min(len(ours.history), len(theirs.history))
    assert_allclose([p.loss for p in ours.history][:many], [p.loss for p in theirs.history][:many], rtol=1e-9)
    assert_allclose(ours.weights, theirs.weights, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
def test_columns_that_depend_on_one_another(loss, rng):
    X = rng.normal(size=(40, 3))
    X = np.hstack([X, X[:, :1] + X[:, 1:2], np.zeros((40, 1)), np.full((40, 1), 7.0)])
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    found = small_tables.newton(problem_of(X, y, loss, 1e-6), HOW, ignore)
    assert found.converged
    assert value(X, y, loss, found.weights, 1e-6, np.ones(40))[0] == pytest.approx(
        least(X, y, loss, 1e-6, np.ones(40), intercept=True), rel=1e-6
    )


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans(), intercept=st.booleans(), given_dual=st.booleans())
def test_what_it_certifies_is_what_is_certified_of_any_table(loss, seed, weighted, intercept, given_dual):
    X, y, weights = drawn(seed, weighted=weighted)
    problem = problem_of(X, y, loss, 0.5, weights, intercept=intercept)
    rng = np.random.default_rng(seed)
    near = small_tables.newton(problem, Descent(2, None), ignore).weights
    flat = near * (1 + 0.1 * rng.normal(size=problem.size))
    dual = rng.normal(size=len(y)) if given_dual else None
    theirs = certify(problem, flat, dual[:, np.newaxis] if given_dual else None)
    ours = small_tables.certified(problem, flat, normalised_weights(problem), dual)
    assert ours.primal == theirs.primal
    assert ours.dual == pytest.approx(theirs.dual, rel=1e-9, abs=1e-11 * theirs.primal)
    assert theirs.rounding <= ours.rounding < 1e-9 * max(1.0, ours.primal)


def test_what_it_reports_of_a_step_is_true_of_the_weights_after_it(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem, seen = problem_of(X, y, Loss.LOGISTIC), []
    found = small_tables.newton(problem, HOW, seen.append)
    scores = X @ found.weights[:-1] + found.weights[-1]
    signs = 2 * y - 1
    assert seen == found.history
    assert found.history[-1].mistakes == np.count_nonzero(signs * scores <= 0)
    assert found.history[-1].loss == pytest.approx(np.logaddexp(0, -signs * scores).mean(), rel=1e-12)


def test_it_makes_no_more_steps_than_asked_for_and_starts_where_it_is_told(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = problem_of(X, y, Loss.LOGISTIC)
    once = small_tables.newton(problem, Descent(1, 1e-12), ignore)
    assert len(once.history) == 1
    assert not once.converged
    best = small_tables.newton(problem, HOW, ignore)
    begin = best.weights.copy()
    again = small_tables.newton(problem, Descent(100, 1e-8, start=begin), ignore)
    assert len(again.history) == 1
    assert_array_equal(begin, best.weights)


def test_a_trial_ends_at_the_same_weights_without_a_certificate(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = problem_of(X, y, Loss.SQUARED_HINGE)
    trial = small_tables.newton(problem, Descent(100, 1e-8, proven=False), ignore)
    assert trial.converged
    assert trial.certificate is None
    assert_array_equal(trial.weights, small_tables.newton(problem, HOW, ignore).weights)


def l1_problem(X, y, loss, l1, l2=0.0, weights=None, *, intercept=True):
    examples = Examples(Rows.of(X), y.astype(float), weights)
    return Objective(examples, loss, Penalty(l1, l2, total=True), 1, intercept=intercept, regression=False)


def least_l1(X, y, loss, l1, l2, c, *, intercept):
    """The least value with an L1 penalty, by SciPy: weights are differences of two that are not negative."""
    d = X.shape[1]
    unit = np.sqrt((c[:, np.newaxis] * X * X).sum(axis=0))
    units = np.concatenate([unit, unit, [np.sqrt(c.sum())]])

    def both(scaled):
        halves = scaled / units
        flat = np.append(halves[:d] - halves[d:-1], halves[-1] * intercept)
        found, gradient = value(X, y, loss, flat, l2, c)
        slopes = np.concatenate([l1 + gradient[:-1], l1 - gradient[:-1], gradient[-1:] * intercept])
        return found + l1 * halves[:-1].sum(), slopes / units

    bounds = [(0, None)] * (2 * d) + [(None, None)]
    how = {"ftol": 0.0, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 40_000, "maxcor": 30}
    return minimize(both, np.zeros(2 * d + 1), jac=True, method="L-BFGS-B", bounds=bounds, options=how).fun


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
@given(
    seed=st.integers(0, 2**32 - 1),
    l1=st.sampled_from([0.05, 1.0, 5.0, 1000.0]),
    l2=st.sampled_from([0.0, 0.0, 0.7]),
    weighted=st.booleans(),
    intercept=st.booleans(),
    single=st.booleans(),
)
def test_l1_ends_at_the_optimum_and_proves_no_more_than_is_true(loss, seed, l1, l2, weighted, intercept, single):
    X, y, weights = drawn(seed, weighted=weighted, scales=0.5)
    X = X.astype(np.float32) if single else X
    problem = l1_problem(X, y, loss, l1, l2, weights, intercept=intercept)
    assert small_tables.suits(problem)
    found = coordinate_descent.descend(problem, HOW, ignore)
    c = np.ones(len(y)) if weights is None else weights
    X = X.astype(float)
    reached = value(X, y, loss, found.weights, l2, c)[0] + l1 * np.abs(found.weights[:-1]).sum()
    best = least_l1(X, y, loss, l1, l2, c, intercept=intercept)
    assert found.converged
    assert found.certificate.gap <= HOW.tol
    assert reached == pytest.approx(best, rel=1e-5)
    assert reached - best <= found.certificate.gap * reached + 1e-11 * reached
    assert intercept or found.weights[-1] == 0


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE])
@given(seed=st.integers(0, 2**32 - 1), intercept=st.booleans())
def test_the_steps_of_l1_are_enough_alone_and_leave_the_same_weights_at_0(loss, seed, intercept):
    X, y, _ = drawn(seed, scales=0.3)
    problem = l1_problem(X, y, loss, 2.0, intercept=intercept)
    alone = small_tables.proximal_newton(problem, HOW, ignore)
    general = coordinate_descent.CoordinateDescent(problem).solve(problem.penalty, HOW, ignore)
    assert alone.converged
    assert alone.certificate.primal == pytest.approx(general.certificate.primal, rel=1e-7)
    assert_allclose(alone.weights, general.weights, rtol=0.01, atol=0.01 * np.abs(general.weights).max())


def test_too_few_steps_for_l1_are_told_with_the_gap_they_reach(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = l1_problem(X, y, Loss.LOGISTIC, 1.0)
    once = coordinate_descent.descend(problem, Descent(1, 1e-12), ignore)
    assert len(once.history) == 1
    assert not once.converged
    assert once.certificate.gap > 1e-12


def test_what_proximal_steps_leave_is_finished_by_coordinate_descent(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    problem = l1_problem(X, y, Loss.LOGISTIC, 1.0)
    with patch.object(small_tables, "MOST_PROXIMAL", 1):
        found = coordinate_descent.descend(problem, HOW, ignore)
    assert found.converged
    assert len(found.history) > 1
    assert found.certificate.primal == pytest.approx(
        coordinate_descent.descend(problem, HOW, ignore).certificate.primal, rel=1e-7
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_beyond_the_range_are_an_error():
    X, y = np.array([[1e200], [-1e200], [1e190]]), np.array([0, 1, 1])
    with pytest.raises(NumericalError, match="range"):
        small_tables.newton(problem_of(X, y, Loss.SQUARED_HINGE), HOW, ignore)
