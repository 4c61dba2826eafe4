"""Likelihoods by one column or by all, beside scikit-learn and NumPy."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from linnet.data.features.likelihoods import logistic, logistic_jointly, squared, squared_jointly, standardised


def columns(rng, n=300, d=5):
    X = np.exp(rng.normal(size=(n, d)) * [0.1, 0.5, 1.0, 1.5, 2.0])
    w = rng.integers(1, 4, n).astype(float)
    return np.column_stack([standardised(X[:, j], w) for j in range(d)]), w


def by_scikit_learn(X, y, w, C):
    model = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, y, sample_weight=w)
    loss = log_loss(y, model.predict_proba(X), sample_weight=w) * w.sum()
    return loss + 0.5 / C * float((model.coef_**2).sum())


@pytest.mark.parametrize("strength", [0.0, 1.0, 5.0, -3.0])
def test_logistic_likelihoods_are_those_of_logistic_regression(strength, rng):
    X, w = columns(rng)
    y = (rng.random(len(X)) < 1 / (1 + np.exp(-strength * X.sum(axis=1)))).astype(float)
    expected = [by_scikit_learn(X[:, [j]], y, w, 100.0) for j in range(X.shape[1])]
    np.testing.assert_allclose(logistic(X, y, w), expected, atol=0.2)
    assert logistic_jointly(X, y, w) == pytest.approx(by_scikit_learn(X, y, w, 1.0), abs=0.2)


def test_separated_classes_have_a_finite_likelihood(rng):
    X, w = columns(rng)
    y = (X[:, 1] > 0).astype(float)
    assert np.isfinite(logistic(X, y, w)).all()
    assert logistic(X, y, w)[1] < 0.1 * logistic(0 * X, y, w)[1]
    assert np.isfinite(logistic_jointly(X, y, w))


def test_squared_likelihoods_are_those_of_least_squares(rng):
    X, w = columns(rng)
    y = 1e6 * (X @ rng.normal(size=5) + rng.normal(size=len(X)))
    copies = np.repeat(np.arange(len(X)), w.astype(int))
    n, whole = len(copies), np.var(y[copies])

    def expected(columns):
        A = np.column_stack([X[copies][:, columns], np.ones(n)])
        rest = y[copies] - A @ np.linalg.lstsq(A, y[copies])[0]
        return 0.5 * n * np.log(np.mean(rest**2) / whole)

    np.testing.assert_allclose(squared(X, y, w), [expected([j]) for j in range(5)], rtol=1e-9)
    assert squared_jointly(X, y, w) == pytest.approx(expected(list(range(5))), rel=0.01)
    assert squared(X, np.ones(len(X)), w).tolist() == [0.0] * 5
