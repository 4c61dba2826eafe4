"""Softmax over dense rows, preconditioned by the Hessian's blocks of each class; and the SVM by summed squares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.svm import LinearSVC

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training import threads
from linnet.training.descent import Descent
from linnet.training.objective import Objective
from linnet.training.solvers import class_blocks
from linnet.training.solvers.class_blocks import ROWS_A_COLUMN, ClassBlocks
from linnet.training.solvers.newton import cholesky, conjugate_gradients
from linnet.training.solvers.softmax_point import point_at


def softmax(X, y, C, *, intercept=True, weights=None, reference=False):
    examples, penalty = Examples(Rows.of(X), y.astype(float), weights), Penalty(l2=1.0 / C, total=True)
    return Objective(
        examples, Loss.LOGISTIC, penalty, int(y.max()) + 1,
        intercept=intercept, regression=False, reference=reference,
    )  # fmt: skip


def drawn(seed, n, d, classes):
    """Rows whose columns go together, as pixels do."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.5 * rng.standard_normal((d, d)))
    y = (X @ rng.standard_normal((d, classes)) / d + rng.gumbel(size=(n, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def by_scipy(X, y, C, *, intercept):
    """The optimum of (sum of log losses + |W|^2 / 2C) / n, by SciPy's L-BFGS."""
    n, d, K = *X.shape, int(y.max()) + 1
    A, own = np.column_stack([X, np.full(n, float(intercept))]), np.eye(int(y.max()) + 1)[y]

    def f(flat):
        W = flat.reshape(d + 1, K)
        Z = A @ W
        top = logsumexp(Z, axis=1)
        penalised = np.vstack([W[:-1], np.zeros(K)])
        value = (top - (own * Z).sum(axis=1)).sum() + 0.5 * (penalised**2).sum() / C
        return value / n, (A.T @ (np.exp(Z - top[:, None]) - own) + penalised / C).reshape(-1) / n

    options = {"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
    return minimize(f, np.zeros((d + 1) * K), jac=True, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_random_problems_end_at_the_optimum_within_the_proven_gap(seed, C, intercept):
    X, y = drawn(seed, 400, 25, 4)
    problem = softmax(X, y, C, intercept=intercept)
    optimum = by_scipy(X, y, C, intercept=intercept)
    tight = conjugate_gradients(problem, Descent(200, 1e-8))
    assert tight.converged
    assert tight.certificate.primal == pytest.approx(optimum, rel=1e-6)
    loose = conjugate_gradients(problem, Descent(200, 1e-2))
    assert loose.certificate.dual <= optimum * (1 + 1e-9)
    assert loose.certificate.primal >= optimum * (1 - 1e-9)


@pytest.mark.parametrize("reference", [False, True])
def test_the_blocks_are_those_of_the_hessian(reference):
    X, y = drawn(7, ROWS_A_COLUMN * 20, 20, 3)  # few enough that all rows are in the sample
    problem = softmax(X, y, 1.0, reference=reference)
    rng = np.random.default_rng(0)
    W = 0.1 * rng.standard_normal((21, 3))
    W[:, -1] *= not reference
    Z = X @ W[:-1] + W[-1]
    p = np.exp(Z - logsumexp(Z, axis=1)[:, None])
    A = np.column_stack([X, np.ones(len(X))])
    residual = problem.free(rng.standard_normal(63)).reshape(21, 3)
    common = 0.0 if reference else residual.mean(axis=1, keepdims=True)
    expected = np.zeros((21, 3))
    for k in range(3):
        block = A.T @ (A * (p[:, k] * (1 - p[:, k]))[:, None]) / len(X)
        block[np.arange(20), np.arange(20)] += problem.penalty.l2
        expected[:, k] = np.linalg.solve(block, (residual - common)[:, k])
    if reference:
        expected[:, -1] = 0.0
    else:
        expected -= expected.mean(axis=1, keepdims=True)
        expected[:-1] += common[:-1] / problem.penalty.l2
    found = ClassBlocks(point_at(problem, W.reshape(-1)))(residual.reshape(-1))
    np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("C", [1.0, 1e9])
def test_blocks_of_many_columns_are_the_same_up_to_what_is_added(C, monkeypatch):
    X, y = drawn(7, ROWS_A_COLUMN * 20, 20, 3)
    problem = softmax(X, y, C)
    point = point_at(problem, 0.1 * np.random.default_rng(0).standard_normal(63))
    residual = np.random.default_rng(1).standard_normal(63)
    expected = ClassBlocks(point)(residual)
    monkeypatch.setattr(class_blocks, "WIDE", 10)  # in single precision, unless the penalty is too small for it
    np.testing.assert_allclose(ClassBlocks(point)(residual), expected, rtol=2e-3, atol=1e-4 * np.abs(expected).max())


def test_a_start_with_a_common_part_of_all_classes_loses_it():
    X, y = drawn(9, 400, 25, 4)
    problem = softmax(X, y, 1.0)
    start = np.repeat(np.random.default_rng(0).standard_normal(26), 4)
    found = conjugate_gradients(problem, Descent(200, 1e-8, start=start))
    assert found.converged
    assert found.certificate.primal == pytest.approx(by_scipy(X, y, 1.0, intercept=True), rel=1e-6)
    assert np.abs(found.weights.reshape(-1, 4)[:-1].sum(axis=1)).max() < 1e-3


def test_the_bits_of_softmax_are_the_same_for_any_number_of_threads(monkeypatch):
    X, y = drawn(11, 3_000, 30, 5)
    found = set()
    for number in (1, 2, 4):
        monkeypatch.setattr(threads, "cores", lambda number=number: number)
        problem = softmax(X, y, 1.0)
        problem.part = 1 << 12
        found.add(conjugate_gradients(problem, Descent(100, 1e-6)).weights.tobytes())
    assert len(found) == 1


def squared_hinge(X, y, C):
    penalty = Penalty(l2=1.0 / C, total=True)
    return Objective(Examples(Rows.of(X), y, None), Loss.SQUARED_HINGE, penalty, 1, intercept=False, regression=False)


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_rows_that_change_sides_are_added_and_taken_away(C, monkeypatch):
    X, labels = drawn(13, 2_500, 220, 2)
    y = labels.astype(float)
    theirs = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-10, max_iter=10_000).fit(X, y)
    margins = np.where(y > 0, 1, -1) * (X @ theirs.coef_[0])
    optimum = ((np.maximum(0, 1 - margins) ** 2).sum() + 0.5 * (theirs.coef_**2).sum() / C) / len(y)
    bits = set()
    for number in (1, 2, 4):
        monkeypatch.setattr(threads, "cores", lambda number=number: number)
        found = cholesky(squared_hinge(X, y, C), Descent(200, 1e-8))
        assert found.converged
        assert found.certificate.primal == pytest.approx(optimum, rel=1e-6)
        bits.add(found.weights.tobytes())
    assert len(bits) == 1
