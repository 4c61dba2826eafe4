"""Intervals against closed forms, against other derivations, and by how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from linnet.errors import InputError
from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.intervals import mean_interval, median_ranks, proportion_interval


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (81, 263), (999_999, 1_000_000)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_ends_for_a_proportion_are_where_the_tail_is_that_small(successes, n, confidence):
    low, high = proportion_interval(successes, n, confidence)
    beside = (1 - confidence) / 2

    def missed(none_seen):
        return pytest.approx(min(max(none_seen / 2, beside), 1.4 * beside), rel=1e-6)

    of_all, of_none = (1 / 1.4 if successes == extreme else 1 / 2 for extreme in (n, 0))
    if successes:
        own = stats.binom.pmf(successes, n, low)
        assert stats.binom.sf(successes, n, low) + own * of_all == missed((1 - low) ** n)
    if successes < n:
        own = stats.binom.pmf(successes, n, high)
        assert stats.binom.cdf(successes - 1, n, high) + own * of_none == missed(high**n)
    assert (low == 0) == (successes == 0)
    assert (high == 1) == (successes == n)


def test_a_proportion_needs_rows_and_no_more_successes_than_rows():
    assert all(map(math.isnan, proportion_interval(0, 0)))
    with pytest.raises(InputError, match="3 successes in 2 rows"):
        proportion_interval(3, 2)
    with pytest.raises(InputError, match="confidence is 95"):
        proportion_interval(1, 2, 95)


@pytest.mark.parametrize("n", [5, 20, 100, 500])
def test_the_interval_of_a_proportion_covers_also_near_0(n):
    """Exactly, from the binomial: never below 92 %, 95 to 98 % on average (few rows cannot be exact)."""
    proportions = np.concatenate([np.linspace(0.005, 0.1, 200), np.linspace(0.1, 0.5, 100)])
    low, high = np.array([tuple(proportion_interval(k, n)) for k in range(n + 1)]).T
    held = (low[:, None] <= proportions) & (proportions <= high[:, None])
    coverage = (stats.binom.pmf(np.arange(n + 1)[:, None], n, proportions) * held).sum(axis=0)
    assert 0.95 < coverage.mean() < 0.98
    assert coverage.min() > 0.92


@pytest.mark.parametrize("n", [50, 100, 200, 500, 1000])
def test_no_proportion_is_covered_with_less_than_92_5_percent(n):
    """The least coverage is beside an end of one of the intervals, so all of those are looked at."""
    low, high = np.array([tuple(proportion_interval(k, n)) for k in range(n + 1)]).T
    ends = np.concatenate([low[1:], high[:-1]])
    proportions = np.concatenate([ends * (1 - 1e-9), ends * (1 + 1e-9)])
    held = (low[:, None] <= proportions) & (proportions <= high[:, None])
    coverage = (stats.binom.pmf(np.arange(n + 1)[:, None], n, proportions) * held).sum(axis=0)
    assert coverage.min() > 0.925


def test_the_interval_of_a_proportion_changes_continuously_with_weights():
    for n in (5.0, 40.0):
        ends = np.array([tuple(proportion_interval(n - off, n)) for off in (0.0, 1e-6, 1.0 - 1e-6, 1.0, 1.0 + 1e-6)])
        assert np.abs(ends[0] - ends[1])[0] < 1e-4
        assert np.abs(ends[2] - ends[3]).max() < 1e-4
        assert np.abs(ends[3] - ends[4]).max() < 1e-4


@pytest.mark.parametrize("n", [20, 50, 100, 1000])
def test_more_proportions_of_few_successes_are_covered_as_stated_than_by_mid_p_alone(n):
    """With 0.05 to 5 expected successes, 25 to 45 % of the proportions are covered with 93 to 97 % by mid-P alone."""
    proportions = np.geomspace(0.05, 5, 400) / n
    counts = np.arange(min(n, 40) + 1)
    low, high = np.array([tuple(proportion_interval(k, n)) for k in counts]).T
    held = (low[:, None] <= proportions) & (proportions <= high[:, None])
    coverage = (stats.binom.pmf(counts[:, None], n, proportions) * held).sum(axis=0)
    assert coverage[proportions < 2.5 / n].min() > 0.93
    assert ((coverage > 0.93) & (coverage < 0.97)).mean() > 0.4


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
