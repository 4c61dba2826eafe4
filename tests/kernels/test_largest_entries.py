"""The largest entry of every column, against NumPy."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.objective import Objective


@pytest.mark.parametrize("form", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (50, 40), (3000, 5)])
def test_dense_and_sparse_tables_have_the_largest_entries_that_numpy_finds(form, shape):
    rng = np.random.default_rng(shape[0])
    X = (rng.normal(size=shape) * (rng.random(shape) < 0.6)).astype(form)
    for table in (X, csr_array(X)):
        made = Objective(
            Examples(Rows.of(table), np.zeros(len(X))),
            Loss.SQUARED, Penalty(l2=1.0), 1, intercept=True, regression=True, part=64,
        )  # fmt: skip
        assert (made.largest_entries == np.abs(X).max(axis=0)).all()
        assert made.most_entries == (X.shape[1] if table is X else int((X != 0).sum(axis=1).max()))
