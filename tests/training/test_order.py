from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linnet.data.rows import Examples, Rows
from linnet.errors import InputError
from linnet.training.order import MOST_PRESENTATIONS, presentations, sorted_by


def examples(rng, n=200, weights=None, X=None):
    X = rng.normal(size=(n, 3)) if X is None else X
    return Examples(Rows.of(X), rng.integers(2, size=n).astype(float), weights)


def test_unshuffled_unweighted_rows_need_no_list(rng):
    assert presentations(examples(rng), shuffle=False).in_pass(0, 0) is None


def test_a_shuffle_is_a_permutation_that_changes_with_pass_and_seed(rng):
    plan = presentations(examples(rng), shuffle=True)
    orders = [plan.in_pass(number, seed) for number in (0, 1) for seed in (0, 1)]
    for order in orders:
        assert_array_equal(np.sort(order), np.arange(200))
    assert len({tuple(order) for order in orders}) == 4
    assert_array_equal(plan.in_pass(1, 1), orders[3])


def test_a_shuffle_looks_random(rng):
    """The correlation of position and row vanishes, pass for pass."""
    plan = presentations(examples(rng, 2000), shuffle=True)
    positions = np.arange(2000)
    found = [np.corrcoef(positions, plan.in_pass(number, 7))[0, 1] for number in range(50)]
    assert abs(np.mean(found)) < 4 / np.sqrt(50 * 2000)
    assert np.std(found) == pytest.approx(1 / np.sqrt(2000), rel=0.4)


def test_the_order_of_the_table_does_not_matter(rng):
    first = examples(rng)
    sorting = rng.permutation(200)
    X = first.rows.matrix()
    second = Examples(Rows.of(X[sorting]), first.targets[sorting])
    one = presentations(first, shuffle=True).in_pass(3, 5)
    other = presentations(second, shuffle=True).in_pass(3, 5)
    assert_array_equal(X[one], X[sorting][other])


def test_equal_rows_are_spread_over_the_pass_not_kept_together():
    X = np.repeat(np.eye(2), 500, axis=0)
    order = presentations(Examples(Rows.of(X), np.zeros(1000)), shuffle=True).in_pass(0, 0)
    runs = 1 + (np.diff(order >= 500) != 0).sum()
    assert 400 < runs < 600


def test_a_weight_is_a_number_of_copies(rng):
    counts = rng.integers(0, 4, size=50)
    single = examples(rng, 50, counts.astype(float))
    rows = np.repeat(np.arange(50), counts)
    copies = Examples(Rows.of(single.rows.matrix()[rows]), single.targets[rows])
    for shuffle in (False, True):
        order = presentations(single, shuffle=shuffle).in_pass(2, 9)
        expected = presentations(copies, shuffle=shuffle).in_pass(2, 9)
        assert_array_equal(order, rows if expected is None else rows[expected])


def test_the_weights_of_its_presentations_add_up_to_the_weight_of_a_row(rng):
    weights = np.array([0.0, 0.25, 1.0, 2.5, 64.0, 1e9])
    plan = presentations(examples(rng, 6, weights), shuffle=False)
    order = plan.in_pass(0, 0)
    assert np.bincount(order, minlength=6).max() == MOST_PRESENTATIONS
    assert np.bincount(order, weights=plan.sample_weights[order], minlength=6) == pytest.approx(weights)


def test_nothing_but_zero_weights_is_an_error(rng):
    with pytest.raises(InputError, match="nothing to train on"):
        presentations(examples(rng, 3, np.zeros(3)), shuffle=False)


def test_equal_keys_keep_their_order(rng):
    for keys in (rng.integers(0, 50, size=400), rng.permutation(400)):
        found = sorted_by(keys.astype(np.uint64))
        np.testing.assert_array_equal(found, np.argsort(keys, kind="stable"))
