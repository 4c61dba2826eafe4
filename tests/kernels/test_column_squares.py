"""The squares of few dense columns, beside those of NumPy."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linnet.kernels.column_squares import MOST_COLUMNS, ROWS_AT_ONCE, add_squares, padded

NOTHING = np.empty(0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("n", [0, 1, ROWS_AT_ONCE, 3 * ROWS_AT_ONCE + 5])
@pytest.mark.parametrize(("d", "more"), [(1, 0), (3, 0), (4, 1), (10, 1), (19, 3), (MOST_COLUMNS - 1, 0), (40, 23)])
def test_squares_are_those_of_numpy(kind, weighted, centred, n, d, more, rng):
    X, y = rng.normal(size=(n, d)).astype(kind), rng.normal(size=(n, more))
    c, off = rng.uniform(size=n), rng.normal(size=d + more)
    width = padded(d + more + 1)
    table = np.full((width, width), 3.0)
    add_squares(X, y, off if centred else NOTHING, c if weighted else NOTHING, table)
    U = np.column_stack([np.column_stack([X, y]) - (off if centred else 0.0), np.ones(n)])
    wanted = (U.T * c if weighted else U.T) @ U
    columns = d + more + 1
    upper = np.triu_indices(columns)
    assert_allclose(table[:columns, :columns][upper], wanted[upper] + 3.0, rtol=1e-13, atol=1e-12)
    assert (table[:, columns:] == 3.0).all()


def test_a_sum_is_added_up_in_row_order_some_rows_at_a_time():
    x = np.full((ROWS_AT_ONCE + 2, 1), 0.1)
    table = np.zeros((4, 4))
    add_squares(x, np.empty((len(x), 0)), NOTHING, NOTHING, table)
    first = second = 0.0
    for _ in range(ROWS_AT_ONCE):
        first += 0.1 * 0.1
    for _ in range(2):
        second += 0.1 * 0.1
    assert table[0, 0] == first + second
    assert Fraction(table[0, 0]) != len(x) * Fraction(0.1) ** 2  # so that another order would show


def test_arrays_that_do_not_fit_are_refused():
    x, y, table = np.ones((5, 3)), np.empty((5, 0)), np.zeros((4, 4))
    for wrong in (
        (x, y, NOTHING, NOTHING, np.zeros((3, 3))),
        (x, y, NOTHING, NOTHING, np.zeros((4, 8))),
        (np.ones((5, 4)), y, NOTHING, NOTHING, table),
        (x, np.empty((4, 0)), NOTHING, NOTHING, table),
        (x, y, np.ones(2), NOTHING, table),
        (x, y, NOTHING, np.ones(4), table),
        (np.ones((5, 64)), y, NOTHING, NOTHING, np.zeros((68, 68))),
    ):
        with pytest.raises(ValueError, match="fit"):
            add_squares(*wrong)
