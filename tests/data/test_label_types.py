"""Labels stand for the values that every format means by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.label_types import LabelKind, in_label_order, key_of, kind_of, number_of, typed


@pytest.mark.parametrize(
    ("spelt", "values"),
    [
        (["10", "2", "1"], [1, 2, 10]),
        (["+1", "-1"], [-1, 1]),
        (["0.5", "-1.25", "2"], [-1.25, 0.5, 2.0]),
        (["true", "false"], [False, True]),
        (["True", "False"], [False, True]),
        (["TRUE", "FALSE"], [False, True]),
        (["01", "1"], ["1", "01"]),
        (["1", "+1"], ["+1", "1"]),  # the same number, but the data tell them apart
        (["1.10", "1.9"], ["1.9", "1.10"]),
        (["1", "2", "other"], ["1", "2", "other"]),
        (["True", "true"], ["True", "true"]),
        (["True", "1"], ["1", "True"]),
        (["9" * 19, "1"], ["1", "9" * 19]),  # does not fit 64 bits
        (["nan", "inf"], ["inf", "nan"]),
        (["spam", "ham"], ["ham", "spam"]),
    ],
)
def test_labels_of_one_type_have_it_and_others_are_text(spelt, values):
    found = typed(in_label_order(spelt), LabelKind.SPELT).tolist()
    assert found == values
    assert list(map(type, found)) == list(map(type, values))
    assert typed(in_label_order(spelt), LabelKind.TEXT).tolist() == in_label_order(spelt)


@given(st.lists(st.one_of(st.integers().map(str), st.floats().map(str), st.text(max_size=4)), unique=True))
def test_a_label_that_comes_later_leaves_the_order_of_others(labels):
    known = in_label_order(labels[: len(labels) // 2])
    assert [label for label in in_label_order(labels) if label in set(known)] == known


@given(
    st.one_of(
        st.sets(st.integers(-(10**17), 10**17), min_size=1),
        st.sets(st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x != int(x)), min_size=1),
        st.sets(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1),
        st.sets(st.booleans(), min_size=1),
    )
)
def test_values_are_found_again_from_their_spelling_and_in_their_order(values):
    ordered = in_label_order(list(values))
    again = typed(in_label_order([str(value) for value in values]), kind_of(ordered))
    assert again.tolist() == in_label_order(again.tolist()) == ordered
    assert {key_of(value): i for i, value in enumerate(ordered)} == {
        key_of(str(value)) if not isinstance(value, str) else key_of(value): i for i, value in enumerate(ordered)
    }


def test_numbers_are_as_python_prints_them():
    assert [number_of(text) for text in ("7", "-7", "1e-05", "1.5", "007", "1_000", "0x1", "٣", "", "-0")] == [
        7, -7, 1e-05, 1.5, None, None, None, None, None, None,
    ]  # fmt: skip
    assert typed([0, 1], LabelKind.BOOLEAN).dtype == np.bool_
