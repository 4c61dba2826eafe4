"""Products and sums that are rounded once, against fractions."""

from fractions import Fraction

import numpy as np

from linnet.training.exact_products import exact_product, two_product


def test_a_product_of_vectors_is_rounded_once_however_its_terms_cancel():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        a, b = (rng.normal(size=n) * 10.0 ** rng.uniform(-12, 12, n) for _ in range(2))
        a, b = np.append(a, -a), np.append(b, b * (1 + 1e-15 * rng.normal(size=n)))
        exact = sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))
        assert exact_product(a, b) == float(exact)


def test_a_product_and_what_rounding_took_are_the_product():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500)) * 10.0 ** rng.uniform(-50, 50, (2, 500))
    for x, y, high, low in zip(a, b, *two_product(a, b), strict=True):
        assert Fraction(high) + Fraction(low) == Fraction(x) * Fraction(y)


def test_what_cannot_be_split_or_summed_is_still_a_number():
    assert exact_product(np.array([1e300, 1.0]), np.array([1e8, 1.0])) == 1e308
    assert exact_product(np.array([1.7e308, 1.7e308]), np.ones(2)) == np.inf
    assert exact_product(np.zeros(3), np.ones(3)) == 0.0
