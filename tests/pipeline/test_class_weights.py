"""Weights of classes: as copies of their rows, and as the estimators take them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

import linnet
from linnet.data.features.schema import Task
from linnet.errors import RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.verify import verify
from linnet.training.class_weights import ClassWeights

CLASSIFIERS = [e for e in catalogue.entries() if catalogue.Task.CLASSIFICATION in e.tasks and e.way is not Way.COUNTING]
ASKED = TrainOptions(task=Task.CLASSIFICATION, holdout=0.0)
THREE = {1: 3.0}


@pytest.fixture
def rows(rng):
    """Few of class 1; columns of 0 and 1, which every learner takes as they are."""
    X = (rng.random((300, 6)) < 0.4).astype(float)
    return X, (X @ [2.0, 1.0, 1.0, -1.0, -0.5, 0.0] + rng.normal(size=300) > 1.5).astype(int)


def times(y, factor=3):
    """The places of all rows in order, those of class 1 so often in a row."""
    return np.repeat(np.arange(len(y)), np.where(y == 1, factor, 1))


@pytest.mark.parametrize("entry", [e for e in CLASSIFIERS if e.way is Way.ONLINE], ids=lambda e: e.name)
def test_online_a_weight_of_three_is_three_rows_to_the_bit(entry, rows):
    X, y = rows
    options = replace(ASKED, learner=entry.name, holdout=None)
    weighed = train((X, y), replace(options, class_weight=THREE))
    copied = train((X[times(y)], y[times(y)]), options)
    np.testing.assert_array_equal(weighed.linear.weights, copied.linear.weights)
    np.testing.assert_array_equal(weighed.linear.intercepts, copied.linear.intercepts)
    assert weighed.record.class_weight == {"0": 1.0, "1": 3.0}


@pytest.mark.parametrize("entry", [e for e in CLASSIFIERS if e.way is not Way.ONLINE], ids=lambda e: e.name)
def test_in_batch_a_weight_of_three_is_three_rows(entry, rows):
    X, y = rows
    # given, as otherwise it is chosen: copies of a row are in several folds
    C = 1.0 if entry.name == "logistic-regression" else None
    options = replace(ASKED, learner=entry.name, C=C, tol=1e-9, max_iter=20_000)
    weighed = train((X, y), replace(options, class_weight=THREE))
    copied = train((X[times(y)], y[times(y)]), options)
    plain = train((X, y), options)
    if entry.sparse_classes:  # two classes have no certificate, and it has no intercepts
        np.testing.assert_allclose(weighed.linear.weights, copied.linear.weights, atol=1e-4)
        assert np.abs(weighed.linear.weights - plain.linear.weights).max() > 0.05
        return
    if entry.name in ("batch-perceptron",):  # the way there is the same, but for rounding
        np.testing.assert_allclose(weighed.linear.weights, copied.linear.weights, atol=1e-6)
        return
    # solvers that stop at a gap: each is as good as the other's optimum, by the same objective
    assert weighed.certificate.primal == pytest.approx(copied.certificate.primal, rel=1e-8)
    assert weighed.certificate.primal >= copied.certificate.dual * (1 - 1e-9)
    np.testing.assert_allclose(weighed.linear.weights, copied.linear.weights, atol=1e-4)
    assert np.abs(weighed.linear.intercepts - plain.linear.intercepts).max() > 0.2


@pytest.mark.parametrize("given", ["balanced", {0: 0.5, 1: 2.5}, {1: 4}])
def test_the_same_as_the_estimator(given, rows):
    X, y = rows
    model = linnet.train((X, y), learner="logistic-regression", C=1.0, class_weight=given, tol=1e-10)
    theirs = linnet.LogisticRegression(class_weight=given, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.linear.weights[:, 0], theirs.coef_[0], atol=1e-6)
    np.testing.assert_allclose(model.linear.intercepts, theirs.intercept_, atol=1e-6)
    if given == "balanced":
        expected = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)
        np.testing.assert_allclose(list(model.record.class_weight.values()), expected)


def test_weights_of_rows_and_of_classes_multiply(rows, rng):
    X, y = rows
    w = rng.integers(1, 4, len(y))
    frame = {f"c{j}": np.where(X[:, j] > 0, "a", "b") for j in range(6)} | {"y": y.astype(str), "w": w}
    asked = {"target": "y", "columns": {"w": "weight"}, "C": 1.0, "holdout": 0.0, "tol": 1e-10}
    both = linnet.train(frame, **asked, class_weight={"1": 3.0})
    product = linnet.train(frame | {"w": w * np.where(y == 1, 3, 1)}, **asked)
    np.testing.assert_array_equal(both.linear.weights, product.linear.weights)
    balanced = linnet.train(frame, **asked, class_weight="balanced")
    theirs = linnet.LogisticRegression(class_weight="balanced", tol=1e-10)
    P = np.hstack([X, 1 - X])
    theirs.fit(P, y, sample_weight=w)
    truth, found = theirs.predict_proba(P), balanced.predict_proba({k: v for k, v in frame.items() if k != "y"})
    np.testing.assert_allclose(found, truth, atol=1e-6)


@pytest.mark.parametrize("learner", ["logistic-regression", "svm", "perceptron"])
@pytest.mark.parametrize("given", ["balanced", {1: 3.0}])
def test_verify_puts_the_weighed_problem_together_again(learner, given, rows, tmp_path):
    X, y = rows
    if learner == "perceptron":
        if given == "balanced":
            return
        y = (X[:, 0] > 0).astype(int)  # what a plane tells apart has a bound on mistakes
    more = {"passes": 30, "holdout": 0.0} if learner == "perceptron" else {}
    model = linnet.train((X, y), learner=learner, class_weight=given, task="classification", **more)
    model.save(tmp_path / "m")
    model = linnet.load(tmp_path / "m")
    assert verify(model, (X, y)).holds, verify(model, (X, y)).why
    if learner != "perceptron":
        other = replace(model, record=replace(model.record, class_weight={"0": 1.0, "1": 9.0}))
        assert not verify(other, (X, y)).holds
    with pytest.raises(ValueError, match="class weight is not a positive number"):
        replace(model.record, class_weight={"0": -1.0})


def test_held_out_rows_and_calibration_do_not_see_class_weights(rows):
    X, y = rows
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    model = linnet.train((X, y), learner="logistic-regression", class_weight={1: 20.0}, calibrate="sigmoid")
    plain = linnet.train((X, y), learner="logistic-regression", class_weight={1: 20.0})
    assert abs(model.predict_proba(X)[:, 1].mean() - y.mean()) < 0.03
    assert plain.predict_proba(X)[:, 1].mean() > y.mean() + 0.1


def test_what_cannot_be_is_refused(rows):
    X, y = rows
    for options, message in (
        (
            replace(ASKED, learner="adaptive", class_weight="balanced"),
            "balanced' needs the number of rows of every class",
        ),
        (
            replace(ASKED, memory=1000, holdout=None, class_weight="balanced"),
            "balanced' needs the number of rows of every",
        ),
        (replace(ASKED, learner="naive-bayes", class_weight=THREE), "is not for naive-bayes"),
        (replace(ASKED, task=Task.REGRESSION, class_weight=THREE), "class_weight is for classification"),
        (replace(ASKED, class_weight={"7": 2.0}), "names the label '7', which no row has"),
        (
            replace(ASKED, learner="sgd-logistic", holdout=None, class_weight={"7": 2.0}),
            "names the label '7', which no row has",
        ),
    ):
        with pytest.raises(RecipeError, match=message):
            train((X, y), options)
    for given in (["spam"], ["=3"], ["spam=0"], ["spam=x"], ["spam=inf"], {"spam": -1}, {"spam": "3"}):
        with pytest.raises(RecipeError, match=r"takes balanced, or LABEL=WEIGHT|must be a number above 0"):
            ClassWeights.of(given)
    assert ClassWeights.of(["a=b=2", "+1=3"]).given_to(["a=b", 1, "c"]).tolist() == [2.0, 3.0, 1.0]
    assert ClassWeights.of(["balanced"]).balanced
