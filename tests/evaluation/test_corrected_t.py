"""The corrected resampled t-test beside closed forms and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.errors import InputError
from linnet.evaluation.corrected_t import differences, resampled
from linnet.evaluation.distributions import f_above, student_above

scores = st.lists(st.floats(-1, 1).map(lambda each: round(each, 6)), min_size=2, max_size=40)


@given(st.integers(1, 200), st.floats(-50, 50))
def test_the_tail_of_student_is_scipys(degrees, t):
    assert student_above(degrees, t) == pytest.approx(float(stats.t.sf(t, degrees)), rel=1e-8, abs=1e-300)


@given(st.integers(1, 30), st.integers(1, 200), st.floats(0, 100))
def test_the_tail_of_fisher_is_scipys(between, within, ratio):
    assert f_above(between, within, ratio) == pytest.approx(float(stats.f.sf(ratio, between, within)), rel=1e-8)


@given(scores, st.floats(0.01, 0.9))
def test_p_value_and_interval_are_those_of_student_with_the_corrected_variance(values, fraction):
    if max(values) == min(values):
        return
    found = resampled(values, fraction)
    error = np.std(values, ddof=1) * math.sqrt(1 / len(values) + fraction / (1 - fraction))
    t = stats.t(len(values) - 1, np.mean(values), error)
    assert found.p_value() == pytest.approx(2 * min(t.cdf(0), t.sf(0)), rel=1e-7, abs=1e-12)
    assert list(found.interval(0.9)) == pytest.approx(list(t.interval(0.9)), rel=1e-7, abs=1e-9)


def test_without_overlap_it_is_the_paired_t_test():
    values = np.random.default_rng(0).normal(0.1, 1, 30)
    assert resampled(values, 1e-12).p_value() == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_equally_correlated_folds_are_rejected_at_the_level_itself():
    """Where any two folds are correlated by the test fraction, the statistic is distributed as Student's t."""
    random = np.random.default_rng(1)
    folds = math.sqrt(0.1) * random.normal(size=(20_000, 1)) + math.sqrt(0.9) * random.normal(size=(20_000, 30))
    p = [resampled(row, 0.1).p_value() for row in folds]
    assert stats.kstest(p, "uniform").pvalue > 0.001


@given(scores)
def test_the_interval_excludes_0_exactly_where_p_is_below_its_level(values):
    found = resampled(values, 0.1)
    if found.error > 0 and abs(found.p_value() - 0.05) > 1e-9:
        low, high = found.interval()
        assert (found.p_value() < 0.05) == (low > 0 or high < 0)


def test_the_interval_stays_within_what_is_possible():
    low, high = resampled([0.9, 1.0, 1.0, 0.98], 0.25).interval(0.95, 0.0, 1.0)
    assert 0 < low < high == 1.0


def test_folds_that_are_all_equal_have_no_interval_and_the_p_value_of_signs():
    same = resampled([0.1] * 30, 0.1)
    assert same.p_value() == pytest.approx(2 * 0.5**10)  # ten disjoint test sets
    assert same.interval().reason == "the same in every fold"
    assert math.isnan(same.effect_size)
    assert resampled([0.1, 0.1], 0.1).p_value() == 0.5
    assert resampled([0.0] * 30, 0.1).p_value() == 1.0
    assert resampled([0.0] * 30, 0.1).effect_size == 0.0


def test_one_fold_has_a_mean_and_nothing_else():
    one = resampled([0.25], 0.5)
    assert one.mean == 0.25
    assert math.isnan(one.p_value())
    assert one.interval().reason == "fewer than 2 folds"


def test_folds_without_a_score_are_left_out():
    assert resampled([0.1, math.nan, 0.3], 0.2) == resampled([0.1, 0.3], 0.2)
    assert math.isnan(resampled([math.nan, math.nan], 0.2).mean)


def test_an_infinite_score_has_no_interval():
    found = resampled([0.1, math.inf, 0.3], 0.2)
    assert found.mean == math.inf
    assert math.isnan(found.p_value())
    assert found.interval().reason == "a score is infinite"


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, math.nan])
def test_a_test_fraction_is_between_0_and_1(fraction):
    with pytest.raises(InputError, match="test_fraction"):
        resampled([0.1, 0.2], fraction)


def test_rounding_errors_are_not_differences():
    a = np.array([0.1 + 0.2, 0.3, 0.7])
    assert differences(a, [0.3, 0.1 + 0.2, 0.7]).tolist() == [0.0, 0.0, 0.0]
    equal = differences([0.95, 0.9, 0.85], [0.85, 0.8, 0.75])
    assert equal.min() == equal.max() == pytest.approx(0.1)


SCORES = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=1))
def test_differences_are_right_to_12_digits_of_the_scores(pairs):
    a, b = np.array(pairs).T
    assert np.abs(differences(a, b) - (a - b)).max() <= 1e-12 * max(np.abs(a).max(), np.abs(b).max(), 1e-300)
    assert (differences(a, b) == -differences(b, a)).all()
