"""The same bits, however the work is cut up."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import linnet
from linnet import catalogue
from linnet.learners.catalogue import Task, Way
from tests.conftest import sparse_table
from tests.estimators.anything import online_classifiers

CLASSIFIERS = [
    linnet.Perceptron(),
    linnet.Perceptron(averaging="average"),
    linnet.Perceptron(averaging="vote"),
    linnet.PassiveAggressive(),
    linnet.PassiveAggressive(loss="squared_hinge", averaging="average"),
    linnet.LogisticRegression(solver="online"),
    linnet.LogisticRegression(solver="online", penalty="elasticnet"),
    *online_classifiers(),
    linnet.OnlineClassifier("sgd-logistic", penalty="l1", alpha=1e-3),
    linnet.OnlineClassifier("adaptive", penalty="elasticnet", alpha=1e-3),
]
REGRESSORS = [
    linnet.LinearRegression(solver="online"),
    *(linnet.OnlineRegressor(entry.name) for entry in catalogue.entries(Way.ONLINE, Task.REGRESSION)),
]


def same(one, other, X):
    assert_array_equal(one.coef_, other.coef_)
    assert_array_equal(one.intercept_, other.intercept_)
    assert_array_equal(one.predict(X), other.predict(X))
    if hasattr(one, "decision_function"):
        assert_array_equal(one.decision_function(X), other.decision_function(X))


@pytest.fixture
def data(rng):
    return sparse_table(rng, 300, 15), rng.integers(4, size=300), rng.integers(0, 3, size=300).astype(float)


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest", "pairwise"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_fit_equals_partial_fit_in_pieces(estimator, classes, multiclass, data):
    X, y, weights = data[0], data[1] % classes, data[2]
    estimator = estimator.set_params(shuffle=False, max_iter=1, tol=None, multiclass=multiclass)
    if isinstance(estimator, linnet.LogisticRegression):
        weights = None  # its penalty counts rows, and weights would make them another number
    whole = estimator.fit(X, y, weights)
    expected = whole.coef_, whole.intercept_, whole.decision_function(X), whole.updates_
    pieces = type(estimator)(**estimator.get_params())
    for part in np.split(np.arange(300), [1, 2, 50, 51, 200]):
        pieces.partial_fit(X[part], y[part], range(classes), None if weights is None else weights[part])
    assert_array_equal(pieces.coef_, expected[0])
    assert_array_equal(pieces.intercept_, expected[1])
    assert_array_equal(pieces.decision_function(X), expected[2])
    assert pieces.updates_ == expected[3]


@pytest.mark.parametrize("estimator", REGRESSORS, ids=repr)
def test_fit_equals_partial_fit_in_pieces_for_numbers(estimator, rng):
    X, y = sparse_table(rng, 300, 15), 100 + 10 * rng.normal(size=300)
    estimator = estimator.set_params(shuffle=False, max_iter=1, tol=None)
    pieces = type(estimator)(**estimator.get_params())
    for part in np.split(np.arange(300), [1, 2, 50, 51, 200]):
        pieces.partial_fit(X[part], y[part])
    same(estimator.fit(X, y), pieces, X)


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest", "pairwise"])
@pytest.mark.parametrize(
    "estimator",
    [
        linnet.Perceptron(max_iter=5),
        linnet.OnlineClassifier(max_iter=5),
        linnet.LogisticRegression(),
        linnet.LinearSVC(loss="hinge"),
    ],
    ids=repr,
)
def test_any_number_of_threads(estimator, multiclass, data):
    X, y, _ = data
    estimator = estimator.set_params(multiclass=multiclass, max_iter=5, tol=None)
    one = type(estimator)(**{**estimator.get_params(), "n_jobs": 1}).fit(X, y)
    for n_jobs in (2, 5, -1):
        same(one, type(estimator)(**{**estimator.get_params(), "n_jobs": n_jobs}).fit(X, y), X)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_any_order_of_the_table_when_shuffled(estimator, data, rng):
    X, y, weights = data
    estimator = estimator.set_params(shuffle=True, max_iter=3, tol=None, random_state=4)
    other_way = rng.permutation(300)
    one = type(estimator)(**estimator.get_params()).fit(X, y, weights)
    same(one, estimator.fit(X[other_way], y[other_way], weights[other_way]), X)


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_a_weight_of_three_is_three_copies(estimator, shuffle, data):
    X, y, weights = data
    estimator = estimator.set_params(shuffle=shuffle, max_iter=3, tol=None)
    rows = np.repeat(np.arange(300), weights.astype(int))
    one = type(estimator)(**estimator.get_params()).fit(X, y, weights)
    same(one, estimator.fit(X[rows], y[rows]), X)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_sparse_and_dense_float32_and_float64_agree(estimator, data):
    X, y, _ = data
    X = X.astype(np.float32)
    estimator = estimator.set_params(shuffle=True, max_iter=3, tol=None)
    first = type(estimator)(**estimator.get_params()).fit(X, y)
    for form in (X.astype(np.float64), csr_array(X), csr_array(X.astype(np.float64))):
        other = type(estimator)(**estimator.get_params()).fit(form, y)
        ours, theirs = other.model_, first.model_  # coef_ has the type of X
        atol = 1e-9 * np.abs(theirs.weights).max()
        assert_allclose(ours.weights, theirs.weights, rtol=1e-9, atol=atol)
        assert_allclose(ours.intercepts, theirs.intercepts, rtol=1e-9, atol=atol)


def test_no_seed_is_a_seed_like_any_other(data):
    X, y, _ = data
    one, other = (linnet.OnlineClassifier(max_iter=2, tol=None).fit(X, y) for _ in range(2))
    same(one, other, X)
    another = linnet.OnlineClassifier(max_iter=2, tol=None, random_state=1).fit(X, y)
    assert (another.coef_ != one.coef_).any()
