"""Probabilities are written as Python writes them with six digits; one that is missing is not written."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.decimals import six_digits


def as_python_does(values):
    return ["" if np.isnan(value) else f"{value:.6g}" for value in values]


@given(st.lists(st.floats(0, 1)))
def test_numbers_between_0_and_1_are_written_as_python_does(values):
    assert six_digits(np.array(values, dtype=float)) == as_python_does(values)


@given(st.lists(st.floats()))
def test_all_other_numbers_are_too(values):
    assert six_digits(np.array(values, dtype=float)) == as_python_does(values)


def test_numbers_of_every_size_are_written_as_python_does(rng):
    values = 10.0 ** -rng.uniform(0, 25, 50_000)
    assert six_digits(values) == as_python_does(values.tolist())


def test_halves_and_what_rounds_up_to_another_digit_are_written_as_python_does(rng):
    digits = rng.integers(100_000, 1_000_000, 20_000)
    halves = (digits + 0.5) / 10.0 ** rng.integers(6, 14, len(digits))
    nines = [1 - 10.0**-k for k in range(1, 17)] + [10.0**-k - 10.0 ** -(k + m) for k in range(9) for m in range(1, 9)]
    exact = [k / 2**m for m in range(1, 24) for k in range(1, min(2**m, 200), 2)]
    values = np.concatenate(
        [halves, np.nextafter(halves, 0), np.nextafter(halves, 1), nines, exact, 10.0 ** -np.arange(30)]
    )
    assert six_digits(values) == as_python_does(values.tolist())
