from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluation.sorted_counts import SortedCounts

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, st.integers(0, 1)), min_size=1))
def test_values_are_counted_as_by_unique(rows):
    values, kinds = np.array([v for v, _ in rows]), np.array([k for _, k in rows])
    table = SortedCounts(kinds=2)
    table.add(values, kinds)
    distinct = np.unique(values)
    np.testing.assert_array_equal(table.values(), distinct)
    np.testing.assert_array_equal(table.counts()[:, 1], [(values[kinds == 1] == v).sum() for v in distinct])
    assert table.exact


@given(st.lists(finite, min_size=1), st.data())
def test_a_rank_is_a_place_in_the_sorted_values(values, data):
    table = SortedCounts()
    table.add(np.array(values))
    rank = data.draw(st.integers(0, len(values) - 1))
    assert table.ranked([rank]) == [sorted(values)[rank]]


@given(st.lists(finite, min_size=1, max_size=60), st.lists(st.integers(0, 60)), st.integers(1, 8))
def test_a_table_too_small_for_its_values_is_the_same_for_every_cut(values, cuts, limit):
    values = np.array(values)
    whole, cut = SortedCounts(limit=limit), SortedCounts(limit=limit)
    whole.add(values)
    for block in np.split(values, sorted(cuts)):
        cut.add(block)
    np.testing.assert_array_equal(whole.counts(), cut.counts())
    assert whole.values().tobytes() == cut.values().tobytes()
    assert len(whole.counts()) <= limit
    assert whole.exact == (len(np.unique(values)) <= limit)


def test_dropped_bits_cost_little_precision(rng):
    values = np.abs(rng.normal(size=50_000))
    table = SortedCounts(limit=5_000)
    table.add(values)
    assert not table.exact
    assert table.ranked([25_000])[0] == pytest.approx(np.sort(values)[25_000], rel=1e-3)
