from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linnet.examples import Rows
from linnet.model import LinearModel
from tests.conftest import both_forms, sparse_table


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("outputs", [1, 4])
def test_scores_are_products_plus_intercepts(outputs, dtype, rng):
    table = sparse_table(rng, 30, 9).astype(dtype)
    w, b = rng.normal(size=(9, outputs)), rng.normal(size=outputs)
    for X in both_forms(table):
        assert_allclose(LinearModel(w, b).scores(Rows.of(X)), table.astype(float) @ w + b, rtol=1e-12, atol=1e-14)
