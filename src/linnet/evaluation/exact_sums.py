"""Sums of floating-point numbers without rounding: neither the order nor the cut into blocks changes a bit."""

from __future__ import annotations

import math
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
    """The sum of the weights of rows, of their values and of squares, all exact, and the largest value."""

    def __init__(self) -> None:
        self.largest = 0.0
        self._total = ExactSum()
        self._sum = ExactSum()
        self._squares = ExactSum()

    def add(self, values: Floats, w: Floats | None = None) -> None:
        if w is None:
            self._total.add_whole(len(values))
        else:
            self._total.add(w)
        self.largest = max(self.largest, float(values.max(initial=0.0)))
        self._sum.add(values, w=w)
        m, x = np.frexp(values)
        for part in product(m, m):
            self._squares.add(part, 2 * x, w)

    def total(self) -> Fraction:
        return self._total.value()

    def sum(self) -> Fraction:
        return self._sum.value()

    def squares(self) -> Fraction:
        return self._squares.value()

    def mean(self) -> float:
        return as_float(self.sum() / self.total()) if self.total() else math.nan

    def scatter(self) -> Fraction:
        """Σ (value - mean)²: exactly 0 for equal values, and for no others."""
        return self.squares() - self.sum() ** 2 / self.total() if self.total() else Fraction(0)


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
