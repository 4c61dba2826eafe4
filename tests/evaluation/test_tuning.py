"""Metrics of a fold, folds that keep copies together, and the choice among the points of a path."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from linnet.errors import RecipeError
from linnet.evaluation.fold_metrics import Predicted, value
from linnet.evaluation.path_choice import chosen, is_over
from linnet.evaluation.splits import grouped_folds
from linnet.evaluation.tuning_metrics import METRICS, Metric, TuneRule


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_of_classes_are_scikit_learns(rng, weighted):
    truth = rng.integers(0, 2, 200).astype(float)
    scores = np.round(truth + rng.normal(size=200), 1)  # with ties
    second = 1 / (1 + np.exp(-scores))
    codes, w = (scores > 0).astype(int), rng.uniform(0.5, 2.0, 200) if weighted else None
    predicted = Predicted(truth, codes, w, scores, np.column_stack([1 - second, second]))
    theirs = {
        "accuracy": metrics.accuracy_score(truth, codes, sample_weight=w),
        "balanced-accuracy": metrics.balanced_accuracy_score(truth, codes, sample_weight=w),
        "macro-f1": metrics.f1_score(truth, codes, average="macro", sample_weight=w),
        "roc-auc": metrics.roc_auc_score(truth, scores, sample_weight=w),
        "log-loss": metrics.log_loss(truth, second, sample_weight=w),
        "brier": metrics.brier_score_loss(truth, second, sample_weight=w),
    }
    for name, expected in theirs.items():
        assert value(Metric(name), predicted) == pytest.approx(expected), name
    assert value(Metric("f1", "yes"), predicted, 1) == pytest.approx(metrics.f1_score(truth, codes, sample_weight=w))


def test_metrics_of_numbers_are_scikit_learns(rng):
    truth, w = rng.normal(size=50), rng.uniform(0.5, 2.0, 50)
    guessed = truth + rng.normal(size=50)
    predicted = Predicted(truth, guessed, w)
    assert value(Metric("r2"), predicted) == pytest.approx(metrics.r2_score(truth, guessed, sample_weight=w))
    assert value(Metric("mae"), predicted) == pytest.approx(
        metrics.mean_absolute_error(truth, guessed, sample_weight=w)
    )
    squares = metrics.mean_squared_error(truth, guessed, sample_weight=w)
    assert value(Metric("rmse"), predicted) == pytest.approx(squares**0.5)


@pytest.mark.parametrize("text", ["f1", "accuracy:spam", "acuracy", ""])
def test_what_is_not_a_metric_is_refused_with_those_there_are(text):
    with pytest.raises(RecipeError, match="log-loss"):
        Metric.parsed(text)


def test_every_metric_is_written_as_it_is_read():
    for name in METRICS:
        text = f"{name}:a:b" if name == "f1" else name
        assert str(Metric.parsed(text)) == text


def test_rows_of_a_group_share_a_fold_and_every_fold_has_its_part_of_each_class(rng):
    groups = rng.integers(0, 60, 300).astype(np.uint64)
    codes = (groups % 3).astype(float)
    fold = grouped_folds(groups, codes, 5, 0)
    assert all(len(np.unique(fold[groups == group])) == 1 for group in np.unique(groups))
    first = np.unique(groups, return_index=True)[1]
    counts = np.array([[np.sum((fold[first] == f) & (codes[first] == c)) for c in range(3)] for f in range(5)])
    assert counts.max(axis=0).max() - counts.min() <= 1


def test_folds_follow_from_the_groups_not_from_the_order_of_rows(rng):
    groups, order = rng.integers(0, 1000, 200).astype(np.uint64), rng.permutation(200)
    assert np.array_equal(grouped_folds(groups, None, 4, 1)[order], grouped_folds(groups[order], None, 4, 1))


def test_one_standard_error_takes_the_strongest_penalty_near_the_best():
    scores = np.array([[0.70, 0.72], [0.80, 0.86], [0.82, 0.88], [0.60, 0.60]])
    assert chosen(scores, TuneRule.BEST).at == 2
    found = chosen(scores, TuneRule.ONE_STANDARD_ERROR)
    assert found.at == 1
    assert found.errors[2] == pytest.approx(np.std([0.82, 0.88], ddof=1) / np.sqrt(2))


def test_a_path_ends_after_two_points_that_are_worse_than_the_best_on_the_same_folds():
    best, worse = [0.9, 0.7], [0.89, 0.69]  # worse in every fold by the same, however much folds differ
    assert not is_over(np.array([best, worse]))
    assert is_over(np.array([best, worse, worse]))
    assert not is_over(np.array([best, worse, [0.95, 0.64]]))  # within the noise of the difference
    assert is_over(np.array([best, [np.nan, 0.9], [np.nan, 0.9]]))


def test_a_point_that_could_not_be_fitted_is_never_chosen():
    assert chosen(np.array([[0.1, 0.2], [np.nan, 0.9]]), TuneRule.BEST).at == 0


def test_the_own_point_is_left_only_for_one_that_is_better_by_more_than_the_folds_differ():
    own, noisy, clear = [0.80, 0.70], [0.85, 0.66], [0.84, 0.74]
    assert chosen(np.array([own, noisy]), TuneRule.BEST, own=0).at == 0
    assert chosen(np.array([own, noisy]), TuneRule.BEST).at == 1
    assert chosen(np.array([own, clear]), TuneRule.BEST, own=0).at == 1


def test_among_scores_that_are_alike_losses_decide():
    scores = np.array([[0.80, 0.70], [0.84, 0.67], [0.60, 0.50]])
    losses = -np.array([[0.40, 0.50], [0.45, 0.55], [0.10, 0.10]])
    assert chosen(scores, TuneRule.BEST).at == 1
    assert chosen(scores, TuneRule.BEST, losses).at == 0
    assert chosen(scores, TuneRule.BEST, losses, own=1).at == 0
    assert chosen(scores, TuneRule.BEST, losses - [[0.0, 0.2], [0.0, 0.0], [0.0, 0.0]], own=1).at == 1
