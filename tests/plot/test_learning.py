"""Learning curves, progressive error, mistakes and penalty paths have the numbers that they are made of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeCV

import linnet
from linnet import plot
from linnet.comparison.reasons import LearningCurve
from linnet.evaluation.intervals import Interval


def noisy(rows: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, (X @ [1.0, 2.0, -1.0] + rng.normal(size=rows) > 0).astype(int)


def with_gid(artists, gid: str):
    return [each for each in artists if each.get_gid() == gid]


def perceptron_mistakes(X, y):
    """After each row, how many were predicted wrongly before the step on them."""
    w, b, made, so_far = np.zeros(X.shape[1]), 0.0, 0, []
    for x, sign in zip(X, np.where(y == 1, 1, -1), strict=True):
        if sign * (w @ x + b) <= 0:
            w, b, made = w + sign * x, b + sign, made + 1
        so_far.append(made)
    return np.array(so_far)


def test_the_progressive_error_is_that_of_a_perceptron_by_hand():
    X, y = noisy()
    rows, error = plot.progressive(linnet.Perceptron(shuffle=False), X, y).lines[0].get_data()
    np.testing.assert_allclose(error, perceptron_mistakes(X, y)[np.asarray(rows, dtype=int) - 1] / rows)
    assert rows[-1] == len(y)


def test_the_progressive_error_of_a_model_ends_in_its_own_figure():
    X, y = noisy(512)
    data = pd.DataFrame(X, columns=list("abc")).assign(y=np.where(y == 1, "yes", "no"))
    model = linnet.train(data, target="y", learner="perceptron", holdout=0, verbose=False)
    rows, error = plot.progressive(model).lines[0].get_data()
    assert rows[-1] == 512
    assert error[-1] == pytest.approx(1 - model.record.progressive.accuracy)


def test_mistakes_are_drawn_beside_the_bound_of_novikoff():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) * 0.4 + np.where(y == 1, 2, -2)[:, np.newaxis] * [0.3, 0.5]
    fitted = linnet.Perceptron(random_state=0).fit(X, y)
    ax = plot.mistakes(fitted)
    (made,), (bound,) = with_gid(ax.lines, "mistakes"), with_gid(ax.lines, "bound")
    assert made.get_ydata()[-1] == sum(each.mistakes for each in fitted.history_)
    augmented = np.column_stack([X, np.ones(60)])
    w = np.append(fitted.coef_[0], fitted.intercept_)
    margins = np.where(y == 1, 1, -1) * (augmented @ w) / np.linalg.norm(w)
    novikoff = (np.linalg.norm(augmented, axis=1).max() / margins.min()) ** 2
    # that of a plane which need not separate all rows may be lower
    assert fitted.certificate_.made <= bound.get_ydata()[0] <= novikoff * (1 + 1e-9)
    assert plot.mistakes(fitted.certificate_).lines[0].get_ydata()[0] == fitted.certificate_.made


def test_mistakes_without_a_bound_say_why():
    X, y = noisy()
    fitted = linnet.Perceptron().partial_fit(X, y, classes=[0, 1])
    shown = [text.get_text() for text in plot.mistakes(fitted).get_legend().get_texts()]
    assert any(text.startswith("no bound: ") for text in shown)
    with pytest.raises(linnet.RecipeError, match="no count of mistakes"):
        plot.mistakes(linnet.LogisticRegression().fit(X, y))


def test_the_learning_curve_shows_errors_intervals_and_the_power_law():
    rows, errors = (100, 200, 400), (0.3, 0.25, 0.22)
    intervals = tuple(Interval(each - 0.02, each + 0.03) for each in errors)
    curve = LearningCurve("svm", "error rate", rows, errors, intervals, 0.1, 2.0, 0.5, 0.17, Interval(0.15, 0.2))
    ax = plot.learning_curve(curve)
    points, at_twice = ax.containers
    np.testing.assert_allclose(points.lines[0].get_xydata(), list(zip(rows, errors, strict=True)))
    ends = np.array([segment[:, 1] for segment in points.lines[2][0].get_segments()])
    np.testing.assert_allclose(ends, [tuple(each) for each in intervals])
    np.testing.assert_allclose(at_twice.lines[0].get_xydata(), [[800, 0.17]])
    x, law = with_gid(ax.lines, "law")[0].get_data()
    np.testing.assert_allclose(law, 0.1 + 2.0 / np.sqrt(x))


def test_the_path_of_a_tuned_model_shows_its_scores_and_weights():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = linnet.train(X.assign(kind=np.where(y == 1, "b", "m")), target="kind", tune=True, verbose=False)
    found = model.record.strength
    ax = plot.path(model)
    np.testing.assert_allclose(ax.containers[0].lines[0].get_xydata(), np.column_stack([found.tried, found.scores]))
    assert with_gid(ax.lines, "chosen")[0].get_xdata()[0] == found.value
    ax = plot.path(model, show="coefficients", count=5)
    drawn = with_gid(ax.lines, "weight")
    assert len(drawn) == 5
    assert {tuple(each.get_ydata()) for each in drawn} <= {each.weights for each in found.paths}


@pytest.mark.filterwarnings("ignore")
def test_the_paths_of_scikit_learn_have_their_own_means():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = LogisticRegressionCV(Cs=[0.01, 0.1, 1.0], cv=3, scoring="neg_log_loss").fit(X, y)
    ax = plot.path(fitted)
    scores = fitted.scores_[1] if isinstance(fitted.scores_, dict) else fitted.scores_
    np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), scores.mean(axis=0))
    ends = np.array([segment[:, 1] for segment in ax.containers[0].lines[2][0].get_segments()])
    np.testing.assert_allclose(np.diff(ends).ravel() / 2, scores.std(axis=0, ddof=1) / np.sqrt(3))
    assert ax.get_ylabel() == "neg_log_loss"
    ax = plot.path(fitted, show="coefficients", count=30)
    weights = fitted.coefs_paths_[1].mean(axis=0)[:, :30] if isinstance(fitted.coefs_paths_, dict) else None
    drawn = np.array([line.get_ydata() for line in with_gid(ax.lines, "weight")])
    if weights is not None:
        np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(weights[0]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        LassoCV(cv=4), ElasticNetCV(l1_ratio=[0.2, 0.9], cv=4), RidgeCV(store_cv_results=True), linnet.LassoCV(cv=4),
        linnet.ElasticNetCV(l1_ratio=[0.2, 0.9], cv=4), linnet.RidgeCV(store_cv_results=True),
    ],
)  # fmt: skip
def test_the_path_of_alphas_goes_from_strong_to_weak(estimator):
    X, y = load_diabetes(return_X_y=True)
    fitted = estimator.fit(X, y)
    ax = plot.path(fitted)
    line = ax.lines[1]
    best = line.get_xdata()[np.argmin(line.get_ydata())]
    assert best == pytest.approx(fitted.alpha_)
    assert ax.get_xlim()[0] > ax.get_xlim()[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [linnet.LogisticRegressionCV(Cs=4, cv=3), linnet.LinearSVCCV(Cs=4, cv=3)])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_paths_of_linnet_are_drawn_from_its_attributes(estimator, classes):
    X, _ = noisy()
    fitted = estimator.fit(X, (X[:, 0] > 0).astype(int) + (classes - 2) * (X[:, 1] > 0))
    drawn = plot.path(fitted).containers[0].lines[0].get_xydata()
    scores = list(fitted.scores_.values())[-1] if isinstance(fitted.scores_, dict) else fitted.scores_[:, 0]
    np.testing.assert_allclose(drawn, np.column_stack([fitted.Cs_, scores.mean(axis=0)]))
    weights = [line.get_ydata() for line in with_gid(plot.path(fitted, show="coefficients").lines, "weight")]
    assert np.shape(weights) == (3, 4)
    at = int(np.argmin(np.abs(np.log(fitted.Cs_ / np.ravel(fitted.C_)[0]))))
    # means over folds, each of two thirds of the rows: near those of all
    np.testing.assert_allclose(np.sort(np.array(weights)[:, at]), np.sort(fitted.coef_[-1]), rtol=0.3, atol=0.3)


def test_a_path_needs_one():
    X, y = noisy()
    with pytest.raises(linnet.RecipeError, match="has no path"):
        plot.path(linnet.LogisticRegression().fit(X, y))
    with pytest.raises(linnet.RecipeError, match="show is 'weights'"):
        plot.path(linnet.LogisticRegression(), show="weights")
