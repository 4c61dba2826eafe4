from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linnet.data.rows import Examples, Rows
from linnet.errors import InputError
from linnet.kernels import fingerprints
from linnet.training.order import MOST_PRESENTATIONS, presentations, scrambled_order


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


def scrambled(numbers, seed):
    keys = np.empty_like(numbers)
    fingerprints.scramble(numbers, seed, keys)
    return keys


def unmixed(keys, seed):
    """The numbers that `scramble` makes these keys of: its steps backwards."""

    def invert(z, shift):
        found = z
        for _ in range(64 // shift):
            found = z ^ (found >> shift)
        return found

    def whole(z):
        z = invert(z, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
        return invert(invert(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64, 30)

    # mixing 0 with a seed gives mix(mix(seed + ...))
    seeded = whole(int(scrambled(np.zeros(1, dtype=np.uint64), seed)[0]))
    return np.array([whole(int(key)) ^ seeded for key in keys], dtype=np.uint64)


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 1000, 150_000])
@pytest.mark.parametrize("kinds", [1, 7, 2**40])
def test_rows_are_in_the_order_of_their_scrambled_numbers_and_equal_ones_as_they_stand(n, kinds, rng):
    numbers = rng.integers(0, kinds, size=n).astype(np.uint64)
    assert_array_equal(scrambled_order(numbers, 5), np.argsort(scrambled(numbers, 5), kind="stable"))


def test_numbers_that_are_scrambled_to_neighbours_are_sorted_too(rng):
    keys = rng.permutation(5000).astype(np.uint64)
    numbers = unmixed(keys, 5)
    assert_array_equal(scrambled(numbers, 5), keys)
    assert not fingerprints.sorted_scrambled(numbers, 5, np.empty(5000, dtype=np.int64))
    assert_array_equal(scrambled_order(numbers, 5), np.argsort(keys))
