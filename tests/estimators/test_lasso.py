"""Lasso and ElasticNet beside scikit-learn's: the same parameters, objective and attributes."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, issparse

import linnet
from linnet.pipeline.verify import verify

PAIRS = [(linnet.Lasso, sklearn.linear_model.Lasso), (linnet.ElasticNet, sklearn.linear_model.ElasticNet)]


def table(rng, n=70, d=25):
    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 3.0], d) + rng.normal(size=d)
    return X, X[:, :5] @ [1.0, -2.0, 1.0, 3.0, -1.0] + rng.normal(size=n) + 4.0


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_parameters_are_those_of_scikit_learn(ours, theirs):
    own, others = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert set(own) == set(others)
    assert {name: each.default for name, each in own.items()} == {name: each.default for name, each in others.items()}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_weights_are_those_of_scikit_learn(ours, theirs, positive, intercept, weighted, sparse, rng):
    X, y = table(rng)
    c = rng.uniform(0.2, 2.0, len(y)) if weighted else None
    settings = {"alpha": 0.05, "positive": positive, "fit_intercept": intercept}
    model = ours(**settings, tol=1e-10).fit(csr_array(X) if sparse else X, y, sample_weight=c)
    other = theirs(**settings, tol=1e-12, max_iter=100_000).fit(X, y, sample_weight=c)
    assert np.allclose(model.coef_, other.coef_, atol=1e-5)
    assert np.allclose(model.intercept_, other.intercept_, atol=1e-4)
    assert np.allclose(model.predict(X), other.predict(X), atol=1e-4)
    if positive:
        assert (model.coef_ >= 0).all()


def test_the_gap_is_in_units_of_the_objective(rng):
    X, y = table(rng)
    model = linnet.Lasso(alpha=0.2, tol=1e-3).fit(X, y)
    best = linnet.Lasso(alpha=0.2, tol=1e-12).fit(X, y)

    def objective(fitted):
        return float(np.sum((y - fitted.predict(X)) ** 2)) / (2 * len(y)) + 0.2 * float(np.abs(fitted.coef_).sum())

    assert model.certificate_.primal == pytest.approx(objective(model))
    assert objective(model) - objective(best) <= model.dual_gap_ <= 1e-3 * objective(model)


def test_several_targets_are_fitted_one_by_one(rng):
    X, y = table(rng)
    both = np.column_stack([y, -2.0 * y + rng.normal(size=len(y))])
    model = linnet.Lasso(alpha=0.1).fit(X, both)
    each = [linnet.Lasso(alpha=0.1).fit(X, both[:, k]) for k in range(2)]
    assert np.array_equal(model.coef_, [one.coef_ for one in each])
    assert np.array_equal(model.intercept_, [one.intercept_ for one in each])
    assert np.array_equal(model.predict(X), np.column_stack([one.predict(X) for one in each]))
    assert model.dual_gap_.shape == (2,)
    assert len(model.certificate_) == len(model.n_iter_) == 2
    other = sklearn.linear_model.Lasso(alpha=0.1, tol=1e-10).fit(X, both)
    assert np.allclose(model.coef_, other.coef_, atol=1e-3)
    assert model.score(X, both) == pytest.approx(other.score(X, both), abs=1e-3)


def test_sparse_coef_has_the_weights_other_than_0(rng):
    X, y = table(rng)
    model = linnet.Lasso(alpha=1.0).fit(X, y)
    assert issparse(model.sparse_coef_)
    assert np.array_equal(model.sparse_coef_.toarray()[0], model.coef_)
    assert model.sparse_coef_.nnz == np.count_nonzero(model.coef_) < X.shape[1]


def test_a_warm_start_that_is_at_the_optimum_already_takes_no_step(rng):
    X, y = table(rng)
    model = linnet.ElasticNet(alpha=0.1, warm_start=True).fit(X, y)
    before = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ == 0
    assert np.array_equal(model.coef_, before)


def test_without_l1_it_is_ridge_regression_and_without_alpha_least_squares(rng):
    X, y = table(rng)
    ridge = sklearn.linear_model.Ridge(alpha=0.3 * len(y)).fit(X, y)
    assert np.allclose(linnet.ElasticNet(alpha=0.3, l1_ratio=0.0).fit(X, y).coef_, ridge.coef_, atol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = linnet.Lasso(alpha=0.0).fit(X, y)
    assert np.allclose(plain.coef_, sklearn.linear_model.LinearRegression().fit(X, y).coef_)
    assert plain.solver_ == "analytic"


def test_positive_ridge_regression_is_solved_too(rng):
    X, y = table(rng)
    model = linnet.ElasticNet(alpha=0.3, l1_ratio=0.0, positive=True, tol=1e-10).fit(X, y)
    other = sklearn.linear_model.Ridge(alpha=0.3 * len(y), positive=True, tol=1e-12).fit(X, y)
    assert (model.coef_ >= 0).all()
    assert np.allclose(model.coef_, other.coef_, atol=1e-4)
    assert model.certificate_.gap <= 1e-10


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linnet.Lasso(alpha=-1.0), "alpha must be a number"),
        (linnet.Lasso(alpha=0.0, positive=True), "positive=True needs a penalty"),
        (linnet.ElasticNet(l1_ratio=1.5), "l1_ratio must lie between 0 and 1"),
        (linnet.Lasso(selection="best"), "selection='best' is not known"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(model, message):
    with pytest.raises(linnet.RecipeError, match=message):
        model.fit([[1.0], [2.0]], [1.0, 2.0])


def test_nan_is_refused_with_its_place():
    with pytest.raises(linnet.InputError, match="NaN at row 1, column 0"):
        linnet.Lasso().fit([[1.0, 2.0], [np.nan, 1.0]], [1.0, 2.0])


@pytest.mark.parametrize("learner", ["lasso", "elastic-net"])
def test_trained_on_a_table_the_alpha_is_chosen_and_the_certificate_holds_for_the_saved_model(learner, tmp_path, rng):
    X, y = table(rng, 200, 8)
    columns = {f"x{j}": X[:, j] for j in range(8)} | {"y": y}
    model = linnet.train(columns, "y", learner=learner)
    assert model.record.strength.name == "alpha"
    assert model.certificate.gap <= 1e-4
    model.save(tmp_path / "model.linnet")
    loaded = linnet.load(tmp_path / "model.linnet")
    assert verify(loaded, columns).holds
    assert not verify(loaded, columns | {"y": y[::-1]}).holds
    assert loaded.entry.recipe.penalty == model.entry.recipe.penalty


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_paths_are_scikit_learns(form, positive, rng):
    X, y = table(rng)
    X, y = X - X.mean(axis=0), y - y.mean()
    for ours, theirs, more in (
        (linnet.Lasso.path, sklearn.linear_model.lasso_path, {}),
        (linnet.ElasticNet.path, sklearn.linear_model.enet_path, {"l1_ratio": 0.3}),
    ):
        own = ours(form(X), y, alphas=20, positive=positive, tol=1e-10, max_iter=10_000, return_n_iter=True, **more)
        peer = theirs(X, y, alphas=20, positive=positive, tol=1e-12, max_iter=100_000, return_n_iter=True, **more)
        assert_allclose(own[0], peer[0])
        assert_allclose(own[1], peer[1], atol=1e-4 * np.abs(peer[1]).max())
        assert own[2].shape == peer[2].shape
        assert len(own[3]) == len(peer[3]) == 20
    alphas, coefs, gaps = linnet.Lasso.path(form(X), np.column_stack([y, -y]), alphas=[0.1, 1.0])
    assert_allclose(alphas, [1.0, 0.1])
    assert coefs.shape == (2, X.shape[1], 2)
    assert (gaps >= 0).all()
    with pytest.raises(linnet.RecipeError, match="alphas"):
        linnet.Lasso.path(form(X), y, alphas=[-1.0])


def test_check_input_is_taken(rng):
    X, y = table(rng)
    model = linnet.Lasso(alpha=0.1).fit(X, y, check_input=False)
    assert_allclose(model.coef_, linnet.Lasso(alpha=0.1).fit(X, y).coef_)
