"""The training record in words: warnings name the problem and the remedy."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import linnet
from linnet.cli.summary_lines import validation_lines, warnings


@pytest.fixture
def model():
    return linnet.train({"x": [1.0, 2.0, 3.0, 4.0] * 50, "y": ["low", "low", "top", "top"] * 50}, "y")


def test_a_good_model_has_no_warnings(model):
    assert warnings(model) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"converged": False}, "the solver did not converge, .*: give it more iterations"),
        ({"rejected_rows": 1200}, "1,200 rows could not be read and were skipped"),
        ({"sorted_by_label": True}, "sorted by label, .*: shuffle them first"),
        ({"like_follows_like": True, "held_out": None}, "progressive validation may be too optimistic: shuffle"),
        ({"separation": "x separates the classes"}, "weights grow without bound: x separates the classes; leave out"),
    ],
)
def test_a_warning_names_the_problem_and_the_remedy(model, changed, message):
    (warning,) = warnings(replace(model, record=replace(model.record, **changed)))
    assert re.search(message, warning)


def test_a_model_no_better_than_the_baseline_is_a_warning(model):
    held = replace(model.record.held_out, accuracy=model.record.held_out.baseline_accuracy)
    (warning,) = warnings(replace(model, record=replace(model.record, held_out=held)))
    assert warning == "on held-out rows the model is no better than predicting the most frequent label"


def test_held_out_accuracy_comes_with_interval_and_baseline(model):
    held = model.record.held_out
    first = validation_lines(model)[0]
    assert f"accuracy 100 % on {held.rows} rows" in first
    assert "95 % interval" in first
    assert "baseline, the most frequent label" in first


def test_online_learners_report_progressive_validation():
    online = linnet.train({"x": [1.0, 2.0] * 50, "y": ["low", "top"] * 50}, "y", learner="perceptron")
    (line,) = validation_lines(online)
    right = 100 - online.record.progressive.mistakes
    assert f"validation accuracy {right:.1f} % on 100 rows" in line
    assert "95 % interval" in line
    assert "baseline, the most frequent label: 50.0 %" in line
    earlier = replace(online.record.progressive, accuracy=None, accuracy_interval=None, baseline_accuracy=None)
    (line,) = validation_lines(replace(online, record=replace(online.record, progressive=earlier)))
    assert f"validation accuracy {right:.1f} % on 100 rows [dim](each predicted" in line


NUMBERS = {"x": [float(i % 17) for i in range(400)], "y": [float(i % 17) + 0.1 * (i % 3) for i in range(400)]}


@pytest.mark.parametrize("learner", ["auto", "ridge", "adaptive-squared", "widrow-hoff"])
def test_numbers_are_reported_with_an_interval_after_one_pass_too(learner):
    model = linnet.train(NUMBERS, "y", learner=learner, task="regression")
    first, how = validation_lines(model)
    assert re.search(r"held-out rows.*R² \S+ on \d\d rows.*95 % interval \S+ to .*RMSE", first)
    assert ("not trained on" in how) == (model.record.online is not None)


def test_numbers_that_are_not_held_out_are_validated_progressively():
    model = linnet.train(NUMBERS, "y", learner="adaptive-squared", task="regression", holdout=0.0)
    first, how = validation_lines(model)
    assert re.search(r"progressive.*R² \S+ on 400 rows.*95 % interval", first)
    assert "each predicted before it was trained on" in how


@pytest.mark.parametrize("learner", ["logistic-regression", "adaptive"])
def test_rows_that_count_as_many_are_reported_as_such(learner):
    table = {"x": [float(i % 17) for i in range(400)], "y": ["low" if i % 17 < 8 else "top" for i in range(400)]}
    passes = {"passes": 2} if learner == "adaptive" else {}
    for weight, counts in ((1, ""), (3, " that count as 123"), (50, " that count as 2,050"), (0.5, "")):
        model = linnet.train(table | {"w": [weight] * 400}, "y", columns={"w": "weight"}, learner=learner, **passes)
        assert f"on 41 rows{counts} [dim]" in validation_lines(model)[0]
        assert any("taken for numbers of copies" in each for each in warnings(model)) == (weight == 50)


def test_why_there_is_no_result_is_said_as_it_is():
    few = {"x": [1.0, 2.0] * 50, "y": ["low", "top"] * 50}
    many = {name: column * 9 for name, column in few.items()}
    pairs = {"x": [0.0, 1.0, 0.0] * 50, "z": [0.0, 0.0, 1.0] * 50, "y": ["a", "b", "c"] * 50}
    for data, options, message in (
        (few, {}, "too few rows to hold some out"),
        (many, {"holdout": 0.0}, "no rows were held out"),
        (pairs, {"learner": "winnow", "multiclass": "pairwise"}, "pairs of classes are not validated"),
    ):
        (line,) = validation_lines(linnet.train(data, "y", **options))
        assert message in line
