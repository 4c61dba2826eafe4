"""From scores to verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from linnet.errors import InputError
from linnet.evaluation.comparisons import compare_on_data_sets, compare_on_folds, compare_on_rows, score_interval
from linnet.evaluation.metric_scales import default_rope, possible_range
from linnet.evaluation.paired_comparison import PairedComparison, RankComparison
from linnet.storage.typed_json import from_plain, to_plain

NAMES = ["ridge", "perceptron", "bayes"]


def folds(seed=0):
    return np.random.default_rng(seed).normal([[0.90], [0.88], [0.8]], 0.02, (3, 30))


def test_pairs_have_the_corrected_p_values_after_holm():
    scores = folds()
    found = compare_on_folds(NAMES, scores, metric="accuracy", test_fraction=0.1)
    assert [(each.first, each.second) for each in found] == [
        ("ridge", "perceptron"),
        ("ridge", "bayes"),
        ("perceptron", "bayes"),
    ]
    p = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        d = scores[a] - scores[b]
        p.append(2 * stats.t.sf(abs(d.mean()) / (d.std(ddof=1) * math.sqrt(1 / 30 + 1 / 9)), 29))
    assert [each.p_value for each in found] == pytest.approx(p, rel=1e-6)
    assert [each.adjusted_p_value for each in found] == pytest.approx(
        list(multipletests(p, method="holm")[1]), rel=1e-6
    )


def test_a_pair_counts_wins_ties_and_losses_and_has_an_effect_size():
    a, b = np.array([[0.9, 0.8, 0.7, 0.6], [0.8, 0.8, 0.8, 0.5]])
    (found,) = compare_on_folds(["a", "b"], [a, b], metric="accuracy", test_fraction=0.25)
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)
    assert found.difference == pytest.approx((a - b).mean())
    assert found.effect_size == pytest.approx((a - b).mean() / (a - b).std(ddof=1))


def test_swapping_two_learners_mirrors_the_verdict():
    scores = folds()[:2]
    (one,) = compare_on_folds(["a", "b"], scores, metric="accuracy", test_fraction=0.1)
    (other,) = compare_on_folds(["b", "a"], scores[::-1], metric="accuracy", test_fraction=0.1)
    assert other.difference == -one.difference
    assert other.p_value == one.p_value
    assert tuple(other.interval) == (-one.interval.high, -one.interval.low)
    assert (other.posterior.better, other.posterior.worse) == (one.posterior.worse, one.posterior.better)


def test_a_learner_without_scores_does_not_count_among_the_others():
    scores = folds()
    scores[2] = math.nan
    first, *others = compare_on_folds(NAMES, scores, metric="accuracy", test_fraction=0.1)
    assert first.adjusted_p_value == first.p_value
    assert all(math.isnan(each.adjusted_p_value) and each.interval.reason for each in others)


def test_verdicts_are_stored_and_read_back():
    for each in compare_on_folds(NAMES, folds(), metric="accuracy", test_fraction=0.1):
        assert from_plain(PairedComparison, to_plain(each)) == each
    ranked = compare_on_data_sets(NAMES, folds()[:, :12], metric="accuracy")
    assert from_plain(RankComparison, to_plain(ranked)) == ranked


def test_held_out_rows_that_only_one_has_right_are_counted():
    right = np.array([[1, 1, 1, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 1, 1]], bool)
    first, second, third = compare_on_rows(NAMES, right)
    assert (first.rows, first.only_first_right, first.only_second_right) == (5, 3, 0)
    assert (second.only_first_right, second.only_second_right) == (2, 1)
    assert (third.only_first_right, third.only_second_right) == (1, 3)
    assert first.p_value == pytest.approx(0.25)
    assert first.adjusted_p_value == pytest.approx(0.75)


def test_over_data_sets_ranks_and_signed_ranks_are_scipys():
    scores = folds(4)[:, :12]
    found = compare_on_data_sets(NAMES, scores, metric="accuracy", rope=0.01)
    assert found.data_sets == 12
    assert list(found.mean_ranks) == pytest.approx(list(stats.rankdata(-scores, axis=0).mean(axis=1)))
    p = [stats.wilcoxon(scores[a] - scores[b]).pvalue for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [each.p_value for each in found.pairs] == pytest.approx(p)
    assert [each.adjusted_p_value for each in found.pairs] == pytest.approx(list(multipletests(p, method="holm")[1]))
    assert all(each.posterior.rope == 0.01 for each in found.pairs)


def test_scores_that_are_equal_but_for_rounding_share_a_rank():
    found = compare_on_data_sets(["a", "b"], [[0.1 + 0.2, 0.5], [0.3, 0.5]], metric="accuracy")
    assert found.mean_ranks == (1.5, 1.5)
    assert found.groups == (("a", "b"),)


def test_too_few_data_sets_have_no_posterior_and_no_significant_pair():
    few = compare_on_data_sets(NAMES, folds()[:, :5], metric="accuracy")
    assert all(math.isnan(each.posterior.better) and each.p_value > 0.05 for each in few.pairs)
    enough = compare_on_data_sets(NAMES, folds()[:, :10], metric="accuracy")
    assert enough.pairs[1].posterior.better > 0.95


def test_data_sets_without_a_score_are_left_out():
    scores = folds()[:, :6]
    scores[1, 2] = math.nan
    found = compare_on_data_sets(NAMES, scores, metric="accuracy")
    assert found.data_sets == 5
    none = compare_on_data_sets(NAMES, np.full((3, 2), math.nan), metric="accuracy")
    assert none.data_sets == 0
    assert math.isnan(none.friedman_p_value)
    assert none.groups == ()


def test_the_region_is_a_point_of_accuracy_or_a_hundredth_of_the_least_error():
    assert default_rope("accuracy", folds()) == 0.01
    assert default_rope("f1:yes", folds()) == 0.01
    assert default_rope("rmse", [[-200.0, -100.0], [-300.0, math.nan]]) == pytest.approx(1.5)
    (found,) = compare_on_folds(["a", "b"], [[-2.0, -1.0], [-3.0, -4.0]], metric="mae", test_fraction=0.5)
    assert found.posterior.rope == pytest.approx(0.015)


def test_an_interval_of_a_score_ends_where_the_metric_does():
    assert score_interval([1.0, 0.9, 1.0, 0.95], "accuracy", 0.25).high == 1.0
    assert score_interval([0.1, 0.0, 0.3, 0.0], "log-loss", 0.25).low == 0.0
    assert possible_range("r2") == (-math.inf, 1.0)
    assert score_interval([1.0, 1.0], "accuracy", 0.5).reason == "the same in every fold"


def test_scores_have_a_row_for_each_learner():
    with pytest.raises(InputError, match="a row for each of 3 learners"):
        compare_on_folds(NAMES, folds()[:2], metric="accuracy", test_fraction=0.1)
    with pytest.raises(InputError, match="True or False"):
        compare_on_rows(NAMES, folds())
    with pytest.raises(InputError, match="two or more"):
        compare_on_data_sets(["a"], [[0.1, 0.2]], metric="accuracy")
