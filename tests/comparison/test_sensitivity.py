"""Sensitivity to the order of rows, against a perceptron of five lines."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.comparison.sensitivity import ORDERS, sensitivities
from tests.comparison.readings import Part, dataset_of, folds_of


def perceptron(X, y):
    """The last weights and their mean over all steps, in this order."""
    w, total = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1)
    for x, sign in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
        if sign * (w @ x) <= 0:
            w = w + sign * x
        total += w
    return w, total / len(X)


def table(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X @ [1.0, -1, 2, 0.5] + rng.normal(size=n) * 1.5 > 0, "yes", "no")


def by_name(found):
    return {each.learner: each for each in found}


def test_scores_in_the_order_of_the_data_are_those_of_a_perceptron_in_numpy():
    X, y = table()
    fold = Part(np.arange(500), np.arange(500, 600))
    found = by_name(sensitivities(dataset_of((X, y)), [], fold, 0))
    signs = np.where(y == "yes", 1, -1)
    for name, w in zip(("perceptron", "averaged-perceptron"), perceptron(X[:500], signs[:500]), strict=True):
        predicted = np.where(X[500:] @ w[:-1] + w[-1] > 0, 1, -1)
        assert found[name].as_given == pytest.approx((predicted == signs[500:]).mean())


def test_the_last_weights_vary_more_than_their_average():
    X, y = table(3000)
    found = by_name(sensitivities(dataset_of((X, y)), [], folds_of(3000, 5)[0], 0))
    assert all(len(each.scores) == ORDERS for each in found.values())
    assert found["perceptron"].deviation > 3 * found["averaged-perceptron"].deviation
    assert found["perceptron"].deviation == pytest.approx(np.std(found["perceptron"].scores, ddof=1))


def test_rows_sorted_by_label_are_a_bad_order_for_the_last_weights():
    X, y = table(2000)
    order = np.argsort(y, kind="stable")
    found = by_name(sensitivities(dataset_of((X[order], y[order])), [], folds_of(2000, 5)[0], 0))
    assert found["perceptron"].as_given < min(found["perceptron"].scores)


def test_the_sampling_error_is_that_of_a_proportion():
    X, y = table(1000)
    found = by_name(sensitivities(dataset_of((X, y)), [], folds_of(1000, 5)[0], 0))["averaged-perceptron"]
    p = np.mean(found.scores)
    assert found.sampling_error == pytest.approx(np.sqrt(p * (1 - p) / 200), rel=0.01)


def test_online_contenders_are_added_and_batch_ones_are_not():
    X, y = table()
    names = by_name(sensitivities(dataset_of((X, y)), ["svm", "pegasos"], folds_of(600, 5)[0], 0))
    assert "pegasos" in names
    assert "svm" not in names


def test_a_learner_that_does_not_take_the_values_is_left_out():
    X, y = table()
    assert "winnow" not in by_name(sensitivities(dataset_of((X, y)), ["winnow"], folds_of(600, 5)[0], 0))


def test_steps_that_diverge_are_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3)) * 1e6
    data = dataset_of((X, X.sum(axis=1)))
    found = by_name(sensitivities(data, ["widrow-hoff"], folds_of(2000, 5)[0], 0))
    assert not found["widrow-hoff"].scores
    assert "diverged" in found["widrow-hoff"].note
    assert len(found["adaptive-squared"].scores) == ORDERS


def test_the_same_seed_gives_the_same_scores_and_another_seed_others():
    X, y = table()
    data, fold = dataset_of((X, y)), folds_of(600, 5)[0]
    assert sensitivities(data, [], fold, 1) == sensitivities(data, [], fold, 1)
    assert sensitivities(data, [], fold, 1) != sensitivities(data, [], fold, 2)
