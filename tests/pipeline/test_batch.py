"""Rows in memory: scales that are folded back, words that are weighed, and optima that others find, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from linnet.data.features.schema import Role, Task
from linnet.data.on_error import BadRows
from linnet.data.rows import Rows
from linnet.data.sources.block import Position
from linnet.data.sources.opening import open_data
from linnet.errors import Interrupted, NumericalError
from linnet.evaluation.splits import held_out
from linnet.learners import catalogue
from linnet.learners.entry import Way
from linnet.pipeline.dataset import Collected
from linnet.pipeline.decision_fit import NOTHING
from linnet.pipeline.plan import features_of
from linnet.pipeline.scaling import measured
from linnet.pipeline.services import Services
from linnet.pipeline.stream import RowStream
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.trainers.batch_fit import train_batch
from linnet.pipeline.trainers.solving import Solving, fitted
from linnet.pipeline.trainers.trials import Trials
from linnet.training.log_count_ratio import FLOOR, SMOOTHING, Text, term_weights
from tests.pipeline.making import TABLE, arrow, held_rows, roles_of, sparse, table


def training_set(data, options, learner="logistic-regression"):
    source = open_data(data)
    features, _ = features_of(source, options)
    collected = Collected(features)
    for made in RowStream(source, features, lambda _: {}, BadRows(), Services(threads=1)).numbered(Position()):
        collected.add(made)
    return collected.dataset().pruned(2).for_learner(catalogue.find(learner), None)


def numbers_table(rng, n=200, missing=True):
    """Two columns of numbers on very different scales, a category, and a label that depends on all."""
    size, age = rng.normal(1000.0, 300.0, n), rng.normal(-0.01, 0.002, n)
    colour = rng.choice(["red", "blue", "green"], n)
    score = (size - 1000) / 300 + 2 * (age + 0.01) / 0.002 + (colour == "red") + rng.normal(size=n)
    gaps = rng.random((2, n)) < (0.2 if missing else 0.0)
    return {
        "size": [None if gap else float(x) for gap, x in zip(gaps[0], size, strict=True)],
        "age": [None if gap else float(x) for gap, x in zip(gaps[1], age, strict=True)],
        "colour": colour.tolist(),
        "label": np.where(score > 0, "yes", "no").tolist(),
        "value": score.tolist(),
    }


LABELLED = TrainOptions(target="label", columns={"value": Role.IGNORE})
VALUED = TrainOptions(target="value", columns={"label": Role.IGNORE})


def scaled_twin(columns):
    """(x - mean) / deviation, 0 and a mark where it is missing; a 1 for each colour."""
    parts = []
    for name in ("size", "age"):
        x = np.array([np.nan if v is None else v for v in columns[name]])
        gone = np.isnan(x)
        parts += [np.where(gone, 0.0, (x - np.nanmean(x)) / np.nanstd(x)), gone.astype(float)]
    colours = list(dict.fromkeys(columns["colour"]))
    parts += [np.array([float(c == colour) for c in columns["colour"]]) for colour in colours]
    return np.column_stack(parts)


@pytest.mark.parametrize("missing", [False, True])
def test_the_logistic_optimum_is_that_of_scikit_learn_on_scaled_columns(missing, rng):
    columns = numbers_table(rng, missing=missing)
    model = train(columns, replace(LABELLED, C=1.0, tol=1e-9))
    X = scaled_twin(columns)
    twin = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(X, columns["label"])
    assert model.record.converged
    assert model.record.solver == "newton-cholesky"
    assert np.allclose(model.predict_proba(columns), twin.predict_proba(X), atol=1e-5)
    assert model.predict(columns).tolist() == twin.predict(X).tolist()


def test_least_squares_is_that_of_scikit_learn(rng):
    columns = numbers_table(rng)
    model = train(columns, replace(VALUED, learner="least-squares"))
    X = scaled_twin(columns)
    assert np.allclose(model.predict(columns), LinearRegression().fit(X, columns["value"]).predict(X), atol=1e-8)


def test_ridge_is_that_of_scikit_learn_on_scaled_columns(rng):
    columns = numbers_table(rng)
    model = train(columns, replace(VALUED, learner="ridge", alpha=1.0))
    X = scaled_twin(columns)
    assert np.allclose(model.predict(columns), Ridge(alpha=1.0).fit(X, columns["value"]).predict(X), atol=1e-8)
    assert model.record.converged
    assert model.certificate.gap < 1e-9


@pytest.mark.parametrize("learner", [entry.name for entry in catalogue.entries(Way.BATCH, Task.CLASSIFICATION)])
def test_weights_for_rows_as_they_come_score_them_as_scaled_ones(learner, rng):
    columns = numbers_table(rng)
    columns["count"] = rng.integers(0, 50, 200).astype(float).tolist()
    options = replace(LABELLED, learner=learner)
    data = training_set(columns, options, learner)
    rows = data.rows
    scaling = measured(data.features, rows, data.weights)
    solved = fitted(data, catalogue.find(learner), scaling.scaled(rows), None, Solving()).model
    raw = scaling.unscaled(solved)
    back = scaling.brought_back(raw)
    assert np.allclose(back.weights, solved.weights, rtol=1e-12, atol=1e-13)
    assert np.allclose(back.intercepts, solved.intercepts, rtol=1e-12, atol=1e-13)
    assert np.allclose(raw.decision(rows), solved.decision(scaling.scaled(rows)), rtol=1e-9, atol=1e-9)
    options = replace(options, C=1.0 if catalogue.find(learner).strength == "C" else None)  # not chosen, as above
    assert (np.array(train(columns, options).predict(columns)) == solved.predict(scaling.scaled(rows))).all()


def test_columns_are_measured_as_numpy_does(rng):
    columns = numbers_table(rng)
    data = training_set(columns, LABELLED)
    scaling = measured(data.features, data.rows, data.weights)
    for name, number in (("size", 0), ("age", 2)):
        x = np.array([v for v in columns[name] if v is not None])
        assert np.isclose(scaling.centres[number], x.mean(), rtol=1e-12)
        assert np.isclose(scaling.units[number], x.std(), rtol=1e-12)
    facts = train(columns, replace(LABELLED, learner="logistic-regression")).record.numbers
    assert facts["size"].missing == columns["size"].count(None)


def test_numbered_columns_are_divided_by_their_largest(rng):
    X, y = sparse(rng, 50)
    X[:, 2] *= 100
    data = training_set((X, y), TrainOptions(task=Task.CLASSIFICATION))
    scaling = measured(data.features, data.rows, data.weights)
    largest = np.abs(X).max(axis=0)
    assert (scaling.units == np.where(largest > 1, largest, 1)).all()
    assert not scaling.centres.any()


def test_a_number_that_never_changes_tells_nothing(rng):
    columns = numbers_table(rng)
    columns["same"] = [3.25] * 200
    options = replace(LABELLED, learner="logistic-regression", tol=1e-10)
    model = train(columns, options)
    without = train({name: c for name, c in columns.items() if name != "same"}, options)
    np.testing.assert_allclose(model.predict_proba(columns), without.predict_proba(columns), atol=1e-6)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_the_unit_of_a_column_does_not_matter(unit, rng):
    columns = numbers_table(rng)
    other = columns | {"size": [None if x is None else x / 5000 * unit for x in columns["size"]]}
    model, same = (train(each, replace(LABELLED, learner="logistic-regression")) for each in (columns, other))
    assert np.allclose(model.predict_proba(columns), same.predict_proba(other), atol=1e-6)


def test_a_column_too_narrow_for_its_weight_is_one_clear_error(rng):
    columns = numbers_table(rng)
    columns["size"] = [None if x is None else x * 2.0**-1070 for x in columns["size"]]
    with pytest.raises(NumericalError, match="too large or too narrow"):
        train(columns, replace(LABELLED, learner="logistic-regression"))


def test_term_weights_are_the_formula(rng):
    n, d = 60, 9
    X = (rng.random((n, d)) < 0.3).astype(np.float32)
    signs = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    text = np.array([True] * 7 + [False] * 2)
    p, q = X[signs > 0].sum(axis=0), X[signs < 0].sum(axis=0)
    s = (1 + p[text].sum()) / (2 + p[text].sum() + q[text].sum())
    r = np.log((p + SMOOTHING * s) / (q + SMOOTHING * (1 - s))) - np.log(s / (1 - s))
    wanted = np.where(text, (FLOOR + (1 - FLOOR) * np.abs(r)) * np.sqrt(1 + np.log((1 + n) / (1 + p + q))), 1.0)
    assert np.allclose(term_weights(Rows.of(csr_array(X)), signs, Text(text)), wanted, rtol=1e-6)


def test_the_held_out_result_is_of_rows_that_were_not_learnt(rng):
    """Random labels: rows that were learnt are known by heart, rows that were not are a toss of a coin."""
    n = 600
    X = np.hstack([np.eye(n), rng.normal(size=(n, 2))])
    y = rng.integers(1, 3, n).astype(float)
    model = train((X, y), TrainOptions(holdout=0.3, task=Task.CLASSIFICATION, C=1.0))
    result = model.record.held_out
    assert result.rows == model.record.rows_held_out == held_rows(y, 0.3).sum()
    assert 0.35 < result.accuracy < 0.65
    assert np.mean(np.array(model.predict((X, y))) == y) > 0.9


def test_held_out_measures_are_those_of_a_model_of_the_other_rows(rng):
    columns = numbers_table(rng, 300)
    held = held_rows(columns["label"], 0.1)
    model = train(columns, replace(LABELLED, learner="logistic-regression", C=1.0))
    X = scaled_twin(columns)
    twin = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(X[~held], np.array(columns["label"])[~held])
    assert model.record.rows_held_out == held.sum()
    assert model.record.held_out.accuracy == twin.score(X[held], np.array(columns["label"])[held])


@pytest.mark.parametrize("learner", ["logistic-regression", "naive-bayes-gaussian", "adaptive"])
def test_a_class_is_not_held_out_altogether(learner, rng):
    X, y = sparse(rng, 400)
    alone = np.flatnonzero(held_out(0, 400, 0.1, 0))[[0, 5, 9]]
    y[alone] = 7.0 + np.arange(3)  # each the only one of its class
    passes = 2 if learner == "adaptive" else None
    model = train((X, y), TrainOptions(learner=learner, task=Task.CLASSIFICATION, passes=passes))
    found = model.record.held_out
    assert found.rows == model.record.rows_held_out == held_rows(y, 0.1).sum()
    assert {each.label: each.support for each in found.classes if each.label >= 7} == {7: 0, 8: 0, 9: 0}
    assert 0 < found.accuracy_interval.low < found.accuracy_interval.high < 1


def test_rare_words_are_dropped_and_collisions_counted_among_the_rest(rng):
    rows = table(rng, 60, weights=False)
    rows[0]["text"] += " hapax"
    options = replace(TABLE, columns=roles_of(rows))
    names = train(arrow(rows), replace(options, learner="logistic-regression")).features.names()
    assert "text:hapax" not in names
    seen = [set(row["text"].lower().split()) for row in rows]
    for word in {word for words in seen for word in words}:
        assert (f"text:{word}" in names) == (sum(word in words for words in seen) >= 2)
    few = train(arrow(rows), replace(options, learner="logistic-regression", hash_bits=20))
    assert few.record.collisions == 0


def test_row_weights_count_as_copies(rng):
    rows = table(rng, 100)
    for row in rows:
        row["weight"] = float(rng.integers(0, 3))
    copies = [row | {"weight": 1.0} for row in rows for _ in range(int(row["weight"]))]
    options = TrainOptions(
        target="label",
        columns={"text": Role.IGNORE, "colour": Role.CATEGORY, "weight": Role.WEIGHT, "size": Role.IGNORE},
        holdout=0.0,
    )
    for solver in ("newton-cholesky", "dual"):
        a, b = (train(arrow(each), replace(options, solver=solver, tol=1e-10)) for each in (rows, copies))
        assert np.allclose(a.predict_proba(arrow(rows)), b.predict_proba(arrow(rows)), atol=1e-5)


def test_train_batch_says_what_it_does(rng):
    X, y = sparse(rng, 300)
    data = training_set((X, y), TrainOptions(task=Task.CLASSIFICATION))
    said = []
    train_batch(data, catalogue.find("logistic-regression"), holdout=0.2, seed=0, threads=1, say=said.append)
    assert said == ["choosing C", "training on all but the held-out rows", "training on all rows"]


def texts(n=300):
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(60)])
    labels = rng.choice(["a", "b"], n)
    shift = np.where(labels == "a", 0, 20)
    return {"label": labels.tolist(), "text": [" ".join(words[(rng.integers(40, size=8) + s) % 60]) for s in shift]}


def test_a_fit_beside_its_trial_is_the_same_fit():
    rows = training_set(texts(), TrainOptions(target="label"))
    entry = catalogue.find("logistic-regression")
    alone, beside = (
        train_batch(rows, entry, holdout=0.2, seed=3, threads=threads, say=lambda _: None) for threads in (1, 2)
    )
    assert alone.model.weights.tobytes() == beside.model.weights.tobytes()
    assert alone.held_out == beside.held_out
    assert alone.certificate == beside.certificate


def test_a_trial_that_nobody_waits_for_ends():
    rows = training_set(texts(), TrainOptions(target="label"))
    held = held_out(0, len(rows.targets), 0.2, 0)
    with Trials(rows, catalogue.find("logistic-regression"), rows.rows, Solving(threads=2)) as trials:
        pass
    result, _ = trials.measured(held, NOTHING.without_rows())
    with pytest.raises(Interrupted):
        result()
