"""Rows with several labels, or none: every label is a problem of two classes, as scikit-learn's OneVsRestClassifier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, precision_score, recall_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import SVC, LinearSVC

import linnet
import linnet.pipeline.trainers.checkpoint_file
from linnet.learners import catalogue
from linnet.pipeline.separable import separability_of
from linnet.pipeline.train import TrainOptions, train, train_to_file
from linnet.pipeline.verify import verify
from tests.pipeline.making import cut

ONLINE = ("adaptive", "perceptron", "averaged-perceptron", "pegasos", "passive-aggressive-1", "winnow", "widrow-hoff")


def drawn(rng, n=150, d=8, labels=4):
    """A table and which labels its rows have: a few have none, and the last label appears late.

    No entry is above 1, so that training scales no column.
    """
    X = np.round(rng.uniform(-1, 1, size=(n, d)) * (rng.random((n, d)) < 0.7), 3)
    X[0, -1] = 1.0
    has = X @ rng.normal(size=(d, labels)) + 0.5 * rng.normal(size=(n, labels)) > 0.4
    has[: n // 3, -1] = False
    has[0, :2] = True  # what is detected: several labels a row
    return X, has


def write(path, X, has, names=None):
    names = list(range(has.shape[1])) if names is None else names
    lines = []
    for row, labels in zip(X.tolist(), has, strict=True):
        entries = " ".join(f"{j}:{x:g}" for j, x in enumerate(row) if x)
        lines.append(f"{','.join(str(names[k]) for k in np.flatnonzero(labels))} {entries}\n")
    Path(path).write_text("".join(lines))
    return str(path)


@pytest.fixture
def problem(rng, tmp_path):
    X, has = drawn(rng)
    return X, has, write(tmp_path / "rows.svm", X, has)


@pytest.mark.parametrize(
    ("learner", "twin"),
    [
        ("logistic-regression", LogisticRegression(C=0.7, tol=1e-10, max_iter=10_000)),
        ("svm", SVC(kernel="linear", C=0.7, tol=1e-10)),
    ],
)
def test_weights_are_those_of_scikit_learns_one_vs_rest(learner, twin, problem):
    X, has, path = problem
    model = linnet.train(path, learner=learner, C=0.7, tol=1e-9)
    rows, labels = load_svmlight_file(path, multilabel=True, zero_based=True)
    binary = MultiLabelBinarizer()
    theirs = OneVsRestClassifier(twin).fit(rows.toarray(), binary.fit_transform(labels))
    assert model.classes == binary.classes_.tolist() == [0, 1, 2, 3]
    assert_allclose(model.linear.weights.T, np.concatenate([each.coef_ for each in theirs.estimators_]), atol=2e-4)
    assert_allclose(model.linear.intercepts, [each.intercept_[0] for each in theirs.estimators_], atol=2e-4)
    assert model.predict(path).tolist() == binary.inverse_transform(theirs.predict(rows.toarray()))
    if learner == "logistic-regression":
        assert_allclose(model.predict_proba(path), theirs.predict_proba(X), atol=1e-4)
    assert model.record.labels_per_row == has.sum() / len(has)
    assert model.certificate.gap <= 1e-9
    assert verify(model, path).holds


@pytest.mark.parametrize("learner", ONLINE)
def test_an_online_learner_takes_each_label_from_the_row_that_first_has_it(learner, rng, tmp_path):
    X, has = drawn(rng)
    X = np.abs(X) if learner == "winnow" else X
    path = write(tmp_path / "rows.svm", X, has)
    model = linnet.train(path, learner=learner, holdout=0)
    for number in range(has.shape[1]):
        first = int(has[:, number].argmax())
        alone = linnet.OnlineClassifier(learner)
        for row in range(first, len(X)):
            alone.partial_fit(X[row : row + 1], has[row : row + 1, number].astype(int), classes=[0, 1])
        assert_allclose(model.linear.weights[:, number], alone.coef_[0], atol=1e-12)
        assert_allclose(model.linear.intercepts[number], alone.intercept_[0], atol=1e-12)


@pytest.mark.parametrize("chunk", [1, 300, 1 << 20])
@pytest.mark.parametrize(("learner", "passes"), [("auto", None), ("adaptive", 1), ("averaged-perceptron", 3)])
def test_the_model_does_not_depend_on_how_the_file_is_cut(learner, passes, chunk, problem, tmp_path):
    _, _, path = problem
    lines = Path(path).read_text().splitlines(keepends=True)
    parts = [str(tmp_path / f"{number}.svm") for number in range(3)]
    for part, (a, b) in zip(parts, [(0, 40), (40, 41), (41, len(lines))], strict=True):
        Path(part).write_text("".join(lines[a:b]))
    with cut(cache=16):
        train(path, TrainOptions(learner=learner, passes=passes)).save(tmp_path / "whole")
    with cut(chunk, cache=16):
        train(parts, TrainOptions(learner=learner, passes=passes)).save(tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("passes", [1, 3])
def test_a_run_killed_at_every_checkpoint_ends_in_the_same_bytes(passes, problem, tmp_path, monkeypatch):
    _, _, path = problem
    options = TrainOptions(learner="adaptive", passes=passes)
    write_it = linnet.pipeline.trainers.checkpoint_file.write

    def once(*given):
        write_it(*given)
        raise KeyboardInterrupt

    with cut(400, cache=32):
        train(path, options).save(tmp_path / "whole")
        monkeypatch.setattr(linnet.pipeline.trainers.checkpoint_file, "write", once)
        options = replace(options, checkpoint=str(tmp_path / "m.checkpoint"), checkpoint_every=20)
        kills = 0
        while not (tmp_path / "m").exists():
            try:
                train_to_file(path, options, tmp_path / "m")
            except KeyboardInterrupt:
                options, kills = replace(options, resume=True), kills + 1
    assert kills >= 3
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_C_is_the_median_of_what_is_chosen_for_each_label_alone(problem, tmp_path):
    X, has, path = problem
    several = linnet.train(path, learner="logistic-regression", holdout=0)
    alone = []
    for number in range(has.shape[1]):
        one = write(tmp_path / f"{number}.svm", X, has[:, number : number + 1] ^ np.array([[False, True]]), [1, 0])
        model = linnet.train(one, learner="logistic-regression", holdout=0)
        assert model.classes == [0, 1]
        alone.append(model.record.strength.value)
    assert several.record.strength.value == sorted(alone)[1]
    assert several.record.strength.way == "leave-one-out, the median of 4 labels"


def at(k, scores, has):
    """Precision at k, row by row."""
    found = [has[row, np.argsort(-scores[row], kind="stable")[:k]].mean() for row in range(len(scores))]
    return np.mean(found)


@pytest.mark.parametrize("chunk", [200, 1 << 20])
@pytest.mark.parametrize("learner", ["logistic-regression", "perceptron"])
def test_metrics_are_scikit_learns(learner, chunk, rng, tmp_path):
    X, has = drawn(rng, n=260, labels=6)
    train_on, test = write(tmp_path / "a.svm", X[:200], has[:200]), write(tmp_path / "b.svm", X[200:], has[200:])
    model, has = linnet.train(train_on, learner=learner), has[200:]
    with cut(chunk):
        found = model.evaluate(test)
    scores = X[200:] @ model.linear.weights + model.linear.intercepts
    predicted = scores > 0
    assert found.rows == 60
    assert found.unknown_labels == 0
    assert found.micro_f1 == pytest.approx(f1_score(has, predicted, average="micro"))
    assert found.macro_f1 == pytest.approx(f1_score(has, predicted, average="macro", zero_division=0.0))
    assert found.subset_accuracy == pytest.approx(accuracy_score(has, predicted))
    assert found.hamming_loss == pytest.approx(hamming_loss(has, predicted))
    assert found.precision_at_1 == pytest.approx(at(1, scores, has))
    assert found.precision_at_3 == pytest.approx(at(3, scores, has))
    assert found.precision_at_5 == pytest.approx(at(5, scores, has))
    by_label = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
    for name, metric in by_label.items():
        theirs = metric(has, predicted, average=None, zero_division=0.0)
        assert_allclose(np.nan_to_num([getattr(each, name) for each in found.labels]), theirs)


def test_held_out_metrics_are_those_of_a_fit_without_these_rows(rng, tmp_path):
    from linnet.evaluation.splits import held_out

    X, has = drawn(rng, n=400)
    model = linnet.train(write(tmp_path / "a.svm", X, has), learner="svm-squared", C=1.0, tol=1e-8)
    held = held_out(0, 400, 0.1, 0)
    held[has.argmax(axis=0)] = False  # the first row of a label is trained on
    theirs = OneVsRestClassifier(LinearSVC(C=1.0, tol=1e-10, max_iter=100_000, intercept_scaling=1e4))
    theirs.fit(X[~held], has[~held])
    assert model.record.rows_held_out == held.sum()
    assert model.record.held_out.micro_f1 == pytest.approx(
        f1_score(has[held], theirs.predict(X[held]), average="micro")
    )


def test_a_label_of_all_rows_and_a_row_without_labels(rng, tmp_path):
    X, has = drawn(rng)
    has[:, 1] = True
    model = linnet.train(write(tmp_path / "a.svm", X, has))
    assert_array_equal(model.linear.weights[:, 1], 0)
    assert (model.predict_proba(str(tmp_path / "a.svm"))[:, 1] == 1).all()
    assert model.certificate.gap <= 1e-3
    assert all(1 in labels for labels in model.predict(str(tmp_path / "a.svm")))


def test_labels_that_the_model_does_not_know_are_missed(problem, tmp_path):
    _, _, path = problem
    model = linnet.train(path)
    labels = model.predict(path)
    truth = "".join(
        f"{','.join([*map(str, each), '9'])} {line.split(' ', 1)[1]}\n"
        for each, line in zip(labels, Path(path).read_text().splitlines(), strict=True)
    )
    (tmp_path / "b.svm").write_text(truth)
    found = model.evaluate(str(tmp_path / "b.svm"))
    right = sum(map(len, labels))
    assert (found.unknown_labels, found.subset_accuracy) == (len(labels), 0)
    assert found.micro_f1 == pytest.approx(2 * right / (2 * right + len(labels)))


def test_labels_are_numbers_that_need_not_be_whole(rng, tmp_path):
    X, has = drawn(rng)
    model = linnet.train(write(tmp_path / "a.svm", X, has, names=["1.5", "-2", "10", "3e0"]))
    assert model.classes == [-2.0, 1.5, 3.0, 10.0]
    assert model.evaluate(str(tmp_path / "a.svm")).unknown_labels == 0


def test_a_saved_model_predicts_the_same(problem, tmp_path):
    _, _, path = problem
    model = linnet.train(path)
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert again.predict(path).tolist() == model.predict(path).tolist()
    assert_array_equal(again.predict_proba(path), model.predict_proba(path))
    assert again.evaluate(path).as_dict() == model.evaluate(path).as_dict()
    assert again.record.as_dict() == model.record.as_dict() | {"source": "", "plan": None}


def test_lines_of_fasttext_have_several_labels_too(rng, tmp_path):
    X, has = drawn(rng, n=300, d=6, labels=3)
    words, path = ["hot", "new", "old", "big", "red", "sad"], tmp_path / "rows.txt"
    texts = [" ".join(word for word, x in zip(words, row, strict=True) if x > 0) for row in X]
    has = np.array([[word in text.split() for word in words[:3]] for text in texts])
    has[0] = True
    lines = [
        "".join(f"__label__{'abc'[k]} " for k in np.flatnonzero(row)) + text
        for row, text in zip(has, texts, strict=True)
    ]
    path.write_text("".join(f"{line}\n" for line in lines if line))
    model = linnet.train(str(path))
    assert model.classes == ["a", "b", "c"]
    found = model.evaluate(str(path))
    assert found.rows == sum(map(bool, lines))
    assert found.micro_f1 > 0.9


def test_rows_beyond_the_memory_are_streamed(problem):
    _, _, path = problem
    with cut(1000):
        model = linnet.train(path, memory=1)
    assert model.learner == "adaptive"
    assert "streamed through an online learner" in model.record.reason
    assert model.predict(path).tolist() == linnet.train(path, learner="adaptive").predict(path).tolist()


@pytest.mark.parametrize("entry", [each for each in catalogue.entries() if "classification" in each.tasks])
def test_every_learner_takes_several_labels_or_names_those_that_do(entry, rng, tmp_path):
    X, has = drawn(rng)
    path = write(tmp_path / "rows.svm", X != 0, has)
    if entry.takes_each_label:
        assert linnet.train(path, learner=entry.name).linear.weights.shape == (8, 4)
    else:
        with pytest.raises(linnet.RecipeError, match=rf"{entry.name} does not take: take one of .*svm"):
            linnet.train(path, learner=entry.name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"calibrate": "sigmoid"}, "calibrate is for one label a row"),
        ({"class_weight": "balanced"}, "class_weight is for one label a row"),
        ({"reject": 0.2}, "reject is for one label a row"),
        ({"summary": True}, "summary is for one label a row"),
        ({"task": "regression"}, "rows.svm:1:2: more than one label; .* multiclass='each-label'"),
        ({"multiclass": "pairwise"}, "rows.svm:1:2: more than one label; .* multiclass='each-label'"),
    ],
)
def test_what_is_for_one_label_a_row_is_refused(options, message, problem):
    with pytest.raises((linnet.RecipeError, linnet.InputError), match=message):
        linnet.train(problem[2], **options)


def test_several_labels_that_come_late_are_asked_for(rng, tmp_path):
    X, has = drawn(rng, n=2100)
    has[:] = np.arange(2100)[:, np.newaxis] % 4 == np.arange(4)
    has[2060] = [True, True, False, False]
    path = write(tmp_path / "rows.svm", X, has)
    with pytest.raises(linnet.InputError, match=r"rows.svm:2061:2: more than one label; .* multiclass='each-label'"):
        linnet.train(path, task="classification")
    assert linnet.train(path, multiclass="each-label").record.labels_per_row == has.sum() / len(has)


def test_without_any_label_there_is_nothing_to_train_on(rng, tmp_path):
    X, has = drawn(rng)
    path = write(tmp_path / "rows.svm", X, has & False)
    for learner in ("auto", "adaptive"):
        with pytest.raises(linnet.InputError, match="no row has a label: there is nothing to train on"):
            linnet.train(path, learner=learner, multiclass="each-label")
    with pytest.raises(linnet.RecipeError, match="is for rows with several labels"):
        linnet.train({"a": [1, 2, 3, 4] * 9, "y": ["a", "b"] * 18}, "y", multiclass="each-label")


def test_separability_is_of_one_label_a_row(problem):
    with pytest.raises(linnet.InputError, match="the rows have several labels"):
        separability_of(problem[2])


def test_arrays_are_predicted_but_have_no_labels_to_evaluate_on(problem):
    X, has, path = problem
    model = linnet.train(path)
    assert model.predict(X).tolist() == model.predict(path).tolist()
    with pytest.raises(linnet.InputError, match="several labels a row: give data to evaluate on as svmlight"):
        model.evaluate((X, has[:, 0].astype(int)))


def test_one_label_or_none_is_a_model_of_one_label(problem, tmp_path):
    X, has, _ = problem
    path = write(tmp_path / "one.svm", X, has[:, :1], [7])
    for learner in ("auto", "adaptive"):
        linnet.train(path, learner=learner, multiclass="each-label").save(tmp_path / "m")
        model = linnet.load(tmp_path / "m")
        assert model.classes == [7]
        assert set(model.predict(path)) == {(), (7,)}
        assert model.evaluate(path).precision_at_3 != model.evaluate(path).precision_at_3  # not defined
