"""LogisticRegression with scikit-learn's parameters: the same optimum, types, and weights that can be written."""

from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn.linear_model import LogisticRegression as Theirs

import linnet
from linnet.estimators import solver_names

TIGHT = {"tol": 1e-12, "max_iter": 100_000}


def data(rng, classes=2, n=120):
    X = rng.normal(size=(n, 5))
    scores = X @ rng.normal(size=(5, classes)) + rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "liblinear"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_solver_of_scikit_learn_is_taken_and_ends_at_its_optimum(solver, classes, rng):
    X, y = data(rng, classes)
    parameters = {"solver": solver, "C": 0.7, **TIGHT}
    ours = linnet.LogisticRegression(**parameters)
    if solver == "liblinear" and classes > 2:
        with pytest.raises(ValueError, match="does not support multiclass"):
            ours.fit(X, y)
        return
    ours.fit(X, y)
    theirs = Theirs(**parameters, random_state=0).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert ours.n_iter_.shape == theirs.n_iter_.shape


@pytest.mark.parametrize(
    "parameters",
    [
        {"l1_ratio": 1.0, "solver": "saga"},
        {"l1_ratio": 0.4, "solver": "saga"},
        {"l1_ratio": 1.0, "solver": "liblinear", "intercept_scaling": 3.0},
        {"solver": "liblinear", "intercept_scaling": 10.0},
        {"solver": "liblinear", "dual": True},
        {"C": np.inf},
        {"C": np.inf, "solver": "newton-cholesky"},
    ],
)
def test_penalties_by_l1_ratio_and_c_are_scikit_learns(parameters, rng):
    X, y = data(rng, n=300)
    parameters = {"C": 0.5} | parameters | TIGHT
    ours, theirs = linnet.LogisticRegression(**parameters).fit(X, y), Theirs(**parameters, random_state=0).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=2e-3, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    "parameters",
    [
        {"solver": "lbfgs", "l1_ratio": 1.0},
        {"solver": "sag", "l1_ratio": 0.5},
        {"solver": "lbfgs", "dual": True},
        {"solver": "liblinear", "l1_ratio": 0.5},
        {"solver": "liblinear", "C": np.inf},
        {"C": -1.0},
        {"C": "1"},
        {"max_iter": -1},
        {"l1_ratio": 2.0},
        {"solver": "wrong"},
    ],
)
def test_what_scikit_learn_refuses_is_refused_with_a_value_error(parameters, rng):
    for cls in (linnet.LogisticRegression, Theirs):
        with pytest.raises(ValueError):  # noqa: PT011 - the texts differ
            cls(**parameters).fit(*data(rng))


def test_a_solver_of_scikit_learns_is_said_to_be_exchanged_once(rng, caplog, monkeypatch):
    monkeypatch.setattr(solver_names, "_said", set())
    X, y = data(rng)
    with caplog.at_level(logging.WARNING, "linnet"):
        model = linnet.LogisticRegression(solver="saga").fit(X, y)
        linnet.LogisticRegression(solver="saga").fit(X, y)
        linnet.LogisticRegression(solver="lbfgs").fit(X, y)
    assert [record.message for record in caplog.records] == [model.solver_reason_.split(";")[0]]
    assert "solver='saga'" in model.solver_reason_
    assert model.solver_ == "newton-cholesky"


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_float32_in_is_float32_out(form, classes, rng):
    X, y = data(rng, classes)
    single = linnet.LogisticRegression().fit(form(X.astype(np.float32)), y)
    double = linnet.LogisticRegression().fit(form(X), y)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert double.coef_.dtype == double.intercept_.dtype == np.float64
    for method in ("decision_function", "predict_proba", "predict_log_proba"):
        few = getattr(single, method)(form(X.astype(np.float32)))
        assert few.dtype == np.float32
        assert getattr(single, method)(form(X)).dtype == np.float64
        assert_allclose(few, getattr(double, method)(form(X)), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_are_written_are_those_that_predict(dtype, classes, rng):
    X, y = data(rng, classes)
    X = X.astype(dtype)
    model = linnet.LogisticRegression().fit(X, y)
    new_coef, new_intercept = rng.normal(size=model.coef_.shape), rng.normal(size=model.intercept_.shape)
    wanted = X @ new_coef.T + new_intercept
    wanted = wanted[:, 0] if classes == 2 else wanted
    assigned, within = pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(model))
    assert_array_equal(assigned.decision_function(X), model.decision_function(X))
    assigned.coef_, assigned.intercept_ = new_coef, new_intercept
    model.coef_[:], model.intercept_[:] = new_coef, new_intercept
    within.coef_[:], within.intercept_[:] = new_coef, new_intercept
    for changed in (assigned, model, within):
        assert_allclose(changed.decision_function(X), wanted, rtol=1e-5, atol=1e-5)


def test_weights_can_be_given_without_a_fit(rng):
    X, y = data(rng, 3)
    fitted = linnet.LogisticRegression().fit(X, y)
    given = linnet.LogisticRegression()
    given.coef_, given.intercept_, given.classes_ = fitted.coef_, fitted.intercept_, fitted.classes_
    assert_allclose(given.predict_proba(X), fitted.predict_proba(X), rtol=1e-12)
    assert_array_equal(given.predict(X), fitted.predict(X))


def test_sparse_weights_predict_the_same(rng):
    X, y = data(rng)
    model = linnet.LogisticRegression(l1_ratio=1.0, C=0.05).fit(X, y)
    before = model.decision_function(X)
    assert issparse(model.sparsify().coef_)
    assert_array_equal(model.decision_function(X), before)
    assert not issparse(model.densify().coef_)
    assert_array_equal(model.decision_function(X), before)


def test_no_iterations_leave_the_weights_where_they_began(rng):
    X, y = data(rng)
    with pytest.warns(match="made no pass"):
        model = linnet.LogisticRegression(max_iter=0).fit(X, y)
    assert_array_equal(model.coef_, np.zeros((1, 5)))
    assert_array_equal(model.n_iter_, [0])


def test_parameters_that_have_no_effect_are_named(rng):
    X, y = data(rng, n=300)
    with pytest.warns(UserWarning, match="penalty=None will ignore the C"):
        linnet.LogisticRegression(penalty=None, C=4.0).fit(X, y)
    with pytest.warns(UserWarning, match="only used when penalty is 'elasticnet'"):
        linnet.LogisticRegression(penalty="l2", l1_ratio=0.5).fit(X, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_weights_of_several_classes_jointly_add_up_to_0(intercept, rng):
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 3, 150)
    model = linnet.LogisticRegression(solver="newton-cg", C=150, fit_intercept=intercept).fit(X, y)
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    assert_allclose(model.intercept_.sum(), 0, atol=1e-12)
