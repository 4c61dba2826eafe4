"""An intercept that is held back as the weights are, where that is asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.svm import LinearSVC as TheirSVC

import linnet
from linnet.data.rows import Rows, with_intercept_column
from linnet.errors import InputError, RecipeError
from linnet.pipeline.verify import verify


@pytest.fixture
def far(rng):
    """Classes whose boundary lies far from the origin, so that a penalty of the intercept tells."""
    X = rng.normal([3.0, 0.0, 0.0, 0.0], size=(200, 4))
    return X, (X @ [1.0, 0.5, 0.0, -0.5] + rng.normal(size=200) > 3.5).astype(int)


def ones(X):
    return np.hstack([X, np.ones((len(X), 1))])


@pytest.mark.parametrize("sparse", [False, True])
def test_ones_are_put_last(sparse, rng):
    X = rng.normal(size=(5, 3)) * (rng.random((5, 3)) < 0.6)
    X[2] = 0
    made = with_intercept_column(Rows.of(csr_array(X) if sparse else X))
    found = made.matrix()
    np.testing.assert_array_equal(found.toarray() if sparse else found, ones(X))


@pytest.mark.parametrize("solver", ["newton-cholesky", "newton-cg", "dual", "lbfgs", "gradient"])
def test_logistic_regression_is_liblinears(solver, far):
    X, y = far
    model = linnet.LogisticRegression(solver=solver, penalise_intercept=True, tol=1e-9, max_iter=20000).fit(X, y)
    theirs = Theirs(solver="liblinear", tol=1e-10, max_iter=10000).fit(X, y)  # which penalises its intercept
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=2e-4)
    assert model.certificate_.gap < 1e-8
    free = linnet.LogisticRegression().fit(X, y)
    assert abs(free.intercept_[0]) > abs(model.intercept_[0]) + 0.2
    assert model.decision_function(X[:3]) == pytest.approx(X[:3] @ model.coef_[0] + model.intercept_[0])


@pytest.mark.parametrize("multiclass", ["joint", "reference", "one-vs-rest", "pairwise"])
@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_it_is_the_weight_of_a_column_of_ones(multiclass, layout, far):
    X, y = far
    y = y + (X[:, 1] > 1)
    asked = {"multiclass": multiclass, "tol": 1e-9}
    model = linnet.LogisticRegression(penalise_intercept=True, **asked).fit(layout(X), y)
    plain = linnet.LogisticRegression(fit_intercept=False, **asked).fit(layout(ones(X)), y)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), plain.coef_, atol=1e-4)
    assert model.certificate_.primal == pytest.approx(plain.certificate_.primal, rel=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("solver", ["dual", "newton"])
def test_support_vectors_are_liblinears(loss, solver, far):
    X, y = far
    model = linnet.LinearSVC(loss=loss, solver=solver, penalise_intercept=True, tol=1e-9, max_iter=50000).fit(X, y)
    theirs = TheirSVC(loss=loss, dual=True, tol=1e-10, max_iter=1000000).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("solver", ["analytic", "cg"])
def test_ridge_solves_the_normal_equations_with_ones(solver, far, rng):
    X, _ = far
    y = X @ [1.0, 2.0, 0.0, -1.0] + 5 + rng.normal(size=len(X))
    model = linnet.Ridge(alpha=30.0, solver=solver, tol=1e-12, penalise_intercept=True).fit(X, y)
    Z = ones(X)
    expected = np.linalg.solve(Z.T @ Z + 30.0 * np.eye(5), Z.T @ y)
    np.testing.assert_allclose([*model.coef_, model.intercept_], expected, atol=1e-4)


def test_a_warm_start_goes_on_with_the_intercept(far):
    X, y = far
    model = linnet.LogisticRegression(solver="newton-cg", penalise_intercept=True, warm_start=True, tol=1e-8).fit(X, y)
    steps, before = model.n_iter_, model.intercept_.copy()
    model.fit(X, y)
    assert model.n_iter_ < steps
    np.testing.assert_allclose(model.intercept_, before, rtol=1e-6)


def test_where_it_cannot_be_it_is_refused(far):
    X, y = far
    with pytest.raises(RecipeError, match="without a penalty the intercept has none either"):
        linnet.LogisticRegression(penalty=None, penalise_intercept=True).fit(X, y)
    with pytest.raises(RecipeError, match="not online"):
        linnet.LogisticRegression(solver="online", penalise_intercept=True).fit(X, y)
    with pytest.raises(InputError, match="where the intercept is penalised"):
        linnet.LogisticRegression(penalise_intercept=True).fit(X, y).summary(X, y, penalised=True)
    for learner, more, message in (
        ("adaptive", {}, "penalise_intercept is not for adaptive: it is for .*logistic-regression"),
        ("naive-bayes-gaussian", {}, "is not for naive-bayes-gaussian"),
        ("logistic-regression", {"penalty": "none"}, "leaves nothing to penalise_intercept"),
    ):
        with pytest.raises(RecipeError, match=message):
            linnet.train((X, y), learner=learner, task="classification", penalise_intercept=True, **more)
    with pytest.raises(RecipeError, match="has no penalty of its own: give alpha"):
        linnet.train((X, y), learner="least-squares", task="regression", penalise_intercept=True)


def objective(weights, X, y, C):
    z = (X @ weights[:-1] + weights[-1]) * np.where(y == 1, 1.0, -1.0)
    return np.logaddexp(0, -z).sum() * C + 0.5 * weights @ weights


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
def test_train_penalises_it_and_verify_knows(solver, far, tmp_path):
    X, y = far
    X = X / np.abs(X).max()  # numbered columns within 1 are taken as they are
    model = linnet.train((X, y), solver=solver, task="classification", C=2.0, penalise_intercept=True)
    least = minimize(objective, np.zeros(5), args=(X, y, 2.0), method="BFGS").fun
    found = objective(np.append(model.linear.weights[:, 0], model.linear.intercepts), X, y, 2.0)
    assert least <= found * (1 + 1e-9)
    assert found <= least * (1 + 1e-4)
    assert model.certificate.primal == pytest.approx(found / (2.0 * len(y)), rel=1e-9)
    model.save(tmp_path / "m")
    model = linnet.load(tmp_path / "m")
    assert model.record.recipe.penalty.intercept
    verdict = verify(model, (X, y))
    assert verdict.holds, verdict.why
    recipe = model.record.recipe
    forged = replace(recipe, penalty=replace(recipe.penalty, intercept=False))
    assert not verify(replace(model, record=replace(model.record, recipe=forged)), (X, y)).holds


@pytest.mark.parametrize("learner", ["svm", "svm-squared", "crammer-singer", "ridge"])
def test_other_learners_hold_it_back_too(learner, far):
    X, y = far
    task = "regression" if learner == "ridge" else "classification"
    alpha = {"alpha": 1.0} if learner == "ridge" else {}
    given = {"learner": learner, "task": task, **alpha}
    held, free = (linnet.train((X, y), penalise_intercept=asked, **given) for asked in (True, False))
    assert verify(held, (X, y)).holds
    assert abs(held.linear.intercepts[0]) < abs(free.linear.intercepts[0])


def test_texts_and_columns_on_scales_of_their_own(rng):
    words = np.array(["win", "prize", "home", "see", "you", "now", "call"])
    spam = rng.random(300) < 0.5
    texts = [" ".join(rng.choice(words[: 4 if s else 7], 6)) for s in spam]
    data = {"text": texts, "size": (rng.normal(size=300) + 100 + spam).tolist(), "kind": np.where(spam, "spam", "ham")}
    for solver in ("auto", "newton-cg"):
        model = linnet.train(data, target="kind", columns={"text": "text"}, solver=solver, penalise_intercept=True)
        assert verify(model, data).holds, verify(model, data).why
