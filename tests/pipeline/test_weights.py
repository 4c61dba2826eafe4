"""Weights of rows: k is k copies, 0 is a row that is not there, in models and in figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss, r2_score

import linnet
from linnet.data.features.schema import Role, Task
from linnet.errors import InputError
from linnet.evaluation.splits import held_out
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.pipeline.scaling import measured
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.every_learner import KINDS, mixed_rows
from tests.pipeline.making import arrow, cut, held_rows, model_bytes, write_csv
from tests.pipeline.test_batch import training_set

ROLES = {"w": Role.WEIGHT, "text": Role.TEXT, "colour": Role.CATEGORY, "size": Role.NUMBER, "age": Role.NUMBER}
CASES = [
    (entry, kind)
    for entry in catalogue.entries()
    for kind in KINDS
    if (Task.REGRESSION if kind == "numbers" else Task.CLASSIFICATION) in entry.tasks
]
each_case = pytest.mark.parametrize(("entry", "kind"), CASES, ids=[f"{entry.name}-{kind}" for entry, kind in CASES])
each_way = pytest.mark.parametrize("learner", ["logistic-regression", "naive-bayes-gaussian", "adaptive"])


def weighted_and_copied(entry, kind, n=120):
    """The same rows twice: with weights from 0 to 3, and each as many times as it weighs."""
    rows = mixed_rows(kind, n, boolean=entry.values is not None)
    if entry.way is Way.COUNTING:
        rows = [row | {"size": row["size"] and abs(row["size"]), "age": abs(row["age"])} for row in rows]
    w = np.random.default_rng(1).integers(0, 4, n).tolist()
    weighted = [row | {"w": float(k)} for row, k in zip(rows, w, strict=True)]
    copied = [row | {"w": 1.0} for row, k in zip(rows, w, strict=True) for _ in range(k)]
    return arrow(weighted), arrow(copied)


def asked(entry, **more):
    return TrainOptions(learner=entry.name, target="y", columns=ROLES, holdout=0.0, **more)


@each_case
def test_a_weight_of_k_is_k_copies(entry, kind):
    """Numbers, categories, text and missing values of them: scales, words, labels and names are those of the copies."""
    weighted, copied = weighted_and_copied(entry, kind)
    # other rows, other steps: the two meet at the optimum, which is asked for only roughly by default
    tol = {"tol": 1e-5} if entry.sparse_classes else {}
    a, b = (train(data, asked(entry, **tol)) for data in (weighted, copied))
    assert a.features.names() == b.features.names()
    assert a.classes == b.classes
    if entry.sparse_classes:
        assert a.certificate.reason or a.certificate.primal == pytest.approx(b.certificate.primal, rel=2e-5)
        np.testing.assert_allclose(a.linear.weights, b.linear.weights, rtol=0, atol=1e-3)
        return
    if entry.name == "quantile":  # a linear programme may have several optima: then the objective is the same
        assert a.certificate.primal == pytest.approx(b.certificate.primal, rel=2e-6)
        return
    # Huber's regression fits nearly all of these rows exactly: weights are then as accurate as its proof
    near = 2e-7 if entry.name == "huber" else 1e-9
    largest = np.abs(a.linear.weights).max()
    np.testing.assert_allclose(a.linear.weights, b.linear.weights, rtol=0, atol=near * max(1.0, largest))
    np.testing.assert_allclose(a.linear.intercepts, b.linear.intercepts, rtol=0, atol=near * max(1.0, largest))
    assert a.record.numbers.keys() == b.record.numbers.keys()
    for name, facts in a.record.numbers.items():
        assert facts.mean == pytest.approx(b.record.numbers[name].mean, rel=1e-12, abs=1e-15)
        assert facts.deviation == pytest.approx(b.record.numbers[name].deviation, rel=1e-12)
    assert a.evaluate(weighted).as_dict() == a.evaluate(copied).as_dict()


@pytest.mark.parametrize("solver", ["newton-cg", "dual", "lbfgs"])
def test_a_weight_of_k_is_k_copies_to_every_solver(solver):
    entry = catalogue.find("logistic-regression")
    weighted, copied = weighted_and_copied(entry, "two")
    a, b = (train(data, asked(entry, solver=solver, tol=1e-13, max_iter=10_000)) for data in (weighted, copied))
    np.testing.assert_allclose(a.linear.weights, b.linear.weights, rtol=0, atol=2e-6)


@each_case
def test_a_row_of_weight_zero_is_as_if_it_were_not_there(entry, kind, tmp_path):
    """Its label, its words, its missing and impossible values: the model files are the same bytes."""
    rows = [row | {"w": 1.0} for row in mixed_rows(kind, 260, boolean=entry.values is not None)]
    if entry.way is Way.COUNTING:
        rows = [row | {"size": row["size"] and abs(row["size"]), "age": abs(row["age"])} for row in rows]
    label = 1e6 if kind == "numbers" else "never"
    nothing = {"size": -1e9, "age": None, "colour": "none", "text": "nothing nothing at all", "y": label, "w": 0.0}
    without_target = nothing | {"y": None}
    scattered = []
    for number, row in enumerate(rows):
        scattered += [row] + [nothing, without_target][: number % 3] * (number >= 20)
    options = replace(asked(entry), holdout=None)
    assert model_bytes(arrow(scattered), options, tmp_path) == model_bytes(arrow(rows), options, tmp_path)


def noise_of_no_weight(n=4000):
    """A table that a plane separates; half of the rows have the weight 0 and random labels."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n, 4)), rng.integers(0, 2, n)
    y = np.where(w > 0, X @ [3, -2, 1, 0] + 0.1 * rng.normal(size=n) > 0, rng.integers(0, 2, n))
    return {f"x{j}": X[:, j] for j in range(4)} | {"w": w, "y": np.where(y, "yes", "no")}


