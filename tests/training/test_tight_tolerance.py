"""A tolerance at rounding: Newton's weights are accurate, not only their objective."""

import numpy as np
import pytest
from scipy.special import expit

from linnet import GammaRegressor, LogisticRegression, PoissonRegressor


def gradient(name, model, X, y, strength):
    """Of the mean loss and half the squared weights, as textbooks write it."""
    z = X @ np.ravel(model.coef_) + np.ravel(model.intercept_)
    slopes = {"logistic": expit(z) - y, "poisson": np.exp(z) - y, "gamma": 1 - y * np.exp(-z)}[name]
    inner = X.T @ slopes / len(y) + strength * np.ravel(model.coef_)
    return np.append(inner, slopes.mean())


@pytest.mark.parametrize("name", ["logistic", "poisson", "gamma"])
@pytest.mark.parametrize(("n", "d"), [(200, 5), (40, 60), (6000, 30)])
def test_the_gradient_vanishes(name, n, d):
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    z = X @ rng.normal(size=d) / d**0.5
    if name == "logistic":
        y, model, strength = (z > rng.normal(size=n)) * 1, LogisticRegression(C=0.7), 1 / (0.7 * n)
    elif name == "poisson":
        y, model, strength = rng.poisson(np.exp(z)), PoissonRegressor(alpha=0.1), 0.1
    else:
        y, model, strength = rng.gamma(2.0, np.exp(z)) + 1e-3, GammaRegressor(alpha=0.1), 0.1
    model.set_params(solver="newton-cholesky", tol=1e-12).fit(X, y)
    assert np.abs(gradient(name, model, X, y, strength)).max() < 5e-10
    assert model.certificate_.within(1e-12)
