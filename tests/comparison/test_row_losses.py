"""Comparisons widen their intervals where learners vary with their training rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import linnet
from linnet.comparison.results import larger_is_better

STUMP = "sklearn.tree.DecisionTreeClassifier(max_depth=1)"
SHORT_TREE = "sklearn.tree.DecisionTreeRegressor(max_depth=2)"


@pytest.fixture(scope="module")
def noise():
    """Columns that are all nearly as good: which of them is the best depends on a few rows."""
    random = np.random.default_rng(0)
    y = np.arange(90) % 2
    columns = random.normal(size=(90, 12)) + 0.5 * (2 * y - 1)[:, np.newaxis]
    frame = pd.DataFrame(columns, columns=[f"c{number}" for number in range(12)])
    return frame.assign(y=np.where(y, "yes", "no"), price=columns.sum(axis=1) + random.normal(size=90))


def compared(frame, target, learners, **options):
    return linnet.compare(frame, target, learners=learners, folds=5, reasons=False, jobs=1, **options).data[0]


def scores_of(data, name):
    contender = next(each for each in data.contenders if each.name == name)
    measured = next(each for each in contender.metrics if each.metric == data.metric)
    return np.array(measured.scores) * (1 if larger_is_better(data.metric) else -1)


@pytest.mark.parametrize(
    ("target", "learners", "metric"),
    [("y", ["logistic-regression", STUMP], "accuracy"), ("price", ["ridge", SHORT_TREE], "mae")],
)
def test_the_interval_is_that_of_the_widened_variance(noise, target, learners, metric):
    frame = noise.drop(columns="price" if target == "y" else "y")
    data = compared(frame, target, learners, repeats=2, metric=metric)
    (pair,) = data.pairs
    d = scores_of(data, pair.first) - scores_of(data, pair.second)
    error = d.std(ddof=1) * math.sqrt(pair.variance_factor * (1 / 10 + 1 / 4))
    t = stats.t(9, d.mean(), error)
    assert list(pair.interval) == pytest.approx(list(t.interval(0.95)))
    assert pair.p_value == pytest.approx(2 * min(t.cdf(0), t.sf(0)), rel=1e-6)
    if target == "y":
        assert pair.variance_factor > 1.2


def test_a_single_repeat_has_the_classical_interval(noise):
    (pair,) = compared(noise.drop(columns="price"), "y", ["logistic-regression", STUMP], repeats=1).pairs
    assert pair.variance_factor == 1.0
