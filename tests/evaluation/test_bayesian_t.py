"""The Bayesian correlated t-test beside baycomp's."""

from __future__ import annotations

import math

import baycomp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import InputError
from linnet.evaluation.bayesian_t import correlated_t
from linnet.evaluation.corrected_t import differences, resampled


@given(st.integers(0, 10_000), st.sampled_from([(10, 3), (5, 2), (10, 1), (2, 5)]), st.sampled_from([0.001, 0.01, 0.1]))
def test_probabilities_are_those_of_baycomp(seed, design, rope):
    folds, repeats = design
    random = np.random.default_rng(seed)
    first, second = random.normal([[0.9], [0.89]], 0.02, (2, folds * repeats))
    worse, equivalent, better = baycomp.two_on_single(second, first, rope, repeats)
    found = correlated_t(resampled(differences(first, second), 1 / folds), rope)
    assert [found.better, found.equivalent, found.worse] == pytest.approx([better, equivalent, worse], abs=1e-9)


def test_without_a_region_the_better_one_has_the_one_sided_p_value():
    summary = resampled([0.1, 0.3, -0.05, 0.2], 0.25)
    found = correlated_t(summary, 0.0)
    assert found.worse == pytest.approx(summary.p_value() / 2)
    assert found.better == pytest.approx(1 - summary.p_value() / 2)


@pytest.mark.parametrize(("value", "expected"), [(0.2, (1, 0, 0)), (-0.2, (0, 0, 1)), (0.0, (0, 1, 0))])
def test_equal_differences_leave_no_doubt_as_in_baycomp(value, expected):
    found = correlated_t(resampled([value] * 10, 0.1), 0.01)
    assert (found.better, found.equivalent, found.worse) == expected
    left, rope, right = baycomp.two_on_single(np.zeros(10), np.full(10, value), 0.01)
    assert (right, rope, left) == expected


def test_one_fold_gives_no_probabilities():
    assert math.isnan(correlated_t(resampled([0.1], 0.5), 0.01).better)


@pytest.mark.parametrize("rope", [-0.1, math.inf, math.nan])
def test_the_region_is_at_least_0(rope):
    with pytest.raises(InputError, match="rope"):
        correlated_t(resampled([0.1, 0.2], 0.5), rope)
