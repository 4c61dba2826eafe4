"""Alpha of ridge regression, chosen by the data, against explicit refits and scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge, RidgeCV

from linnet.data.rows import Examples, Rows
from linnet.learners import catalogue
from linnet.training import alpha_choice, alpha_folds
from linnet.training.leave_one_out import LeaveOneOut, feasible

RIDGE = catalogue.find("ridge")
ALPHAS = np.array([0.01, 0.3, 2.0, 40.0])
SHAPES = {"narrow": (30, 6), "square": (12, 12), "wide": (14, 40)}


def problem(n, d, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.2, 3, d) + rng.uniform(-1, 1, d)
    return X, X @ rng.standard_normal(d) + 5 + noise * rng.standard_normal(n)


def refitted(X, y, alpha, intercept=True):
    """The sum of squared errors on each row of a fit to all others."""
    everything = np.arange(len(y))
    models = [
        Ridge(alpha=alpha, fit_intercept=intercept, solver="svd").fit(X[everything != i], y[everything != i])
        for i in everything
    ]
    return sum((model.predict(X[i : i + 1])[0] - y[i]) ** 2 for i, model in enumerate(models))


def chosen(X, y, weights=None, entry=RIDGE):
    rows = Rows.of(X)
    return alpha_choice.with_alpha(entry, Examples(rows, y, weights), rows)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_leave_one_out_errors_are_those_of_explicit_refits(shape, form, intercept):
    X, y = problem(*shape)
    X[np.random.default_rng(1).random(X.shape) < 0.5] = 0.0
    found = LeaveOneOut(Examples(Rows.of(form(X)), y), intercept=intercept).errors(ALPHAS)
    np.testing.assert_allclose(found, [refitted(X, y, alpha, intercept) for alpha in ALPHAS], rtol=1e-8)


def test_very_sparse_wide_rows_are_left_out_exactly():
    X, y = problem(20, 400)
    X[np.random.default_rng(1).random(X.shape) < 0.98] = 0.0
    found = LeaveOneOut(Examples(Rows.of(sparse.csr_array(X)), y), intercept=True).errors(ALPHAS)
    np.testing.assert_allclose(found, [refitted(X, y, alpha) for alpha in ALPHAS], rtol=1e-8)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_row_of_weight_k_is_left_out_as_k_copies_are(shape):
    X, y = problem(*shape)
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    copied = LeaveOneOut(Examples(Rows.of(np.repeat(X, weights, axis=0)), np.repeat(y, weights)), intercept=True)
    weighted = LeaveOneOut(Examples(Rows.of(X), y, weights.astype(float)), intercept=True)
    np.testing.assert_allclose(weighted.errors(ALPHAS), copied.errors(ALPHAS), rtol=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_of_a_weight_below_one_the_whole_row_is_left_out(shape):
    X, y = problem(*shape)
    weights = np.random.default_rng(2).uniform(0.01, 1, len(y))
    found = LeaveOneOut(Examples(Rows.of(X), y, weights), intercept=True).errors(ALPHAS)
    for alpha, error in zip(ALPHAS, found, strict=True):
        total = 0.0
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            model = Ridge(alpha=alpha, solver="svd").fit(X[rest], y[rest], weights[rest])
            total += weights[i] * (model.predict(X[i : i + 1])[0] - y[i]) ** 2
        assert error == pytest.approx(total, rel=1e-8)


def taken_by_ridge_cv(X, y, *, intercept=True):
    """The largest candidate whose leave-one-out error is within 0.01 % of the least, by scikit-learn's errors."""
    candidates = np.array([float(f"{10 ** (k / 10):.3g}") for k in range(-10, 60)])
    model = RidgeCV(candidates, fit_intercept=intercept, store_cv_results=True).fit(X, y)
    errors = model.cv_results_.mean(axis=0)
    return candidates[errors <= (1 + 1e-4) * errors.min()].max()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(60, 10), (80, 70), (50, 120)])
def test_alpha_is_the_one_that_ridge_cv_takes_of_the_same_candidates(shape, seed):
    X, y = problem(*shape, seed=seed, noise=5.0)
    choice = chosen(X, y)
    assert choice.entry.recipe.penalty.l2 == taken_by_ridge_cv(X, y)
    assert choice.how == "leave-one-out"


def test_a_penalised_intercept_is_left_out_like_a_column_of_ones():
    X, y = problem(60, 10, noise=5.0)
    y -= y.mean()
    entry = replace(RIDGE, recipe=replace(RIDGE.recipe, penalty=replace(RIDGE.recipe.penalty, intercept=True)))
    ones = np.column_stack([X, np.ones(len(y))])
    assert chosen(X, y, entry=entry).entry.recipe.penalty.l2 == taken_by_ridge_cv(ones, y, intercept=False)


