"""Counts of entries, against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.sparse_entries import entries_by_column


@given(ids=st.lists(st.integers(0, 20), max_size=60), more=st.integers(0, 5))
def test_entries_are_counted_by_column(ids, more):
    columns = max(ids, default=-1) + 1 + more
    counts = entries_by_column(np.array(ids, dtype=np.uint32), columns)
    assert counts.tolist() == np.bincount(np.array(ids, dtype=np.int64), minlength=columns).tolist()
