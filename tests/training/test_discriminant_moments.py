"""The moments that discriminant analysis adds up have the same bits however the columns come."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linnet.training.counting.discriminant_analysis import ROWS_AT_ONCE, Moments


@pytest.mark.parametrize("higher", [False, True])
def test_columns_that_come_late_change_no_bit(higher, rng):
    n, few, many = ROWS_AT_ONCE + 60, 131, 263
    X = np.zeros((2 * n, many))
    X[:n, :few], X[n:] = rng.normal(size=(n, few)), rng.normal(size=(n, many))
    weights = rng.uniform(0.5, 2.0, size=2 * n)
    whole, parts = Moments(many, higher=higher), Moments(few, higher=higher)
    whole.take(X, weights)
    parts.take(np.ascontiguousarray(X[:n, :few]), weights[:n])
    parts.widen(many)
    parts.take(X[n:], weights[n:])
    whole, parts = whole.with_waiting(), parts.with_waiting()
    for name in ("mean", "second", "third", "fourth"):
        assert_array_equal(getattr(whole, name), getattr(parts, name))
    centred = X - np.average(X, axis=0, weights=weights)
    assert_allclose(whole.second, (centred * weights[:, np.newaxis]).T @ centred, atol=1e-8)


def test_the_order_of_the_columns_changes_no_bit(rng):
    X, weights = rng.normal(size=(ROWS_AT_ONCE + 60, 30)), rng.uniform(0.5, 2.0, size=ROWS_AT_ONCE + 60)
    order = rng.permutation(30)
    as_given, otherwise = Moments(30, higher=False), Moments(30, higher=False)
    as_given.take(X, weights)
    otherwise.take(np.ascontiguousarray(X[:, order]), weights)
    assert_array_equal(as_given.arranged(order).second, otherwise.with_waiting().second)
