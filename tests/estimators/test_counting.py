"""Naive Bayes and discriminant analysis: scikit-learn's figures, and the same bits in any cut of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn import discriminant_analysis, naive_bayes

import linnet

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
ALL = [
    linnet.MultinomialNB(),
    linnet.BernoulliNB(),
    linnet.SharedGaussianNB(),
    linnet.LinearDiscriminantAnalysis(),
    linnet.LinearDiscriminantAnalysis(shrinkage="auto"),
]
classes = pytest.mark.parametrize("classes", [2, 3, 7])
sparse = pytest.mark.parametrize("sparse", [False, True])


def counts(rng, classes, n=200, d=15):
    """Rows of counts, many 0, a column constant and one that is never there; labels and weights, some 0."""
    y = rng.integers(classes, size=n)
    X = rng.poisson(rng.gamma(0.5, 2.0, size=(classes, d))[y]).astype(float)
    X[:, 3], X[:, 7] = 1.0, 0.0
    return X, np.array([f"class {k}" for k in range(classes)])[y], rng.choice([0.0, 0.5, 1.0, 2.0, 3.25], size=n)


def measurements(rng, classes, n=300, d=8):
    """Gaussian classes with correlated columns of very different means and scales."""
    y = rng.integers(classes, size=n)
    mix = rng.normal(size=(d, d))
    X = rng.normal(size=(classes, d))[y] * 2 + rng.normal(size=(n, d)) @ mix
    return X * np.logspace(-1, 1, d) + np.linspace(-5, 5, d), y


def assert_like(ours, theirs, X):
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), **CLOSE)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def log_odds(table):
    """One score a class, or for two classes their difference."""
    return table[1:] - table[:1] if len(table) == 2 else table


def apart(table):
    """Scores without what all classes share, which decides nothing."""
    return table - table.mean(axis=0) if len(table) > 1 else table


@classes
@sparse
@pytest.mark.parametrize("priors", [{}, {"fit_prior": False}, {"class_prior": True}])
@pytest.mark.parametrize("weighted", [False, True])
def test_multinomial_is_scikit_learns(classes, sparse, priors, weighted, rng):
    X, y, weights = counts(rng, classes)
    if "class_prior" in priors:
        priors = {"class_prior": rng.dirichlet(np.ones(classes))}
    X = csr_matrix(X) if sparse else X
    weights = weights if weighted else None
    ours = linnet.MultinomialNB(alpha=0.3, **priors).fit(X, y, weights)
    theirs = naive_bayes.MultinomialNB(alpha=0.3, **priors).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, log_odds(theirs.feature_log_prob_), **CLOSE)
    np.testing.assert_allclose(ours.intercept_, log_odds(theirs.class_log_prior_), **CLOSE)
    assert_like(ours, theirs, X)


@classes
@sparse
@pytest.mark.parametrize("priors", [{}, {"fit_prior": False}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("binarize", [0.0, 1.0])
def test_bernoulli_is_scikit_learns(classes, sparse, priors, weighted, binarize, rng):
    X, y, weights = counts(rng, classes)
    X = csr_matrix(X) if sparse else X
    weights = weights if weighted else None
    ours = linnet.BernoulliNB(alpha=0.7, binarize=binarize, **priors).fit(X, y, weights)
    theirs = naive_bayes.BernoulliNB(alpha=0.7, binarize=binarize, **priors).fit(X, y, weights)
    there, absent = theirs.feature_log_prob_, np.log1p(-np.exp(theirs.feature_log_prob_))
    np.testing.assert_allclose(ours.coef_, log_odds(there - absent), **CLOSE)
    assert_like(ours, theirs, X)


@classes
@sparse
@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.3, 1.0, "auto"])
@pytest.mark.parametrize("given", [False, True])
def test_discriminant_analysis_is_scikit_learns(classes, sparse, shrinkage, given, rng):
    X, y = measurements(rng, classes)
    priors = rng.dirichlet(np.full(classes, 5.0)) if given else None
    ours = linnet.LinearDiscriminantAnalysis(shrinkage=shrinkage, priors=priors)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage, priors=priors)
    theirs.fit(X, y)
    ours.fit(csr_matrix(X) if sparse else X, y)
    np.testing.assert_allclose(apart(ours.coef_), apart(theirs.coef_), **CLOSE)
    assert_like(ours, theirs, X)


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
def test_well_scaled_discriminants_agree_to_ten_digits(shrinkage, rng):
    y = rng.integers(3, size=400)
    X = rng.normal(size=(3, 6))[y] + rng.normal(size=(400, 6))
    X[:, 2] = 4.0  # a constant column
    ours = linnet.LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    np.testing.assert_allclose(apart(ours.coef_), apart(theirs.coef_), **CLOSE)
    np.testing.assert_allclose(apart(ours.intercept_), apart(theirs.intercept_), **CLOSE)
    assert_like(ours, theirs, X)


def test_of_columns_that_are_copies_each_has_its_share(rng):
    """A singular covariance: the shortest weights, as scikit-learn's."""
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 3)) + y[:, np.newaxis]
    twice = np.column_stack([X, X[:, 0]])
    ours = linnet.LinearDiscriminantAnalysis().fit(twice, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr").fit(twice, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    once = linnet.LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(ours.decision_function(twice), once.decision_function(X), rtol=1e-9)


@classes
@sparse
@pytest.mark.parametrize("weighted", [False, True])
def test_shared_gaussian_is_the_sum_of_log_densities(classes, sparse, weighted, rng):
    X, y = measurements(rng, classes)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], size=len(y)) if weighted else np.ones(len(y))
    model = linnet.SharedGaussianNB().fit(csr_matrix(X) if sparse else X, y, weights if weighted else None)
    priors = np.bincount(y, weights) / weights.sum()
    means = np.array([np.average(X[y == k], axis=0, weights=weights[y == k]) for k in range(classes)])
    variance = np.average((X - means[y]) ** 2, axis=0, weights=weights)
    variance += 1e-9 * np.average((X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights).max()
    logs = np.log(priors) - 0.5 * ((X[:, np.newaxis] - means) ** 2 / variance).sum(axis=2)
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), p / p.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(apart(model.coef_), apart(log_odds(means / variance)), rtol=1e-9, atol=1e-12)


