"""Nemenyi's critical difference beside scikit-posthocs' and SciPy's, and its groups beside all subsets."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.evaluation.friedman import ranks
from linnet.evaluation.nemenyi import (
    critical_difference,
    indistinguishable,
    nemenyi_difference,
    studentized_range_quantile,
)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("p", [0.9, 0.95, 0.99])
def test_the_studentized_range_is_scipys(k, p):
    assert studentized_range_quantile(k, p) == pytest.approx(stats.studentized_range.ppf(p, k, np.inf), rel=1e-8)


@pytest.mark.parametrize(("k", "expected"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_q_is_that_of_demsars_table(k, expected):
    assert studentized_range_quantile(k, 0.95) / np.sqrt(2) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_beyond_the_difference_are_those_that_scikit_posthocs_rejects(seed):
    random = np.random.default_rng(seed)
    scores = random.normal(size=(5, 40)) + np.arange(5)[:, np.newaxis] / 2
    means = ranks(scores).mean(axis=1)
    p = scikit_posthocs.posthoc_nemenyi_friedman(-scores.T).to_numpy()
    apart = np.abs(means[:, np.newaxis] - means) >= nemenyi_difference(5, 40)
    assert (apart == (p <= 0.05)).all()


@pytest.mark.parametrize(("k", "number"), [(2, 4), (2, 5), (2, 8), (3, 3), (3, 4), (4, 3)])
def test_of_few_data_sets_the_level_is_held_over_all_orders(k, number):
    every = np.array(list(product(*[[np.roll(row, 0) for row in _orders(k)]] * number)))
    means = every.mean(axis=1)
    apart = means.max(axis=1) - means.min(axis=1) >= critical_difference(k, number) - 1e-9
    assert apart.mean() <= 0.05 + 0.004  # the orders were drawn


def _orders(k):
    from itertools import permutations

    return [np.array(each, float) for each in permutations(range(1, k + 1))]


def test_of_many_data_sets_the_difference_is_nemenyis():
    assert critical_difference(5, 31) == nemenyi_difference(5, 31)
    assert critical_difference(5, 10) >= nemenyi_difference(5, 10)


@given(st.lists(st.floats(1, 8), min_size=2, max_size=8), st.floats(0.1, 4))
def test_groups_are_the_maximal_sets_within_the_difference(means, difference):
    names = [f"learner {k}" for k in range(len(means))]
    gaps = [abs(abs(a - b) - difference) for a, b in combinations(means, 2)]
    if min(gaps) < 1e-6:
        return
    close = [
        set(some)
        for size in range(2, len(means) + 1)
        for some in combinations(range(len(means)), size)
        if max(means[k] for k in some) - min(means[k] for k in some) < difference
    ]
    maximal = {frozenset(names[k] for k in some) for some in close if not any(some < other for other in close)}
    found = indistinguishable(names, means, difference)
    assert {frozenset(group) for group in found} == maximal
    assert len(found) == len(maximal)
