"""Sweeps of the dual of softmax reach the optimum that SciPy finds, and hand over where they are slow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, ignore
from linnet.training.solvers import dual_softmax, softmax
from tests.conftest import sparse_table
from tests.training.solvers.test_newton import labels, objective, optimum
from tests.training.solvers.test_softmax import problem


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1e-2, 1.0, 20.0])
def test_sweeps_reach_the_optimum(weighted, intercept, C, rng):
    n, d, outputs = 80, 12, 4
    X = sparse_table(rng, n, d)
    y, c = labels(rng, X, outputs), rng.integers(4, size=n).astype(float)
    c[:outputs] = 1.0
    X[5] = 0.0
    one = problem(csr_array(X), y, c if weighted else None, C, intercept=intercept)
    climbed = dual_softmax.DualSoftmax(one)
    for _ in range(2000):
        swept = climbed.sweep()
    value, _ = objective(X, y, climbed.weights().reshape(-1, outputs), C, c if weighted else 1.0)
    assert_allclose(value, optimum(X, y, outputs, C, c if weighted else 1.0, intercept=intercept), rtol=1e-6)
    assert_allclose(C * one.total * swept.value, value, rtol=1e-6)
    assert certify(one, climbed.weights(), climbed.slopes()).gap <= 1e-6


def test_rows_with_little_in_common_need_no_other_method(rng):
    X, y = csr_array(sparse_table(rng, 200, 3000)), rng.integers(5, size=200)
    X /= np.sqrt(X.multiply(X).sum(axis=1))[:, np.newaxis] + 1e-9
    one = problem(csr_array(X), y, None, 1.0)
    found = dual_softmax.begin(dual_softmax.DualSoftmax(one), Descent(100, 1e-6), ignore)
    assert found.converged
    assert len(found.history) < dual_softmax.SWEEPS
    assert_allclose(found.certificate.primal, softmax.lbfgs(one, Descent(500, 1e-9)).certificate.primal, rtol=1e-6)


def test_sweeps_that_would_not_end_stop_and_leave_a_step(rng):
    X = 30 * sparse_table(rng, 300, 6)
    one = problem(csr_array(X), rng.integers(5, size=300), None, 1e4)
    found = dual_softmax.begin(dual_softmax.DualSoftmax(one), Descent(5000, 1e-10), ignore)
    assert not found.converged
    assert len(found.history) < 1000
    assert len(dual_softmax.begin(dual_softmax.DualSoftmax(one), Descent(10, 1e-10), ignore).history) == 9


@pytest.mark.parametrize("most", [1, 2, 3])
def test_very_few_steps_end_with_a_certificate(most, rng):
    X, y = csr_array(sparse_table(rng, 100, 60)), rng.integers(5, size=100)
    found = softmax.lbfgs(problem(X, y, None, 100.0), Descent(most, 1e-12))
    assert not found.converged
    assert len(found.history) == most
    assert 0.0 < found.certificate.gap <= 1.0


@pytest.mark.parametrize("intercept", [True, False])
def test_sweeps_prove_what_the_slopes_at_the_weights_do_not(intercept, rng):
    n, outputs = 200, 4
    X = sparse_table(rng, n, 400) + 3 * sparse_table(rng, n, 1)  # all columns have something in common
    y = labels(rng, X, outputs)
    one = problem(csr_array(X), y, None, 1.0, intercept=intercept)
    near = softmax.lbfgs(one, Descent(5000, 1e-9)).weights
    near = near + 1e-3 * rng.normal(size=near.shape) * np.abs(near).max()
    scores, tally = one.scores(near), Pass(0, n, 0.0, 0.0)
    by_slopes, tol = certify(one, near), 0.5 * certify(one, near).gap
    found = dual_softmax.prove(
        dual_softmax.DualSoftmax(one), Found(near, [tally], False), scores, by_slopes.primal, tol, ignore
    )
    best = optimum(X, y, outputs, 1.0, 1.0, intercept=intercept)
    assert found.converged
    assert found.certificate.gap <= tol
    assert found.certificate.primal == by_slopes.primal
    assert one.total * found.certificate.dual <= best * (1 + 1e-9)
    assert certify(one, near, found.slopes) == found.certificate
    assert 1 < len(found.history) <= 1 + dual_softmax.PROOF


def test_weights_that_are_far_from_the_optimum_are_not_proven(rng):
    X, y = csr_array(sparse_table(rng, 100, 60)), rng.integers(5, size=100)
    one = problem(X, y, None, 1.0)
    weights = rng.normal(size=one.size)
    far = Found(weights, [Pass(0, 100, 0.0, 0.0)], False)
    value = certify(one, weights).primal
    found = dual_softmax.prove(dual_softmax.DualSoftmax(one), far, one.scores(weights), value, 1e-2, ignore)
    assert not found.converged
    assert found.certificate is None
    assert len(found.history) == 1 + dual_softmax.PROOF
