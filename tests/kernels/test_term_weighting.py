"""Counts as values, beside NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.term_weighting import BINARY, COUNT, LOG, weight_counts

WEIGHTINGS = {COUNT: lambda c: c, BINARY: np.ones_like, LOG: lambda c: 1 + np.log(c)}


@given(
    lengths=st.lists(st.integers(0, 5), max_size=8),
    seed=st.integers(0, 2**32 - 1),
    weighting=st.sampled_from([COUNT, BINARY, LOG]),
    unit_length=st.booleans(),
)
def test_counts_are_weighted_and_brought_to_length_one(lengths, seed, weighting, unit_length):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    counts = rng.integers(1, 1000, size=starts[-1]).astype(np.float32)
    into = np.empty(len(counts), dtype=np.float32)
    weight_counts(counts, starts, weighting, unit_length, into)
    expected = WEIGHTINGS[weighting](counts.astype(np.float64))
    if unit_length:
        for a, b in pairwise(starts):
            expected[a:b] /= np.linalg.norm(expected[a:b]) or 1.0
    np.testing.assert_allclose(into, expected, rtol=2e-7)


@pytest.mark.parametrize("unit_length", [True, False])
def test_a_row_of_zero_counts_stays_zero(unit_length):
    into = np.empty(2, dtype=np.float32)
    weight_counts(np.zeros(2, np.float32), np.array([0, 2]), COUNT, unit_length, into)
    assert into.tolist() == [0, 0]
