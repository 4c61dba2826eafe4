"""What row losses show of how learners vary with their training rows, beside direct sums and simulated learners."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from linnet.evaluation.corrected_t import resampled
from linnet.evaluation.training_variance import variance_factor


def dealt(random, repeats, rows, folds):
    return np.stack([random.permutation(np.arange(rows) % folds) for _ in range(repeats)])


def scores_of(losses, fold, folds):
    return np.array([each[at == k].mean() for each, at in zip(losses, fold, strict=True) for k in range(folds)])


def by_pairs(losses, fold, folds):
    """The formula of the module, pair of rows by pair of rows."""
    repeats, n = losses.shape
    z = losses - losses.mean()
    changes = z - z.mean(axis=0)
    together = [
        changes[r, i] * changes[r, j]
        for r in range(repeats)
        for i in range(n)
        for j in range(n)
        if i != j and fold[r, i] == fold[r, j]
    ]
    t, v = (z**2).mean(), (changes**2).sum() / (n * (repeats - 1))
    c = np.mean(together) * repeats / (repeats - 1)
    variance = t / n + (folds - 1) / 10 * (3 * v / n + max(c, 0.0))
    scores = scores_of(losses, fold, folds)
    corrected = scores.var(ddof=1) * (1 / len(scores) + 1 / (folds - 1))
    return max(1.0, variance / corrected)


@pytest.mark.parametrize(("repeats", "folds"), [(2, 5), (3, 10), (4, 3)])
@pytest.mark.parametrize("common", [0.0, 0.2])
def test_the_factor_is_the_formula_summed_over_pairs_of_rows(repeats, folds, common):
    random = np.random.default_rng(folds)
    fold = dealt(random, repeats, 60, folds)
    losses = 0.1 * random.normal(size=60) + random.normal(size=(repeats, 60))
    losses += common * np.take_along_axis(random.normal(size=(repeats, folds)), fold, axis=1)
    found = variance_factor(losses, fold, folds)
    assert found == pytest.approx(by_pairs(losses, fold, folds))
    assert found > 1.0 or common > 0


def test_learners_that_do_not_vary_keep_the_classical_test():
    random = np.random.default_rng(0)
    fold = dealt(random, 3, 400, 10)
    factors = [variance_factor(np.tile(random.normal(size=400), (3, 1)), fold, 10) for _ in range(50)]
    assert np.median(factors) == 1.0


def test_one_repeat_and_losses_that_are_all_the_same_show_nothing():
    random = np.random.default_rng(1)
    fold = dealt(random, 3, 40, 5)
    assert variance_factor(random.normal(size=(1, 40)), fold[:1], 5) == 1.0
    assert variance_factor(np.full((3, 40), 0.25), fold, 5) == 1.0
    assert variance_factor(np.zeros((2, 0)), np.zeros((2, 0), dtype=int), 5) == 1.0


def test_copies_as_one_unit_are_a_row_of_their_weight():
    random = np.random.default_rng(2)
    fold, losses = dealt(random, 3, 30, 5), random.normal(size=(3, 30))
    copies = random.integers(1, 4, 30)
    units = np.repeat(np.arange(30), copies)
    as_copies = variance_factor(losses[:, units], fold[:, units], 5, units=units)
    as_weights = variance_factor(losses, fold, 5, weights=copies.astype(float))
    assert as_copies == pytest.approx(as_weights)


def test_the_order_of_rows_and_the_scale_of_losses_do_not_matter():
    random = np.random.default_rng(3)
    fold, losses = dealt(random, 3, 50, 5), random.normal(size=(3, 50))
    order = random.permutation(50)
    found = variance_factor(losses, fold, 5)
    assert variance_factor(7 - 100 * losses[:, order], fold[:, order], 5) == pytest.approx(found)


def test_equally_good_unstable_learners_are_told_apart_no_more_often_than_the_level():
    """The best of 20 columns alone, really cross-validated: the classical test finds a difference in 15 % of cases."""
    classical, found = 0, 0
    for seed in range(300):
        random = np.random.default_rng([seed, 5])
        y = np.where(np.arange(60) % 2, 1.0, -1.0)
        columns = random.normal(size=(2, 60, 20)) + y[:, np.newaxis] * 2 / np.sqrt(20)
        fold = dealt(random, 3, 60, 10)
        right = np.empty((2, 3, 60))
        for r in range(3):
            for k in range(10):
                test = fold[r] == k
                for which, X in enumerate(columns):
                    means = [X[~test & (y == side)].mean(axis=0) for side in (1.0, -1.0)]
                    guess = np.where((X - (means[0] + means[1]) / 2) * (means[0] - means[1]) > 0, 1.0, -1.0)
                    best = (guess[~test] == y[~test, np.newaxis]).sum(axis=0).argmax()
                    right[which, r, test] = guess[test, best] == y[test]
        d = right[0] - right[1]
        scores = scores_of(d, fold, 10)
        classical += resampled(scores, 0.1).p_value() <= 0.05
        found += resampled(scores, 0.1, variance_factor(d, fold, 10)).p_value() <= 0.05
    assert stats.binomtest(classical, 300, 0.05, alternative="greater").pvalue < 1e-4
    assert found <= 300 * 0.05
