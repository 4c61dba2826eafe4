"""Products and sums that are rounded once, where large terms cancel."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.float64]


def exact_product(a: Flat, b: Flat) -> float:
    """a . b, rounded once."""
    there = (a != 0) & (b != 0)
    high, low = two_product(a[there], b[there])
    if np.isfinite(low).all():
        try:
            return fsum(np.concatenate([high, low]).tolist())
        except OverflowError:
            pass
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of what can be split, or summed
        return float(a @ b)


def two_product(a: Flat, b: Flat) -> tuple[Flat, Flat]:
    """a b as the sum of two numbers, exactly: rounded, and what rounding took (Dekker 1971)."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        high_a, low_a = _halves(a)
        high_b, low_b = _halves(b)
        return product, low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)


def _halves(x: Flat) -> tuple[Flat, Flat]:
    """Two numbers of half as many digits that add up to each."""
    shifted = x * (2.0**27 + 1.0)
    high = shifted - (shifted - x)
    return high, x - high
