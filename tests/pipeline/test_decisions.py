"""Costs and calibration on the way from a file to a prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import linnet
from linnet.data.features.schema import Task
from linnet.decisions.calibration import Method, fit
from linnet.decisions.costs import Rule
from linnet.errors import InputError, RecipeError
from linnet.evaluation.splits import FOLDS, decision_rows, stratified_folds
from linnet.learners import catalogue
from linnet.pipeline.train import TrainOptions, train, train_to_file
from tests.pipeline.making import cut, held_rows, write_svmlight
from tests.pipeline.test_batch import training_set

CLASSIFIERS = [entry.name for entry in catalogue.entries() if catalogue.Task.CLASSIFICATION in entry.tasks]
COUNTED = [entry.name for entry in catalogue.entries(catalogue.Way.COUNTING)]


def noisy(rng, n, classes=2):
    """Rows whose class is drawn by known probabilities, which come along."""
    X = rng.normal(size=(n, 4))
    scores = X @ rng.normal(size=(4, classes))
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = odds / odds.sum(axis=1, keepdims=True)
    return X, np.array([rng.choice(classes, p=each) for each in p]), p


@pytest.mark.parametrize("learner", COUNTED)
def test_what_only_counts_follows_costs(learner, rng):
    X, y, _ = noisy(rng, 300, 2)
    X = np.abs(X) > 0.5
    asked = TrainOptions(learner=learner, task=Task.CLASSIFICATION)
    plain = train((X.astype(float), y), asked)
    costly = train((X.astype(float), y), replace(asked, costs={(0, 1): 1000.0}))
    assert 1 in plain.predict(X.astype(float))
    assert 1 not in costly.predict(X.astype(float))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", CLASSIFIERS)
@pytest.mark.parametrize("method", list(Method))
def test_every_learner_has_probabilities_once_calibrated(learner, method, classes, rng, tmp_path):
    X, y, _ = noisy(rng, 300, classes)
    if learner in ("naive-bayes", "naive-bayes-complement", "naive-bayes-bernoulli") or learner.startswith("winnow"):
        X = (X > 0.3).astype(float)
    model = train((X, y), TrainOptions(learner=learner, task=Task.CLASSIFICATION, calibrate=method))
    p = model.predict_proba(X)
    assert p.shape == (300, classes)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.predict(X).tolist() == [model.classes[code] for code in p.argmax(axis=1)]
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(X), p)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("learner", ["svm", "averaged-perceptron"])
def test_calibrated_probabilities_are_near_the_true_ones(learner, rng):
    X, y, p = noisy(rng, 8000)
    model = train((X, y), TrainOptions(learner=learner, task=Task.CLASSIFICATION, calibrate=Method.SIGMOID))
    X, y, p = X[:4000], y[:4000], p[:4000]
    distances = np.abs(model.predict_proba(X) - p).mean(), np.abs(p - p.mean(axis=0)).mean()
    assert distances[0] < 0.25 * distances[1]
    result = model.evaluate((X, y))
    assert result.calibration_error < 3 * result.calibration_error_by_chance + 0.02


def test_an_online_learner_is_calibrated_on_rows_it_never_learns(rng):
    X, y, _ = noisy(rng, 1000)
    options = TrainOptions(learner="averaged-perceptron", task=Task.CLASSIFICATION, calibrate=Method.ISOTONIC)
    with cut(cache=32):
        model = train((X, y), options)
    apart = decision_rows(0, 1000, options.seed)
    plain = train((X[~apart], y[~apart]), replace(options, calibrate=None))
    np.testing.assert_array_equal(model.linear.weights, plain.linear.weights)
    scores = X @ model.linear.weights[:, 0] + model.linear.intercepts[0]
    twin = IsotonicRegression(out_of_bounds="clip").fit(scores[apart], y[apart])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], twin.predict(scores), atol=1e-6)


@pytest.mark.parametrize("holdout", [0.0, 0.1])
def test_a_count_is_calibrated_on_rows_that_it_counts_last(holdout, rng):
    # every column comes four times, so that naive Bayes is far too sure of itself
    X, y, p = noisy(rng, 4000)
    X = np.hstack([X] * 4)
    options = TrainOptions(learner="naive-bayes-gaussian", task=Task.CLASSIFICATION, holdout=holdout)
    with cut(cache=32):
        model = train((X, y), replace(options, calibrate=Method.ISOTONIC))
    plain = train((X, y), options)
    np.testing.assert_allclose(model.linear.weights, plain.linear.weights, rtol=1e-12)
    held = held_rows(y, holdout, options.seed) if holdout else np.zeros(4000, dtype=bool)
    apart = decision_rows(0, 4000, options.seed) & ~held
    apart[[int(np.argmax(y == label)) for label in (0, 1)]] = False  # the first of a label is counted at once
    counted = ~held & ~apart
    others = linnet.SharedGaussianNB().fit(X[counted], y[counted])
    twin = IsotonicRegression(out_of_bounds="clip").fit(others.decision_function(X[apart]), y[apart])
    scores = X @ model.linear.weights[:, 0] + model.linear.intercepts[0]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], twin.predict(scores), atol=1e-6)
    errors = [np.abs(each.predict_proba(X) - p).mean() for each in (model, plain)]
    assert errors[0] < 0.7 * errors[1]


@pytest.mark.parametrize("method", list(Method))
def test_a_calibrated_count_of_long_rows_decides_as_well_as_without(method, rng):
    # the longer a row, the lower its score in every class: only how far one leads the others tells anything
    X, y, _ = noisy(rng, 3000, 4)
    X = np.floor(np.exp(X)) * rng.integers(1, 50, size=(3000, 1))
    options = TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION)
    plain, model = train((X, y), options), train((X, y), replace(options, calibrate=method))
    rights = [np.mean(np.array(each.predict(X)) == y) for each in (plain, model)]
    assert rights[1] > rights[0] - 0.03
    losses = [-np.log(each.predict_proba(X)[np.arange(3000), y].clip(1e-15)).mean() for each in (plain, model)]
    assert losses[1] < 0.8 * losses[0]


def test_too_few_rows_to_calibrate_a_count_on_are_told():
    asked = TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION, calibrate=Method.SIGMOID)
    with pytest.raises(InputError, match="leave out calibrate"):
        train((np.ones((3, 1)), np.array([0, 1, 1])), asked)


def test_a_batch_learner_keeps_the_weights_it_has_without_calibration(rng):
    X, y, _ = noisy(rng, 400, 3)
    plain = train((X, y), TrainOptions(task=Task.CLASSIFICATION))
    model = train((X, y), TrainOptions(task=Task.CLASSIFICATION, calibrate=Method.SIGMOID))
    np.testing.assert_array_equal(model.linear.weights, plain.linear.weights)
    assert model.record.held_out.log_loss != plain.record.held_out.log_loss


@pytest.mark.parametrize("classes", [2, 3])
def test_a_batch_learner_is_calibrated_on_scores_by_the_other_folds(classes, rng):
    X, y, _ = noisy(rng, 200, classes)
    options = TrainOptions(learner="logistic-regression", task=Task.CLASSIFICATION, C=1.0, holdout=0.0)
    model = train((X, y), replace(options, calibrate=Method.SIGMOID))
    data = training_set((X, y), options)
    members = np.ones(200, dtype=bool)
    fold = stratified_folds(data.targets, data.labels.classes.tolist(), members, options.seed)
    assert all(np.ptp(np.bincount(fold[y == label], minlength=FOLDS)) <= 1 for label in range(classes))
    scores = np.empty((200, classes if classes > 2 else 1))
    for number in range(FOLDS):
        other = train((X[fold != number], y[fold != number]), options).linear
        scores[fold == number] = X[fold == number] @ other.weights + other.intercepts
    leads = scores[:, 0]
    if classes > 2:  # the lead of each class over its best rival
        leads = np.column_stack([scores[:, k] - np.delete(scores, k, axis=1).max(axis=1) for k in range(classes)])
    twin = fit(Method.SIGMOID, leads, y.astype(float))
    found = [(each.slope, each.offset) for each in model.calibration.maps]
    np.testing.assert_allclose(found, [(each.slope, each.offset) for each in twin.maps], rtol=1e-6)


@pytest.mark.parametrize("learner", ["auto", "perceptron", "naive-bayes-gaussian"])
def test_neither_threads_nor_cuts_change_a_calibrated_model(learner, rng, tmp_path):
    X, y, _ = noisy(rng, 400, 3)
    found = []
    for threads, sizes in ((1, {}), (3, {"cache": 16})):
        with cut(**sizes):
            options = TrainOptions(
                learner=learner, task=Task.CLASSIFICATION, calibrate=Method.ISOTONIC, threads=threads, passes=None
            )
            train((X, y), options).save(tmp_path / "m")
        found.append((tmp_path / "m").read_bytes())
    assert found[0] == found[1]


def test_held_out_rows_measure_the_calibrated_model_of_several_passes(rng):
    X, y, _ = noisy(rng, 1500)
    options = TrainOptions(learner="perceptron", task=Task.CLASSIFICATION, passes=3, calibrate=Method.SIGMOID)
    model = train((X, y), options)
    held = model.record.held_out
    asked = held_rows(y, 0.1)
    result = model.evaluate((X[asked], y[asked]))
    assert held.log_loss == result.log_loss
    assert held.rows == asked.sum()


# -- costs ---------------------------------------------------------------------------------------------------------


def test_a_model_decides_by_costs(rng):
    X, y, _ = noisy(rng, 500, 3)
    model = train((X, y), TrainOptions(task=Task.CLASSIFICATION))
    costs = {(0, 1): 5.0, (2, 0): 0.1}
    rule = Rule.of([0, 1, 2], costs, reject=0.4)
    expected = [None if code < 0 else int(code) for code in rule.decide(model.predict_proba(X))]
    assert model.predict(X, costs=costs, reject=0.4).tolist() == expected
    assert None in expected
    assert model.predict(X, least=0.0).tolist() == model.predict(X).tolist() == model.predict(X, costs={}).tolist()


def test_a_rule_goes_with_the_model_and_gives_way_to_another(rng, tmp_path):
    X, y, _ = noisy(rng, 500)
    plain = train((X, y), TrainOptions(task=Task.CLASSIFICATION))
    model = linnet.train((X, y), task="classification", costs={(1, 0): 20}, reject=0.5)
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert again.predict(X).tolist() == plain.predict(X, costs={(1, 0): 20}, reject=0.5).tolist()
    assert again.predict(X, reject=0.1).tolist() == plain.predict(X, costs={(1, 0): 20}, reject=0.1).tolist()
    assert again.predict(X, costs={}).tolist() == plain.predict(X, reject=0.5).tolist()
    assert again.predict(X, least=0.9).tolist() == plain.predict(X, costs={(1, 0): 20}, least=0.9).tolist()


def test_the_held_out_rows_tell_what_decisions_cost(rng):
    X, y, _ = noisy(rng, 2000)
    costs = {(1, 0): 20}
    for learner, passes in (("auto", None), ("sgd-logistic", 2)):
        model = linnet.train((X, y), task="classification", learner=learner, passes=passes, costs=costs)
        held = model.record.held_out.costs
        assert held.realised < held.baseline < 20
        assert model.evaluate((X, y)).costs.realised == pytest.approx(
            np.mean([[0, 1, 20, 0][2 * truth + guess] for truth, guess in zip(y, model.predict(X), strict=True)])
        )


def test_0_1_costs_are_what_accuracy_counts(rng):
    X, y, _ = noisy(rng, 300, 3)
    model = train((X, y), TrainOptions(task=Task.CLASSIFICATION)).deciding(costs={})
    result = model.evaluate((X, y))
    assert result.costs.realised == pytest.approx(1 - result.accuracy)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "perceptron", "costs": {}}, "perceptron gives no probabilities: train with --calibrate"),
        ({"costs": {(0, 7): 1}}, "the label 7, but the model has the labels 0, 1"),
        ({"costs": ["0,1"]}, "takes TRUE"),
        ({"reject": -1.0}, "the cost of rejecting"),
        ({"task": Task.REGRESSION, "reject": 1.0}, "this is regression"),
        ({"task": Task.REGRESSION, "calibrate": Method.SIGMOID}, "this is regression"),
    ],
)
def test_what_cannot_be_decided_is_refused(options, message, rng):
    X, y, _ = noisy(rng, 60)
    with pytest.raises(RecipeError, match=message):
        train((X, y), TrainOptions(**{"task": Task.CLASSIFICATION, **options}))


def test_models_without_probabilities_or_classes_refuse_costs(rng):
    X, y, _ = noisy(rng, 60)
    with pytest.raises(RecipeError, match="gives no probabilities"):
        train((X, y), TrainOptions(learner="perceptron", task=Task.CLASSIFICATION)).predict(X, costs={(0, 1): 2})
    with pytest.raises(RecipeError, match="the model predicts a number"):
        train((X, y), TrainOptions(task=Task.REGRESSION)).predict(X, reject=1.0)


def test_too_few_rows_to_calibrate_on_are_refused():
    X, y = np.eye(5), np.array([0, 0, 0, 0, 1])
    with pytest.raises(InputError, match="the label 1 has fewer than two rows to calibrate on"):
        train((X, y), TrainOptions(task=Task.CLASSIFICATION, calibrate=Method.SIGMOID))
    with pytest.raises(InputError, match="leave out calibrate"):
        train((X, y), TrainOptions(learner="perceptron", task=Task.CLASSIFICATION, calibrate=Method.SIGMOID))


def test_a_slip_in_the_costs_of_a_long_run_does_not_lose_what_was_learnt(rng, tmp_path):
    X, y, _ = noisy(rng, 300)
    write_svmlight(tmp_path / "all.svm", X, y.astype(float))
    data = [str(tmp_path / "all.svm")]
    options = TrainOptions(
        learner="sgd-logistic", checkpoint=str(tmp_path / "c"), costs=["0,7=2"], calibrate=Method.SIGMOID
    )
    with pytest.raises(
        RecipeError, match=r"the labels '0', '1'; the training is saved in .*: correct costs and add --resume$"
    ):
        train(data, options)
    mended = replace(options, costs=["0,1=2"])
    train_to_file(data, replace(mended, resume=True), tmp_path / "resumed")
    train(data, mended).save(tmp_path / "data")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "data").read_bytes()
    assert not (tmp_path / "c").exists()
