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
