"""The area under the ROC curve: its interval against a second derivation, and by how often it holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from linnet.evaluation.roc_area import auc_interval
from linnet.evaluation.skewed_means import deficit_interval


def test_the_interval_is_by_delongs_variance(rng):
    """Sun, Xu 2014: the structural components, computed pair by pair."""
    scores, y = rng.integers(0, 12, 60) + 3.0 * rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    above, below = scores[y == 1], scores[y == 0]
    wins = (above[:, None] > below) + 0.5 * (above[:, None] == below)
    wins = wins if wins.mean() >= 0.5 else 1 - wins
    variance = wins.mean(axis=1).var(ddof=1) / len(above) + wins.mean(axis=0).var(ddof=1) / len(below)
    worst = max((1 - wins.mean(axis=1)).max() / len(above), (1 - wins.mean(axis=0)).max() / len(below))
    unseen = max(worst, 0.5 / min(len(above), len(below)))
    auc, ends = _auc(scores, y)
    assert max(auc, 1 - auc) == pytest.approx(wins.mean(), rel=1e-14)
    expected = tuple(deficit_interval(float(wins.mean()), float(variance), unseen))
    assert tuple(ends) == pytest.approx(expected if auc >= 0.5 else tuple(1 - end for end in expected[::-1]))


def test_turned_scores_turn_the_interval(rng):
    scores, y = rng.normal(size=50), rng.integers(0, 2, 50)
    (auc, (low, high)), (turned, ends) = _auc(scores, y), _auc(-scores, y)
    assert (turned, *ends) == pytest.approx((1 - auc, 1 - high, 1 - low))


def test_the_auc_of_classes_apart_is_not_claimed_with_certainty():
    """An exponential: one more row of the smaller class, half-way, with the probability that none was seen."""
    auc, (low, high) = _auc(np.arange(20.0), np.repeat([0, 1], [15, 5]))
    assert (auc, high) == (1, 1)
    assert low == pytest.approx(1 + math.log(0.05) * 0.5 / 5)
    auc, (low, high) = _auc(np.arange(20.0), np.repeat([1, 0], [15, 5]))
    assert (auc, low) == (0, 0)
    assert high == pytest.approx(-math.log(0.05) * 0.5 / 5)


def test_scores_that_tell_nothing_apart_give_an_auc_without_interval():
    auc, ends = _auc(np.ones(10), np.repeat([0, 1], 5))
    assert auc == 0.5
    assert all(map(math.isnan, ends))
    assert ends.reason == "the scores are equal"


def test_one_row_of_a_class_gives_an_auc_without_interval():
    auc, ends = _auc(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    assert auc == 0.5
    assert all(map(math.isnan, ends))
    assert ends.reason == "fewer than 2 rows of a label"


@pytest.mark.parametrize(("shift", "n", "p"), [(0.0, 40, 40), (1.0, 100, 30), (2.0, 60, 60), (3.0, 170, 30)])
def test_the_interval_covers_95_percent(rng, shift, n, p):
    """The last is an AUC of 0.983, where an interval on the scale of log-odds covers 90 %."""
    truth, y = stats.norm.cdf(shift / math.sqrt(2)), np.repeat([0, 1], [n, p])
    held = [
        low <= truth <= high for _, (low, high) in (_auc(rng.normal(size=n + p) + shift * y, y) for _ in range(1000))
    ]
    assert 0.93 < np.mean(held) < 0.985


def test_the_interval_covers_where_a_few_rows_are_far_out(rng):
    """One positive in a hundred is below every negative: in two of three samples of 40 positives there is none."""
    held = []
    for _ in range(600):
        y = np.repeat([0, 1], [260, 40])
        scores = rng.normal(size=300) + 4 * y
        scores[(y == 1) & (rng.random(300) < 0.01)] = -99.0
        _, (low, high) = _auc(scores, y)
        held.append(low <= 0.99 * stats.norm.cdf(4 / math.sqrt(2)) <= high)
    assert np.mean(held) > 0.93


def _auc(scores, y):
    distinct, index = np.unique(scores, return_inverse=True)
    counts = [np.bincount(index[y == c], minlength=len(distinct)) for c in (0, 1)]
    return auc_interval(*counts)
