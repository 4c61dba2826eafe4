"""The folds of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.comparison import splits
from linnet.errors import InputError


def alone(n):
    return np.arange(n)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 3), st.integers(1, 4), st.integers(30, 200))
def test_units_are_never_separated_and_every_row_is_tested_once_a_repeat(seed, folds, repeats, classes, n):
    rng = np.random.default_rng(seed)
    units = np.unique(rng.integers(0, max(folds, n // 3), n), return_inverse=True)[1]
    if units.max() + 1 < folds:
        return
    codes = rng.integers(0, classes, n).astype(float)
    made = splits.stratified(units, codes, folds, repeats, seed % 1000)
    for repeat in range(repeats):
        parts = [made[repeat * folds + fold] for fold in range(folds)]
        assert sorted(np.concatenate([each.test for each in parts])) == list(range(n))
        for each in parts:
            assert not set(units[each.train]) & set(units[each.test])
            assert len(each.train) + len(each.test) == n


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 10), st.integers(50, 300))
def test_single_rows_are_dealt_out_evenly_class_by_class(seed, folds, n):
    codes = np.random.default_rng(seed).integers(0, 3, n).astype(float)
    made = splits.stratified(alone(n), codes, folds, 1, 0)
    sizes = [len(made[fold].test) for fold in range(folds)]
    assert max(sizes) - min(sizes) <= 1
    for code in range(3):
        counts = [int((codes[made[fold].test] == code).sum()) for fold in range(folds)]
        assert max(counts) - min(counts) <= 1


def test_repeats_and_seeds_give_other_folds_and_the_same_seed_the_same():
    codes = np.zeros(100)
    a, b, c = (splits.stratified(alone(100), codes, 5, 2, seed) for seed in (1, 1, 2))
    assert all((a[number].test == b[number].test).all() for number in range(len(a)))
    assert (a[0].test != a[5].test).any()
    assert (a[0].test != c[0].test).any()


def test_copies_and_groups_join_units_through_one_another():
    prints = np.array([1, 2, 1, 3, 4, 5], dtype=np.uint64)
    groups = np.array([0, 1, 2, 2, 3, 1])
    units = splits.units_of(prints, groups)
    # rows 0 and 2 are copies, 2 and 3 a group, so that 0, 2 and 3 belong together; 1 and 5 are a group
    assert len({units[0], units[2], units[3]}) == 1
    assert units[1] == units[5]
    assert len(set(units.tolist())) == 3


def test_too_few_different_rows_for_the_folds_are_refused():
    with pytest.raises(InputError, match="3 different rows"):
        splits.stratified(np.repeat([0, 1, 2], 10), np.zeros(30), 5, 1, 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(40, 200))
def test_in_time_training_rows_are_all_before_the_test_rows(seed, folds, n):
    rng = np.random.default_rng(seed)
    times = rng.integers(0, n, n).astype(float)
    units = np.unique(rng.integers(0, n, n), return_inverse=True)[1]
    try:
        made = splits.in_time(units, times, folds)
    except InputError:
        return
    assert len(made) == folds
    tested = np.concatenate([made[fold].test for fold in range(folds)])
    assert len(tested) == len(set(tested.tolist()))
    for fold in range(folds):
        each = made[fold]
        if len(each.train):
            assert times[each.train].max() < times[each.test].min()
            assert (np.diff(times[each.train]) >= 0).all()
        assert not set(units[each.train]) & set(units[each.test])
        # all of the past that shares nothing with the test rows is trained on
        past = np.flatnonzero((times < times[each.test].min()) & ~np.isin(units, units[each.test]))
        assert set(past.tolist()) == set(each.train.tolist())


def test_too_few_times_are_refused():
    with pytest.raises(InputError, match="too few different times"):
        splits.in_time(alone(20), np.repeat([1.0, 2.0], 10), 4)
