"""What names the rows is an id; what varies freely is not, though it may be different in every row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.features.ids import LEAST_ROWS, id_reason


@given(st.integers(LEAST_ROWS, 300), st.integers(-(10**6), 10**6), st.integers(-50, 50).filter(bool))
def test_equal_steps_count_the_rows(rows, first, step):
    values = first + step * np.arange(rows, dtype=float)
    assert id_reason(values, named=False) == "it counts the rows"
    assert not id_reason(values[: LEAST_ROWS - 1], named=False)
    assert not id_reason(np.append(values, values[0]), named=False)
    assert not id_reason(np.append(values, np.nan), named=False)


@pytest.mark.parametrize("rows", [50, 300, 2000])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_rows_in_any_order_and_with_gaps_are_ids(rows, seed):
    rng = np.random.default_rng(seed)
    assert id_reason(rng.permutation(rows).astype(float), named=False)
    assert id_reason(1000.0 + rng.permutation(2 * rows)[:rows], named=False)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_drawn_for_many_rows_are_ids(seed):
    values = np.random.default_rng(seed).choice(9_000_000, 2000, replace=False) + 1_000_000.0
    assert id_reason(values, named=False)
    assert not id_reason(values[:200], named=False)  # which may well be prices
    assert id_reason(values[:200], named=True)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows", [30, 100, 2000])
def test_measurements_are_not_ids(rows, seed):
    rng = np.random.default_rng(seed)
    for values in (
        rng.normal(size=rows), np.sort(rng.random(rows)), np.round(rng.lognormal(12, 1, rows)),
        np.round(rng.normal(0, 1e9, rows)),
        rng.integers(0, 100, rows).astype(float), np.full(rows, 3.0),
        np.round(np.cumsum(rng.exponential(1e6, rows)) ** 1.2),
    ):  # fmt: skip
        assert not id_reason(values, named=False)
