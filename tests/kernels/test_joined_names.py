"""Names made of names, beside Python's own strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linnet.data.sources.block import Strings
from linnet.kernels.joined_names import joined, taken

NAMES = st.lists(st.text(max_size=5), min_size=1, max_size=8)


def same(found, names):
    expected = Strings.of(names)
    assert_array_equal(found[0], expected.data)
    assert_array_equal(found[1], expected.starts)


@given(NAMES, NAMES, st.text(max_size=2), st.data())
def test_names_are_joined_and_taken_as_python_does(names, others, separator, data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, len(names) - 1), st.integers(0, len(others) - 1)), max_size=20))
    which, second = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    left, right = Strings.of(names), Strings.of(others)
    found = joined(left.data, left.starts, which, separator.encode(), right.data, right.starts, second)
    same(found, [f"{names[i]}{separator}{others[j]}" for i, j in pairs])
    same(taken(left.data, left.starts, which), [names[i] for i, _ in pairs])
