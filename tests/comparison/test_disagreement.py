"""Disagreement counted in loops."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.comparison.disagreement import SHOWN, disagreements, hard_rows_fact
from linnet.comparison.out_of_fold import OutOfFold
from linnet.comparison.row_sample import by_number
from linnet.data.labels import Labels


def predictions(seed, targets, right, classes=3):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(targets)) < right, targets, rng.integers(0, classes, len(targets))).astype(float)


def setting(n=200):
    labels, targets = Labels.of(np.random.default_rng(9).choice(["a", "b", "c"], n))
    contenders = [OutOfFold(f"learner {k}", predictions(k, targets, right)) for k, right in enumerate((0.9, 0.7, 0.5))]
    return labels, targets, contenders


def test_counts_are_those_of_a_loop_over_the_rows():
    labels, targets, contenders = setting()
    contenders[1].predicted[:10] = np.nan
    for found, (a, b) in zip(
        disagreements(contenders, targets, labels, by_number), ((0, 1), (0, 2), (1, 2)), strict=True
    ):
        first, second = contenders[a].predicted, contenders[b].predicted
        known = [i for i in range(200) if not np.isnan(first[i]) and not np.isnan(second[i])]
        differ = [i for i in known if first[i] != second[i]]
        assert found.compared == len(known)
        assert found.fraction == pytest.approx(len(differ) / len(known))
        assert found.only_first_right == sum(first[i] == targets[i] != second[i] for i in known)
        assert found.only_second_right == sum(second[i] == targets[i] != first[i] for i in known)
        assert found.rows == tuple(f"row {i + 1}" for i in differ[:SHOWN])
        names = labels.classes
        assert found.answers[0] == tuple(names[int(v[differ[0]])] for v in (targets, first, second))


def test_numbers_differ_that_are_farther_apart_than_the_smaller_rmse():
    y = np.array([0.0, 0.0, 0.0, 0.0])
    good, bad = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.5, 3.0, -0.5, -5.0])
    (found,) = disagreements([OutOfFold("good", good), OutOfFold("bad", bad)], y, None, by_number)
    assert found.tolerance == 1.0
    assert found.fraction == 0.75
    assert found.rows == ("row 2", "row 3", "row 4")
    assert (found.only_first_right, found.only_second_right) == (2, 1)


def test_rows_that_all_have_wrong_bound_what_choosing_among_learners_can_gain():
    _, targets, contenders = setting()
    right = np.stack([each.predicted == targets for each in contenders])
    fact = hard_rows_fact(contenders, targets, by_number)
    assert fact.value == pytest.approx((~right.any(axis=0)).mean())
    assert f"at most {100 * (right.any(axis=0).mean() - right.mean(axis=1).max()):.1f} points" in fact.meaning


def test_two_learners_say_nothing_of_hard_rows():
    _, targets, contenders = setting()
    assert hard_rows_fact(contenders[:2], targets, by_number) is None
