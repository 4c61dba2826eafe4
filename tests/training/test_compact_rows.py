"""Rows on the columns that they use."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from linnet.data.rows import Rows
from linnet.training.compact_rows import columns_in_use, compact


@pytest.mark.parametrize("density", [0.05, 0.9])
def test_compact_rows_are_the_columns_in_use(density, rng):
    X = rng.normal(size=(40, 12)) * (rng.random((40, 12)) < density)
    X[:, [3, 7]] = 0.0
    rows = Rows.of(csr_array(X))
    used = columns_in_use(rows)
    assert used.tolist() == np.flatnonzero(np.abs(X).sum(axis=0)).tolist()
    found = compact(rows)
    assert found.dense is (density > 0.5)
    matrix = found.matrix()
    np.testing.assert_array_equal(matrix if found.dense else matrix.toarray(), X[:, used])


def test_dense_rows_stay_as_they_are(rng):
    rows = Rows.of(rng.normal(size=(5, 3)))
    assert compact(rows) is rows
    assert columns_in_use(rows).tolist() == [0, 1, 2]
