"""Several targets a row, beside scikit-learn and beside each target alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn import linear_model
from sklearn.base import clone

import linnet

PEERS = {
    linnet.Ridge(alpha=0.7): linear_model.Ridge(alpha=0.7, solver="svd"),
    linnet.LinearRegression(): linear_model.LinearRegression(),
}


def drawn(rng, n, d, k):
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, size=d) + rng.normal(size=d) * 5
    return X, X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k)), rng.integers(0, 3, size=n).astype(float)


@pytest.mark.parametrize("ours", PEERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(("n", "d", "k"), [(80, 6, 3), (12, 30, 4), (50, 5, 1)])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_and_predictions_are_scikit_learns(ours, form, n, d, k, intercept, rng):
    X, Y, c = drawn(rng, n, d, k)
    peer = clone(PEERS[ours]).set_params(fit_intercept=intercept).fit(X, Y, c)
    model = clone(ours).set_params(fit_intercept=intercept).fit(form(X), Y, c)
    scale = np.abs(peer.coef_).max()
    assert model.coef_.shape == peer.coef_.shape
    assert np.shape(model.intercept_) == np.shape(peer.intercept_) or not intercept
    assert_allclose(model.coef_, peer.coef_, atol=1e-8 * scale)
    assert_allclose(model.predict(form(X)), peer.predict(X), atol=1e-7 * np.abs(Y).max())
    assert_allclose(model.score(X, Y, c), peer.score(X, Y, c), atol=1e-9)


@pytest.mark.parametrize("solver", ["analytic", "cg"])
def test_every_target_has_the_weights_and_the_proof_that_it_has_alone(solver, rng):
    X, Y, c = drawn(rng, 90, 5, 3)
    all_at_once = linnet.Ridge(alpha=2.0, solver=solver, tol=1e-12).fit(X, Y, c)
    alone = [linnet.Ridge(alpha=2.0, solver=solver, tol=1e-12).fit(X, y, c) for y in Y.T]
    for number, one in enumerate(alone):
        assert_allclose(all_at_once.coef_[number], one.coef_, rtol=1e-9)
        assert_allclose(all_at_once.intercept_[number], one.intercept_, rtol=1e-9)
    assert_allclose(all_at_once.certificate_.primal, sum(one.certificate_.primal for one in alone), rtol=1e-12)
    assert all_at_once.certificate_.gap < 1e-8


def test_collinear_columns_take_the_shortest_weights(rng):
    X, Y, _ = drawn(rng, 60, 4, 2)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    model = linnet.LinearRegression().fit(X, Y)
    centred = X - X.mean(axis=0)
    assert_allclose(model.coef_.T, np.linalg.pinv(centred) @ (Y - Y.mean(axis=0)), rtol=1e-6, atol=1e-8)


def test_what_is_for_one_target_says_so(rng):
    X, Y, _ = drawn(rng, 60, 4, 2)
    with pytest.raises(linnet.RecipeError, match="predicts one number a row"):
        linnet.LinearRegression(solver="online").fit(X, Y)
    with pytest.raises(linnet.RecipeError, match="summary is of one target"):
        linnet.LinearRegression().fit(X, Y).summary(X, Y)
    with pytest.raises(linnet.InputError, match="X has 60 rows, but y has 59"):
        linnet.Ridge().fit(X, Y[:-1])


@pytest.mark.parametrize("positive", [False, True])
def test_an_alpha_for_each_target_is_scikit_learns(positive, rng):
    X, W = rng.normal(size=(60, 4)), rng.normal(size=(4, 3))
    Y = X @ W + rng.normal(size=(60, 3))
    alpha = [0.1, 3.0, 50.0]
    ours = linnet.Ridge(alpha=alpha, positive=positive).fit(X, Y)
    for k, each in enumerate(alpha):
        alone = linear_model.Ridge(alpha=each, positive=positive, tol=1e-12).fit(X, Y[:, k])
        assert_allclose(ours.coef_[k], alone.coef_, rtol=1e-5, atol=1e-7)
        assert_allclose(ours.intercept_[k], alone.intercept_, rtol=1e-5, atol=1e-7)
    assert ours.predict(X).shape == Y.shape


def test_as_many_alphas_as_targets_are_asked_for(rng):
    X, Y = rng.normal(size=(20, 2)), rng.normal(size=(20, 3))
    for y in (Y, Y[:, 0]):
        with pytest.raises(linnet.InputError, match="2 !="):
            linnet.Ridge(alpha=[1.0, 2.0]).fit(X, y)


def test_least_squares_of_several_targets_that_may_not_be_negative(rng):
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    ours = linnet.LinearRegression(positive=True).fit(X, Y)
    theirs = linear_model.LinearRegression(positive=True).fit(X, Y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
