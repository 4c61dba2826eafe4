"""Intervals against closed forms, against other derivations, and by how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from linnet.errors import InputError
from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.intervals import auc_interval, mean_interval, median_ranks, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (81, 263), (999_999, 1_000_000)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_is_scipys(successes, n, confidence):
    other = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert tuple(wilson(successes, n, confidence)) == pytest.approx(tuple(other), abs=1e-12)


def test_wilson_needs_rows_and_no_more_successes_than_rows():
    assert all(map(math.isnan, wilson(0, 0)))
    with pytest.raises(InputError, match="3 successes in 2 rows"):
        wilson(3, 2)
    with pytest.raises(InputError, match="confidence is 95"):
        wilson(1, 2, 95)


def test_wilson_covers_95_percent_on_average():
    """Exactly, from the binomial: 93 to 97 % on average over proportions, for each n, and never far below."""
    for n in (10, 30, 100, 1000):
        proportions = np.linspace(0.05, 0.95, 181)
        inside = [wilson(k, n) for k in range(n + 1)]
        low, high = np.array([tuple(each) for each in inside]).T
        held = (low[:, None] <= proportions) & (proportions <= high[:, None])
        coverage = (stats.binom.pmf(np.arange(n + 1)[:, None], n, proportions) * held).sum(axis=0)
        assert 0.93 < coverage.mean() < 0.97
        assert coverage.min() > 0.86


def test_the_interval_of_a_mean_is_students(rng):
    values = rng.normal(size=12) + 1e6
    moments = Moments()
    moments.add(values)
    other = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert tuple(mean_interval(moments, 12, 0.9)) == pytest.approx(tuple(other), rel=1e-14)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_the_ranks_about_the_median_are_the_innermost_that_hold_it(confidence):
    for n in range(60):
        ranks = median_ranks(n, confidence)
        beside = (1 - confidence) / 2
        fitting = [r for r in range((n + 1) // 2) if stats.binom.cdf(r, n, 0.5) <= beside]
        assert ranks == ((fitting[-1], n - 1 - fitting[-1]) if fitting else None)


def test_delong_variance_is_that_of_the_placements(rng):
    """Sun, Xu 2014: the structural components, computed pair by pair."""
    scores, y = rng.integers(0, 12, 60).astype(float), rng.integers(0, 2, 60)
    above, below = scores[y == 1], scores[y == 0]
    wins = (above[:, None] > below) + 0.5 * (above[:, None] == below)
    error = math.sqrt(wins.mean(axis=1).var(ddof=1) / len(above) + wins.mean(axis=0).var(ddof=1) / len(below))
    auc, (low, high) = _auc(scores, y)
    assert auc == pytest.approx(wins.mean(), rel=1e-14)
    z = stats.norm.ppf(0.975) * error / (auc * (1 - auc))
    odds = math.log(auc / (1 - auc))
    assert (low, high) == pytest.approx((1 / (1 + math.exp(z - odds)), 1 / (1 + math.exp(-z - odds))))


def test_the_auc_of_classes_apart_is_not_claimed_with_certainty():
    auc, (low, high) = _auc(np.arange(20.0), np.repeat([0, 1], [15, 5]))
    assert (auc, high) == (1, 1)
    assert low == wilson(5, 5).low
    auc, (low, high) = _auc(np.arange(20.0), np.repeat([1, 0], [15, 5]))
    assert (auc, low, high) == (0, 0, wilson(0, 5).high)


def test_scores_that_tell_nothing_apart_give_an_auc_without_interval():
    auc, ends = _auc(np.ones(10), np.repeat([0, 1], 5))
    assert auc == 0.5
    assert all(map(math.isnan, ends))


def test_one_row_of_a_class_gives_an_auc_without_interval():
    auc, ends = _auc(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    assert auc == 0.5
    assert all(map(math.isnan, ends))


@pytest.mark.parametrize(("shift", "n", "p"), [(0.0, 40, 40), (1.0, 100, 30), (2.0, 60, 60)])
def test_the_auc_interval_covers_95_percent(rng, shift, n, p):
    truth, y = stats.norm.cdf(shift / math.sqrt(2)), np.repeat([0, 1], [n, p])
    held = [
        low <= truth <= high for _, (low, high) in (_auc(rng.normal(size=n + p) + shift * y, y) for _ in range(1500))
    ]
    assert 0.93 < np.mean(held) < 0.97


def _auc(scores, y):
    distinct = np.unique(scores)
    counts = np.array([[((scores == s) & (y == c)).sum() for s in distinct] for c in (0, 1)])
    return auc_interval(*counts)
