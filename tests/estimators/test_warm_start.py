"""warm_start: a fit that begins where the last one ended comes to its own optimum, at once if it is there already."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone

from linnet import (
    InputError,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    PassiveAggressiveClassifier,
    Perceptron,
    RecipeError,
    Ridge,
)


def table(rng, n=300, d=6, k=2):
    X = rng.normal(size=(n, d)) * np.array([1, 5, 0.2, 1, 1, 3])[:d]
    scores = X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k)) * 2
    return X, scores.argmax(axis=1), scores[:, 0]


CLASSIFIERS = [
    *(
        LogisticRegression(solver=solver, warm_start=True)
        for solver in ("newton-cholesky", "newton-cg", "dual", "lbfgs")
    ),
    LogisticRegression(solver="gradient", warm_start=True),
    LogisticRegression(penalty="l1", warm_start=True, max_iter=20_000),
    LogisticRegression(penalty=None, warm_start=True, tol=1e-6),
    LogisticRegression(penalty=None, solver="gradient", warm_start=True, tol=1e-6, max_iter=20_000),
    LinearSVC(solver="lbfgs", warm_start=True),
    LinearSVC(solver="dual", warm_start=True),
    LinearSVC(loss="hinge", solver="newton", warm_start=True),
    LinearSVC(loss="hinge", solver="dual", warm_start=True, max_iter=20_000),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_second_fit_to_the_same_rows_is_at_its_end_at_once(model, k, form, rng):
    X, y, _ = table(rng, k=k)
    X = form(X)
    model = clone(model).set_params(multiclass="one-vs-rest")
    first = model.fit(X, y).n_iter_
    before, weights = model.certificate_, model.coef_.copy()
    again = model.fit(X, y).n_iter_
    assert again <= 2 < first
    proven = model.certificate_
    if not before.reason:
        assert proven.gap <= model.tol
        assert abs(proven.primal - before.primal) <= model.tol * before.primal
    assert np.abs(model.coef_ - weights).max() <= 2e-2 * np.abs(weights).max()


@pytest.mark.parametrize("multiclass", ["joint", "reference"])
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
def test_softmax_begins_where_it_ended(multiclass, solver, rng):
    X, y, _ = table(rng, k=4)
    model = LogisticRegression(multiclass=multiclass, solver=solver, warm_start=True)
    first = model.fit(X, y).n_iter_
    assert model.fit(X, y).n_iter_ <= 2 < first
    assert model.certificate_.gap <= model.tol


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_ridge_by_conjugate_gradients_begins_where_it_ended(alpha, intercept, rng):
    X, _, y = table(rng)
    model = Ridge(solver="cg", alpha=alpha, warm_start=True, fit_intercept=intercept)
    first = model.fit(X, y).n_iter_
    weights = model.coef_.copy()
    assert model.fit(X, y).n_iter_ <= 1 < first
    assert_array_equal(model.coef_, weights)
    exact = Ridge(solver="analytic", alpha=alpha, fit_intercept=intercept).fit(X, y)
    other = Ridge(solver="cg", alpha=alpha, warm_start=True, fit_intercept=intercept, tol=1e-12).fit(X, 2 * y).fit(X, y)
    np.testing.assert_allclose(other.coef_, exact.coef_, rtol=1e-5)
    np.testing.assert_allclose(other.intercept_, exact.intercept_, rtol=1e-5, atol=1e-9)


def test_least_squares_by_gradients_begin_where_they_ended(rng):
    X, _, y = table(rng)
    model = LinearRegression(solver="gradient", warm_start=True, max_iter=20_000)
    first = model.fit(X, y).n_iter_
    assert model.fit(X, y).n_iter_ <= 2 < first


@pytest.mark.filterwarnings("ignore:Setting penalty=None will ignore the C")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_other_rows_and_another_strength_end_at_their_own_optimum(model, rng):
    X, y, _ = table(rng)
    fewer, targets = X[:200] + 0.1, y[:200]
    warm = clone(model).set_params(tol=1e-6, max_iter=20_000).fit(X, y)
    warm.set_params(C=2.0 * warm.C).fit(fewer, targets)
    cold = clone(warm).set_params(warm_start=False).fit(fewer, targets)
    if not cold.certificate_.reason:
        assert warm.certificate_.gap <= 1e-6
        assert abs(warm.certificate_.primal - cold.certificate_.primal) <= 1e-6 * cold.certificate_.primal
    assert np.abs(warm.coef_ - cold.coef_).max() <= 1e-2 * np.abs(cold.coef_).max()


def test_the_joint_hinge_goes_on_from_its_multipliers(rng):
    X, y, _ = table(rng, k=3)
    model = LinearSVC(loss="hinge", multiclass="joint", warm_start=True, max_iter=20_000)
    first = model.fit(X, y).n_iter_
    assert model.fit(X, y).n_iter_ <= 2 < first
    nearer = model.set_params(tol=1e-7).fit(X, y)
    cold = LinearSVC(loss="hinge", multiclass="joint", max_iter=20_000, tol=1e-7).fit(X, y)
    assert nearer.n_iter_ < cold.n_iter_
    assert abs(nearer.certificate_.primal - cold.certificate_.primal) <= 1e-7 * cold.certificate_.primal


def test_a_start_that_does_not_fit_is_refused_with_the_remedy(rng):
    X, y, numbers = table(rng, k=3)
    model = LogisticRegression(warm_start=True).fit(X, y)
    with pytest.raises(InputError, match=r"other columns: 6, not 5; set warm_start=False"):
        model.fit(X[:, :5], y)
    model = LogisticRegression(warm_start=True).fit(X, y)
    with pytest.raises(InputError, match=r"other labels: \[0, 1, 2\], not \[0, 1\]"):
        model.fit(X, np.minimum(y, 1))
    with pytest.raises(InputError, match="other multiclass: joint, not reference"):
        model.set_params(multiclass="reference").fit(X, y)
    online = LinearRegression(solver="online", warm_start=True, eta0=1e-3).fit(X, numbers)
    with pytest.raises(RecipeError, match="parameters have changed since the last fit"):
        online.set_params(eta0=1e-4).fit(X, numbers)


@pytest.mark.parametrize(
    "model",
    [Perceptron(), PassiveAggressiveClassifier(), LogisticRegression(solver="online")],
    ids=lambda model: type(model).__name__,
)
def test_an_online_learner_goes_on_where_it_ended(model, rng):
    X, y, _ = table(rng, k=3)
    model.set_params(warm_start=True, shuffle=False, max_iter=3, tol=None)
    model.fit(X, y)
    weights = model.coef_.copy()
    model.fit(X, y)
    at_once = clone(model).set_params(warm_start=False, max_iter=6).fit(X, y)
    assert not np.array_equal(model.coef_, weights)
    assert_array_equal(model.coef_, at_once.coef_)
    assert model.n_iter_ == 3
    assert model.certificate_.reason  # the rows before are not known


def test_without_it_nothing_is_remembered(rng):
    X, y, _ = table(rng)
    model = LogisticRegression().fit(X[:, :3], y)
    assert_array_equal(model.fit(X, y).coef_, LogisticRegression().fit(X, y).coef_)


@pytest.mark.parametrize("model", [LogisticRegression(solver="dual"), LinearSVC(loss="hinge", solver="dual")], ids=str)
def test_any_number_of_threads_gives_the_same_bits(model, rng):
    X, y, _ = table(rng, k=4)
    fits = []
    for threads in (1, 3):
        each = clone(model).set_params(multiclass="one-vs-rest", warm_start=True, n_jobs=threads, max_iter=20_000)
        fits.append(each.fit(X[:250], y[:250]).fit(X, y).set_params(tol=1e-6).fit(X, y).coef_)
    assert_array_equal(*fits)
