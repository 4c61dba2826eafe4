"""Packed numbers are those that went in, to the last bit; what would lose a bit is not packed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.packed_numbers import MISSING, MOST_DECIMALS, pack, unpack

decimals = st.integers(0, MOST_DECIMALS)


@given(st.lists(st.one_of(st.integers(-(2**31) + 1, 2**31 - 1), st.none()), max_size=20), decimals)
def test_numbers_of_few_decimals_are_packed_as_integers(wholes, k):
    values = np.array([np.nan if m is None else m / 10.0**k for m in wholes])
    into = np.full((len(wholes), 3), 7, dtype=np.int32)
    missing, least, largest = pack(values, k, into, 1)
    there = [m for m in wholes if m is not None]
    assert missing == len(wholes) - len(there)
    assert (least, largest) == ((min(there), max(there)) if there else (2**31 - 1, -(2**31) + 1))
    assert into[:, 1].tolist() == [MISSING if m is None else m for m in wholes]
    assert (into[:, [0, 2]] == 7).all()


@given(st.floats(allow_nan=False), decimals)
def test_a_number_is_packed_only_if_it_comes_back_to_the_last_bit(value, k):
    into = np.empty((1, 1), dtype=np.int32)
    if pack(np.array([value]), k, into, 0):
        assert into[0, 0] / 10.0**k == value


@pytest.mark.parametrize("value", [0.1 + 0.2, np.pi, 2.0**31, -(2.0**31), 1e300, np.inf, 1e-12])
def test_what_four_bytes_cannot_hold_is_not_packed(value):
    into = np.empty((1, 1), dtype=np.int32)
    assert not any(pack(np.array([value]), k, into, 0) for k in range(MOST_DECIMALS + 1))


def test_a_table_that_is_too_small_is_refused():
    for values, k, shape, column in [(3, 0, (2, 1), 0), (1, 0, (1, 1), 1), (1, 10, (1, 1), 0), (1, -1, (1, 1), 0)]:
        with pytest.raises(ValueError, match="fit"):
            pack(np.zeros(values), k, np.empty(shape, dtype=np.int32), column)


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1, max_size=40), decimals, st.booleans())
def test_integers_are_unpacked_as_a_division_rounds_them(wholes, k, some):
    narrow = np.array(wholes, dtype=np.int32)[:, np.newaxis]
    empty, nowhere = np.empty((len(wholes), 0)), np.empty(0, dtype=np.int64)
    block = narrow, np.array([10.0**k]), empty, empty.astype(np.int32)
    places = np.zeros(1, dtype=np.int64), nowhere, nowhere, np.full(1, -1)
    which = np.arange(len(wholes))[::-1].copy() if some else nowhere
    into = np.empty((len(wholes), 1))
    unpack(block, places, (np.array([0.3]), np.array([0.7])), which, 0, into)
    expected = [(m / 10.0**k - 0.3) / 0.7 for m in (wholes[::-1] if some else wholes)]
    assert into[:, 0].tolist() == expected
