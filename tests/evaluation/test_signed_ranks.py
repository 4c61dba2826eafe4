"""Signed ranks beside SciPy's, all signs counted, and baycomp's."""

from __future__ import annotations

import math
from itertools import product

import baycomp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from linnet.evaluation.signed_ranks import bayesian_signed_ranks, mean_ranks, wilcoxon_p_value

tied = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=10)


@given(st.lists(st.floats(-10, 10), min_size=1))
def test_ranks_are_scipys(values):
    assert mean_ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


@given(st.integers(0, 1000), st.integers(2, 40))
def test_without_ties_p_value_is_scipys_exact_one(seed, number):
    d = np.random.default_rng(seed).normal(0.3, 1, number)
    assert wilcoxon_p_value(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-9)


@given(tied)
def test_with_ties_and_zeros_p_value_counts_all_signs(d):
    """Pratt's ranks; of all signs of the differences, how many have as small a sum of ranks on either side."""
    ranks = stats.rankdata(np.abs(d))[np.array(d) != 0]
    seen = ranks[np.array([each for each in d if each]) > 0].sum()
    sums = [np.dot(signs, ranks) for signs in product([0, 1], repeat=len(ranks))]
    expected = min(1.0, 2 * np.mean(np.array(sums) <= min(seen, ranks.sum() - seen) + 1e-9))
    assert wilcoxon_p_value(d) == pytest.approx(expected)


def test_many_data_sets_come_near_scipys_normal_approximation():
    d = np.random.default_rng(3).normal(0.1, 1, 300)
    assert wilcoxon_p_value(d) == pytest.approx(stats.wilcoxon(d, method="approx").pvalue, rel=0.02)


@given(tied)
def test_p_value_does_not_depend_on_which_learner_is_first(d):
    assert wilcoxon_p_value(d) == pytest.approx(wilcoxon_p_value([-each for each in d]))


def test_differences_that_cancel_favour_nobody():
    found = bayesian_signed_ranks([0.1, -0.1, 0.2, -0.2], 0.05)
    assert found.better == found.worse
    assert wilcoxon_p_value([0.1, -0.1, 0.2, -0.2]) == 1.0


def test_no_data_set_gives_no_answer_and_no_difference_no_doubt():
    assert math.isnan(wilcoxon_p_value([]))
    assert wilcoxon_p_value([0.0, 0.0]) == 1.0
    assert math.isnan(bayesian_signed_ranks([math.nan], 0.01).better)
    assert bayesian_signed_ranks([0.0, 0.0], 0.0).equivalent == 1.0


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 100), st.sampled_from([0.0, 0.01, 0.05]), st.integers(3, 20))
def test_bayesian_probabilities_are_those_of_baycomp(seed, rope, number):
    """Both draw at random: 10,000 and 50,000 draws differ by less than 2.5 % but once in ten thousand times."""
    d = np.random.default_rng(seed).normal(0.01, 0.03, number)
    theirs = baycomp.two_on_multiple(np.zeros(number), d, rope, nsamples=10_000, random_state=seed)
    found = bayesian_signed_ranks(d, rope)
    assert [found.worse, found.equivalent, found.better] == pytest.approx(list(theirs), abs=0.025)


@settings(max_examples=20, deadline=None)
@given(tied, st.sampled_from([0.0, 0.5, 1.0]))
def test_bayesian_probabilities_mirror_and_do_not_depend_on_the_order_of_data_sets(d, rope):
    found = bayesian_signed_ranks(d, rope)
    mirrored = bayesian_signed_ranks([-each for each in d], rope)
    assert (found.better, found.equivalent, found.worse) == (mirrored.worse, mirrored.equivalent, mirrored.better)
    assert found == bayesian_signed_ranks(d[::-1], rope)
    assert found.better + found.equivalent + found.worse == pytest.approx(1)
