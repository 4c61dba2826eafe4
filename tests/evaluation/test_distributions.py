"""Distribution functions and quantiles beside SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from linnet.evaluation.distributions import (
    betainc,
    betaincinv,
    binomial_at_most,
    gammainc,
    gammaincinv,
    normal_quantile,
    student_quantile,
)

# beyond 1e5 SciPy's own gammainc is off by some percent in the tails
sizes = st.floats(-1, 5).map(lambda power: 10.0**power)
probabilities = st.floats(0.001, 0.999)


@given(sizes, st.floats(-4, 4))
def test_the_gamma_distribution_is_scipys(a, off):
    x = a * math.exp(off / math.sqrt(max(a, 1.0)))
    assert gammainc(a, x) == pytest.approx(float(special.gammainc(a, x)), rel=1e-10, abs=1e-300)


@given(sizes, sizes, st.floats(-4, 4))
def test_the_beta_distribution_is_scipys(a, b, off):
    mean = a / (a + b)
    x = 1 / (1 + math.exp(-(math.log(mean / (1 - mean)) + off / math.sqrt(max(min(a, b), 1.0)))))
    assert betainc(a, b, x) == pytest.approx(float(stats.beta.cdf(x, a, b)), rel=1e-8, abs=1e-300)


@given(sizes, sizes, probabilities)
def test_quantiles_have_their_probabilities(a, b, p):
    assert gammainc(a, gammaincinv(a, p)) == pytest.approx(p, rel=1e-9)
    x = betaincinv(a, b, p)
    if 0 < x < 1 - 1e-9:  # nearer to 1, x itself has too few digits
        assert betainc(a, b, x) == pytest.approx(p, rel=1e-6)


@given(st.floats(-7, 1).map(lambda power: 10.0**power), sizes, probabilities)
def test_quantiles_of_small_parameters_are_scipys_down_to_the_smallest_numbers(a, b, p):
    for found, expected in (
        (gammaincinv(a, p), special.gammaincinv(a, p)),
        (betaincinv(a, b, p), special.betaincinv(a, b, p)),
    ):
        assert found == pytest.approx(float(expected), rel=1e-8, abs=1e-290)


@pytest.mark.parametrize("z", [-6.0, -2.0, -0.5, 0.0, 0.3, 2.0, 5.0])
def test_the_series_and_the_expansion_for_large_parameters_agree(z):
    """From 1e8 on one takes the place of the other; they have nothing in common."""
    series, expansion = (gammainc(a, a + z * math.sqrt(a)) for a in (math.nextafter(1e8, 0), 1e8))
    assert expansion == pytest.approx(series, rel=1e-11)


@pytest.mark.parametrize("a", [1e16, 1e100, 1e300])
def test_the_largest_parameters_end_at_once(a):
    """A series would take longer than anybody waits."""
    assert gammainc(a, 0.99 * a) == 0.0
    assert gammainc(a, 1.01 * a) == 1.0
    assert gammaincinv(a, 0.975) == pytest.approx(a, rel=1e-7)


@pytest.mark.parametrize("a", [1e6, 1e8, 1e10])
def test_large_parameters_are_nearly_normal(a):
    """By Edgeworth's series: of skewness s, P(z) = Phi(z) - phi(z) s / 6 (z^2 - 1), up to 1 / a."""
    for z in (-3.0, -1.0, 0.0, 2.0):
        expected = stats.norm.cdf(z) - stats.norm.pdf(z) * (2 / math.sqrt(a)) / 6 * (z * z - 1)
        assert gammainc(a, a + z * math.sqrt(a)) == pytest.approx(float(expected), abs=10 / a)


def test_the_ends_are_certain():
    assert [gammainc(3.0, 0.0), betainc(2.0, 3.0, 0.0), betainc(2.0, 3.0, 1.0)] == [0.0, 0.0, 1.0]
    assert [gammaincinv(3.0, 0.0), betaincinv(2.0, 3.0, 0.0), betaincinv(2.0, 3.0, 1.0)] == [0.0, 0.0, 1.0]
    assert gammaincinv(3.0, 1.0) == math.inf


@pytest.mark.parametrize("p", [1e-12, 0.005, 0.025, 0.4, 0.5, 0.6, 0.975, 0.995, 1 - 1e-12])
def test_normal_and_student_quantiles_are_scipys(p):
    assert normal_quantile(p) == pytest.approx(float(special.ndtri(p)), rel=1e-12, abs=1e-15)
    for degrees in (1, 2, 7.5, 100, 1e6):
        assert student_quantile(degrees, p) == pytest.approx(float(special.stdtrit(degrees, p)), rel=1e-8, abs=1e-12)


def test_binomial_probabilities_are_sums():
    for n in (1, 7, 40):
        for p in (0.1, 0.5):
            every = np.cumsum([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
            assert [binomial_at_most(k, n, p) for k in range(n + 1)] == pytest.approx(every.tolist(), rel=1e-12)
