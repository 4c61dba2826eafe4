"""L-BFGS for softmax ends at the optimum that others find, proves it, and has the same bits on any threads."""

from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.special import softmax as scipy_softmax
from sklearn.exceptions import ConvergenceWarning

from linnet import LogisticRegression
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training import solver_choice
from linnet.training.descent import Descent
from linnet.training.objective import Objective
from linnet.training.solvers import softmax
from linnet.training.solvers.softmax_point import point_at
from tests.conftest import sparse_table
from tests.training.solvers.test_newton import labels, objective, optimum


def problem(X, y, weights, C, *, intercept=True, **more):
    return Objective(
        Examples(Rows.of(X), y.astype(float), weights),
        Loss.LOGISTIC,
        Penalty(l2=1.0 / C, total=True),
        y.max() + 1,
        intercept=intercept,
        regression=False,
        **more,
    )


@pytest.mark.parametrize("form", [csr_array, np.asarray])
def test_a_product_is_the_hessian_of_softmax_times_the_vector(form, rng):
    X, y, c, V = sparse_table(rng, 30, 7), np.arange(30) % 3, rng.uniform(size=30), rng.normal(size=(8, 3))
    one, along = problem(form(X), y, c, 1.0), np.empty((30, 3))
    weights = rng.normal(size=(8, 3))
    Z = np.column_stack([X, np.ones(30)])
    p = scipy_softmax(Z @ weights, axis=1)
    product = point_at(one, weights.reshape(-1)).product(V.reshape(-1), along)
    bent = [k * (np.diag(q) - np.outer(q, q)) @ t for k, q, t in zip(c, p, Z @ V, strict=True)]
    penalty = np.vstack([V[:-1], np.zeros(3)])
    assert_allclose(along, Z @ V, atol=1e-12)
    assert_allclose(product.reshape(8, 3), (Z.T @ np.array(bent) + penalty) / c.sum(), atol=1e-12)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("C", "scales"), [(1e-2, 0.0), (1.0, 0.0), (1.0, 1.5), (30.0, 0.0)])
def test_it_ends_at_the_optimum_and_proves_no_more_than_is_true(sparse, weighted, intercept, C, scales, rng):
    n, d, outputs = 80, 12, 4
    X = sparse_table(rng, n, d) * 10 ** rng.uniform(-scales, scales / 2, size=d)
    y, c = labels(rng, X, outputs), rng.integers(4, size=n).astype(float)
    c[:outputs] = 1.0
    weights = c if weighted else None
    one = problem(csr_array(X) if sparse else X, y, weights, C, intercept=intercept)
    found = softmax.lbfgs(one, Descent(5000, 1e-6))
    assert found.converged
    best = optimum(X, y, outputs, C, c if weighted else 1.0, intercept=intercept)
    value, _ = objective(X, y, found.weights.reshape(-1, outputs), C, c if weighted else 1.0)
    scale = C * one.total  # from a mean of losses to C times their sum
    assert found.certificate.gap <= 1e-6
    assert_allclose(scale * found.certificate.primal, value, rtol=1e-10)
    assert scale * found.certificate.dual <= best * (1 + 1e-9)
    assert value <= best * (1 + 2e-6)


def test_raw_counts_reach_a_proven_gap(rng):
    counts = rng.poisson(0.05, size=(400, 600)) * rng.integers(1, 20, size=(1, 600))
    y = (counts[:, :5] + 0.1 * rng.random((400, 5))).argmax(axis=1)
    model = LogisticRegression(tol=1e-6, max_iter=5000).fit(csr_array(counts.astype(float)), y)
    assert model.solver_ == "lbfgs"
    assert model.certificate_.gap <= 1e-6


def test_too_few_steps_are_said_to_be_too_few(rng):
    X, y = csr_array(sparse_table(rng, 200, 300)), rng.integers(5, size=200)
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(solver="lbfgs", tol=1e-9, max_iter=3).fit(X, y)
    assert model.n_iter_ == 3
    assert model.certificate_.gap > 1e-9


def test_threads_do_not_change_a_bit(rng, monkeypatch):
    X, y = csr_array(sparse_table(rng, 300, 200)), rng.integers(5, size=300)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr("linnet.training.threads.cores", lambda cores=cores: cores)
        found.append(softmax.lbfgs(problem(X, y, None, 1.0, part=1000), Descent(500, 1e-6), part=100))
    assert_array_equal(found[0].weights, found[1].weights)
    assert found[0].certificate == found[1].certificate
    assert found[0].converged


def test_few_weights_that_the_quicker_steps_do_not_bring_to_the_optimum_come_there_by_others(rng):
    X = rng.normal(size=(80, 4)) * 10.0 ** np.arange(-2, 2)
    y = rng.integers(0, 3, 80)
    at_once = LogisticRegression(solver="lbfgs", tol=1e-8).fit(X, y)
    with patch.object(solver_choice, "SOON", 2):
        in_two = LogisticRegression(solver="lbfgs", tol=1e-8).fit(X, y)
    assert in_two.certificate_.gap <= 1e-8
    assert in_two.n_iter_[0] > 2
    assert in_two.certificate_.primal == pytest.approx(at_once.certificate_.primal, rel=1e-7)
