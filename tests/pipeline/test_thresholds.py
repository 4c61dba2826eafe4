"""Thresholds for a metric on the way from a file to a prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

import linnet
from linnet.data.features.schema import Role, Task
from linnet.decisions.calibration import Method
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.evaluation.splits import FOLDS, decision_rows, stratified_folds
from linnet.learners import catalogue
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.making import cut, held_rows, write_svmlight
from tests.pipeline.test_batch import training_set

PROBABLE = [
    entry.name
    for entry in catalogue.entries()
    if catalogue.Task.CLASSIFICATION in entry.tasks and entry.recipe.has_probabilities
]
OTHERS = [
    entry.name
    for entry in catalogue.entries()
    if catalogue.Task.CLASSIFICATION in entry.tasks and not entry.recipe.has_probabilities
]
ASKED = TrainOptions(task=Task.CLASSIFICATION, threshold_for="f1:1")


def skewed(rng, n):
    """Rows of which about one in five is of class 1."""
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, -0.5, 0.2] + rng.normal(size=n) > 1.2).astype(int)


def boolean(learner, X):
    """X as this learner takes it."""
    return (
        (X > 0.5).astype(float)
        if learner.startswith(("naive-bayes-b", "naive-bayes-c", "winnow")) or learner == "naive-bayes"
        else X
    )


def best_f1(y, p):
    return max(f1_score(y, p > t, zero_division=0) for t in np.concatenate([[-1.0], np.unique(p)]))


@pytest.mark.parametrize("learner", PROBABLE)
def test_every_learner_with_probabilities_has_a_threshold_that_a_file_keeps(learner, rng, tmp_path):
    X, y = skewed(rng, 800)
    X = boolean(learner, X)
    model = train((X, y), replace(ASKED, learner=learner))
    told = model.record.threshold.as_dict()
    assert (told["metric"], told["label"], told["threshold"]) == ("f1", 1, pytest.approx(model.rule.threshold))
    assert told["at_threshold"]["f1"] >= (told["at_usual_threshold"]["f1"] or 0)
    assert (model.predict(X) == (model.predict_proba(X)[:, 1] > told["threshold"])).all()
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert again.rule.metric == "f1:1"
    assert (again.predict(X) == model.predict(X)).all()
    result = again.evaluate((X, y))
    assert result.costs is None
    assert result.classes[1].f1 == pytest.approx(f1_score(y, model.predict(X)))
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_batch_learner_chooses_on_folds_that_others_scored(rng):
    X, y = skewed(rng, 600)
    X /= np.abs(X).max()  # numbered columns within 1 are taken as they are
    options = replace(ASKED, learner="logistic-regression", C=1.0)
    model = train((X, y), options)
    plain = train((X, y), replace(options, threshold_for=None))
    np.testing.assert_array_equal(model.linear.weights, plain.linear.weights)
    kept = ~held_rows(y, 0.1, options.seed)
    data = training_set((X, y), options)
    fold = stratified_folds(data.targets, data.labels.classes.tolist(), kept, options.seed)
    p = np.empty(600)
    for number in range(FOLDS):
        learnt, asked = kept & (fold != number), kept & (fold == number)
        p[asked] = linnet.LogisticRegression(tol=1e-9).fit(X[learnt], y[learnt]).predict_proba(X[asked])[:, 1]
    told = model.record.threshold.as_dict()
    assert told["rows"] == kept.sum()
    assert told["at_threshold"]["f1"] == pytest.approx(best_f1(y[kept], p[kept]), abs=1e-12)
    assert told["at_usual_threshold"]["f1"] == pytest.approx(f1_score(y[kept], p[kept] > 0.5), abs=1e-12)
    others = linnet.LogisticRegression(tol=1e-9).fit(X[kept], y[kept]).predict_proba(X[~kept])[:, 1]
    assert told["held_out"]["rows"] == (~kept).sum()
    assert told["held_out"]["f1"] == pytest.approx(f1_score(y[~kept], others > told["threshold"]))


@pytest.mark.parametrize("calibrate", [None, Method.SIGMOID])
def test_an_online_learner_chooses_on_rows_it_never_learns(calibrate, rng):
    X, y = skewed(rng, 2000)
    options = replace(ASKED, learner="sgd-logistic", calibrate=calibrate)
    with cut(cache=32):
        model = train((X, y), options)
    apart = decision_rows(0, 2000, options.seed)
    plain = train((X[~apart], y[~apart]), replace(options, threshold_for=None, calibrate=None))
    np.testing.assert_array_equal(model.linear.weights, plain.linear.weights)
    p = model.predict_proba(X)[apart, 1]
    told = model.record.threshold.as_dict()
    assert told["rows"] == apart.sum()
    assert told["at_threshold"]["f1"] == pytest.approx(best_f1(y[apart], p), abs=1e-12)
    assert f1_score(y[apart], p > told["threshold"]) == pytest.approx(told["at_threshold"]["f1"])


def test_a_count_chooses_on_rows_that_it_counts_last(rng):
    X, y = skewed(rng, 2000)
    options = replace(ASKED, learner="naive-bayes-gaussian", threshold_for="balanced-accuracy")
    model, plain = train((X, y), options), train((X, y), replace(options, threshold_for=None))
    np.testing.assert_allclose(model.linear.weights, plain.linear.weights, rtol=1e-12)
    held = held_rows(y, 0.1, options.seed)
    apart = decision_rows(0, 2000, options.seed) & ~held
    apart[[int(np.argmax(y == label)) for label in (0, 1)]] = False  # the first of a label is counted at once
    p = linnet.SharedGaussianNB().fit(X[~held & ~apart], y[~held & ~apart]).predict_proba(X[apart])[:, 1]
    best = max(balanced_accuracy_score(y[apart], p > t) for t in p)
    assert model.record.threshold.choice.at_threshold["balanced-accuracy"] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("learner", OTHERS)
def test_learners_without_probabilities_are_calibrated_first(learner, rng):
    X, y = skewed(rng, 600)
    X = boolean(learner, X)
    with pytest.raises(RecipeError, match="gives no probabilities: train with --calibrate sigmoid"):
        train((X, y), replace(ASKED, learner=learner))
    model = train((X, y), replace(ASKED, learner=learner, calibrate=Method.SIGMOID))
    assert (model.predict(X) == (model.predict_proba(X)[:, 1] > model.rule.threshold)).all()


def test_weights_of_rows_count_in_the_choice(rng):
    X, y = skewed(rng, 500)
    w = rng.integers(0, 3, 500)
    data = {"a": X[:, 0], "b": X[:, 1], "y": y.astype(str), "w": w}
    options = replace(ASKED, target="y", columns={"w": Role.WEIGHT}, learner="sgd-logistic")
    told = train(data, options).record.threshold.as_dict()
    there = w[w > 0]  # rows of weight 0 have no numbers
    apart = decision_rows(0, len(there), options.seed)
    assert told["rows"] == apart.sum()


def test_what_cannot_be_is_refused(rng, tmp_path):
    X, y = skewed(rng, 200)
    three = np.arange(200) % 3
    for options, data, message in (
        (replace(ASKED, costs={(0, 1): 2.0}), (X, y), "give either threshold_for, or costs"),
        (replace(ASKED, reject=0.3), (X, y), "give either threshold_for, or costs"),
        (replace(ASKED, least=0.3), (X, y), "give either threshold_for, or costs"),
        (replace(ASKED, threshold_for="f1:0"), (X, three), "for two labels, and there are 3"),
        (replace(ASKED, threshold_for="f1:7"), (X, y), "the positive label '7' is unknown: choose 0 or 1"),
        (replace(ASKED, threshold_for="auc"), (X, y), "a threshold is chosen for one of f1, "),
        (replace(ASKED, task=Task.REGRESSION), (X, y), "thresholds and calibration are for classification"),
    ):
        with pytest.raises(RecipeError, match=message):
            train(data, options)
    with pytest.raises(InputError, match=r"fewer than two rows .* leave out threshold_for"):
        train((X, np.arange(200) == 3), replace(ASKED, threshold_for="f1:true"))
    model = train((X, y), ASKED)
    with pytest.raises(RecipeError, match=r"threshold chosen for f1:1.* give costs as well"):
        model.predict(X, reject=0.2)
    assert model.predict(X, costs={(0, 1): 1e6}).tolist() == [0] * 200
    model.save(tmp_path / "m")
    damaged = replace(model, rule=replace(model.rule, metric="auc:1"))
    damaged.save(tmp_path / "m")
    with pytest.raises(ModelFileError, match="is damaged: a threshold is chosen for"):
        linnet.load(tmp_path / "m")


def test_a_slip_in_the_label_does_not_cost_what_was_learnt(rng, tmp_path):
    X, y = skewed(rng, 400)
    path = tmp_path / "rows.svm"
    write_svmlight(path, X, y)
    options = replace(ASKED, learner="sgd-logistic", checkpoint=str(tmp_path / "check"))
    with pytest.raises(RecipeError, match=r"the training is saved in .*: correct threshold_for and add --resume"):
        train([str(path)], replace(options, threshold_for="f1:spam"))
    with pytest.raises(InputError, match="threshold-for True, and now it is False"):
        train([str(path)], replace(options, threshold_for=None, resume=True))
    resumed = train([str(path)], replace(options, resume=True))
    data = train([str(path)], replace(options, checkpoint=None))
    np.testing.assert_array_equal(resumed.linear.weights, data.linear.weights)
    assert resumed.record.threshold == data.record.threshold
