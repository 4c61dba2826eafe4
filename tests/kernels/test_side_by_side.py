"""Columns side by side are the transposed table."""

import numpy as np
import pytest

from linnet.kernels.side_by_side import rows_of


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("k", [1, 2, 29])
def test_rows_of_columns_are_the_transposed_table(n, k, rng):
    columns = rng.normal(size=(k, n))
    assert np.array_equal(rows_of(list(columns)), columns.T)


def test_columns_of_different_lengths_are_refused(rng):
    with pytest.raises(ValueError, match="columns of 5 and 4 numbers"):
        rows_of([rng.normal(size=5), rng.normal(size=4)])