def allow_leaving_one_out(monkeypatch, possible):
    monkeypatch.setattr(alpha_choice, "quickly_decomposed", lambda _: False)
    monkeypatch.setattr(alpha_choice, "feasible", lambda _: possible)


def folds_problem(n=400, d=600, seed=3):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.02, rng=rng, format="csr")
    return X, X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n)


def test_errors_on_folds_are_those_of_explicit_fits(monkeypatch):
    monkeypatch.setattr(alpha_folds, "TOL", 1e-12)
    X, y = folds_problem(100, 60)
    weights = np.random.default_rng(2).uniform(0.5, 3, len(y))
    found = alpha_folds.errors(Examples(Rows.of(X), y, weights), ALPHAS, intercept=True, watch=lambda _: None)
    dense = X.toarray()
    for alpha, error in zip(ALPHAS, found, strict=True):
        total = 0.0
        for number in range(5):
            there = np.arange(len(y)) % 5 == number
            model = Ridge(alpha=alpha, solver="cholesky").fit(dense[~there], y[~there], weights[~there])
            total += weights[there] @ (model.predict(dense[there]) - y[there]) ** 2
        assert error == pytest.approx(total, rel=1e-9)


def test_alpha_chosen_on_folds_is_as_good_as_that_of_leave_one_out(monkeypatch):
    X, y = folds_problem()
    exact = chosen(X, y).entry.recipe.penalty.l2
    allow_leaving_one_out(monkeypatch, False)
    choice = chosen(X, y)
    assert choice.how == "5-fold cross-validation"
    errors = LeaveOneOut(Examples(Rows.of(X), y), intercept=True).errors(
        np.array([exact, choice.entry.recipe.penalty.l2])
    )
    assert errors[1] < 1.01 * errors[0]


@pytest.mark.parametrize("possible", [True, False], ids=["leave-one-out", "folds"])
def test_weights_choose_the_alpha_of_copies(monkeypatch, possible):
    allow_leaving_one_out(monkeypatch, possible)
    X, y = folds_problem()
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    weighted, copied = (
        chosen(X, y, weights.astype(float)),
        chosen(X[np.repeat(np.arange(len(y)), weights)], np.repeat(y, weights)),
    )
    assert weighted.entry.recipe.penalty.l2 == copied.entry.recipe.penalty.l2


def test_alpha_does_not_depend_on_the_unit_of_the_target():
    X, y = problem(60, 10, noise=5.0)
    assert {chosen(X, unit * y).entry.recipe.penalty.l2 for unit in (1.0, 1e-200, 1e200)} == {
        chosen(X, y).entry.recipe.penalty.l2
    }


@pytest.mark.parametrize("possible", [True, False], ids=["leave-one-out", "folds"])
def test_a_target_without_noise_is_hardly_penalised_and_noise_alone_is_penalised_away(monkeypatch, possible):
    allow_leaving_one_out(monkeypatch, possible)
    X, y = problem(200, 5, noise=0.0)
    assert chosen(X, y).entry.recipe.penalty.l2 < 1e-3
    noise = np.random.default_rng(4).standard_normal(200)
    assert chosen(X, noise).entry.recipe.penalty.l2 > 100


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((10, 3)), np.arange(10.0)),
        (np.ones((10, 3)), np.arange(10.0)),
        (np.arange(3.0).reshape(1, 3), np.ones(1)),
        (np.empty((10, 0)), np.arange(10.0)),
        (np.arange(30.0).reshape(10, 3), np.full(10, 7.0)),
        (np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0])),
    ],
    ids=["all zero", "constant columns", "one row", "no column", "constant target", "two rows"],
)
@pytest.mark.parametrize("possible", [True, False], ids=["leave-one-out", "folds"])
def test_where_nothing_can_be_chosen_alpha_is_still_positive_and_finite(monkeypatch, X, y, possible):
    allow_leaving_one_out(monkeypatch, possible)
    choice = chosen(X, y)
    assert 0 < choice.entry.recipe.penalty.l2 < np.inf
    assert choice.how in ("", "leave-one-out", "5-fold cross-validation")


def test_tables_too_large_to_decompose_are_not():
    def shaped(n, d, entries):
        starts = np.linspace(0, entries, n + 1).astype(np.int64)
        rows = Rows(np.ones(entries), np.zeros(entries, np.uint32), starts, (n, d))
        return Examples(rows, np.zeros(n))

    assert feasible(shaped(1000, 100_000, 1000))
    assert feasible(shaped(50_000, 50, 2_500_000))
    assert not feasible(shaped(2000, 2000, 10))
    assert not feasible(shaped(1_000_000, 1000, 1_000_000))
