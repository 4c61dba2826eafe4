"""LogisticRegressionCV, LinearSVCCV, RidgeCV, LassoCV, ElasticNetCV beside scikit-learn's, on the same folds."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sklearn.linear_model as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.preprocessing import StandardScaler

import linnet
from linnet.errors import RecipeError


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_logistic_regression_chooses_the_same_C_by_the_same_scores(cancer, scoring):
    X, y = cancer
    same = {"Cs": [0.01, 0.3, 10.0], "cv": 3, "scoring": scoring, "l1_ratios": (0,)}
    ours = linnet.LogisticRegressionCV(**same, tol=1e-10).fit(X, y)
    known = theirs.LogisticRegressionCV(**same, tol=1e-10, solver="newton-cholesky", use_legacy_attributes=True).fit(
        X, y
    )
    assert ours.C_.tolist() == known.C_.tolist()
    np.testing.assert_allclose(ours.scores_[1], known.scores_[1], atol=1e-5)
    np.testing.assert_allclose(ours.coefs_paths_[1], known.coefs_paths_[1], atol=1e-3)
    np.testing.assert_allclose(ours.coef_, known.coef_, atol=1e-4)
    assert ours.gaps_.max() <= 1e-9


@pytest.mark.parametrize("refit", [True, False])
def test_of_three_classes_in_the_new_form_of_attributes(refit):
    X, y = load_iris(return_X_y=True)
    same = {"Cs": [0.01, 1.0, 10.0], "cv": 3, "scoring": "neg_log_loss", "l1_ratios": (0,), "refit": refit,
            "use_legacy_attributes": False}  # fmt: skip
    ours = linnet.LogisticRegressionCV(**same, tol=1e-10).fit(X, y)
    known = theirs.LogisticRegressionCV(**same, tol=1e-10, solver="newton-cholesky", max_iter=1000).fit(X, y)
    assert ours.C_ == known.C_
    assert ours.coefs_paths_.shape == known.coefs_paths_.shape
    assert ours.scores_.shape == known.scores_.shape
    assert ours.n_iter_.shape == known.n_iter_.shape
    np.testing.assert_allclose(ours.coef_, known.coef_, atol=2e-3)


def test_svm_equals_a_grid_search(cancer):
    X, y = cancer
    Cs = [0.001, 0.05, 2.0]
    ours = linnet.LinearSVCCV(Cs=Cs, cv=3, tol=1e-8).fit(X, y)
    search = GridSearchCV(linnet.LinearSVC(tol=1e-8), {"C": Cs}, cv=3).fit(X, y)
    np.testing.assert_allclose(ours.scores_[1].mean(axis=0), search.cv_results_["mean_test_score"])
    assert ours.C_.tolist() == [search.best_params_["C"]]


RIDGES = [
    {"store_cv_results": True},
    {"store_cv_results": True, "scoring": "neg_mean_absolute_error"},
    {"fit_intercept": False},
    {"cv": 4},
    {"cv": 4, "scoring": "neg_mean_squared_error"},
]


@pytest.mark.parametrize("parameters", RIDGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [1, 3])
def test_ridge_chooses_the_same_alpha_by_the_same_score(diabetes, parameters, weighted, targets):
    X, y = diabetes
    y = y if targets == 1 else np.column_stack([y, y**2, X[:, 0]])
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    alphas = np.logspace(-3, 2, 8)
    ours = linnet.RidgeCV(alphas, **parameters).fit(X, y, w)
    known = theirs.RidgeCV(alphas, **parameters).fit(X, y, w)
    assert ours.alpha_ == known.alpha_
    assert ours.best_score_ == pytest.approx(known.best_score_)
    np.testing.assert_allclose(ours.coef_, known.coef_, rtol=1e-6, atol=1e-8 * np.abs(known.coef_).max())
    if "store_cv_results" in parameters:
        np.testing.assert_allclose(ours.cv_results_, known.cv_results_, rtol=1e-6, atol=1e-8 * known.cv_results_.max())


@pytest.fixture(params=[2, 4])
def four_kinds(request, diabetes):
    X, y = diabetes
    classes = request.param
    return X, np.array(["w", "x", "y", "z"])[np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))]


@pytest.mark.parametrize(
    "parameters", [{"store_cv_results": True}, {"fit_intercept": False, "class_weight": {"w": 0.7}}]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_of_labels_chooses_the_same_alpha_by_the_same_errors(four_kinds, parameters, weighted):
    X, y = four_kinds
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    alphas = np.logspace(-3, 2, 8)
    ours = linnet.RidgeClassifierCV(alphas, **parameters).fit(X, y, w)
    known = theirs.RidgeClassifierCV(alphas, **parameters).fit(X, y, w)
    assert ours.alpha_ == known.alpha_
    assert ours.best_score_ == pytest.approx(known.best_score_)
    np.testing.assert_allclose(ours.coef_, known.coef_, rtol=1e-6, atol=1e-8 * np.abs(known.coef_).max())
    assert ours.predict(X).tolist() == known.predict(X).tolist()
    if "store_cv_results" in parameters:
        np.testing.assert_allclose(ours.cv_results_, known.cv_results_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("cv", [None, 4])
def test_ridge_of_labels_is_judged_by_any_score_of_labels(four_kinds, cv):
    """scikit-learn's takes the labels for a table of 1 and -1 here, which has other folds and scores."""
    X, y = four_kinds[0][:80], four_kinds[1][:80]
    alphas = [0.01, 1.0, 100.0]
    ours = linnet.RidgeClassifierCV(alphas, scoring="f1_macro", cv=cv).fit(X, y)
    if cv is None:
        left_out = [cross_val_predict(theirs.RidgeClassifier(alpha), X, y, cv=LeaveOneOut()) for alpha in alphas]
        scores = [f1_score(y, each, average="macro") for each in left_out]
    else:
        scores = [
            cross_val_score(theirs.RidgeClassifier(alpha), X, y, cv=cv, scoring="f1_macro").mean() for alpha in alphas
        ]
    assert ours.best_score_ == pytest.approx(max(scores))
    assert ours.alpha_ == alphas[int(np.argmax(scores))]


