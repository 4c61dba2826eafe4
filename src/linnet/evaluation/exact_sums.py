"""Sums of floating-point numbers without rounding: neither the order nor the cut into blocks changes a bit."""

from __future__ import annotations

import math
from copy import deepcopy
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# A number is m 2^x with an integer m of 53 bits.  Multiples of 2^-4800 include every such number and its fourth power.
FRACTION_BITS = 4800
MANTISSA = 53
HALF = 27
# Halves of 27 bits, added in blocks of 2^20, stay below 2^53: bincount adds them in doubles, exactly.
BLOCK = 1 << 20

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class ExactSum:
    """The sum of w m 2^x over rows, kept as one integer multiple of 2^-4800.

    The numbers are binned by exponent and their mantissas added as integers, as in the superaccumulator of Kulisch
    (The Fifth Floating-Point Operation for Top-Performance Computers, 1997).
    """

    def __init__(self) -> None:
        self._multiples = 0

    def add(self, m: Floats, x: NDArray[np.integer] | int = 0, w: Floats | None = None) -> None:
        """Add w m 2^x of each row (w = 1 by default)."""
        mantissa, exponent = np.frexp(m)
        exponent = exponent.astype(np.int64) + x
        if w is None:
            self._add_mantissas(mantissa, exponent)
            return
        of_weights, shift = np.frexp(w)
        for part in product(mantissa, of_weights):
            self._add_mantissas(part, exponent + shift)

    def add_whole(self, number: int) -> None:
        self._multiples += number << FRACTION_BITS

    def _add_mantissas(self, m: Floats, x: Counts) -> None:
        m, more = np.frexp(m)
        self._multiples += _multiples(np.ldexp(m, MANTISSA).astype(np.int64), x + more)

    def value(self) -> Fraction:
        return Fraction(self._multiples, 1 << FRACTION_BITS)


def _multiples(whole: Counts, exponent: Counts) -> int:
    total = 0
    for start in range(0, len(whole), BLOCK):
        part, x = whole[start : start + BLOCK], exponent[start : start + BLOCK]
        lowest = int(x.min())
        high = np.bincount(x - lowest, weights=part >> HALF)
        low = np.bincount(x - lowest, weights=part & ((1 << HALF) - 1))
        for k in np.flatnonzero((high != 0) | (low != 0)).tolist():
            total += ((int(high[k]) << HALF) + int(low[k])) << (FRACTION_BITS + lowest + k - MANTISSA)
    return total


def product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a b as a rounded number and the rest, exactly, of numbers below 1 (Dekker 1971, A floating-point technique for
    extending the available precision)."""
    p = a * b
    (a_head, a_tail), (b_head, b_tail) = _halves(a), _halves(b)
    return p, ((a_head * b_head - p) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail


def _halves(m: Floats) -> tuple[Floats, Floats]:
    shifted = m * (2.0**HALF + 1)
    head = shifted - (shifted - m)
    return head, m - head


class Moments:
    """The sum of the weights of rows, of their values and of squares, all exact, and the largest value.

    For the variance of the mean there are the same sums by squared weights, rounded; where no row is weighted, they are
    the same, and are not kept.
    """

    def __init__(self) -> None:
        self.largest = 0.0
        self._sums = _Sums()
        self._by_squares: _Sums | None = None

    def add(self, values: Floats, w: Floats | None = None) -> None:
        self.largest = max(self.largest, float(values.max(initial=0.0)))
        if w is not None and self._by_squares is None:
            self._by_squares = deepcopy(self._sums)
        self._sums.add(values, w)
        if self._by_squares is not None:
            self._by_squares.add(values, None if w is None else w * w)

    def total(self) -> Fraction:
        return self._sums.total.value()

    def sum(self) -> Fraction:
        return self._sums.sum.value()

    def squares(self) -> Fraction:
        return self._sums.squares.value()

    def by_weights(self) -> tuple[Fraction, Fraction, Fraction]:
        """The sums of weights, of values and of squares."""
        return self.total(), self.sum(), self.squares()

    def by_squares(self) -> tuple[Fraction, Fraction, Fraction]:
        """The same by squared weights."""
        sums = self._by_squares or self._sums
        return sums.total.value(), sums.sum.value(), sums.squares.value()

    def mean(self) -> float:
        return as_float(self.sum() / self.total()) if self.total() else math.nan

    def scatter(self) -> Fraction:
        """Σ (value - mean)²: exactly 0 for equal values, and for no others."""
        return self.squares() - self.sum() ** 2 / self.total() if self.total() else Fraction(0)

    def worth(self, rows: float) -> float:
        """How many rows of equal weight have a mean as uncertain as this; `rows`, where all values are equal.

        The variance of a weighted mean m is Σ w² (value - m)² / (Σ w)² (Cochran 1977, Sampling Techniques, section 6):
        what weights cost depends on which rows have the large ones.
        """
        if not self.total():
            return rows
        mean, (total, sum_, squares) = self.sum() / self.total(), self.by_squares()
        return as_worth(self.scatter(), squares - 2 * mean * sum_ + mean**2 * total, self.total(), rows)


class _Sums:
    """Of weights, of weighted values and of weighted squares."""

    def __init__(self) -> None:
        self.total = ExactSum()
        self.sum = ExactSum()
        self.squares = ExactSum()

    def add(self, values: Floats, w: Floats | None) -> None:
        if w is None:
            self.total.add_whole(len(values))
        else:
            self.total.add(w)
        self.sum.add(values, w=w)
        m, x = np.frexp(values)
        for part in product(m, m):
            self.squares.add(part, 2 * x, w)


def as_worth(scatter: Fraction, by_squares: Fraction, total: Fraction, rows: float) -> float:
    """How many rows of equal weight are as uncertain, given Σ w (value - m)², the same by w², and Σ w."""
    return as_float(scatter * total / by_squares) if scatter > 0 and by_squares > 0 else rows


def as_float(number: Fraction) -> float:
    """The nearest float, infinite on overflow."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def root(number: Fraction) -> float:
    """The square root, without overflow or underflow."""
    if number <= 0:
        return 0.0
    quarter = (number.numerator.bit_length() - number.denominator.bit_length()) // 2
    near_one = number / Fraction(4) ** quarter
    return math.ldexp(math.sqrt(near_one), quarter)
