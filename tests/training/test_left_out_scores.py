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
    return left_out_scores(part.objective, part.weights_in(trained.model), left_out)[:, 0], fitted


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


# -- several classes ---------------------------------------------------------------------------------------------------


def many_classes(rng, n=60, d=4, classes=3):
    X = rng.normal(size=(n, d))
    return X, (2 * X @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes))).argmax(axis=1).astype(float)


def approximate_jointly(X, y, C, weights=None, rows=Rows.of, **asked):
    entry = Regularisation(C=C, **asked).of(catalogue.find("logistic-regression"))
    examples, labels = Examples(rows(X), y, weights), Labels(list(range(int(y.max()) + 1)))
    trained = fit(entry, examples, labels, Settings(tol=1e-12))
    part = Problems(entry, examples, labels)[0]
    found = left_out_scores(part.objective, part.weights_in(trained.model), np.ones(len(y)))
    return found, trained.model.decision(examples.rows)


def refitted_jointly(X, y, C, weights):
    scores = np.empty((len(y), int(y.max()) + 1))
    for row in range(len(y)):
        rest = weights.copy()
        rest[row] -= 1
        twin = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, y, sample_weight=rest)
        scores[row] = twin.decision_function(X[row : row + 1])[0]
    return scores


def mean_loss(scores, y):
    return (np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y.astype(int)]).mean()


@pytest.mark.parametrize("rows", [Rows.of, lambda X: Rows.of(csr_matrix(X))])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("classes", [3, 5])
def test_scores_of_several_classes_are_near_those_of_fits_without_the_row(classes, C, rows, rng):
    X, y = many_classes(rng, classes=classes)
    found, fitted = approximate_jointly(X, y, C, rows=rows)
    true = refitted_jointly(X, y, C, np.ones(len(y)))
    found, fitted, true = (each - each.mean(axis=1, keepdims=True) for each in (found, fitted, true))
    assert np.abs(found - true).sum() < 0.2 * np.abs(fitted - true).sum()
    loss, exact, apparent = (mean_loss(each, y) for each in (found, true, fitted))
    assert abs(loss - exact) < 0.2 * (exact - apparent)


def test_of_several_classes_too_one_copy_of_a_row_is_left_out(rng):
    X, y = many_classes(rng)
    weights = rng.integers(1, 4, size=len(y)).astype(float)
    found, _ = approximate_jointly(X, y, 1.0, weights)
    copies = np.repeat(np.arange(len(y)), weights.astype(int))
    copied, _ = approximate_jointly(X[copies], y[copies], 1.0)
    np.testing.assert_allclose(found[copies], copied, rtol=1e-5, atol=1e-6)


def test_two_classes_jointly_are_two_classes_by_their_difference(rng):
    """Softmax under twice the penalty on two classes is logistic regression, w / 2 and -w / 2."""
    X, y = problem(rng)
    single, _ = approximate(X, y, 1.0)
    entry = Regularisation(C=0.5).of(catalogue.find("logistic-regression"))
    examples = Examples(Rows.of(X), y)
    joint = Problems(entry, examples, Labels([0, 1, 2]))[0].objective
    logistic = fit(Regularisation(C=1.0).of(entry), examples, Labels([0, 1]), Settings(tol=1e-12)).model
    halves = np.zeros((X.shape[1] + 1, 3))
    halves[:-1, :2] = logistic.weights * [-0.5, 0.5]
    halves[-1] = [-0.5 * logistic.intercepts[0], 0.5 * logistic.intercepts[0], -200.0]  # the third never occurs
    found = left_out_scores(joint, halves.reshape(-1), np.ones(len(y)))
    np.testing.assert_allclose(found[:, 1] - found[:, 0], single, rtol=1e-6, atol=1e-8)
