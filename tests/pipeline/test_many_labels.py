"""Texts of very many labels: the learner that is taken, its file, and what is measured."""

import numpy as np
import pytest

import linnet
from linnet.errors import InputError, ModelFileError
from linnet.evaluation import classification
from linnet.learners import sparse_weights
from linnet.learners.sparse_weights import SparseWeights
from linnet.model.file import load, save
from linnet.pipeline.verify import verify
from linnet.storage import container
from linnet.training.online import OnlineTraining

LABELS = 120


@pytest.fixture
def table(tmp_path, rng):
    """Short texts, each with a word of its label among common ones."""
    path = tmp_path / "texts.csv"
    lines = ["label,text"]
    for number in range(8 * LABELS):
        label = number % LABELS
        words = [f"own{label}", *(f"common{k}" for k in rng.integers(50, size=4))]
        lines.append(f"label {label},{' '.join(words)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def sparse(monkeypatch):
    """Weights stay sparse, however small their table."""
    monkeypatch.setattr(sparse_weights, "DENSE_AT_MOST", 0)


@pytest.mark.usefixtures("sparse")
def test_many_labels_of_texts_are_trained_with_sparse_weights(table, tmp_path):
    model = linnet.train(str(table), target="label")
    assert model.record.learner == "crammer-singer-sparse"
    assert "120 labels" in model.record.reason
    assert model.record.held_out.accuracy > 0.95
    assert isinstance(model.linear.weights, SparseWeights)
    path = tmp_path / "model.linnet"
    save(model, path)
    again = load(path)
    assert again.certificate_matches_weights
    np.testing.assert_array_equal(again.linear.weights.table(), model.linear.weights.table())
    assert verify(again, str(table)).holds


@pytest.mark.parametrize("learner", ["adaptive", "adaptive-hinge", "averaged-perceptron", "sgd-logistic", "pegasos"])
@pytest.mark.parametrize("passes", [1, 2])
def test_room_for_all_labels_of_a_block_gives_the_bits_of_a_table_that_grows(table, learner, passes, monkeypatch):
    models = []
    for can_join in (True, False):
        if not can_join:
            monkeypatch.setattr(OnlineTraining, "can_join", False)
        models.append(linnet.train(str(table), target="label", learner=learner, passes=passes))
    ours, theirs = models
    assert ours.classes == theirs.classes
    np.testing.assert_array_equal(ours.linear.weights, theirs.linear.weights)
    np.testing.assert_array_equal(ours.linear.intercepts, theirs.linear.intercepts)
    assert ours.record.progressive == theirs.record.progressive


def test_labels_that_join_in_any_file_give_the_same_bits(table):
    whole = linnet.train(str(table), target="label", learner="adaptive")
    rows = table.read_text().splitlines()
    parts = []
    for number, start in enumerate(range(1, len(rows), 70)):
        parts.append(table.with_name(f"part{number:03}.csv"))
        parts[-1].write_text("\n".join([rows[0], *rows[start : start + 70]]) + "\n")
    divided = linnet.train([str(part) for part in parts], target="label", learner="adaptive")
    np.testing.assert_array_equal(whole.linear.weights, divided.linear.weights)


def test_reasons_of_sparse_weights_are_those_of_the_table(table, monkeypatch):
    dense = linnet.train(str(table), target="label")
    monkeypatch.setattr(sparse_weights, "DENSE_AT_MOST", 0)
    model = linnet.train(str(table), target="label")
    assert isinstance(dense.linear.weights, np.ndarray)
    for output in (0, 7, LABELS - 1):
        ours, theirs = model.top(output, 5), dense.top(output, 5)
        assert [[each.feature for each in side] for side in ours] == [
            [each.feature for each in side] for side in theirs
        ]
    np.testing.assert_allclose(model.reasons.of_output(3), dense.reasons.of_output(3), atol=1e-14)
    np.testing.assert_allclose(model.reasons.of_feature(3), dense.reasons.of_feature(3), atol=1e-14)
    assert model.reasons.used == dense.reasons.used


@pytest.mark.parametrize(("columns", "learner"), [(4000, "crammer-singer-sparse"), (40, "logistic-regression")])
def test_many_labels_of_rows_with_few_entries_have_the_learner_of_texts(tmp_path, rng, columns, learner):
    """Each label has a column of its own, if there are as many, and three at random beside it."""
    path = tmp_path / "rows.svm"
    lines = []
    for number in range(8 * LABELS):
        label = number % LABELS
        ids = {1 + label % columns, *(1 + rng.integers(columns, size=3))}
        lines.append(f"{label} " + " ".join(f"{j}:1" for j in sorted(ids)))
    path.write_text("\n".join(lines) + "\n")
    model = linnet.train(str(path), task="classification")
    assert model.record.learner == learner
    assert columns < LABELS or model.record.held_out.accuracy > 0.9


def test_probabilities_that_are_asked_for_decide_the_learner(table):
    assert linnet.train(str(table), target="label", least=0.5).record.learner == "logistic-regression"


def test_memory_is_stated_before_it_is_taken(table, monkeypatch):
    from linnet.pipeline import memory

    monkeypatch.setattr(memory, "LEAST", 0)
    with pytest.raises(InputError, match="for the classes that they are pulled by take about"):
        linnet.train(str(table), target="label", memory="800kB")


@pytest.mark.parametrize("damage", ["starts", "outputs", "twice", "values"])
@pytest.mark.usefixtures("sparse")
def test_damaged_sparse_weights_are_refused(table, tmp_path, damage):
    path = tmp_path / "model.linnet"
    save(linnet.train(str(table), target="label"), path)
    content, tensors = container.read(path, "model")
    tensors = {name: array.copy() for name, array in tensors.items()}
    if damage == "starts":
        tensors["weights.starts"][1] = tensors["weights.starts"][2] + 1
    elif damage == "outputs":
        tensors["weights.outputs"][0] = LABELS
    elif damage == "twice":
        first = np.flatnonzero(np.diff(tensors["weights.starts"]) > 1)[0]
        at = tensors["weights.starts"][first]
        tensors["weights.outputs"][at + 1] = tensors["weights.outputs"][at]
    else:
        tensors["weights.values"][0] = np.nan
    container.write(path, "model", content, tensors)
    with pytest.raises(ModelFileError):
        load(path)


def test_metrics_of_very_many_classes_are_those_of_a_confusion_table(rng, monkeypatch):
    truth, predicted = rng.integers(-1, 12, size=500), rng.integers(12, size=500)
    weights = rng.integers(1, 4, size=500).astype(float)
    results = []
    for most in (1000, 5):
        monkeypatch.setattr(classification, "CONFUSED_AT_MOST", most)
        tally = classification.ClassificationTally([f"c{k}" for k in range(12)])
        tally.add(truth, predicted, weights=weights)
        results.append(tally.result())
    with_table, without = results
    assert without.confusion == () != with_table.confusion
    for name in ("rows", "accuracy", "accuracy_interval", "classes", "macro_f1", "weighted_f1", "unknown_labels"):
        assert getattr(with_table, name) == getattr(without, name)
