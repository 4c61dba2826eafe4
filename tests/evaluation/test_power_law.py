"""Power laws of learning curves beside SciPy's fits and the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from linnet.errors import InputError
from linnet.evaluation.power_law import LearningCurveFit, PowerLaw

SIZES = np.array([100.0, 200, 400, 800, 1600, 3200])


@settings(deadline=None, max_examples=50)
@given(st.floats(0.02, 0.4), st.floats(0.5, 3), st.floats(0.2, 1.2))
def test_a_curve_without_noise_is_found(floor, scale, exponent):
    truth = PowerLaw(floor, scale, exponent)
    fit = LearningCurveFit(SIZES, [truth.at(n) for n in SIZES])
    assert fit.law.exponent == pytest.approx(exponent, rel=1e-3)
    assert fit.law.at(20_000) == pytest.approx(truth.at(20_000), abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_is_scipys_weighted_least_squares(seed):
    random = np.random.default_rng(seed)
    errors = (0.1 + 2 * SIZES**-0.5)[:, np.newaxis] + 0.05 / np.sqrt(SIZES)[:, np.newaxis] * random.normal(size=(6, 8))
    fit = LearningCurveFit(SIZES, errors)
    law, _ = curve_fit(
        lambda n, a, b, c: a + b * n**-c,
        SIZES,
        errors.mean(axis=1),
        [0.1, 2, 0.5],
        sigma=np.sqrt(fit.variances),
        bounds=([0, 0, 0.02], [1, 1e3, 3]),
        xtol=1e-14,
        ftol=1e-14,
    )
    assert [fit.law.floor, fit.law.scale, fit.law.exponent] == pytest.approx(list(law), rel=1e-3)


@pytest.mark.parametrize(
    ("truth", "sizes", "repeats"),
    [
        (PowerLaw(0.1, 1.0, 0.5), (100, 300, 1000), 5),
        (PowerLaw(0.05, 3.0, 1.0), (100, 200, 400, 800, 1600), 5),
        (PowerLaw(0.2, 0.0, 0.5), (100, 200, 400, 800, 1600), 3),
    ],
)
def test_intervals_at_twice_and_ten_times_the_rows_hold_the_truth_as_often_as_they_should(truth, sizes, repeats):
    random = np.random.default_rng(11)
    n = np.array(sizes, float)
    held = []
    for _ in range(150):
        noise = 0.15 / np.sqrt(n)[:, np.newaxis] * random.normal(size=(len(n), repeats))
        fit = LearningCurveFit(n, np.array([[truth.at(each)] for each in n]) + noise)
        for rows in (2 * n[-1], 10 * n[-1]):
            low, high = fit.at(rows)
            held.append(low <= truth.at(rows) <= high)
    assert np.mean(held) >= 0.90  # of 95 %: 150 draws are within 5 % but once in a few hundred times


def test_a_rising_curve_is_flat_and_never_below_0():
    fit = LearningCurveFit([100, 200, 400, 800], [[0.1, 0.12], [0.12, 0.14], [0.13, 0.15], [0.16, 0.17]])
    assert fit.law.scale == 0
    assert fit.law.at(1e9) == fit.law.floor > 0
    low, high = fit.at(1600)
    assert 0 <= low < high


def test_an_interval_becomes_wider_the_further_it_reaches():
    random = np.random.default_rng(0)
    fit = LearningCurveFit(SIZES, (0.1 + SIZES**-0.5)[:, np.newaxis] + 0.005 * random.normal(size=(6, 4)))
    widths = [high - low for low, high in (fit.at(n) for n in (3200, 6400, 32_000, 320_000))]
    assert widths == sorted(widths)


def test_without_repeats_residuals_give_the_interval_and_three_sizes_give_none():
    assert LearningCurveFit([100, 200, 400], [0.3, 0.2, 0.15]).at(800).reason == "one repeat of three sizes"
    low, high = LearningCurveFit([100, 200, 400, 800, 1600], [0.3, 0.22, 0.19, 0.16, 0.155]).at(3200)
    assert 0 <= low < high < 0.3


def test_repeats_that_all_agree_are_no_repeats():
    errors = [[0.3, 0.3], [0.2, 0.2], [0.15, 0.15]]
    assert LearningCurveFit([100, 200, 400], errors).at(800).reason == "one repeat of three sizes"


def test_errors_that_were_not_measured_are_left_out():
    full = LearningCurveFit([100, 200, 400], [[0.3, 0.32], [0.2, 0.22], [0.15, 0.14]])
    some = LearningCurveFit(
        [50, 100, 200, 400], [[math.nan] * 3, *([*row, math.nan] for row in ([0.3, 0.32], [0.2, 0.22], [0.15, 0.14]))]
    )
    assert some.law == full.law
    assert some.at(800) == full.at(800)


def test_rows_for_an_error_is_the_inverse_of_the_law():
    law = PowerLaw(0.1, 2.0, 0.5)
    assert law.rows_for(law.at(5000)) == pytest.approx(5000)
    assert law.rows_for(0.1) == math.inf
    assert PowerLaw(0.1, 1.0, 0.02).rows_for(0.1 + 1e-9) == math.inf
    assert PowerLaw(0.2, 0.0, 1.0).rows_for(0.1) == math.inf
    assert PowerLaw(0.2, 0.0, 1.0).rows_for(0.2) == 1.0


def test_fewer_than_three_sizes_are_refused():
    with pytest.raises(InputError, match="three training sizes"):
        LearningCurveFit([100, 200, 200], [0.3, 0.2, 0.2])
    with pytest.raises(InputError, match="a row of errors"):
        LearningCurveFit([100, 200, 400], [0.3, 0.2])
