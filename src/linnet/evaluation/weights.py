"""How much rows count: sums of weights that are exact, and the number of rows that they are worth.

A weight is how much a row counts in every metric; one of 0 leaves the row out.  Where all weights are whole numbers,
they are numbers of copies: k copies of a row give the same figures and the same intervals.  Otherwise only their ratios
have a meaning, and for intervals the rows are worth (Σw)² / Σw² equally weighted ones (Kish 1965, Survey Sampling).

Weights are rounded to multiples of 2^-80, which changes none above 1e-8, and added in three parts of 40 bits, as whole
numbers: neither the order of the rows nor their cut into blocks changes a bit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Counts, ExactSum, Floats, as_float, as_worth

PART = 40  # bits
GRID = 2.0 ** (-2 * PART)
# The lower parts of this many rows add up to less than 2^63; then what exceeds a part is carried to the next.
ROWS_BEFORE_CARRY = 1 << 22
# Fewer rows than this do not show how weights and mistakes go together.
FEW = 50
# Squared weights are added in this unit, so that the largest are as small as the largest weight.
SQUARE = 2.0**PART

Total = int | float


class WeightTotal:
    """The number of rows, the sum of their weights and the sum of squares."""

    def __init__(self) -> None:
        self.rows = 0
        self.whole = True
        self._sum = ExactSum()
        self._squares = ExactSum()

    def add(self, rows: int, w: Floats | None) -> None:
        """Add rows with weights that are not 0 (each 1 by default)."""
        self.rows += rows
        if w is None:
            self._sum.add_whole(rows)
            self._squares.add_whole(rows)
            return
        self.whole = self.whole and bool((w == np.floor(w)).all())
        self._sum.add(w)
        self._squares.add(w, w=w)

    def exact(self) -> Fraction:
        return self._sum.value()

    def total(self) -> Total:
        """Σw: an integer where it is whole."""
        return plain_number(self.exact())

    def worth(self, whole: bool | None = None) -> Total:
        """The number of rows for intervals; `whole` says whether all weights are, also those of other rows."""
        if self.whole if whole is None else whole:
            return self.total()
        return as_float(self.exact() ** 2 / self._squares.value()) if self.rows else 0

    def worth_for(self, part: WeightTotal) -> Total:
        """The number of rows for the interval of the proportion that some of them are, by weight.

        As of a mean (`Moments.worth`) of ones and zeros; of few rows, which say little of how weights and mistakes go
        together, between that and the number whatever the mistakes.
        """
        p = part.exact() / self.exact() if self.rows else Fraction(0)
        rows = self.worth()
        if self.whole or not 0 < p < 1:
            return rows
        ones = part._squares.value()
        by_squares = (1 - p) ** 2 * ones + p**2 * (self._squares.value() - ones)
        found = as_worth(p * (1 - p) * self.exact(), by_squares, self.exact(), rows)
        return (rows * found + FEW * rows) / (rows + FEW)

    def counted(self) -> int:
        """The number of rows that is printed: copies count, fractions of rows do not."""
        return int(self.exact()) if self.whole else self.rows


class WeightCounts:
    """The sum of weights in each cell of an array."""

    def __init__(self, *shape: int) -> None:
        self._parts = [np.zeros(shape, np.int64)]
        self._waiting = 0

    def add(self, cells: Any, rows: int, w: Floats | None) -> None:
        if w is None:
            np.add.at(self._parts[0], cells, 1)
            return
        parts = parts_of(w)
        if len(self._parts) == 1 and not any(part.any() for part in parts[1:]):
            np.add.at(self._parts[0], cells, parts[0])
            return
        while len(self._parts) < len(parts):
            self._parts.append(np.zeros_like(self._parts[0]))
        for start in range(0, rows, ROWS_BEFORE_CARRY):
            some = slice(start, start + ROWS_BEFORE_CARRY)
            chosen = tuple(cell[some] for cell in cells) if isinstance(cells, tuple) else cells[some]
            if self._waiting + len(parts[0][some]) > ROWS_BEFORE_CARRY:
                carry(self._parts)
                self._waiting = 0
            self._waiting += len(parts[0][some])
            for total, part in zip(self._parts, parts, strict=True):
                np.add.at(total, chosen, part[some])

    def add_parts(self, parts: list[Counts]) -> None:
        """Add a table of sums, in carried parts."""
        self._parts += [np.zeros_like(self._parts[0]) for _ in parts[len(self._parts) :]]
        for total, part in zip(self._parts, parts, strict=True):
            total += part
        carry(self._parts)

    def values(self) -> Counts | Floats:
        carry(self._parts)
        self._waiting = 0
        return whole_or_float(self._parts)


class SquaredCounts:
    """The sum of squared weights in each cell of an array, to about six digits of weights above 0.001."""

    def __init__(self, of_ones: Counts | Floats) -> None:
        """Given the rows of weight 1 so far; in this unit, each is a multiple of 2^-40."""
        ones = of_ones.astype(np.int64)
        self._counts = WeightCounts(*ones.shape)
        self._counts.add_parts([np.zeros_like(ones), ones, np.zeros_like(ones)])

    def add(self, cells: Any, rows: int, w: Floats | None) -> None:
        squares = np.ones(rows) if w is None else w * w
        self._counts.add(cells, rows, np.rint(squares / SQUARE / GRID) * GRID)

    def values(self) -> Floats:
        return np.asarray(self._counts.values() * SQUARE, dtype=np.float64)


def parts_of(w: Floats) -> list[Counts]:
    """Weights as a + b 2^-40 + c 2^-80 with whole a, b and c."""
    whole = np.floor(w)
    rest = (w - whole) * 2.0**PART
    middle = np.floor(rest)
    return [part.astype(np.int64) for part in (whole, middle, (rest - middle) * 2.0**PART)]


def carry(parts: list[Counts]) -> None:
    """Reduce the lower parts to 40 bits, in place."""
    for upper, lower in zip(parts[-2::-1], parts[:0:-1], strict=True):
        upper += lower >> PART
        lower &= (1 << PART) - 1


def whole_or_float(parts: list[Counts]) -> Counts | Floats:
    """The numbers that carried parts make: integers where all are whole."""
    if not any(part.any() for part in parts[1:]):
        return parts[0]
    whole, middle, low = parts
    numbers: Floats = whole + (middle + low * 2.0**-PART) * 2.0**-PART
    return numbers


def plain_number(number: Fraction) -> Total:
    return number.numerator if number.denominator == 1 else as_float(number)


def plain_numbers(numbers: NDArray[Any]) -> Any:
    """Nested tuples of integers, or of floats."""
    return tuple(map(plain_numbers, numbers)) if numbers.ndim > 1 else tuple(numbers.tolist())