def test_shared_gaussian_is_discriminant_analysis_of_columns_that_do_not_correlate():
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    X = np.concatenate([signs * [1, 2, 3], signs * [1, 2, 3] + [1, -1, 0.5]])
    y = np.repeat([0, 1], 8)
    ours = linnet.SharedGaussianNB(var_smoothing=1e-15).fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_columns_far_from_zero_keep_their_variance(offset, rng):
    """Years, times and ids: what sums of squares in doubles would lose."""
    X = rng.integers(-1000, 1000, size=(500, 3)) / 1024.0
    y = rng.integers(2, size=500)
    near, far = linnet.SharedGaussianNB().fit(X, y), linnet.SharedGaussianNB().fit(X + offset, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-5)
    near, far = (linnet.LinearDiscriminantAnalysis().fit(X + by, y) for by in (0.0, offset))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-5)


@pytest.mark.parametrize("model", ALL, ids=str)
@sparse
@given(data=st.data(), seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_any_cut_of_a_stream_gives_the_bits_of_the_whole(model, sparse, data, seed):
    rng = np.random.default_rng(seed)
    n = 400
    X, y = np.abs(rng.normal(size=(n, 6))) * (rng.random((n, 6)) < 0.6), rng.integers(3, size=n)
    X[:, 4] += 1000.0
    weights = rng.choice([0.0, 1.0, 0.3, 2.0], size=n)
    X = csr_matrix(X) if sparse else X
    whole = type(model)(**model.get_params()).fit(X, y, weights)
    streamed = type(model)(**model.get_params())
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6, unique=True)))
    for a, b in zip([0, *cuts], [*cuts, n], strict=True):
        if b > a and weights[a:b].any():
            streamed.partial_fit(X[a:b], y[a:b], sample_weight=weights[a:b])
    assert streamed.coef_.tobytes() == whole.coef_.tobytes()
    assert streamed.intercept_.tobytes() == whole.intercept_.tobytes()


