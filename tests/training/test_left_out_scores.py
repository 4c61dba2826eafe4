"""Approximate leave-one-out beside fits that really leave a row out."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners import catalogue
from linnet.learners.regularisation import Regularisation
from linnet.training.fit import Settings, fit
from linnet.training.left_out_scores import left_out_scores
from linnet.training.problems import Problems


def problem(rng, n=50, d=5):
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) + rng.logistic(size=n) > 0).astype(float)
    return X, y


def approximate(X, y, C, weights=None, left_out=None, rows=Rows.of, **asked):
    entry = Regularisation(C=C, **asked).of(catalogue.find("logistic-regression"))
    examples, labels = Examples(rows(X), y, weights), Labels([0, 1])
    trained = fit(entry, examples, labels, Settings(tol=1e-12))
    part = Problems(entry, examples, labels)[0]
    left_out = np.ones(len(y)) if left_out is None else left_out
    fitted = trained.model.decision(examples.rows)
    return left_out_scores(part.objective, part.weights_in(trained.model), left_out), fitted


def refitted(X, y, C, weights, left_out):
    """The score of each row by scikit-learn, fitted without so much of its weight."""
    scores = np.empty(len(y))
    for row in range(len(y)):
        rest = weights.copy()
        rest[row] -= left_out[row]
        twin = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, y, sample_weight=rest)
        scores[row] = twin.decision_function(X[row : row + 1])[0]
    return scores


@pytest.mark.parametrize("rows", [Rows.of, lambda X: Rows.of(csr_matrix(X))])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_left_out_scores_are_near_those_of_fits_without_the_row(C, rows, rng):
    X, y = problem(rng)
    found, fitted = approximate(X, y, C, rows=rows)
    true = refitted(X, y, C, np.ones(len(y)), np.ones(len(y)))
    # most of what leaving a row out does is found, and the mean loss is that of the refits
    assert np.abs(found - true).sum() < 0.15 * np.abs(fitted - true).sum()
    signs = 2 * y - 1
    loss, exact, apparent = (np.logaddexp(0.0, -signs * z).mean() for z in (found, true, fitted))
    assert abs(loss - exact) < 0.1 * (exact - apparent)


def test_of_a_row_of_weight_three_one_copy_is_left_out(rng):
    X, y = problem(rng)
    weights = rng.integers(1, 4, size=len(y)).astype(float)
    found, _ = approximate(X, y, 1.0, weights)
    copies = np.repeat(np.arange(len(y)), weights.astype(int))
    copied, _ = approximate(X[copies], y[copies], 1.0)
    np.testing.assert_allclose(found[copies], copied, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found, refitted(X, y, 1.0, weights, np.ones(len(y))), atol=0.1)


def test_a_penalised_intercept_is_one_more_column(rng):
    X, y = problem(rng)
    found, fitted = approximate(X, y, 1.0, intercept=True)
    ones, _ = approximate(np.column_stack([X, np.ones(len(X))]), y, 1.0)
    assert not np.allclose(found, fitted)
    assert np.abs(found - ones).max() < np.abs(fitted - ones).max()
