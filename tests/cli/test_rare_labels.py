"""Rows of a label too rare to split stay in training; the others are measured, and the reason given is the true one."""

from __future__ import annotations

import json

import pytest

import linnet
from tests.cli.calling import call


@pytest.mark.parametrize("learner", ["auto", "naive-bayes", "svm", "perceptron"])
def test_a_label_of_one_row_stays_in_training_and_the_rest_is_measured(learner, rng):
    rows = [("a", "good fine"), ("b", "dull bad")] * 200 + [("rare", "odd thing")]
    order = rng.permutation(len(rows))
    columns = {"text": [rows[i][1] for i in order], "y": [rows[i][0] for i in order]}
    model = linnet.train(columns, "y", learner=learner, columns={"text": "text"}, holdout=0.1)
    assert model.classes == ["a", "b", "rare"]
    held = model.record.held_out
    assert 20 <= held.rows <= 80
    assert {each.label: each.support for each in held.classes}["rare"] == 0
    assert model.predict(["odd thing"]).tolist() == ["rare"]
    assert any("the label 'rare' is rare: no held-out row has it" in text for text in _warnings(model))


def _warnings(model):
    from linnet.model.model_warnings import warnings_of

    return warnings_of(model)


def test_the_reason_for_no_measure_is_the_true_one(tmp_path, rng):
    few = [json.dumps({"x": float(x), "y": "b" if x > 0 else "a"}) + "\n" for x in rng.normal(size=60)]
    (tmp_path / "few.jsonl").write_text("".join(few))
    done = call("train", tmp_path / "few.jsonl", "--target", "y", "-o", tmp_path / "m")
    assert "too few rows to hold some out: use linnet evaluate" in done.stdout
    many = [json.dumps({"x": float(x), "y": f"label {i // 2}"}) + "\n" for i, x in enumerate(rng.normal(size=320))]
    (tmp_path / "many.jsonl").write_text("".join(many))
    done = call("train", tmp_path / "many.jsonl", "--target", "y", "--column", "y:target", "-o", tmp_path / "m")
    assert done.returncode == 0, done.stderr
    assert "most labels have too few rows to hold some out" in done.stdout
