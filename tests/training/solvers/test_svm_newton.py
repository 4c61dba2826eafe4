"""Newton's steps on SVMs of few columns: libsvm's optimum, whatever the columns' scales."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.solvers.newton import cholesky
from linnet.training.solvers.svm_newton import MANY_COLUMNS, newton


def hinge(X, y, C, *, intercept=True, weights=None):
    examples = Examples(Rows.of(X), y, weights)
    return Objective(examples, Loss.HINGE, Penalty(l2=1.0 / C, total=True), 1, intercept=intercept, regression=False)


def drawn(seed, scales):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, len(scales)))
    y = (X @ rng.normal(size=len(scales)) + rng.normal(size=120) > 0.5).astype(float)
    return X * np.array(scales), y


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_objective_is_that_of_libsvm(C):
    X, y = drawn(3, (1.0, 2.0, 0.5))
    found = newton(hinge(X, y, C), Descent(10_000, 1e-6), ignore)
    theirs = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    margins = np.where(y > 0, 1, -1) * theirs.decision_function(X)
    value = (C * np.maximum(0, 1 - margins).sum() + 0.5 * (theirs.coef_**2).sum()) / (C * len(y))
    assert found.certificate.primal == pytest.approx(value, rel=1e-5)
    assert found.certificate.dual <= value * (1 + 1e-12)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("scales", [(100.0, 1.0, 0.01), (1e3,), (1e-3, 1.0)], ids=str)
def test_scales_do_not_matter(C, scales):
    X, y = drawn(3, scales)
    found = newton(hinge(X, y, C), Descent(10_000, 1e-6), ignore)
    assert found.converged
    assert found.certificate.gap <= 1e-6


def test_sparse_rows_and_rows_of_no_weight_change_nothing():
    X, y = drawn(5, (1.0, 10.0))
    plain = newton(hinge(X, y, 1.0), Descent(10_000, 1e-8), ignore)
    more = np.vstack([X, [[50.0, 50.0]]]), np.append(y, 0.0)
    idle = newton(hinge(*more, 1.0, weights=np.append(np.ones(120), 0.0)), Descent(10_000, 1e-8), ignore)
    sparse = newton(hinge(csr_array(X), y, 1.0), Descent(10_000, 1e-8), ignore)
    for other in (idle, sparse):
        np.testing.assert_allclose(other.weights, plain.weights, rtol=1e-4, atol=1e-6)


def test_without_intercept_it_stays_zero():
    X, y = drawn(7, (1.0, 1.0))
    found = newton(hinge(X, y, 1.0, intercept=False), Descent(10_000, 1e-6), ignore)
    assert found.weights[-1] == 0.0
    assert found.converged


def test_too_few_steps_are_told_with_the_gap_they_reach():
    X, y = drawn(9, (100.0, 1.0, 0.01))
    found = newton(hinge(X, y, 30.0), Descent(1, 1e-9), ignore)
    assert not found.converged
    assert found.certificate.gap > 1e-9


@pytest.mark.parametrize("noise", [0.01, 1.0])
@pytest.mark.parametrize("most", [1, 5, 1000])
def test_many_columns_begin_with_sweeps_of_the_dual_and_end_at_the_optimum(noise, most):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, MANY_COLUMNS + 1))
    y = (X @ rng.normal(size=X.shape[1]) + 10 * noise * rng.normal(size=400) > 0).astype(float)
    examples, penalty = Examples(Rows.of(X), y), Penalty(l2=1.0, total=True)
    problem = Objective(examples, Loss.SQUARED_HINGE, penalty, 1, intercept=True, regression=False)
    found, alone = newton(problem, Descent(most, 1e-8), ignore), cholesky(problem, Descent(1000, 1e-10), ignore)
    assert len(found.history) <= most or not found.converged
    assert found.converged == found.certificate.within(1e-8)
    assert found.certificate.primal >= alone.certificate.dual
    if most == 1000:
        assert found.converged
        np.testing.assert_allclose(found.weights, alone.weights, atol=1e-4 * np.abs(alone.weights).max())
