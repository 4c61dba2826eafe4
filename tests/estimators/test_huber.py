"""Huber's regression beside SciPy on the objective in all three unknowns, and beside scikit-learn."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_array
from sklearn import linear_model

import linnet
from linnet.training.solvers import huber
from linnet.training.solvers.huber_point import best_scale


def drawn(rng, n=200, d=5):
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, size=d)
    y = X @ (rng.normal(size=d) / X.std(axis=0)) + rng.standard_t(2, size=n) + 3.0
    return X, y, rng.integers(0, 3, size=n).astype(float)


def objective(X, y, c, epsilon, alpha, w, b, s):
    """As scikit-learn states it."""
    t = np.abs(y - X @ w - b) / s
    each = np.where(t < epsilon, t * t, 2 * epsilon * t - epsilon**2)
    return float(c @ (s + s * each)) + alpha * float(w @ w)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("epsilon", [1.1, 1.35, 3.0])
def test_it_is_the_optimum_that_scipy_finds_and_the_gap_tells_no_lie(epsilon, intercept, form, rng):
    for alpha in (1e-4, 1.0, 50.0):
        X, y, c = drawn(rng)
        model = linnet.HuberRegressor(epsilon=epsilon, alpha=alpha, fit_intercept=intercept).fit(form(X), y, c)
        ours = objective(X, y, c, epsilon, alpha, model.coef_, model.intercept_, model.scale_)
        units = np.append(1 / X.std(axis=0), [1.0, 1.0])

        def value(scaled, X=X, y=y, c=c, alpha=alpha, units=units):
            v = scaled * units
            return objective(X, y, c, epsilon, alpha, v[:-2], v[-2] if intercept else 0.0, np.exp(v[-1]))

        start = np.concatenate([model.coef_, [model.intercept_, np.log(model.scale_)]]) / units
        best = min(
            minimize(value, begin, method="BFGS", options={"gtol": 1e-9}).fun
            for begin in (start, start + 0.05 * rng.normal(size=len(start)))
        )
        proven, half = model.certificate_, 2 * c.sum()
        assert_allclose(proven.primal * half, ours, rtol=1e-9)
        assert ours - best <= 1e-6 * ours
        assert proven.dual * half <= best * (1 + 1e-10)
        assert proven.gap <= 1e-6


def test_coefficients_scale_and_outliers_are_scikit_learns(rng):
    X, y, c = drawn(rng)
    X /= X.std(axis=0)
    for parameters in ({}, {"epsilon": 2.0, "alpha": 3.0}, {"fit_intercept": False}):
        ours = linnet.HuberRegressor(tol=1e-12, **parameters).fit(X, y, c)
        peer = linear_model.HuberRegressor(tol=1e-10, max_iter=10_000, **parameters).fit(X, y, c)
        assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
        assert_allclose([ours.intercept_, ours.scale_], [peer.intercept_, peer.scale_], atol=1e-4)
        assert (ours.outliers_ == peer.outliers_).all()
        assert_allclose(ours.score(X, y, c), peer.score(X, y, c), atol=1e-4)
        theirs = [peer.coef_, peer.intercept_, peer.scale_]
        epsilon, alpha = parameters.get("epsilon", 1.35), parameters.get("alpha", 1e-4)
        mine = [ours.coef_, ours.intercept_, ours.scale_]
        assert objective(X, y, c, epsilon, alpha, *mine) <= objective(X, y, c, epsilon, alpha, *theirs) * (1 + 1e-12)


def test_without_a_penalty_nothing_is_proven_and_the_fit_is_the_same(rng):
    X, y, _ = drawn(rng)
    X /= X.std(axis=0)
    ours = linnet.HuberRegressor(alpha=0.0).fit(X, y)
    assert "without a penalty" in ours.certificate_.reason
    assert_allclose(ours.coef_, linnet.HuberRegressor(alpha=1e-9).fit(X, y).coef_, rtol=1e-6)


@pytest.mark.parametrize("epsilon", [1.05, 1.35, 5.0])
def test_the_scale_is_the_root_of_its_equation(epsilon, rng):
    for _ in range(20):
        r, p = rng.standard_t(1.5, size=50), rng.random(50)
        p /= p.sum()
        scale, inside = best_scale(r, p, epsilon)

        def off(s, r=r, p=p):
            return float(p @ np.minimum((r / s) ** 2, epsilon**2)) - 1.0

        assert_allclose(scale, brentq(off, 1e-9, 1e9, xtol=1e-14, rtol=1e-14), rtol=1e-9)
        assert (inside == (np.abs(r) <= epsilon * scale)).all()


def test_an_epsilon_below_1_is_refused():
    with pytest.raises(linnet.RecipeError, match="epsilon must be 1 or more"):
        linnet.HuberRegressor(epsilon=0.9).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-4, 5.0, 100.0, 500.0])
def test_more_columns_than_rows_are_proven_and_no_worse_than_scikit_learns(alpha, intercept, form, rng):
    """Small penalties let weights fit all rows, and the scale falls to 0."""
    X = rng.normal(size=(60, 100))
    y = X[:, :5].sum(axis=1) + rng.standard_t(2, size=60) + 3.0
    ones = np.ones(60)
    model = linnet.HuberRegressor(alpha=alpha, fit_intercept=intercept, max_iter=300, tol=1e-4).fit(form(X), y)
    assert model.certificate_.within(1e-4)
    ours = objective(X, y, ones, 1.35, alpha, model.coef_, model.intercept_, model.scale_)
    theirs = linear_model.HuberRegressor(alpha=alpha, fit_intercept=intercept, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y)
    assert ours <= objective(X, y, ones, 1.35, alpha, theirs.coef_, theirs.intercept_, theirs.scale_) * (1 + 1e-4)
    assert model.certificate_.dual <= ours / 120 * (1 + 1e-9)


@pytest.mark.parametrize("rows", [80, huber.PAIRS_AT_MOST + 200])
def test_columns_may_be_more_than_fit_into_a_table_of_their_pairs(rows, rng):
    ids = rng.integers(0, 300_000, size=(rows, 30))
    X = csr_array((rng.normal(size=ids.size), ids.ravel(), np.arange(0, ids.size + 1, 30)), shape=(rows, 300_000))
    y = rng.standard_t(2, size=rows)
    model = linnet.HuberRegressor(alpha=100.0, tol=1e-4).fit(X, y)
    assert model.certificate_.within(1e-4)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("rows", "columns"), [(90, 40), (60, 60), (40, 90)])
def test_rows_that_are_fit_exactly_are_proven_however_often_they_are_copied(rows, columns, intercept, rng):
    """Their residuals are rounding, and tell nothing of the bound."""
    X, outliers = rng.normal(size=(rows, columns)), rng.random(rows) < 0.05
    y, copies = X @ rng.normal(size=columns) + np.where(outliers, 10.0, 0.0), rng.integers(0, 4, rows)
    weighted = linnet.HuberRegressor(alpha=1e-2, tol=1e-4, fit_intercept=intercept).fit(X, y, copies)
    copied = linnet.HuberRegressor(alpha=1e-2, tol=1e-4, fit_intercept=intercept).fit(
        np.repeat(X, copies, axis=0), np.repeat(y, copies)
    )
    for proven in (weighted.certificate_, copied.certificate_):
        assert proven.within(1e-4), proven
    assert_allclose(weighted.certificate_.primal, copied.certificate_.primal, rtol=1e-4)
    assert_allclose(weighted.coef_, copied.coef_, atol=1e-4)


@pytest.mark.parametrize(("n", "d"), [(40, 15), (300, 3)])
@pytest.mark.parametrize("epsilon", [1.0, 1.01])
def test_an_epsilon_of_nearly_1_ends_at_its_optimum_too(epsilon, n, d, rng):
    for alpha in (1e-3, 1e-2):
        X, y, c = drawn(rng, n, d)
        model = linnet.HuberRegressor(epsilon=epsilon, alpha=alpha, tol=1e-8, max_iter=500).fit(X, y, c)
        assert model.certificate_.gap <= 1e-8
        ours = objective(X, y, c, epsilon, alpha, model.coef_, model.intercept_, model.scale_)
        assert_allclose(model.certificate_.primal * 2 * c.sum(), ours, rtol=1e-9)


def test_with_an_epsilon_of_1_it_is_the_regression_of_least_absolute_deviations(rng):
    X, y, c = drawn(rng, 150, 4)
    model = linnet.HuberRegressor(epsilon=1.0, alpha=1e-4, max_iter=500).fit(X, y, c)
    median = linear_model.QuantileRegressor(quantile=0.5, alpha=0.0).fit(X, y, c)
    ours, best = (float(c @ np.abs(y - fitted.predict(X))) for fitted in (model, median))
    assert best <= ours <= best * (1 + 1e-5)
