"""Ridge, RidgeClassifier, LinearRegression and LinearSVC with scikit-learn's parameters: the same weights as theirs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn import linear_model, svm

import linnet

SOLVERS = ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"]
FORMS = pytest.mark.parametrize("form", [np.asarray, csr_array])


def numbers(rng, n=60):
    X = rng.normal(size=(n, 4))
    return X, X @ np.array([1.0, -2.0, 0.5, 3.0]) + 4.0 + rng.normal(size=n)


@pytest.mark.parametrize("solver", SOLVERS)
@FORMS
def test_ridge_takes_every_solver_of_scikit_learn(solver, form, rng):
    X, y = numbers(rng)
    ours = linnet.Ridge(0.5, solver=solver, random_state=0).fit(form(X), y)
    theirs = linear_model.Ridge(0.5, tol=1e-12).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7)
    assert ours.intercept_.shape == np.shape(theirs.intercept_)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@FORMS
def test_weights_that_may_not_be_negative_are_the_least_squares_among_those(alpha, fit_intercept, form, rng):
    X, y = numbers(rng)
    weights = rng.uniform(0.5, 2.0, size=len(y))
    ours = linnet.Ridge(alpha, positive=True, fit_intercept=fit_intercept).fit(form(X), y, weights)

    def objective(v):
        return weights @ (y - X @ v[:4] - v[4]) ** 2 + alpha * v[:4] @ v[:4]

    bounds = [(0, None)] * 4 + [(None, None) if fit_intercept else (0, 0)]
    best = minimize(objective, np.zeros(5), bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10}).fun
    assert (ours.coef_ >= 0).all()
    assert objective(np.append(ours.coef_, ours.intercept_)) <= best * (1 + 1e-9)


def test_linear_regression_of_weights_that_may_not_be_negative_is_scikit_learns(rng):
    X, y = numbers(rng)
    ours, theirs = linnet.LinearRegression(positive=True), linear_model.LinearRegression(positive=True)
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, rtol=1e-9, atol=1e-12)
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        ours.fit(csr_array(X), y)
    with pytest.raises(linnet.RecipeError, match="may not be negative"):
        linnet.LinearRegression(positive=True).fit(X, y).summary(X, y)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("parameters", [{}, {"class_weight": "balanced", "alpha": 5.0}, {"fit_intercept": False}])
@FORMS
def test_ridge_of_labels_is_scikit_learns(classes, parameters, form, rng):
    X, y = rng.normal(size=(80, 4)), rng.integers(classes, size=80)
    X[:, 0] += y
    ours = linnet.RidgeClassifier(**parameters).fit(form(X), y)
    theirs = linear_model.RidgeClassifier(**parameters).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-7, atol=1e-9)
    assert_array_equal(ours.predict(form(X)), theirs.predict(X))
    assert ours.certificate_.gap < 1e-9


def test_what_ridge_of_scikit_learn_refuses_is_refused(rng):
    X, y = numbers(rng)
    for parameters in ({"solver": "lbfgs"}, {"solver": "svd", "positive": True}, {"alpha": -1.0}, {"solver": "qr"}):
        for cls in (linnet.Ridge, linear_model.Ridge):
            with pytest.raises(ValueError):  # noqa: PT011 - the texts differ
                cls(**parameters).fit(X, y)


@pytest.mark.parametrize("parameters", [{"intercept_scaling": 5.0}, {"intercept_scaling": 5.0, "loss": "hinge"}])
def test_a_scaled_intercept_of_an_svm_is_liblinears(parameters, rng):
    X, y = rng.normal(size=(80, 3)), rng.integers(2, size=80)
    X[:, 0] += y + 2.0
    ours = linnet.LinearSVC(tol=1e-11, max_iter=100_000, **parameters).fit(X, y)
    theirs = svm.LinearSVC(tol=1e-10, max_iter=1_000_000, **parameters).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4, atol=1e-5)


def test_an_svm_takes_scikit_learns_parameters(rng):
    X, y = rng.normal(size=(90, 3)), rng.integers(3, size=90)
    X[:, 0] += 3 * y
    joint = linnet.LinearSVC(multi_class="crammer_singer", tol=1e-8).fit(X, y)
    assert_array_equal(joint.coef_, linnet.LinearSVC(loss="hinge", multiclass="joint", tol=1e-8).fit(X, y).coef_)
    assert linnet.LinearSVC(dual=True, random_state=0).fit(X, y).solver_ == "dual"
    for parameters in (
        {"penalty": "l1", "loss": "hinge", "dual": True},
        {"loss": "hinge", "dual": False},
        {"penalty": "l1", "dual": True},
        {"multi_class": "ovo"},
    ):
        for cls in (linnet.LinearSVC, svm.LinearSVC):
            with pytest.raises(ValueError):  # noqa: PT011 - the texts differ
                cls(**parameters).fit(X, y)