def test_one_column_of_targets_has_errors_of_one_target(diabetes):
    X, y = diabetes
    ours = linnet.RidgeCV(store_cv_results=True).fit(X, y[:, np.newaxis])
    known = theirs.RidgeCV(store_cv_results=True).fit(X, y[:, np.newaxis])
    np.testing.assert_allclose(ours.cv_results_, known.cv_results_, rtol=1e-6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1.0, -1.0], "alphas[1] == -1.0, must be > 0.0"),
        ([0.0], "alphas[0] == 0.0, must be > 0.0"),
        (["1"], "alphas[0] == '1', must be > 0.0"),
    ],
)
def test_the_place_of_a_bad_alpha_is_named(given, said):
    with pytest.raises(linnet.RecipeError, match=re.escape(said)):
        linnet.RidgeCV(given).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])


def test_each_target_may_have_an_alpha_of_its_own(diabetes):
    X, y = diabetes
    y, alphas = np.column_stack([y, X[:, 0], np.sin(y)]), np.logspace(-3, 2, 8)
    ours = linnet.RidgeCV(alphas, alpha_per_target=True).fit(X, y)
    known = theirs.RidgeCV(alphas, alpha_per_target=True).fit(X, y)
    assert ours.alpha_.tolist() == known.alpha_.tolist()
    np.testing.assert_allclose(ours.best_score_, known.best_score_)


def test_ridge_of_more_columns_than_rows_leaves_rows_out_exactly():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 50)), rng.normal(size=20)
    ours = linnet.RidgeCV([0.5], store_cv_results=True).fit(X, y)
    left_out = [
        (y[i] - linnet.Ridge(0.5).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0]) ** 2
        for i in range(20)
    ]
    np.testing.assert_allclose(ours.cv_results_[:, 0], left_out, rtol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
def test_lasso_and_elastic_net_have_the_same_path(diabetes, weighted):
    X, y = diabetes
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    ours = linnet.LassoCV(alphas=15, cv=4, tol=1e-10).fit(X, y, w)
    known = theirs.LassoCV(alphas=15, cv=4, tol=1e-10, max_iter=100_000).fit(X, y, w)
    np.testing.assert_allclose(ours.alphas_, known.alphas_)
    np.testing.assert_allclose(ours.mse_path_, known.mse_path_, rtol=1e-6)
    assert ours.alpha_ == pytest.approx(known.alpha_)
    ratios = {"l1_ratio": [0.2, 0.9], "alphas": 8, "cv": 3, "tol": 1e-10}
    net, known = (
        linnet.ElasticNetCV(**ratios).fit(X, y, w),
        theirs.ElasticNetCV(**ratios, max_iter=100_000).fit(X, y, w),
    )
    assert net.l1_ratio_ == known.l1_ratio_
    np.testing.assert_allclose(net.mse_path_, known.mse_path_, rtol=1e-6)
    np.testing.assert_allclose(net.coef_, known.coef_, atol=1e-3)


@pytest.mark.parametrize(
    ("estimator", "wrong"),
    [
        (linnet.LogisticRegressionCV(Cs=0), "Cs"),
        (linnet.LogisticRegressionCV(Cs=[1.0, -1.0]), "Cs"),
        (linnet.LogisticRegressionCV(scoring="nonsense"), "nonsense"),
        (linnet.LinearSVCCV(Cs=[]), "Cs"),
    ],
)
def test_impossible_values_are_refused_by_name(estimator, wrong):
    with pytest.raises(RecipeError, match=wrong):
        estimator.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
