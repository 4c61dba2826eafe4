"""The greedy disjunction beside the existence of one, worked out from all literals at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from linnet.data.rows import Rows
from linnet.theory.disjunctions import MOST_ENTRIES, READINGS, Disjunction


def length(X, y, complement, *, cuts=1, most_entries=MOST_ENTRIES):
    search = Disjunction(X.shape[1], complement=complement, most_entries=most_entries)
    for reading in range(READINGS):
        for part in np.array_split(np.arange(len(y)), cuts):
            search.add(reading, Rows.of(csr_matrix(X[part])), y[part])
    return search.length()


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_disjunction_is_found_where_there_is_one_and_nowhere_else(seed, complement):
    """There is one if the disjunction of all literals that are false in every negative row is correct."""
    rng = np.random.default_rng(seed)
    X = (rng.random((12, 5)) < 0.5).astype(float)
    y = rng.random(12) < 0.6
    literals = np.hstack([X, 1 - X]) if complement else X
    allowed = ~(literals[~y] > 0).any(axis=0)
    exists = bool((literals[y][:, allowed] > 0).any(axis=1).all())
    found = length(X, y, complement)
    assert (found is not None) == exists
    if exists:
        assert found <= min(allowed.sum(), y.sum())


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_disjunction_does_not_depend_on_the_blocks_and_exists_however_few_entries_are_kept(seed, complement):
    rng = np.random.default_rng(seed)
    X = (rng.random((60, 8)) < 0.3).astype(float)
    y = X[:, 0] + X[:, 3] + X[:, 5] > 0
    whole = length(X, y, complement)
    assert length(X, y, complement, cuts=7) == length(X, y, complement, cuts=13) == whole
    few = [length(X, y, complement, cuts=cuts, most_entries=5) for cuts in (1, 7, 13, 60)]
    assert len(set(few)) == 1
    assert 1 <= few[0] <= 16
