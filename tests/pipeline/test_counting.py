"""Counting a stream: scikit-learn's naive Bayes from raw files, rows held out in the same pass, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import discriminant_analysis, naive_bayes
from sklearn.feature_extraction.text import CountVectorizer

import linnet
from linnet.data.features.schema import Task
from linnet.data.features.text import CountWeighting
from linnet.data.on_error import OnError
from linnet.errors import InputError, RecipeError
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.making import (
    TABLE,
    arrow,
    held_rows,
    roles_of,
    sparse,
    table,
    write_csv,
    write_jsonl,
    write_svmlight,
)

TEXTS = ["good good fun", "a good film", "bad bad bad film", "so bad", "fun and good", "no fun, bad"] * 20
LABELS = ["+", "+", "-", "-", "+", "-"] * 20


@pytest.mark.parametrize(("counts", "binary"), [("log", False), ("count", False), ("binary", True)])
@pytest.mark.parametrize("holdout", [None, 0.0])
def test_texts_are_counted_as_scikit_learn_counts_them(counts, binary, holdout, tmp_path):
    write_jsonl(tmp_path / "t.jsonl", [{"text": t, "label": y} for t, y in zip(TEXTS, LABELS, strict=True)])
    model = linnet.train(
        tmp_path / "t.jsonl", target="label", learner="naive-bayes", counts=counts, marks=False, holdout=holdout
    )
    words = CountVectorizer(token_pattern=r"\w+", ngram_range=(1, 2), binary=binary)
    theirs = naive_bayes.MultinomialNB().fit(words.fit_transform(TEXTS), LABELS)
    assert model.classes == theirs.classes_.tolist()
    found = model.predict_proba({"text": TEXTS[:6]})
    np.testing.assert_allclose(found, theirs.predict_proba(words.transform(TEXTS[:6])), rtol=1e-10, atol=1e-12)


def test_words_that_are_there_are_scikit_learns_bernoulli():
    model = linnet.train({"text": TEXTS, "label": LABELS}, "label", learner="naive-bayes-bernoulli", marks=False)
    words = CountVectorizer(token_pattern=r"\w+", ngram_range=(1, 2), binary=True)
    theirs = naive_bayes.BernoulliNB().fit(words.fit_transform(TEXTS), LABELS)
    found = model.predict_proba({"text": TEXTS[:6]})
    np.testing.assert_allclose(found, theirs.predict_proba(words.transform(TEXTS[:6])), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_numbered_rows_are_those_of_the_estimators(classes, rng, tmp_path):
    X, y = sparse(rng, 300, classes=classes)
    write_svmlight(tmp_path / "all.svm", X, y)
    pairs = {
        "naive-bayes-gaussian": linnet.SharedGaussianNB(),
        "discriminant-analysis": discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr"),
    }
    for learner, estimator in pairs.items():
        model = train([str(tmp_path / "all.svm")], TrainOptions(learner=learner, task=Task.CLASSIFICATION))
        np.testing.assert_allclose(
            model.predict_proba((X, y)), estimator.fit(X, y).predict_proba(X), rtol=1e-9, atol=1e-12
        )


def test_whole_weights_are_copies_and_labels_may_join_late(rng):
    rows = [row | {"size": None, "weight": float(rng.integers(4))} for row in table(rng, 250, 5)]
    options = replace(TABLE, columns=roles_of(rows), learner="naive-bayes", holdout=0.0)
    weighted = train(arrow(rows), options)
    copies = [{**row, "weight": 1.0} for row in rows for _ in range(int(row["weight"]))]
    copied = train(arrow(copies), options)
    assert weighted.classes == copied.classes == sorted({row["label"] for row in copies})
    one, other = (dict(zip(m.features.names(), m.linear.weights.tolist(), strict=True)) for m in (weighted, copied))
    assert one.keys() == other.keys()
    np.testing.assert_allclose([one[name] for name in one], [other[name] for name in one], rtol=1e-12)


def test_held_out_rows_measure_a_model_of_the_others_and_are_counted_after(rng):
    X, y = sparse(rng, 400)
    X = np.abs(X)
    model = train((X, y), TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION))
    held = held_rows(y, 0.1)
    others = linnet.MultinomialNB().fit(X[~held], y[~held])
    assert model.record.held_out.rows == held.sum() == model.record.rows_held_out
    assert model.record.held_out.accuracy == pytest.approx(others.score(X[held], y[held]))
    assert model.record.rows == 400
    whole = linnet.MultinomialNB().fit(csr_array(X), y)
    np.testing.assert_allclose(model.linear.weights, whole.model_.weights, rtol=1e-12, atol=1e-12)


def test_few_rows_are_not_held_out(rng):
    X, y = sparse(rng, 60)
    model = train((np.abs(X), y), TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION))
    assert model.record.held_out is None
    assert model.record.rows_held_out == 0


def test_text_is_counted_whatever_is_the_default():
    model = linnet.train({"text": TEXTS, "label": LABELS}, "label", learner="naive-bayes")
    assert model.features.terms[0].options.count_weighting is CountWeighting.COUNT
    assert not model.features.terms[0].options.unit_length
    other = linnet.train({"text": TEXTS, "label": LABELS}, "label", learner="adaptive")
    assert other.features.terms[0].options.count_weighting is CountWeighting.LOG


def test_a_negative_number_is_refused_with_its_place(rng, tmp_path):
    rows = [row | {"size": 2.0} for row in table(rng, 40, weights=False)]
    rows[7]["size"] = -1.5
    write_csv(tmp_path / "t.csv", rows)
    options = replace(TABLE, columns=roles_of(rows), learner="naive-bayes")
    expected = rf"{re.escape(str(tmp_path))}/t.csv:9: size has the value -1.5: .*gaussian.*'size:category'"
    with pytest.raises(InputError, match=expected):
        train([str(tmp_path / "t.csv")], options)
    skipping = train([str(tmp_path / "t.csv")], replace(options, on_error=OnError.SKIP))
    assert skipping.record.rejected_rows == 1
    assert skipping.record.rows == 39


def test_a_negative_value_of_a_numbered_row_is_refused_with_its_place(tmp_path):
    (tmp_path / "t.svm").write_text("1 0:1 2:3\n0 1:2\n1 0:2 1:-4\n0 1:1\n")
    with pytest.raises(InputError, match=r"t.svm:3: column 1 has the value -4: .*naive-bayes-gaussian"):
        train([str(tmp_path / "t.svm")], TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION))
    with pytest.raises(InputError, match=r"t.svm:1: column 2 has the value 3: Bernoulli .* takes 0 and 1 only"):
        train([str(tmp_path / "t.svm")], TrainOptions(learner="naive-bayes-bernoulli", task=Task.CLASSIFICATION))


def test_numbered_rows_that_cannot_be_counted_may_be_put_aside(tmp_path):
    (tmp_path / "t.svm").write_text("1 0:1 2:3\n0 1:2\n1 0:2.5 1:-4\n0 1:1\n")
    (tmp_path / "good.svm").write_text("1 0:1 2:3\n0 1:2\n0 1:1\n")
    options = TrainOptions(learner="naive-bayes", task=Task.CLASSIFICATION)
    aside = replace(options, on_error=OnError.QUARANTINE, quarantine=str(tmp_path / "aside"))
    model = train([str(tmp_path / "t.svm")], aside)
    assert (tmp_path / "aside").read_text() == "1 0:2.5 1:-4\n"
    assert model.linear.weights.tolist() == train([str(tmp_path / "good.svm")], options).linear.weights.tolist()


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"passes": 2}, RecipeError, "--passes is for online learners; naive-bayes counts the rows in one pass"),
        ({"checkpoint_every": 5, "checkpoint": "c"}, RecipeError, "--checkpoint-every is for online learners"),
        ({"task": Task.REGRESSION}, RecipeError, "'naive-bayes' learns classification"),
    ],
)
def test_what_makes_no_sense_is_refused(more, error, message, rng):
    X, y = sparse(rng, 40)
    with pytest.raises(error, match=message):
        train((np.abs(X), y), TrainOptions(**{"learner": "naive-bayes", "task": Task.CLASSIFICATION, **more}))


def test_targets_that_are_no_classes_are_refused():
    texts = {"text": ["some words"] * 60, "label": [f"name {i}" for i in range(60)]}
    with pytest.raises(InputError, match="60 rows have 60 different labels"):
        linnet.train(texts, "label", learner="naive-bayes")
    with pytest.raises(InputError, match="every row has the label 'a'"):
        linnet.train({"text": ["some", "words"], "label": ["a", "a"]}, "label", learner="naive-bayes")


def test_too_many_columns_for_discriminants_name_another_learner():
    texts = {"text": [f"w{i} v{i}" for i in range(10_000)], "label": ["a", "b"] * 5_000}
    with pytest.raises(InputError, match=r"discriminant analysis needs 2 tables of .*naive-bayes-gaussian"):
        linnet.train(texts, "label", learner="discriminant-analysis")


def test_a_model_file_tells_what_was_counted(tmp_path):
    model = linnet.train({"text": TEXTS, "label": LABELS}, "label", learner="naive-bayes")
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert again.learner == "naive-bayes"
    assert again.record == model.record
    assert again.evaluate({"text": TEXTS, "label": LABELS}).accuracy == 1.0
    np.testing.assert_array_equal(again.predict_proba({"text": TEXTS}), model.predict_proba({"text": TEXTS}))


@pytest.mark.parametrize("learner", ["naive-bayes", "naive-bayes-bernoulli", "discriminant-analysis"])
def test_features_that_tell_a_class_are_those_more_probable_in_it_than_in_the_others(learner):
    # log probabilities are below 0 in every class: only how they differ tells
    rng = np.random.default_rng(0)
    words = {"sport": ["goal", "team"], "food": ["salt", "soup"], "law": ["court", "judge"]}
    labels = rng.choice(list(words), 300).tolist()
    texts = [" ".join(rng.choice([*words[label], "the", "and"], 6)) for label in labels]
    model = linnet.train({"text": texts, "label": labels}, "label", learner=learner, ngrams=1, marks=False)
    weights = dict(zip(model.features.names(), model.linear.weights, strict=True))
    for number, label in enumerate(model.outputs()):
        favour, against = model.top(number, 2)
        assert {each.feature for each in favour} == {f"text:{word}" for word in words[label]}
        assert all(each.weight > 0 for each in favour)
        assert not {each.feature for each in against} & {f"text:{word}" for word in words[label]}
        for name, weight, _ in [*favour, *against]:
            assert weight == pytest.approx(weights[name][number] - weights[name].mean())


@pytest.mark.parametrize("learner", ["auto", "naive-bayes-gaussian", "adaptive", "svm"])
def test_a_label_whose_rows_weigh_nothing_is_not_there(learner):
    table = {"x": [1.0, 2.0, 3.0, 4.0], "w": [1.0, 0.0, 2.0, 0.0], "y": ["a", "b", "a", "b"]}
    with pytest.raises(InputError, match=r"every row has the label 'a'.*in rows of a weight above 0"):
        linnet.train(table, "y", columns={"w": "weight"}, learner=learner)
    table["w"][3] = 0.5
    assert linnet.train(table, "y", columns={"w": "weight"}, learner=learner).classes == ["a", "b"]
