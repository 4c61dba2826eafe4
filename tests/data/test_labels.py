from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.labels import FIRST_ROWS, Labels
from linnet.errors import InputError

LABELS = st.lists(st.one_of(st.integers(-5, 5)), min_size=1, max_size=50) | st.lists(
    st.text("abc", max_size=2), min_size=1, max_size=50
)


@given(LABELS)
def test_labels_are_sorted_and_come_back(y):
    y = np.array(y)
    labels, codes = Labels.of(y)
    assert list(labels.classes) == list(Labels().including(y).classes) == sorted(set(y.tolist()))
    np.testing.assert_array_equal(labels.encode(y), codes)
    np.testing.assert_array_equal(labels.classes[labels.encode(y).astype(int)], y)


def test_a_third_label_far_down_is_found():
    y = np.array([0, 1] * FIRST_ROWS + [7])
    assert list(Labels.of(y)[0].classes) == [0, 1, 7]


def test_new_labels_keep_the_old_and_longer_names_fit():
    labels = Labels(["b"]).including(np.array(["a-long-name"])).including(np.array(["b"]))
    assert list(labels.classes) == ["a-long-name", "b"]


def test_labels_of_two_kinds_are_refused():
    with pytest.raises(InputError, match="were text so far and are numbers now"):
        Labels(["a"]).including(np.array([1, 2]))
    with pytest.raises(InputError, match="were numbers so far and are text now"):
        Labels([1]).including(np.array(["a"]))


@pytest.mark.parametrize("known", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_an_unknown_label_is_named_with_its_row(known):
    with pytest.raises(InputError, match=r"row 1 has the label .*'z'"):
        Labels(known).encode(np.array(["a", "z"]))
