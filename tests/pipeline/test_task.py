"""The learner implies the task, options for classes do, and a guess is said to be one, in Python as well."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import linnet
from linnet.learners import catalogue
from tests.cli.calling import call


@pytest.fixture
def letters(rng, tmp_path):
    """26 letters by number, as svmlight files of them have it."""
    y = rng.integers(1, 27, 1300)
    X = np.eye(26)[y - 1] + rng.normal(scale=0.1, size=(1300, 26))
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{x:.3f}" for j, x in enumerate(row)) for label, row in zip(y, X, strict=True)
    ]
    (tmp_path / "letters.svm").write_text("\n".join(lines) + "\n")
    return tmp_path / "letters.svm", X, y


def test_26_letters_are_classes_and_the_guess_is_said_aloud(letters, tmp_path):
    path, X, y = letters
    with pytest.warns(linnet.TaskWarning, match=r"taken for classes: this is a guess; .* task='regression'"):
        model = linnet.train(path)
    assert model.classes == list(range(1, 27))
    with pytest.warns(linnet.TaskWarning):
        assert (linnet.train((X, y)).predict(X) == y).mean() > 0.9
    done = call("train", path, "-o", tmp_path / "m")
    assert "26 different whole numbers" in done.stderr
    assert "this is a guess: to predict a number, give --task regression" in done.stderr
    assert "this is a guess" in done.stdout
    (warning,) = json.loads(call("train", path, "-o", tmp_path / "m", "--json").stdout)["warnings"]
    assert "--task regression" in warning
    given = linnet.train(path, task="regression")
    assert given.task == "regression"


def test_a_task_that_is_given_or_implied_is_no_guess(letters):
    path, _, _ = letters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in ({"task": "classification"}, {"learner": "svm"}, {"class_weight": {1: 2.0}}):
            assert linnet.train(path, **options).task == "classification"
        assert linnet.train(path, learner="ridge").task == "regression"


@pytest.mark.parametrize("learner", [entry.name for entry in catalogue.entries() if len(entry.tasks) == 1])
def test_the_learner_implies_the_task_whatever_the_target_looks_like(learner, rng):
    """1 and 4 would be classes, 50 different numbers would be numbers to predict."""
    task = catalogue.find(learner).tasks[0]
    x = rng.integers(0, 2, size=300).astype(float)
    y = x * 3 + 1 if task == "regression" else np.where(x, 7000, 1000)
    if task == "classification":
        y[:50] += np.arange(50)
    model = linnet.train({"x": x, "y": y}, "y", learner=learner)
    assert model.task == task
    assert model.plan.why_task == f"{learner} is for {task}"


def test_the_task_of_a_plan_is_that_of_the_options():
    table = {"x": [0.0, 1.0] * 40, "y": [0.25, 1.5] * 40}
    assert linnet.train(table, "y").task == "regression"
    assert linnet.train(table, "y", calibrate="sigmoid").classes == [0.25, 1.5]
    with pytest.raises(linnet.RecipeError, match="learns regression, not classification"):
        linnet.train(table, "y", learner="ridge", task="classification")