def only(table, which):
    return {name: np.asarray(column)[which] for name, column in table.items()}


WEIGHED = TrainOptions(target="y", columns={"w": Role.WEIGHT})


@each_way
def test_figures_are_of_the_rows_that_have_a_weight(learner):
    table = noise_of_no_weight()
    left = only(table, table["w"] > 0)
    options = replace(WEIGHED, learner=learner, passes=3 if learner == "adaptive" else None)
    model, other = train(table, options), train(left, options)
    found = model.record.held_out
    assert found.accuracy > 0.9
    assert found == other.record.held_out
    assert found.rows == model.record.rows_held_out == held_rows(left["y"], 0.1).sum()
    assert model.record.rows == len(left["y"])
    assert model.evaluate(table) == model.evaluate(left)
    assert model.evaluate(table).accuracy > 0.9


@pytest.mark.parametrize("unit", [1, 0.3])
@each_way
def test_held_out_figures_count_rows_by_their_weights(learner, unit):
    """Against scikit-learn's metrics, of the predictions of a model of the other rows."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 3))
    table = {f"x{j}": X[:, j] for j in range(3)}
    table |= {"y": np.where(X[:, 0] + rng.normal(size=1500) > 0, "b", "a")}
    table["w"] = unit * np.where((X[:, 0] > 0) == (table["y"] == "b"), 1, 4)  # what is predicted wrong weighs more
    passes = 2 if learner == "adaptive" else None
    options = replace(WEIGHED, learner=learner, passes=passes, class_weight=None if "bayes" in learner else {"a": 1.5})
    model = train(table, options)
    held = held_rows(table["y"], 0.1)
    # the model of the best pass was not trained on the held-out rows
    fitted = model if learner == "adaptive" else train(only(table, ~held), replace(options, holdout=0.0))
    asked_of = only(table, held)
    p = fitted.predict_proba(asked_of)[:, 1]
    found, w = model.record.held_out, asked_of["w"]
    assert found.accuracy == pytest.approx(accuracy_score(asked_of["y"], fitted.predict(asked_of), sample_weight=w))
    assert found.log_loss == pytest.approx(log_loss(asked_of["y"] == "b", p, sample_weight=w), rel=1e-6)
    unweighted = accuracy_score(asked_of["y"], fitted.predict(asked_of))
    assert abs(found.accuracy - unweighted) > 0.05


def test_held_out_figures_of_numbers_count_rows_by_their_weights():
    rng = np.random.default_rng(3)
    x = rng.normal(size=1000)
    table = {"x": x, "w": np.where(x > 0, 5, 1), "y": np.where(x > 0, x, -x) + rng.normal(size=1000)}
    options = replace(WEIGHED, learner="ridge", task=Task.REGRESSION)
    model, held = train(table, options), held_out(0, 1000, 0.1, 0)
    fitted, asked_of = train(only(table, ~held), replace(options, holdout=0.0)), only(table, held)
    truth = r2_score(asked_of["y"], fitted.predict(asked_of), sample_weight=asked_of["w"])
    assert model.record.held_out.r2 == pytest.approx(truth, rel=1e-6)
    assert model.record.held_out.rows == asked_of["w"].sum()


def test_evaluate_counts_rows_by_their_weights_and_without_the_column_each_once():
    rng = np.random.default_rng(4)
    table = noise_of_no_weight(600) | {"w": rng.integers(1, 9, 600)}
    model = train(table, replace(WEIGHED, holdout=0.0))
    predicted = model.predict(table)
    weighted = accuracy_score(table["y"], predicted, sample_weight=table["w"])
    assert model.evaluate(table).accuracy == pytest.approx(weighted, rel=1e-14)
    unweighted = {name: column for name, column in table.items() if name != "w"}
    assert model.evaluate(unweighted).accuracy == pytest.approx(accuracy_score(table["y"], predicted), rel=1e-14)
    assert weighted != pytest.approx(accuracy_score(table["y"], predicted), abs=1e-3)


def test_columns_are_standardised_by_weight():
    rng = np.random.default_rng(5)
    x, w = rng.normal(3, 2, size=200), rng.random(200) * 3
    x[::7] = np.nan
    table = {"x": x, "w": w, "y": rng.choice(["a", "b"], 200)}
    data = training_set(table, replace(WEIGHED, learner="logistic-regression"))
    known = ~np.isnan(x)
    for unit in (1.0, 1e-200, 1e200):
        scaling = measured(data.features, data.rows, w * unit)
        mean = np.average(x[known], weights=w[known])
        assert scaling.centres[0] == pytest.approx(mean, rel=1e-13)
        assert scaling.units[0] == pytest.approx(np.sqrt(np.cov(x[known], aweights=w[known], ddof=0)), rel=1e-13)


def test_an_ngram_of_one_row_of_weight_two_is_that_of_two_rows():
    rows = [{"text": f"common word{i}", "y": "ab"[i % 2], "w": w} for i, w in enumerate([1.0, 2.0, 0.5, 0.5, 3.0])]
    rows += [{"text": "common half", "y": "a", "w": 0.5}, {"text": "common half", "y": "b", "w": 0.5}]
    options = replace(WEIGHED, columns={"w": Role.WEIGHT, "text": Role.TEXT}, ngrams=(1, 1), holdout=0.0)
    names = train(arrow(rows), replace(options, learner="logistic-regression")).features.names()
    assert set(names) == {"text:common", "text:word1", "text:word4", "text:half"}


# -- progressive validation --------------------------------------------------------------------------------------------


def test_progressive_validation_predicts_each_row_once_before_it_is_trained_on():
    """Pure noise: whatever weights make the learner repeat, no row can be known before it is met."""
    rng = np.random.default_rng(6)
    n = 4000
    y = np.where(rng.random(n) < 0.8, "spam", "ham")
    table = {f"x{j}": rng.normal(size=n) for j in range(4)} | {"y": y}
    plain = TrainOptions(target="y", learner="adaptive")
    for options, data in (
        (replace(plain, class_weight={"spam": 4.0}), table),
        (replace(plain, class_weight={"ham": 4.0, "spam": 4.0}), table),
        (replace(plain, columns={"w": Role.WEIGHT}), table | {"w": np.full(n, 4)}),
    ):
        found = train(data, options).record.progressive
        assert found.rows == n
        assert found.accuracy < 0.815
        assert found.baseline_accuracy == pytest.approx((y == "spam").mean())
        assert found.accuracy_interval.low < found.accuracy < found.accuracy_interval.high
    repeated = train(table | {"w": np.full(n, 4)}, replace(plain, columns={"w": Role.WEIGHT})).record.progressive
    assert repeated.mistakes == pytest.approx((1 - repeated.accuracy) * n)


@pytest.mark.parametrize("learner", ["perceptron", "sgd-logistic", "winnow"])
@pytest.mark.parametrize("classes", [2, 4])
def test_progressive_accuracy_is_that_of_a_twin_that_predicts_and_then_learns(learner, classes):
    rng = np.random.default_rng(7)
    X = (rng.random((160, 8)) < 0.5).astype(float)
    scores = X @ rng.normal(size=(8, classes)) + 0.3 * rng.normal(size=(160, classes))
    y, w = scores.argmax(axis=1), rng.integers(1, 4, 160)
    y[:classes] = np.arange(classes)
    table = {f"x{j}": X[:, j] for j in range(8)} | {"w": w, "y": np.array(list("abcd"))[y]}
    model = train(table, replace(WEIGHED, learner=learner, task=Task.CLASSIFICATION))
    # a missing value has a column of its own
    twin, wide = linnet.OnlineClassifier(learner), np.column_stack([X.T.reshape(8, 160).T, np.zeros((160, 8))])
    wrong = unsure = 0
    for i, label in enumerate(y):
        if i >= classes:
            scores = np.atleast_1d(twin.decision_function(wide[i : i + 1])[0])
            tie = scores[0] == 0 if len(scores) == 1 else np.sum(scores == scores.max()) > 1
            unsure += w[i] * tie
            wrong += w[i] * (not tie and twin.predict(wide[i : i + 1])[0] != label)
        for _ in range(w[i]):
            twin.partial_fit(wide[i : i + 1], [label])
    mistaken = (1 - model.record.progressive.accuracy) * w.sum()
    assert wrong - 1e-9 <= mistaken <= wrong + unsure + w[:classes].sum() + 1e-9
    assert unsure + w[:classes].sum() < 30
    assert model.record.progressive.baseline_accuracy == pytest.approx(np.bincount(y, w).max() / w.sum())


@pytest.mark.parametrize("learner", ["adaptive-squared", "widrow-hoff"])
def test_progressive_metrics_of_numbers_are_those_of_a_twin(learner):
    rng = np.random.default_rng(8)
    X = rng.choice([-1.0, 1.0], size=(120, 3))  # the adaptive learner predicts by scales that include the row's own
    y, w = X @ [1.0, -2.0, 0.5] + 3 + 0.3 * rng.normal(size=120), rng.integers(1, 4, 120)
    table = {f"x{j}": X[:, j] for j in range(3)} | {"w": w, "y": y}
    model = train(table, replace(WEIGHED, learner=learner, task=Task.REGRESSION, holdout=0.0))
    twin, predicted = linnet.OnlineRegressor(learner), [0.0]
    wide = np.insert(X, [1, 2, 3], 0.0, axis=1)  # the columns of missing values
    for i in range(120):
        if i:
            predicted.append(float(twin.predict(wide[i : i + 1])[0]))
        for _ in range(w[i]):
            twin.partial_fit(wide[i : i + 1], y[i : i + 1])
    found = model.record.progressive.numbers
    assert model.record.progressive.rows == 120
    assert found.r2 == pytest.approx(r2_score(y, predicted, sample_weight=w), rel=1e-9)
    assert found.mae == pytest.approx(np.average(np.abs(y - predicted), weights=w), rel=1e-9)
    assert found.r2_interval.low < found.r2 < found.r2_interval.high


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("learner", ["adaptive", "winnow", "adaptive-squared"])
def test_progressive_validation_is_the_same_however_the_rows_are_cut(learner, unit, tmp_path, monkeypatch):
    monkeypatch.setattr("linnet.pipeline.trainers.progressive.MOST_KEPT", 100)
    kind = "numbers" if learner == "adaptive-squared" else "four"
    rows = mixed_rows(kind, 500, boolean=learner == "winnow")
    rows = [row | {"w": unit * (number % 4)} for number, row in enumerate(rows)]
    write_csv(tmp_path / "all.csv", rows)
    options = TrainOptions(target="y", learner=learner, columns=ROLES, holdout=0.0)
    found = []
    for chunk in (200, 1700, None):
        with cut(chunk):
            found.append(train(str(tmp_path / "all.csv"), options).record.progressive)
    assert found[0] == found[1] == found[2]
    assert found[0].rows == sum(row["w"] > 0 for row in rows)
    if kind == "numbers":
        assert found[0].numbers.rows < 400  # the weights of a sample
    else:
        totals = {row["y"]: sum(each["w"] for each in rows if each["y"] == row["y"]) for row in rows}
        assert found[0].baseline_accuracy == pytest.approx(max(totals.values()) / sum(totals.values()), rel=1e-12)


def test_more_rows_than_are_kept_are_sampled_at_random(monkeypatch):
    monkeypatch.setattr("linnet.pipeline.trainers.progressive.MOST_KEPT", 500)
    rng = np.random.default_rng(9)
    x = rng.normal(size=8000)
    table = {"x": x, "y": 2 * x + rng.normal(size=8000)}
    options = TrainOptions(target="y", learner="adaptive-squared", task=Task.REGRESSION, holdout=0.0)
    found = train(table, options).record.progressive
    assert (found.rows, found.numbers.rows) == (8000, 500)
    assert found.numbers.r2 == pytest.approx(0.8, abs=0.08)


def test_pairs_of_classes_are_not_validated_on_some_of_their_rows():
    rows = mixed_rows("four", 200, boolean=True)
    options = TrainOptions(target="y", learner="winnow", columns=ROLES, multiclass="pairwise")
    found = train(arrow([row | {"w": 1.0} for row in rows]), options).record.progressive
    assert (found.rows, found.mistakes, found.accuracy) == (0, None, None)


# -- what a weight may be ----------------------------------------------------------------------------------------------


def test_rows_without_a_weight_above_zero_are_no_rows():
    table = {"x": [1.0, 2.0], "w": [0.0, 0.0], "y": ["a", "b"]}
    for learner in ("auto", "naive-bayes-gaussian", "adaptive"):
        with pytest.raises(InputError, match="no rows to train on: none has a weight above 0 in the column w"):
            train(table, replace(WEIGHED, learner=learner))


def test_a_weight_too_large_to_be_added_exactly_names_its_row(tmp_path):
    (tmp_path / "all.csv").write_text("x,w,y\n1,1,a\n2,1e13,b\n")
    with pytest.raises(InputError, match=r"all.csv:3: the weight w is above 1.1e\+12"):
        train(str(tmp_path / "all.csv"), WEIGHED)
