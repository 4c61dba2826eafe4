"""Softmax with a reference class, beside SciPy's minimum of the same objective written out in NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp

from linnet import LinearSVC, LogisticRegression, OnlineClassifier, Perceptron, RecipeError


def classes(rng, n=240, d=4, k=3):
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, k)) + rng.normal(size=k)
    return X, np.array(list("abcdef"))[(scores + rng.gumbel(size=(n, k))).argmax(axis=1)]


def minimum(X, y, C, weights, intercept):
    """The least of sum_i c_i loss_i + |W|^2 / (2 C), no weights for the last class, and the weights there."""
    labels, codes = np.unique(y, return_inverse=True)
    n, d, k = *X.shape, len(labels)

    def parted(flat):
        W = np.zeros((d, k))
        W[:, :-1] = flat[: d * (k - 1)].reshape(d, k - 1)
        b = np.append(flat[d * (k - 1) :], 0.0) if intercept else np.zeros(k)
        return W, b

    def objective(flat):
        W, b = parted(flat)
        scores = X @ W + b
        losses = logsumexp(scores, axis=1) - scores[np.arange(n), codes]
        p = np.exp(scores - logsumexp(scores, axis=1)[:, np.newaxis])
        p[np.arange(n), codes] -= 1.0
        p *= weights[:, np.newaxis]
        gradient = np.append(X.T @ p + W / C, p.sum(axis=0)[np.newaxis], axis=0)[:, :-1]
        return weights @ losses + (W * W).sum() / (2 * C), gradient[: d + intercept].reshape(-1)

    found = minimize(
        objective, np.zeros((d + intercept) * (k - 1)), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}
    )
    return found.fun, *parted(found.x)


@pytest.mark.parametrize("solver", ["auto", "lbfgs", "newton-cg", "gradient"])
@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_it_is_the_minimum_that_scipy_finds(solver, k, intercept, form, rng):
    X, y = classes(rng, k=k)
    weights = rng.integers(0, 4, size=len(X)).astype(float)
    weights[: 2 * k] = 1.0
    model = LogisticRegression(
        multiclass="reference", solver=solver, C=0.7, tol=1e-11, max_iter=20_000, fit_intercept=intercept
    ).fit(form(X), y, weights)
    least, W, b = minimum(X, y, 0.7, weights, intercept)
    assert_allclose(model.coef_.T, W, atol=2e-5)
    assert_allclose(model.intercept_, b, atol=2e-5)
    assert_array_equal(model.coef_[-1], 0.0)
    assert model.intercept_[-1] == 0.0
    proven = model.certificate_
    assert proven.gap <= 1e-11
    assert proven.dual * weights.sum() <= least * (1 + 1e-12)
    assert_allclose(proven.primal * weights.sum(), least, rtol=1e-9)


def test_the_certificate_never_proves_too_much_far_from_the_optimum(rng):
    X, y = classes(rng)
    least = minimum(X, y, 1.0, np.ones(len(X)), True)[0]
    for passes in (1, 2, 3, 5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(multiclass="reference", solver="lbfgs", max_iter=passes, tol=1e-12).fit(X, y)
        assert model.certificate_.dual * len(X) <= least * (1 + 1e-12)
        assert model.certificate_.primal * len(X) >= least * (1 - 1e-12)


def test_an_l1_penalty_has_a_proof_too(rng):
    X, y = classes(rng, d=8)
    how = {"penalty": "l1", "C": 0.1, "max_iter": 20_000, "tol": 1e-8}
    model = LogisticRegression(multiclass="reference", **how).fit(X, y)
    assert model.certificate_.gap <= 1e-8
    assert (model.coef_[:-1] == 0).any()
    assert_array_equal(model.coef_[-1], 0.0)


def test_without_a_penalty_probabilities_are_those_of_the_symmetric_form_and_with_one_they_are_not(rng):
    X, y = classes(rng)
    unpenalised = [
        LogisticRegression(penalty=None, multiclass=form, tol=1e-9, max_iter=5000).fit(X, y).predict_proba(X)
        for form in ("reference", "joint")
    ]
    assert_allclose(*unpenalised, atol=1e-6)
    penalised = [
        LogisticRegression(C=0.1, multiclass=form, tol=1e-9, max_iter=5000).fit(X, y).predict_proba(X)
        for form in ("reference", "joint")
    ]
    assert np.abs(penalised[0] - penalised[1]).max() > 1e-3


def test_two_classes_are_one_problem_in_either_form(rng):
    X, y = classes(rng, k=2)
    reference, joint = (LogisticRegression(multiclass=form).fit(X, y) for form in ("reference", "joint"))
    assert_array_equal(reference.coef_, joint.coef_)
    assert_array_equal(reference.intercept_, joint.intercept_)


def test_what_has_no_reference_says_what_to_take(rng):
    X, y = classes(rng)
    for model in (LinearSVC(multiclass="reference"), Perceptron(multiclass="reference")):
        with pytest.raises(RecipeError, match="goes with the logistic loss"):
            model.fit(X, y)
    for model in (
        OnlineClassifier("sgd-logistic", multiclass="reference"),
        LogisticRegression(solver="online", multiclass="reference"),
    ):
        with pytest.raises(RecipeError, match="online, take 'joint'"):
            model.set_params(multiclass="reference").fit(X, y)
    with pytest.raises(RecipeError, match="one-vs-rest"):
        LogisticRegression(multiclass="reference", solver="dual").fit(X, y)
