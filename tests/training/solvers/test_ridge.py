"""Ridge beside scikit-learn's and beside the normal equations; certificates of least squares beside the optimum."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import linnet
from linnet import LinearRegression, Ridge
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.objective import Objective
from linnet.training.solvers import least_squares as analytic
from linnet.training.solvers import ridge
from linnet.training.solvers.row_products import ROWS_AT_ONCE, centred_products
from tests.conftest import both_forms

ALPHAS = [1e-6, 1e-3, 0.1, 1.0, 30.0, 1e6]


def exact(X, y, alpha, *, weights=None, intercept=True):
    """The stacked least squares whose solution ridge is: [sqrt(c)(X - m); sqrt(alpha) I]."""
    c = np.ones(len(y)) if weights is None else weights
    m, mean = (c @ X / c.sum(), c @ y / c.sum()) if intercept else (np.zeros(X.shape[1]), 0.0)
    A = np.vstack([np.sqrt(c)[:, np.newaxis] * (X - m), np.sqrt(alpha) * np.eye(X.shape[1])])
    unit = np.linalg.norm(A, axis=0)
    w = np.linalg.lstsq(A / unit, np.append(np.sqrt(c) * (y - mean), np.zeros(X.shape[1])), rcond=None)[0] / unit
    return w, mean - m @ w


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("shape", [(60, 5), (300, 40), (12, 30)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_ridge_is_that_of_scikit_learn(alpha, shape, intercept, weighted, rng):
    X, y = rng.normal(size=shape) + 3, rng.normal(size=shape[0])
    weights = rng.uniform(0, 2, size=shape[0]) if weighted else None
    theirs = sklearn.linear_model.Ridge(alpha=alpha, fit_intercept=intercept, solver="svd").fit(X, y, weights)
    for form in both_forms(X):
        ours = Ridge(alpha=alpha, fit_intercept=intercept).fit(form, y, weights)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8 * np.abs(theirs.coef_).max())
        assert_allclose(ours.predict(form), theirs.predict(X), rtol=1e-8, atol=1e-8)
        assert ours.certificate_.gap < 1e-8


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("solver", ["analytic", "cg"])
def test_collinear_and_constant_columns(alpha, solver, rng):
    X, y = rng.normal(size=(80, 6)), rng.normal(size=80)
    X[:, 2], X[:, 3], X[:, 4] = X[:, 0] + X[:, 1], 7.3, 0.0
    w, b = exact(X, y, alpha)
    for form in both_forms(X):
        model = Ridge(alpha=alpha, solver=solver, tol=1e-24).fit(form, y)
        assert_allclose(model.coef_, w, rtol=1e-8, atol=1e-8 if solver == "analytic" else 1e-7)
        assert model.intercept_ == pytest.approx(b, abs=1e-6)


def test_without_a_penalty_it_is_least_squares_and_the_shortest(rng):
    X, y = rng.normal(size=(50, 5)), rng.normal(size=50)
    X[:, 4] = X[:, 3]
    for form in both_forms(X):
        model = Ridge(alpha=0).fit(form, y)
        assert_allclose(model.coef_, np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean()), rtol=1e-9)
        assert_allclose(Ridge(alpha=0, solver="cg", tol=1e-13).fit(form, y).coef_, model.coef_, rtol=1e-9)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_columns_far_from_zero_and_of_every_scale_keep_their_digits(far, rng):
    """Sorted, so that the first rows tell nothing of the mean."""
    t = np.linspace(0, 1, 5000)
    X = rng.normal(size=(5000, 4)) * [1, 1e-4, 1e5, 1] + np.outer(np.ones(5000), [far, 0, 0, 0])
    X[:, 3] += far * t
    y = X @ [1.0, 1e4, 1e-5, 1 / far] + rng.normal(size=5000)
    w, _ = exact(X, y, 1e-4)
    assert_allclose(Ridge(alpha=1e-4).fit(X, y).coef_, w, rtol=1e-7)


def test_the_three_closed_forms_agree(rng):
    """By a table of columns, by one of rows, and by axes, which take over where a table is badly conditioned."""
    for shape in ((200, 7), (9, 30)):
        X, y, c = rng.normal(size=shape), rng.normal(size=shape[0]), rng.uniform(size=shape[0])
        examples = Examples(Rows.of(X), y, c)
        for intercept in (True, False):
            w, b = ridge.ridge(examples, 1.0, intercept=intercept)
            by_axes, b_by_axes = analytic.decomposed(examples, intercept=intercept).weights(1.0)
            assert_allclose(by_axes, w, rtol=1e-10)
            assert b_by_axes == pytest.approx(b, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("intercept", [True, False])
def test_conjugate_gradients_reach_the_closed_form(kind, intercept, rng):
    X = (rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.2)).astype(kind)
    X[:, :5] *= 30
    y, c = rng.normal(size=300) + 5, rng.uniform(size=300)
    closed = Ridge(solver="analytic", fit_intercept=intercept).fit(X, y, c)
    for form in both_forms(X):
        model = Ridge(solver="cg", tol=1e-20, fit_intercept=intercept).fit(form, y, c)
        assert_allclose(model.coef_, closed.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6, 1e-9])
def test_conjugate_gradients_stop_at_the_gap_asked_for(tol, rng):
    X, y = rng.normal(size=(200, 60)) * np.logspace(0, 2, 60), rng.normal(size=200)
    model = Ridge(solver="cg", tol=tol).fit(csr_array(X), y)
    assert model.certificate_.gap <= tol * 1.001
    best = Ridge(solver="analytic").fit(X, y).certificate_.primal
    assert best <= model.certificate_.primal <= best * (1 + 1.001 * tol / (1 - tol))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_under_a_weak_penalty_wide_rows_end_in_the_closed_form_instead_of_a_thousand_steps(intercept, weighted, rng):
    X = (rng.random((150, 400)) < 1 / np.arange(1, 401) ** 0.7) * rng.uniform(0.5, 1, size=400)
    y, c = X.sum(axis=1) + rng.normal(size=150), rng.uniform(0.5, 2, size=150) if weighted else None
    alpha = 1e-6 * float((X * X).sum())
    model = Ridge(alpha=alpha, solver="cg", tol=1e-9, fit_intercept=intercept).fit(csr_array(X), y, c)
    assert model.n_iter_ <= 60
    assert model.certificate_.gap <= 1e-9
    w, b = exact(X, y, alpha, weights=c, intercept=intercept)
    assert_allclose(model.coef_, w, rtol=1e-6, atol=1e-9)
    assert_allclose(model.intercept_, b, rtol=1e-6)


@pytest.mark.parametrize("density", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("n", [60, 2 * ROWS_AT_ONCE + 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_products_of_rows_are_those_of_dense_ones_whatever_columns_they_have_in_common(density, n, weighted, rng):
    X = (rng.random((n, 400)) < density * rng.uniform(0, 2, size=400)) * rng.normal(size=400)
    X[:, 7] = 1.5
    weights = rng.uniform(size=n) if weighted else None
    centred = X - (weights @ X / weights.sum() if weighted else 0.0)
    found = centred_products(Examples(Rows.of(csr_array(X)), np.zeros(n), None), weights)
    assert_allclose(found, centred @ centred.T, atol=1e-12 * float((X * X).sum()))


def test_wide_sparse_rows_are_left_to_conjugate_gradients(rng):
    X = csr_array((rng.random((50, 600)) < 0.05).astype(float))
    assert Ridge().fit(X, rng.normal(size=50)).n_iter_ > 1
    assert Ridge().fit(X.toarray(), rng.normal(size=50)).n_iter_ == 1


def test_a_table_that_does_not_fit_is_refused_with_the_remedy(rng):
    X = csr_array((rng.random((900, 20_000)) < 1e-3).astype(float))
    with pytest.raises(linnet.RecipeError, match="needs fewer columns: take solver='auto'"):
        Ridge(solver="analytic").fit(X, rng.normal(size=900))


@pytest.mark.parametrize("intercept", [True, False])
def test_the_certificate_of_least_squares_is_the_distance_to_the_optimum(intercept, rng):
    """Checked at weights that are not the optimum, where it must be neither zero nor a guess."""
    X, y, c = rng.normal(size=(60, 4)) + 2, rng.normal(size=60), rng.uniform(size=60)
    examples = linnet.data.rows.Examples(linnet.data.rows.Rows.of(X), y, c)
    best = LinearRegression(fit_intercept=intercept).fit(X, y, c)
    assert best.certificate_.gap < 1e-12  # what rounding may hide is counted
    w, b = best.coef_ + rng.normal(size=4), best.intercept_ + intercept * 0.7

    def value(w, b):
        return 0.5 * c @ (X @ w + b - y) ** 2 / c.sum()

    objective = Objective(examples, Loss.SQUARED, Penalty(), 1, intercept=intercept, regression=True)
    proof = analytic.certify(objective, np.append(w, b))
    assert proof.primal == pytest.approx(value(w, b), rel=1e-12)
    assert proof.dual == pytest.approx(value(best.coef_, best.intercept_), rel=1e-10)


def test_columns_collinear_to_rounding_have_no_certificate_and_are_told(rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    X[:, 2] = 0.3 * X[:, 0] + 0.7 * X[:, 1]
    proof = LinearRegression().fit(X, y).certificate_
    assert "rank 2 of 3" in proof.reason
    assert proof.gap == np.inf


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_columns_that_others_make_up_exactly_leave_the_proof_whole(rng, weighted, intercept):
    # one column a category, twice; a copy; an empty one: none of them adds anything to what the others reach
    n = 60
    colours, sizes, x = np.eye(3)[rng.integers(0, 3, n)], np.eye(4)[rng.integers(0, 4, n)], rng.normal(size=(n, 2))
    X = np.column_stack([colours, x, sizes, x[:, 0], np.zeros(n)])
    y, c = rng.normal(size=n), rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    found = LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=c)
    A = np.column_stack([X, np.ones(n)]) if intercept else X
    root = np.sqrt(c)
    residual = root * (y - A @ np.linalg.lstsq(A * root[:, np.newaxis], y * root)[0])
    best = residual @ residual / (2 * c.sum())
    assert not found.certificate_.reason
    assert found.certificate_.primal == pytest.approx(best, rel=1e-10)
    assert found.certificate_.dual == pytest.approx(best, rel=1e-10)
    # and weights that are off by a little are told to be
    rows = linnet.data.rows.Examples(linnet.data.rows.Rows.of(X), y, c)
    objective = Objective(rows, Loss.SQUARED, Penalty(), 1, intercept=intercept, regression=True)
    off = np.append(found.coef_ + 0.1 * rng.normal(size=X.shape[1]), found.intercept_)
    proof = analytic.certify(objective, off)
    assert proof.primal > 1.001 * best
    assert proof.dual == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("off", [1e4, 1e6, 1e9])
def test_least_squares_far_from_zero_are_not_proven_better_than_they_are(off):
    rng = np.random.default_rng(1)
    x = off + rng.normal(size=(200, 1))
    y = 1e6 + x[:, 0] - off + 1e-3 * rng.normal(size=200)
    xc, yc = (z.astype(np.longdouble) - z.astype(np.longdouble).mean() for z in (x[:, 0], y))
    rest = yc - (xc @ yc) / (xc @ xc) * xc
    found = LinearRegression().fit(x, y).certificate_
    assert found.dual <= float(rest @ rest) / 400
    assert found.gap <= 1e-2
