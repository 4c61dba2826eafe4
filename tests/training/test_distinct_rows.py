"""Rows are drawn by their contents: copies are weights, the order does not matter, and no class is lost."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data.rows import Rows
from linnet.training.distinct_rows import OF_EACH_CLASS, distinct


@pytest.fixture
def table(rng):
    X = rng.normal(size=(3000, 3))
    y = (rng.random(3000) < 0.5).astype(np.float64)
    y[:20] = 2.0  # a rare class
    y[20:23] = 3.0  # one with hardly any rows
    return X, y


def drawn(X, y, weights=None, most=200):
    first, total = distinct(Rows.of(X), y, weights, most)
    found = {(*X[row].tolist(), y[row]): 1.0 if total is None else total[i] for i, row in enumerate(first.tolist())}
    assert len(found) == len(first)
    return found


def test_as_many_rows_are_drawn_as_asked_for_and_some_of_every_class(table):
    X, y = table
    found = drawn(X, y)
    labels = [row[-1] for row in found]
    assert labels.count(2.0) >= OF_EACH_CLASS
    assert labels.count(3.0) == 3
    assert 200 <= len(found) <= 200 + 2 * OF_EACH_CLASS
    assert abs(labels.count(1.0) - labels.count(0.0)) < 60


def test_copies_of_rows_are_weights_in_any_order(table, rng):
    X, y = table
    weights = rng.integers(0, 4, len(y)).astype(np.float64)
    copied = rng.permutation(np.repeat(np.arange(len(y)), weights.astype(np.int64)))
    assert drawn(X, y, weights) == drawn(X[copied], y[copied])


def test_few_rows_are_all_taken_however_often_they_are_copied(table):
    X, y = table
    many = np.tile(np.arange(150), 40)
    assert drawn(X[many], y[many]) == {(*X[i].tolist(), y[i]): 40.0 for i in range(150)}
    assert len(drawn(X, y, most=3000)) == len(drawn(X, y, most=None)) == 3000
