from __future__ import annotations

import numpy as np
import pytest

from linnet import OnlineClassifier, Recipe, RecipeError, catalogue
from linnet.learners.catalogue import Entry, Task, Way
from linnet.learners.losses import Loss
from linnet.learners.schedule import inverse_sqrt
from tests.cli.calling import contributing


def test_names_are_unique_and_every_row_is_complete():
    rows = list(catalogue.entries())
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.summary.endswith(".")
        assert row.formula
        assert any(year.isdigit() and len(year) == 4 for year in row.citation.replace(",", " ").split())


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(RecipeError, match="did you mean 'pegasos'"):
        catalogue.find("pegasus")
    with pytest.raises(RecipeError, match="there are adaptive"):
        catalogue.find("xyz", Way.ONLINE)
    with pytest.raises(RecipeError, match="'perceptron' learns classification, not regression: take another, such as"):
        catalogue.find("perceptron", Way.ONLINE, Task.REGRESSION)
    with pytest.raises(RecipeError, match="'svm' is a learner of the kind batch, not online"):
        catalogue.find("svm", Way.ONLINE)


def test_an_error_names_no_more_learners_than_fit_in_two_lines():
    with pytest.raises(RecipeError, match=r"and [0-9]+ more") as caught:
        catalogue.find("ridge", task=Task.CLASSIFICATION)
    assert len(str(caught.value)) <= 240


def test_a_new_row_is_all_that_a_new_algorithm_takes(monkeypatch, rng):
    """What CONTRIBUTING promises."""
    names = {"Entry": Entry, "Recipe": Recipe, "Loss": Loss, "inverse_sqrt": inverse_sqrt, "Way": Way, "Task": Task}
    (row,) = eval(contributing("Adding an algorithm"), names)
    monkeypatch.setitem(catalogue.ROWS, row.name, row)
    y = rng.integers(2, size=100)
    X = rng.normal(size=(100, 3)) + 4 * y[:, np.newaxis]
    assert OnlineClassifier("squared-hinge").fit(X, y).score(X, y) > 0.95
