"""Online learners of very many classes: weights in lists have the bits of a table of all features and classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.errors import InputError, ModelFileError
from linnet.learners.sparse_weights import SparseWeights
from linnet.model.file import load
from linnet.pipeline import memory
from linnet.pipeline.train import TrainOptions, train_to_file
from linnet.pipeline.trainers import checkpoint_file
from linnet.storage import container
from linnet.training import class_list_learner
from tests.pipeline.making import cut

LEARNERS = ("perceptron", "averaged-perceptron", "passive-aggressive-1", "passive-aggressive-2")
LABELS = 30


@pytest.fixture
def texts(tmp_path, rng):
    """Short texts whose labels appear one after the other; some rows weigh 2."""
    lines = ["label,text,weight"]
    for number in range(400):
        label = int(rng.integers(1 + min(number // 5, LABELS - 1)))
        words = [f"own{label * 3 + rng.integers(3)}", *(f"w{k}" for k in rng.integers(60, size=5))]
        lines.append(f"l{label},{' '.join(words)},{1 + number % 7 // 6}")
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def lists_from(monkeypatch, size):
    """Tables of more numbers than this become lists."""
    monkeypatch.setattr(class_list_learner, "DENSE_AT_MOST", size)


def table_of(model):
    weights = model.linear.weights
    return weights.table() if isinstance(weights, SparseWeights) else weights


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("given", [{}, {"passes": 3}, {"columns": {"weight": "weight"}}, {"holdout": 0.2}])
def test_lists_have_the_bits_of_a_table(texts, monkeypatch, learner, given):
    lists_from(monkeypatch, 1 << 40)
    table = linnet.train(texts, target="label", learner=learner, **given)
    for size in (0, 400, 3000):  # they take the table's place at the third class, or later
        lists_from(monkeypatch, size)
        lists = linnet.train(texts, target="label", learner=learner, **given)
        assert isinstance(lists.linear.weights, SparseWeights)
        np.testing.assert_array_equal(table_of(lists), table.linear.weights)
        np.testing.assert_array_equal(lists.linear.intercepts, table.linear.intercepts)
        assert lists.record.progressive == table.record.progressive
        assert str(lists.record.held_out) == str(table.record.held_out)  # NaN, which differs from itself, is the same
        assert lists.certificate == table.certificate


@pytest.mark.parametrize("learner", ["averaged-perceptron", "passive-aggressive-1"])
def test_lists_do_not_depend_on_where_blocks_are_cut(texts, tmp_path, monkeypatch, learner):
    lists_from(monkeypatch, 400)
    options = TrainOptions(target="label", learner=learner)
    written = set()
    for number, chunk in enumerate((1 << 20, 1000, 90)):
        with cut(chunk, block=20, cache=32):
            train_to_file(texts, options, tmp_path / f"{number}.linnet")
        written.add((tmp_path / f"{number}.linnet").read_bytes())
    assert len(written) == 1


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_after_writing(monkeypatch):
    """Every checkpoint that is written ends the run."""
    write = checkpoint_file.write

    def once(*given):
        write(*given)
        raise Killed

    monkeypatch.setattr(checkpoint_file, "write", once)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_with_lists_killed_at_every_checkpoint_ends_in_the_same_bytes(texts, tmp_path, monkeypatch, learner):
    lists_from(monkeypatch, 400)
    options = TrainOptions(target="label", learner=learner, passes=2, holdout=0.2)
    with cut(300, block=20, cache=32):
        train_to_file(texts, options, tmp_path / "whole.linnet")
        options = replace(options, checkpoint_every=40, checkpoint=str(tmp_path / "checkpoint"), resume=True)
        killed_after_writing(monkeypatch)
        kills = 0
        while True:
            try:
                train_to_file(texts, options, tmp_path / "m.linnet")
                break
            except Killed:
                kills += 1
    assert kills > 5
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        ("classes", lambda array: array + 1000, "name what is not there"),
        ("counts", lambda array: array[:-1], "differ in number"),
        ("counts", lambda array: array + 1, "wrong lengths"),
        ("alive", lambda array: array + 7, "name what is not there"),
        ("values", lambda array: array.astype(np.float32), "wrong types"),
        ("classes", lambda array: array * 0, "two weights"),
    ],
)
def test_a_checkpoint_with_impossible_lists_is_refused(texts, tmp_path, monkeypatch, name, spoil, said):
    lists_from(monkeypatch, 400)
    checkpoint = str(tmp_path / "checkpoint")
    options = TrainOptions(target="label", learner="perceptron", checkpoint_every=200, checkpoint=checkpoint)
    with cut(300, block=20, cache=32):
        with pytest.MonkeyPatch.context() as patch:
            killed_after_writing(patch)
            with pytest.raises(Killed):
                train_to_file(texts, options, tmp_path / "m.linnet")
        content, tensors = container.read(checkpoint, "checkpoint")
        tensors[f"learner0.{name}"] = spoil(tensors[f"learner0.{name}"])
        container.write(checkpoint, "checkpoint", content, tensors)
        with pytest.raises(ModelFileError, match=said):
            train_to_file(texts, replace(options, resume=True), tmp_path / "m.linnet")


def test_a_model_of_lists_is_saved_and_predicts_as_that_of_a_table(texts, tmp_path, monkeypatch):
    models = []
    for size in (1 << 40, 0):
        lists_from(monkeypatch, size)
        path = tmp_path / f"{size}.linnet"
        linnet.train(texts, target="label", learner="averaged-perceptron").save(path)
        models.append(load(path))
    rows = [{"text": f"own{k} w1 w2", "weight": 1} for k in range(3 * LABELS)]
    assert models[0].predict(rows).tolist() == models[1].predict(rows).tolist()


def test_lists_that_outgrow_the_memory_are_refused(texts, monkeypatch):
    lists_from(monkeypatch, 0)
    monkeypatch.setattr(memory, "LEAST", 1000)
    with cut(1000), pytest.raises(InputError, match=r"for \d+ labels take .*more than .*hash names.*allow more"):
        linnet.train(texts, target="label", learner="perceptron", memory="100kB")
