"""LinearSVR beside a quadratic programme, scikit-learn's, and itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.sparse import csr_matrix
from sklearn import svm

import linnet

LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 4))
    return X, X @ rng.normal(size=4) + 50.0 + rng.normal(size=60)


def objective(model, X, y, weights=1.0):
    beyond = np.maximum(np.abs(y - model.predict(X)) - model.epsilon, 0.0)
    power = 2 if model.loss.startswith("squared") else 1
    return 0.5 * model.coef_ @ model.coef_ + model.C * (weights * beyond**power).sum()


def optimum(X, y, C, epsilon, squared):
    """The primal as a smooth programme: slacks at least |y - w x - b| - epsilon and 0."""
    n, d = X.shape
    eye = np.eye(n)
    one = np.ones((n, 1))
    sides = LinearConstraint(
        np.block([[X, one, eye], [-X, -one, eye]]), np.concatenate([y - epsilon, -y - epsilon]), np.inf
    )

    def value(v):
        s = v[d + 1 :]
        return 0.5 * v[:d] @ v[:d] + C * (s @ s if squared else s.sum())

    def slope(v):
        return np.concatenate([v[:d], [0.0], C * (2 * v[d + 1 :] if squared else np.ones(n))])

    start = np.concatenate([np.zeros(d), [np.median(y)], np.abs(y - np.median(y))])
    bounds = Bounds(np.concatenate([np.full(d + 1, -np.inf), np.zeros(n)]), np.inf)
    found = minimize(
        value, start, jac=slope, bounds=bounds, constraints=[sides], method="SLSQP", options={"ftol": 1e-10}
    )
    return found.fun


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("epsilon", [0.0, 0.7])
@pytest.mark.parametrize("solver", ["auto", "dual"])
def test_reaches_the_optimum_of_the_programme(table, loss, epsilon, solver):
    X, y = table[0][:25], table[1][:25]
    model = linnet.LinearSVR(loss=loss, epsilon=epsilon, C=0.5, tol=1e-7, max_iter=100_000, solver=solver).fit(X, y)
    assert_allclose(objective(model, X, y), optimum(X, y, 0.5, epsilon, loss.startswith("squared")), rtol=1e-6)
    assert model.certificate_.gap <= 1e-7


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_is_no_worse_than_scikit_learn_without_an_intercept(table, loss, form, epsilon):
    X, y = table
    parameters = {"loss": loss, "epsilon": epsilon, "fit_intercept": False, "C": 2.0}
    ours = linnet.LinearSVR(**parameters, tol=1e-6, max_iter=10_000).fit(form(X), y)
    theirs = svm.LinearSVR(**parameters, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, y)
    assert objective(ours, X, y) <= objective(theirs, X, y) * (1 + 1e-5)
    assert_allclose(ours.coef_, theirs.coef_, atol=0.01)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_penalised_intercept_is_liblinears(table, loss):
    X, y = table
    ours = linnet.LinearSVR(loss=loss, intercept_scaling=3.0, tol=1e-7, max_iter=100_000).fit(X, y)
    theirs = svm.LinearSVR(loss=loss, intercept_scaling=3.0, tol=1e-9, max_iter=1_000_000, random_state=0).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_three_is_three_copies(table, loss):
    X, y = table
    c = np.arange(60) % 4
    weighted = linnet.LinearSVR(loss=loss, epsilon=0.3, tol=1e-8, max_iter=100_000).fit(X, y, sample_weight=c)
    copied = linnet.LinearSVR(loss=loss, epsilon=0.3, tol=1e-8, max_iter=100_000).fit(
        np.repeat(X, c, 0), np.repeat(y, c)
    )
    assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_dense_rows_and_sparse_ones_have_one_optimum_and_the_intercept_follows_the_targets(table, loss):
    X, y = table
    model = linnet.LinearSVR(loss=loss, solver="dual", tol=1e-6, max_iter=10_000)
    dense, sparse = model.fit(X, y).predict(X), model.fit(csr_matrix(X), y).predict(X)
    assert_allclose(dense, sparse, rtol=1e-6)
    assert_allclose(model.fit(X, y + 1e6).predict(X) - 1e6, dense, atol=1e-2)


def test_a_warm_start_at_the_optimum_stays_there(table):
    X, y = table
    model = linnet.LinearSVR(loss="squared_epsilon_insensitive", solver="dual", warm_start=True, epsilon=0.2)
    first = model.fit(X, y).coef_.copy()
    assert len(model.fit(X, y).history_) <= 2
    assert_allclose(model.coef_, first, rtol=1e-2)


def test_rows_of_zeros_do_no_harm():
    model = linnet.LinearSVR(fit_intercept=False).fit([[0.0], [1.0], [2.0]], [5.0, 1.0, 2.0])
    assert_allclose(model.coef_, [1.0], atol=1e-3)


def test_what_it_does_not_take_is_refused_in_words():
    X, y = [[1.0], [2.0]], [1.0, 2.0]
    for parameters, words in (
        ({"loss": "huber"}, "loss='huber' is not known"),
        ({"epsilon": -1}, "epsilon must be"),
        ({"C": 0}, "C must be positive"),
        ({"dual": False}, "not supported when dual=False"),
        ({"dual": "yes"}, "dual must be"),
    ):
        with pytest.raises(ValueError, match=words):
            linnet.LinearSVR(**parameters).fit(X, y)
