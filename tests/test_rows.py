"""Rows: what is checked before a kernel trusts it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from linnet import examples
from linnet.kernels.checks import ids_rise, pointers_rise


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
    half = len(starts) // 2
    assert (ids_rise(ids, starts[half:], columns) and ids_rise(ids, starts[: half + 1], columns)) == sound


@pytest.mark.parametrize(
    ("starts", "good"), [([0], True), ([0, 2, 2, 5], True), ([0, 3, 2, 5], False), ([1, 2], False), ([0, 6], False)]
)
def test_row_pointers_rise_from_zero_to_the_entries(starts, good):
    assert pointers_rise(np.array(starts), 5) == good


@pytest.mark.parametrize("bad", [None, 3, 90])
def test_large_data_are_checked_in_halves_alike(bad, monkeypatch, rng):
    X = csr_array(rng.normal(size=(100, 8)))
    if bad is not None:
        X.indices[X.indptr[bad]] = 77
    monkeypatch.setattr(examples, "CHECKED_IN_HALVES", 0)
    if bad is None:
        assert_array_equal(examples.Rows.of(X).matrix().toarray(), X.toarray())
    else:
        with pytest.raises(examples.InputError, match="outside 0 to 7"):
            examples.Rows.of(X)
