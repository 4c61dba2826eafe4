"""Quantile regression beside the linear programme itself, solved by HiGHS, and beside scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.sparse import csr_array
from sklearn import linear_model
from sklearn.metrics import mean_pinball_loss

import linnet


def drawn(rng, n, d):
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, size=d)
    y = X @ (rng.normal(size=d) / X.std(axis=0)) + rng.standard_t(2, size=n) + 3.0
    return X, y, rng.integers(0, 3, size=n).astype(float)


def objective(X, y, c, q, alpha, w, b):
    return mean_pinball_loss(y, X @ w + b, sample_weight=c, alpha=q) + alpha * np.abs(w).sum()


def optimum(X, y, c, q, alpha, intercept):
    """Over w = w+ - w-, b and the parts of the residuals."""
    n, d = X.shape
    c = c / c.sum()
    ones = np.ones((n, 1)) * intercept
    A = np.hstack([X, -X, ones, -ones, np.eye(n), -np.eye(n)])
    costs = np.concatenate([np.full(2 * d, alpha), [0.0, 0.0], q * c, (1 - q) * c])
    return linprog(costs, A_eq=A, b_eq=y, method="highs").fun


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["interior-point", "highs"])
@pytest.mark.parametrize(("n", "d"), [(60, 4), (25, 40), (150, 3)])
def test_it_is_the_optimum_of_the_programme_and_the_gap_tells_no_lie(n, d, solver, intercept, form, rng):
    for q in (0.1, 0.5, 0.8):
        for alpha in (0.003, 0.1):
            X, y, c = drawn(rng, n, d)
            model = linnet.QuantileRegressor(quantile=q, alpha=alpha, solver=solver, fit_intercept=intercept)
            model.fit(form(X), y, c)
            best = optimum(X, y, c, q, alpha, intercept)
            ours, proven = objective(X, y, c, q, alpha, model.coef_, model.intercept_), model.certificate_
            assert_allclose(proven.primal, ours, rtol=1e-10)
            assert proven.dual <= best * (1 + 1e-9)
            assert -1e-9 * best <= ours - best <= 1e-6 * best
            assert proven.gap <= 1e-6


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.3])
def test_coefficients_are_scikit_learns_and_the_zeros_exact(alpha, rng):
    X, y, c = drawn(rng, 200, 6)
    X /= X.std(axis=0)
    ours = linnet.QuantileRegressor(quantile=0.7, alpha=alpha).fit(X, y, c)
    peer = linear_model.QuantileRegressor(quantile=0.7, alpha=alpha, solver="highs").fit(X, y, c)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)
    assert_allclose(ours.score(X, y, c), peer.score(X, y, c), rtol=1e-6)
    assert ((ours.coef_ == 0) == (np.abs(peer.coef_) < 1e-9)).all()


def test_the_solution_passes_through_as_many_rows_as_there_are_weights(rng):
    X, y, _ = drawn(rng, 500, 4)
    model = linnet.QuantileRegressor(alpha=0.0).fit(X, y)
    assert (np.abs(y - model.predict(X)) < 1e-9).sum() == 5
    assert "without a penalty" in model.certificate_.reason


def test_a_fraction_of_the_targets_is_below(rng):
    X, y, _ = drawn(rng, 2000, 3)
    for q in (0.05, 0.5, 0.95):
        below = (y < linnet.QuantileRegressor(quantile=q, alpha=0.0).fit(X, y).predict(X) - 1e-9).mean()
        assert q - 4 / 2000 <= below <= q


def test_collinear_and_constant_columns_are_fitted(rng):
    X, y, c = drawn(rng, 80, 3)
    X = np.column_stack([X, X[:, 0] * 2.0, np.zeros(80)])
    model = linnet.QuantileRegressor(alpha=0.05).fit(X, y, c)
    ours = objective(X, y, c, 0.5, 0.05, model.coef_, model.intercept_)
    assert_allclose(ours, optimum(X, y, c, 0.5, 0.05, True), rtol=1e-6)


def test_a_quantile_of_0_is_refused():
    with pytest.raises(linnet.RecipeError, match="quantile must lie between 0 and 1"):
        linnet.QuantileRegressor(quantile=0.0).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_without_a_penalty_collinear_columns_and_repeated_rows_end_at_the_optimum_too(form, rng):
    for q in (0.1, 0.5):
        X, y, c = drawn(rng, 60, 5)
        X[:, 1], X[:, 2] = X[:, 0], 2 * X[:, 0] - 1e-7 * rng.normal(size=60)
        few, targets = np.repeat(rng.normal(size=(8, 12)), 4, axis=0), rng.normal(size=32)
        for A, b, weights in ((X, y, c), (few, targets, np.ones(32))):
            model = linnet.QuantileRegressor(quantile=q, alpha=0.0).fit(form(A), b, weights)
            peer = linear_model.QuantileRegressor(quantile=q, alpha=0.0).fit(A, b, weights)
            best = objective(A, b, weights, q, 0.0, peer.coef_, peer.intercept_)
            assert objective(A, b, weights, q, 0.0, model.coef_, model.intercept_) <= best * (1 + 1e-6)


def test_weights_that_the_penalty_takes_are_0_to_the_last_digit(rng):
    X = rng.normal(size=(300, 20))
    y = X[:, :8] @ rng.uniform(1.0, 3.0, size=8) + rng.normal(size=300)
    by_steps = linnet.QuantileRegressor(quantile=0.6, alpha=0.1, solver="interior-point").fit(X, y)
    by_highs = linnet.QuantileRegressor(quantile=0.6, alpha=0.1, solver="highs").fit(X, y)
    assert np.array_equal(by_steps.coef_ != 0, by_highs.coef_ != 0)
    assert 0 < np.count_nonzero(by_steps.coef_) < 20


def test_scikit_learns_solver_names_and_options_are_taken(rng):
    X, y, _ = drawn(rng, 60, 3)
    own = linnet.QuantileRegressor(solver="highs").fit(X, y)
    for name in ("highs-ds", "highs-ipm", "revised simplex"):
        model = linnet.QuantileRegressor(solver=name, solver_options={"presolve": True}).fit(X, y)
        assert model.solver_ == "highs"
        assert_allclose(model.coef_, own.coef_)
    with pytest.raises(linnet.RecipeError, match="solver_options"):
        linnet.QuantileRegressor(solver_options="quick").fit(X, y)


def test_fewer_rows_than_columns_are_met_exactly_without_a_penalty(rng):
    for _ in range(40):
        X, y = rng.normal(size=(2, 3)), 100.0 * rng.normal(size=2)
        model = linnet.QuantileRegressor(quantile=0.3, alpha=0.0, tol=1e-9).fit(X, y, [1.0, 2.0])
        assert_allclose(model.predict(X), y, rtol=1e-9)
