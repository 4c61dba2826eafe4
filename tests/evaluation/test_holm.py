"""Holm's correction beside statsmodels'."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from linnet.evaluation.holm import holm


@settings(max_examples=20, deadline=None)  # statsmodels takes a twentieth of a second
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjusted_p_values_are_those_of_statsmodels(p):
    assert holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]), abs=1e-12)


def test_tests_that_were_not_made_do_not_count():
    found = holm([0.01, math.nan, 0.03])
    assert found[::2] == [0.02, 0.03]
    assert math.isnan(found[1])
    assert holm([]) == []
