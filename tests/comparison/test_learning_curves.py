"""Learning curves of contenders whose errors follow a known law."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.comparison.learning_curves import ERROR_RATE, UNEXPLAINED, learning_curves, nested_order
from linnet.comparison.out_of_fold import OutOfFold
from linnet.data.labels import Labels
from tests.comparison.readings import folds_of

N = 20_000


def classes(seed=0, n=N):
    y = (np.random.default_rng(seed).random(n) < 0.3).astype(float)
    labels, codes = Labels.of(np.array(["no", "yes"])[y.astype(int)])
    return codes, labels


class ByLaw:
    """A contender that is wrong with the probability floor + scale * rows^-exponent, by draws of its own."""

    def __init__(self, targets, floor, scale, exponent, seed=1):
        self.targets, self.law = targets, (floor, scale, exponent)
        self.rng = np.random.default_rng(seed)
        self.asked = []

    def error(self, rows):
        floor, scale, exponent = self.law
        return floor + scale * rows**-exponent

    def answers(self, rows, asked):
        wrong = self.rng.random(len(asked)) < self.error(rows)
        return np.where(wrong, 1.0 - self.targets[asked], self.targets[asked])

    def refits(self, tasks):
        self.asked += tasks
        return [self.answers(len(task.train), task.asked) for task in tasks]

    def out_of_fold(self, folds):
        predicted = np.full(len(self.targets), np.nan)
        for fold in folds:
            predicted[fold.test] = self.answers(len(fold.train), fold.test)
        return OutOfFold("by law", predicted)


def test_errors_and_the_error_at_twice_the_rows_are_those_of_the_law():
    """Over 60 simulated curves; a 95 % interval that covered less than 85 % of them would be no such interval."""
    targets, labels = classes()
    folds = folds_of(N, 10)
    covered, pointwise = 0, 0
    for seed in range(60):
        law = ByLaw(targets, 0.05, 2.0, 0.5, seed)
        (curve,) = learning_curves([law.out_of_fold(folds)], folds, targets, labels, None, law.refits, 0)
        assert curve.rows == (562, 1125, 2250, 4500, 9000, 18_000)
        assert curve.metric == ERROR_RATE
        pointwise += sum(
            low <= law.error(n) <= high for n, (low, high) in zip(curve.rows, curve.intervals, strict=True)
        )
        low, high = curve.at_twice_interval
        assert low <= curve.at_twice <= high
        covered += low <= law.error(36_000) <= high
    assert covered >= 51
    assert pointwise >= 0.9 * 60 * 6


def test_subsets_are_nested_in_the_order_of_the_data_and_tested_on_the_same_rows():
    targets, labels = classes(n=2000)
    folds = folds_of(2000, 5)
    law = ByLaw(targets, 0.1, 1.0, 0.5)
    learning_curves([law.out_of_fold(folds)], folds, targets, labels, None, law.refits, 3)
    by_fold = [law.asked[first : first + 5] for first in range(0, len(law.asked), 5)]
    for fold, tasks in zip(folds, by_fold, strict=False):
        before = set(fold.train.tolist())
        for task in tasks:
            assert (np.diff(task.train) > 0).all()
            assert set(task.train.tolist()) < before
            assert (task.asked == fold.test).all()
            before = set(task.train.tolist())


def test_every_beginning_of_the_order_has_the_classes_in_proportion():
    targets, labels = classes(n=5000)
    order = nested_order(np.arange(5000), targets, labels, 0, 0)
    assert sorted(order.tolist()) == list(range(5000))
    for size in (10, 100, 1000):
        assert abs(targets[order[:size]].sum() - size * targets.mean()) <= 1


def test_the_order_depends_on_seed_and_fold_alone():
    targets, labels = classes(n=500)
    rows = np.arange(500)
    once = nested_order(rows, targets, labels, 1, 2)
    assert (once == nested_order(rows, targets, labels, 1, 2)).all()
    assert (once != nested_order(rows, targets, labels, 2, 2)).any()
    assert (once != nested_order(rows, targets, labels, 1, 3)).any()


def test_a_fit_that_fails_leaves_a_gap_and_a_contender_that_never_predicts_has_no_law():
    targets, labels = classes(n=2000)
    folds = folds_of(2000, 5)
    law = ByLaw(targets, 0.1, 1.0, 0.5)

    def without_the_smallest(tasks):
        return [None if len(task.train) < 80 else law.answers(len(task.train), task.asked) for task in tasks]

    known = law.out_of_fold(folds)
    (curve,) = learning_curves([known], folds, targets, labels, None, without_the_smallest, 0)
    assert min(curve.rows) == 100
    assert not np.isnan(curve.at_twice)
    (curve,) = learning_curves([known], folds, targets, labels, None, lambda tasks: [None] * len(tasks), 0)
    assert curve.rows == (1600,)
    assert np.isnan(curve.at_twice)
    assert "too few sizes" in curve.note


def test_few_rows_have_no_curve():
    targets, labels = classes(n=60)
    folds = folds_of(60, 3)
    law = ByLaw(targets, 0.1, 1.0, 0.5)
    assert learning_curves([law.out_of_fold(folds)], folds, targets, labels, None, law.refits, 0) == ()


def test_least_squares_loses_a_part_of_columns_over_rows_as_theory_says():
    """Of d columns and n rows, the mean squared error is s² (1 + d / (n - d - 1)) (for Gaussian columns)."""
    rng = np.random.default_rng(0)
    n, d = 6000, 20
    X = rng.normal(size=(n, d))
    y = X.sum(axis=1) + rng.normal(size=n) * 5
    folds = folds_of(n, 5)

    def refits(tasks):
        return [X[t.asked] @ np.linalg.lstsq(X[t.train], y[t.train], rcond=None)[0] for t in tasks]

    predicted = np.full(n, np.nan)
    for fold in folds:
        w = np.linalg.lstsq(X[fold.train], y[fold.train], rcond=None)[0]
        predicted[fold.test] = X[fold.test] @ w
    (curve,) = learning_curves([OutOfFold("ls", predicted)], folds, y, None, None, refits, 0)
    assert curve.metric == UNEXPLAINED
    for rows, error in zip(curve.rows, curve.errors, strict=True):
        assert error == pytest.approx(25 / 45 * (1 + d / (rows - d - 1)), rel=0.06)
    low, high = curve.at_twice_interval
    assert low <= 25 / 45 * (1 + d / 9600) <= high
