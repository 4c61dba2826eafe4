"""The signed logarithm beside NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.logarithm import signed_logs


def of(values, scale):
    into = np.empty(len(values))
    signed_logs(np.asarray(values, dtype=float), scale, into)
    return into


def twin(values, scale):
    return np.sign(values) * np.log1p(np.abs(values) / scale)


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1),
    st.floats(1e-5, 1e5),
)
def test_it_is_numpys_to_a_few_units_in_the_last_place(values, scale):
    np.testing.assert_allclose(of(values, scale), twin(np.array(values), scale), rtol=1e-15, atol=0)


def test_it_rises_over_all_powers_of_two():
    values = np.concatenate([np.linspace(2.0**k, 2.0 ** (k + 1), 50)[:-1] for k in range(-1000, 1000)])
    assert (np.diff(of(values, 1.0)) >= 0).all()
    np.testing.assert_allclose(of(values, 1.0), np.log1p(values), rtol=1e-15)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1.0])
def test_the_largest_numbers_stay_finite(scale):
    found = of([1.7e308, -1.7e308, 0.0, -0.0], scale)
    assert np.isfinite(found).all()
    assert found[0] == -found[1] > 700
    assert not np.signbit(found[2:]).any()


def test_a_missing_number_stays_missing():
    assert np.isnan(of([np.nan, 1.0], 2.0)).tolist() == [True, False]
