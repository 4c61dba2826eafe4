"""An L1 penalty on many columns: working sets end at the optimum over all columns, in few steps."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs

from linnet import LogisticRegression
from linnet.training.solvers import working_sets


def wide(rng, n=60, d=700, fraction=0.3):
    """More columns than rows, a few of which decide the label, on several scales."""
    X = np.where(rng.random((n, d)) < fraction, rng.normal(size=(n, d)), 0.0) * rng.choice([0.3, 1.0, 3.0], d)
    return X, X[:, :5] @ [2.0, -1.0, 1.0, 3.0, -2.0] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_the_optimum_is_that_of_scikit_learn(C, sparse, rng):
    X, score = wide(rng)
    y = score > 0
    given = csr_array(X) if sparse else X
    model = LogisticRegression(penalty="l1", C=C, tol=1e-7).fit(given, y)
    assert model.certificate_.gap <= 1e-7

    def objective(w, b):
        return np.logaddexp(0.0, -np.where(y, 1, -1) * (X @ w + b)).sum() + np.abs(w).sum() / C

    # theirs penalises the intercept, but for this scale of it hardly at all
    theirs = Theirs(l1_ratio=1, C=C, solver="liblinear", tol=1e-10, max_iter=100_000, intercept_scaling=1e4).fit(X, y)
    best = objective(theirs.coef_[0], theirs.intercept_[0])
    assert objective(model.coef_[0], model.intercept_[0]) <= best * (1 + 1e-6)


@pytest.mark.parametrize(
    ("estimator", "classes"),
    [
        (LogisticRegression(penalty="l1", C=2.0, tol=1e-6), 2),
        (LogisticRegression(penalty="l1", C=2.0, tol=1e-6), 4),
        (LogisticRegression(penalty="l1", C=2.0, tol=1e-6, fit_intercept=False), 2),
        (LogisticRegression(penalty="elasticnet", l1_ratio=0.5, C=2.0, tol=1e-6), 3),
        (LogisticRegression(penalty="elasticnet", l1_ratio=0.001, C=20.0, tol=1e-6), 2),  # nearly all weights count
    ],
    ids=str,
)
def test_working_sets_and_all_columns_at_once_end_at_the_same_objective(estimator, classes, rng, monkeypatch):
    X, score = wide(rng, n=80, d=400)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    weights = rng.integers(1, 4, 80)
    by_sets = estimator.fit(X, y, sample_weight=weights).certificate_
    monkeypatch.setattr(working_sets, "MANY_COLUMNS", 10_000)
    at_once = estimator.set_params(max_iter=200_000).fit(X, y, sample_weight=weights).certificate_
    assert by_sets.gap <= 1e-6
    assert at_once.gap <= 1e-6
    assert by_sets.dual <= at_once.primal
    assert at_once.dual <= by_sets.primal


def test_products_of_columns_that_have_much_in_common_converge_within_the_steps_of_the_learner(rng):
    """Over all 20,100 columns at once, steps are so short that 10,000 of them are too few."""
    X = rng.integers(9, size=(12, 200)).astype(float)
    first, second = np.triu_indices(200, 1)
    X = np.hstack([X, X[:, first] * X[:, second]])
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    model = LogisticRegression(penalty="l1").fit(X, np.arange(12) % 2)
    assert model.certificate_.gap <= 1e-4
    assert model.n_iter_ < 5000


def test_steps_are_counted_over_all_sets(rng):
    X, score = wide(rng)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = LogisticRegression(penalty="l1", C=100.0, tol=1e-12, max_iter=7).fit(X, score > 0)
    assert model.n_iter_ == 7


def test_a_warm_start_goes_on_from_where_the_last_fit_ended(rng):
    X, score = wide(rng)
    model = LogisticRegression(penalty="l1", C=5.0, tol=1e-6, warm_start=True).fit(X, score > 0)
    steps = model.n_iter_
    assert model.set_params(C=5.5).fit(X, score > 0).certificate_.gap <= 1e-6
    assert model.n_iter_ < steps
