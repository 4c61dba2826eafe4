"""The interval of macro F1: by how often it holds the truth, and when there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linnet.evaluation.classification import ClassificationTally


def _interval(counts):
    k = len(counts)
    tally = ClassificationTally(range(k))
    tally.add(np.repeat(np.arange(k), k), np.tile(np.arange(k), k), weights=np.ravel(counts))
    return tally.result().macro_f1_interval


@pytest.mark.parametrize("n", [50, 100, 400])
def test_the_interval_covers_where_mistakes_are_few(rng, n):
    """2 % of rows are mistakes: of 50 rows, an interval by log-odds exists in 59 % of samples and covers 92 %."""
    cells = np.array([[0.86, 0.002], [0.016, 0.122]])
    truth = (2 * cells.diagonal() / (cells.sum(axis=0) + cells.sum(axis=1))).mean()
    ends = [_interval(counts.reshape(2, 2)) for counts in rng.multinomial(n, cells.ravel(), 800)]
    held = [low <= truth <= high for low, high in ends if not math.isnan(low)]
    assert len(held) > 0.8 * len(ends)
    assert 0.93 < np.mean(held) < 0.985


def test_no_mistake_is_no_certainty():
    low, high = _interval(np.diag([40, 10]))
    assert high == 1
    assert 0.7 < low < 0.95


def test_many_labels_of_few_rows_have_no_interval_and_say_why():
    assert _interval(np.diag(np.full(20, 8)) + 1).low > 0
    assert _interval(np.diag(np.full(20, 8))).reason == "fewer rows than the square of the number of labels"
    assert _interval([[40, 1], [0, 4]]).reason == "fewer than 5 rows of a label"
