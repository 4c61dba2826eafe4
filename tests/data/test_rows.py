"""Rows: what is checked before a kernel trusts it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import random_array

from linnet.data.rows import Rows
from linnet.kernels.sparse_checks import ids_rise, pointers_rise


@given(st.integers(0, 2**32 - 1), st.integers(0, 200), st.integers(1, 30))
def test_ids_are_sound_exactly_if_every_row_rises_within_the_columns(seed, rows, columns):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 4, size=rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = np.concatenate(
        [np.sort(rng.choice(columns + 2, size=n, replace=rng.random() < 0.02)) for n in lengths] or [[]]
    )
    ids = (ids - (rng.random() < 0.2)).astype(np.int32)
    parts = [ids[a:b] for a, b in pairwise(starts)]
    sound = all((np.diff(part) > 0).all() and (part >= 0).all() and (part < columns).all() for part in parts)
    assert ids_rise(ids, starts, columns) == sound


@pytest.mark.parametrize(
    ("starts", "good"), [([0], True), ([0, 2, 2, 5], True), ([0, 3, 2, 5], False), ([1, 2], False), ([0, 6], False)]
)
def test_row_pointers_rise_from_zero_to_the_entries(starts, good):
    assert pointers_rise(np.array(starts), 5) == good


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 80), st.sampled_from([np.float32, np.float64]))
def test_some_of_the_rows_are_those_that_scipy_takes(seed, rows, taken, kind):
    rng = np.random.default_rng(seed)
    whole = random_array((rows, 9), density=0.3, format="csr", dtype=kind, rng=rng)
    which = rng.integers(0, rows, size=taken)
    found, expected = Rows.of(whole).take(which), whole[which]
    assert found.values.dtype == kind
    assert_array_equal(found.values, expected.data)
    assert_array_equal(found.ids, expected.indices)
    assert_array_equal(found.starts, expected.indptr)


@given(st.integers(0, 2**32 - 1), st.integers(0, 200_000), st.sampled_from([np.float32, np.float64]))
def test_the_largest_entry_is_the_largest_of_the_sizes_and_no_number_if_one_is_none(seed, size, kind):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(size, 1)).astype(kind)
    assert Rows.of(values).largest_entry == np.abs(values).max(initial=0.0)
    if size:
        bad = rng.choice([np.nan, np.inf, -np.inf])
        values[rng.integers(size)] = bad
        found = Rows.of(values)
        assert_array_equal(found.largest_entry, np.abs(bad))
        with pytest.raises(ValueError, match=r"NaN|inf"):
            found.check_finite()


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(1, 30), st.sampled_from([np.float32, np.float64]))
def test_some_columns_of_dense_rows_are_those_that_numpy_takes(seed, rows, columns, kind):
    rng = np.random.default_rng(seed)
    X, which = rng.normal(size=(rows, columns)).astype(kind), rng.integers(columns, size=rng.integers(40))
    first, last = sorted(rng.integers(rows + 1, size=2))
    assert_array_equal(Rows.of(X).some_columns(which, slice(first, last)), X[first:last, which])


def test_the_ends_of_entries_do_not_overflow_and_show_what_is_no_number():
    assert Rows.of(np.array([[1e308, -1e308], [3.0, 0.0]])).ends == (-1e308, 1e308)
    assert Rows.of(np.array([[1e308, -1e308], [3.0, 0.0]])).largest_entry == 1e308
    assert np.isnan(Rows.of(np.array([[1.0, np.nan]])).largest_entry)
    assert Rows.of(np.array([[1.0, -np.inf]])).largest_entry == np.inf
    assert Rows.of(random_array((2, 3), density=0.0, format="csr")).largest_entry == 0.0
