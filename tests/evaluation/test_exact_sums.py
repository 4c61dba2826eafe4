from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluation.exact_sums import ExactSum, Moments, as_float, root

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(finite))
def test_a_sum_is_the_rational_one(values):
    total = ExactSum()
    total.add(np.array(values, dtype=np.float64))
    assert total.value() == sum(map(Fraction, values))


@given(st.lists(st.tuples(finite, st.integers(0, 2**40))))
def test_a_weight_is_as_many_copies(rows):
    total = ExactSum()
    total.add(np.array([v for v, _ in rows], np.float64), w=np.array([w for _, w in rows], np.float64))
    assert total.value() == sum(Fraction(v) * w for v, w in rows)


@given(st.lists(finite, min_size=1))
def test_squares_are_exact_from_the_smallest_number_to_the_largest(values):
    moments = Moments()
    moments.add(np.array(values))
    assert moments.squares() == sum(Fraction(v) ** 2 for v in values)


def test_a_sum_agrees_with_fsum_over_more_rows_than_are_added_at_once(rng):
    values = rng.normal(size=(1 << 20) + 3) * np.exp(rng.normal(size=(1 << 20) + 3) * 30)
    total = ExactSum()
    total.add(values)
    assert float(total.value()) == math.fsum(values.tolist())


def test_equal_values_scatter_by_exactly_nothing():
    moments = Moments()
    moments.add(np.full(7, 0.1))
    assert moments.scatter() == 0


@given(st.fractions(min_value=0))
def test_a_root_is_near_its_square(number):
    assert math.isclose(root(number * number), number, rel_tol=1e-15)


def test_roots_and_floats_outlast_the_range_of_floats():
    assert math.isclose(root(Fraction(10) ** 600), 1e300, rel_tol=1e-15)
    assert math.isclose(root(Fraction(1, 10**600)), 1e-300, rel_tol=1e-15)
    assert as_float(-(Fraction(10) ** 400)) == -math.inf
