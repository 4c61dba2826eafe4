from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linnet.data.rows import Rows
from linnet.kernels import scores as kernel
from linnet.learners.linear import LinearModel
from linnet.theory.margin_losses import GAMMAS
from tests.conftest import both_forms, sparse_table


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("rows", [1, 2, 30, 31])
def test_scores_are_products_plus_intercepts(rows, outputs, dtype, rng):
    table = sparse_table(rng, rows, 9).astype(dtype)
    w, b = rng.normal(size=(9, outputs)), rng.normal(size=outputs)
    for X in both_forms(table):
        assert_allclose(LinearModel(w, b).scores(Rows.of(X)), table.astype(float) @ w + b, rtol=1e-12, atol=1e-14)


@given(
    st.lists(st.floats(-1e13, 1e13) | st.floats(1e-14, 8.0) | st.sampled_from([0.0, 1.0, 2.0**-40, 2.0**40, np.inf])),
    st.booleans(),
)
def test_rows_are_counted_by_the_gammas_below_their_margins(margins, often):
    margins = np.array(margins, dtype=np.float64)
    times = np.arange(1.0, len(margins) + 1) if often else np.empty(0)
    found = [np.zeros(len(GAMMAS) + 1) for _ in range(3)]
    expected = [np.zeros(len(GAMMAS) + 1) for _ in range(3)]
    kernel.owe(margins, times, GAMMAS, *found)
    for margin, many in zip(margins.tolist(), times if often else np.ones(len(margins)), strict=True):
        at = int((margin >= GAMMAS).sum())
        for into, what in zip(expected, (many, many * margin, many * abs(margin)), strict=True):
            into[at] += what
    np.testing.assert_array_equal(found, expected)
