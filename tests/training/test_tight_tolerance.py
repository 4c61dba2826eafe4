"""By a tight tolerance weights are accurate, not only their objective: what scikit-learn's solvers bound by tol, the
gradient, is about as small."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from linnet import GammaRegressor, LogisticRegression, PoissonRegressor


def gradient(name, model, X, y, strength):
    """Of the mean loss and half the squared weights, as textbooks write it."""
    z = X @ np.ravel(model.coef_) + np.ravel(model.intercept_)
    slopes = {"logistic": expit(z) - y, "poisson": np.exp(z) - y, "gamma": 1 - y * np.exp(-z)}[name]
    inner = X.T @ slopes / len(y) + strength * np.ravel(model.coef_)
    return np.append(inner, slopes.mean())


@pytest.mark.parametrize("name", ["logistic", "poisson", "gamma"])
@pytest.mark.parametrize(("n", "d"), [(200, 5), (40, 60), (6000, 30)])
@pytest.mark.parametrize("tol", [1e-7, 1e-12])
def test_the_gradient_vanishes(name, n, d, tol):
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    z = X @ rng.normal(size=d) / d**0.5
    if name == "logistic":
        y, model, strength = (z > rng.normal(size=n)) * 1, LogisticRegression(C=0.7), 1 / (0.7 * n)
    elif name == "poisson":
        y, model, strength = rng.poisson(np.exp(z)), PoissonRegressor(alpha=0.1), 0.1
    else:
        y, model, strength = rng.gamma(2.0, np.exp(z)) + 1e-3, GammaRegressor(alpha=0.1), 0.1
    model.set_params(solver="newton-cholesky", tol=tol).fit(X, y)
    assert np.abs(gradient(name, model, X, y, strength)).max() < max(10 * tol, 5e-10)
    assert model.certificate_.within(tol)


@pytest.mark.parametrize(("n", "d", "classes"), [(200, 5, 2), (200, 5, 4), (40, 60, 3), (6000, 30, 3), (50, 400, 2)])
def test_the_gradient_vanishes_by_conjugate_gradients(n, d, classes):
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) / d**0.5 + rng.gumbel(size=(n, classes))
    y, strength = scores.argmax(axis=1), 1 / (0.7 * n)
    model = LogisticRegression(C=0.7, solver="newton-cg", tol=1e-8).fit(X, y)
    assert model.certificate_.within(1e-8)
    if classes == 2:
        assert np.abs(gradient("logistic", model, X, y, strength)).max() < 1e-7
        return
    p = softmax(model.decision_function(X), axis=1) - np.eye(classes)[y]
    assert np.abs(p.T @ X / n + strength * model.coef_).max() < 1e-7
