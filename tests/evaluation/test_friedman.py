"""Friedman's test beside SciPy's, scikit-posthocs' and all orders counted."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.evaluation.friedman import friedman_p_value, friedman_statistic, iman_davenport_p_value, ranks


def table(seed, k, number, levels=1000):
    return np.random.default_rng(seed).integers(0, levels, (k, number)).astype(float)


@given(st.integers(0, 1000), st.integers(2, 8), st.integers(1, 12))
def test_the_best_score_has_rank_1_and_ties_share(seed, k, number):
    scores = table(seed, k, number, levels=4)
    assert (ranks(scores) == stats.rankdata(-scores, axis=0)).all()


@given(st.integers(0, 1000), st.integers(3, 8), st.integers(2, 12), st.sampled_from([3, 1000]))
def test_the_statistic_is_scipys_with_and_without_ties(seed, k, number, levels):
    scores = table(seed, k, number, levels)
    if (scores.min(axis=0) == scores.max(axis=0)).all():
        return
    assert friedman_statistic(ranks(scores)) == pytest.approx(stats.friedmanchisquare(*scores).statistic)


@given(st.integers(0, 1000), st.integers(2, 8), st.integers(2, 12))
def test_iman_davenport_is_the_analysis_of_variance_of_the_ranks(seed, k, number):
    """F of the two-way layout, learners by data sets, is the same number: here by its sums of squares."""
    r = ranks(table(seed, k, number, levels=10**9))
    between = number * ((r.mean(axis=1) - (k + 1) / 2) ** 2).sum()
    rest = ((r - (k + 1) / 2) ** 2).sum() - between
    if rest > 1e-9:
        ratio = (between / (k - 1)) / (rest / ((k - 1) * (number - 1)))
        expected = stats.f.sf(ratio, k - 1, (k - 1) * (number - 1))
        assert iman_davenport_p_value(friedman_statistic(r), k, number) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_data_sets_p_value_is_the_fraction_of_all_orders(seed):
    seen = ranks(table(seed, 3, 4, levels=5))
    orders = product(*(sorted(permutations(column)) for column in seen.T))
    statistics = np.array([friedman_statistic(np.array(order).T) for order in orders])
    expected = np.mean(statistics >= friedman_statistic(seen) - 1e-9)
    assert friedman_p_value(seen) == pytest.approx(expected, abs=0.02)


def test_of_many_data_sets_p_value_is_that_of_iman_and_davenport():
    r = ranks(table(5, 4, 31, levels=10**9))
    assert friedman_p_value(r) == iman_davenport_p_value(friedman_statistic(r), 4, 31)


def test_learners_that_never_differ_and_one_data_set():
    assert friedman_p_value(np.full((3, 5), 2.0)) == 1.0
    assert math.isnan(friedman_p_value(np.array([[1.0], [2.0]])))