@pytest.mark.parametrize("model", ALL, ids=str)
def test_whole_weights_are_copies(model, rng):
    X, y = np.abs(rng.normal(size=(150, 5))), rng.integers(3, size=150)
    weights = rng.integers(0, 4, size=150)
    weighted = type(model)(**model.get_params()).fit(X, y, weights)
    copied = type(model)(**model.get_params()).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", ALL, ids=str)
def test_a_class_named_but_not_seen_is_never_predicted(model, rng):
    X, y = np.abs(rng.normal(size=(60, 4))), rng.choice(["a", "c"], size=60)
    model = type(model)(**model.get_params()).partial_fit(X, y, classes=["a", "b", "c"])
    assert set(model.predict(X)) <= {"a", "c"}
    assert (model.predict_proba(X)[:, 1] == 0).all()


@pytest.mark.parametrize("model", ALL, ids=str)
def test_a_closed_form_says_that_it_is_one(model, rng):
    X, y = np.abs(rng.normal(size=(60, 4))), rng.integers(2, size=60)
    model = type(model)(**model.get_params()).fit(X, y)
    assert "closed form" in str(model.certificate_)


def test_a_negative_count_is_named_with_its_place():
    with pytest.raises(linnet.InputError, match=r"-2 at row 1, column 0: .*SharedGaussianNB"):
        linnet.MultinomialNB().fit([[1.0, 0.0], [-2.0, 1.0]], [0, 1])
    model = linnet.MultinomialNB().partial_fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    before = model.coef_.copy()
    with pytest.raises(linnet.InputError):
        model.partial_fit([[3.0, 0.0], [-2.0, 1.0]], [0, 1])
    np.testing.assert_array_equal(model.partial_fit(np.zeros((1, 2)), [0]).coef_, before)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linnet.MultinomialNB(alpha=0), "alpha must be positive"),
        (linnet.MultinomialNB(class_prior=[0.5, 0.2]), "add up to 1"),
        (linnet.MultinomialNB(class_prior=[0.5, 0.2, 0.3]), "3 priors for 2 classes"),
        (linnet.BernoulliNB(binarize=-1), "binarize must be"),
        (linnet.SharedGaussianNB(priors="learnt"), "priors is a probability"),
        (linnet.LinearDiscriminantAnalysis(shrinkage="some"), "'auto'"),
        (linnet.LinearDiscriminantAnalysis(shrinkage=1.5), "from 0 to 1"),
    ],
)
def test_wrong_parameters_are_answered(model, message):
    with pytest.raises(linnet.RecipeError, match=message):
        model.fit([[1.0, 0.0], [2.0, 1.0], [0.0, 4.0]], [0, 1, 1])


def test_too_many_columns_for_a_covariance_are_refused():
    X = csr_matrix((4, 20_000))
    with pytest.raises(linnet.InputError, match=r"2 tables of 20,000 x 20,000 .*naive-bayes-gaussian"):
        linnet.LinearDiscriminantAnalysis().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e100, 1e300])
def test_counts_of_any_size_end_in_a_finite_model(size, rng):
    X, y = rng.integers(0, 3, size=(40, 3)) * size, rng.integers(2, size=40)
    model = linnet.MultinomialNB().fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_sums_beyond_the_range_of_numbers_are_told():
    with pytest.raises(linnet.NumericalError, match="left the range of numbers"):
        linnet.MultinomialNB().fit(np.full((40, 3), 1e307), [0, 1] * 20)


@pytest.mark.parametrize("size", [1e160, 1e300])
@pytest.mark.parametrize("estimator", [linnet.SharedGaussianNB, linnet.LinearDiscriminantAnalysis])
def test_squares_beyond_the_range_of_numbers_are_told(estimator, size, rng):
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:, 1] *= size  # one column is enough
    with pytest.raises(linnet.NumericalError, match="left the range of numbers"):
        estimator().fit(X, y)
