"""Exact arithmetic: the combination of a few points that is 0, or the plane that separates them.

The points are z_i = y_i (x_i, 1).  Floating-point numbers are integers times powers of 2, so nothing is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.theory.signed_points import Indices, Points

Table = NDArray[Any]

# The time that an elimination may take, by an estimate: the measured seconds of a step, plus those of a division, which
# grow with the square of the number of 64-bit digits.
ELIMINATION_SECONDS = 15.0
STEP_SECONDS, DIVISION_SECONDS = 0.5e-6, 6.5e-9
# Products of two remainders modulo this prime fit into 64 bits; an elimination modulo it of this many steps takes about
# 10 seconds.
PRIME = 2**31 - 1
STEPS_AT_MOST = 1 << 30
# The most entries of an exact simplex tableau.
SIMPLEX_AT_MOST = 4000


def whole_points(points: Points, which: Indices, seconds: float = ELIMINATION_SECONDS) -> Table | None:
    """These points as columns of integers, each coordinate scaled by itself, equal coordinates once.

    Scaling a coordinate does not change which combinations are 0.  None where eliminating the table would take more
    than `seconds`; the table is not made then, since it may not fit in memory.
    """
    # a unique combination, up to scale, takes at least as many coordinates as points, less one
    if not affordable(len(which) - 1, len(which), 1, seconds):
        return None
    exact: dict[int, dict[int, tuple[int, int]]] = {}
    for column_of, row in enumerate(which.tolist()):
        sign = 1 if points.signs[row] > 0 else -1
        columns, values = points.entries_of(row)
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            top, bottom = value.as_integer_ratio()
            exact.setdefault(column, {})[column_of] = sign * top, bottom
    lines = {tuple((column_of, 1 if points.signs[row] > 0 else -1) for column_of, row in enumerate(which.tolist()))}
    for entries in exact.values():
        scale = lcm(*(bottom for _, bottom in entries.values()))
        common = gcd(*(top * (scale // bottom) for top, bottom in entries.values()))
        lines.add(tuple((column_of, top * (scale // bottom) // common) for column_of, (top, bottom) in entries.items()))
    bits = max(number.bit_length() for line in lines for _, number in line)
    if not affordable(len(lines), len(which), bits, seconds):
        return None
    table = np.zeros((len(lines), len(which)), dtype=object)
    for at, line in enumerate(sorted(lines)):
        for column, number in line:
            table[at, column] = number
    return table


def affordable(rows: int, columns: int, bits: int, seconds: float) -> bool:
    """Whether eliminating a table of numbers of this many bits takes at most `seconds`."""
    rank = min(rows, columns)
    digits = 1 + rank * (bits + rank.bit_length()) / 64
    return bool(rows * columns * rank / 3 * (STEP_SECONDS + DIVISION_SECONDS * digits**2) <= seconds)


def vanishing(table: Table) -> list[int] | None:
    """Integers m >= 0, not all 0, with table m = 0; an empty list proves that there are none.

    None where the null space has more than one dimension.  By fraction-free elimination, in which every division is
    exact (Bareiss 1968).
    """
    left, columns = table.copy(), table.shape[1]
    lines: list[Table] = []
    leading: list[int] = []
    before, free = 1, -1
    for column in range(columns):
        there = np.flatnonzero(left[:, column] != 0)
        if not len(there):
            if free >= 0:
                return None
            free = column
            continue
        # the smallest pivot keeps later numbers small
        at = int(min(there, key=lambda row: abs(left[row, column])))
        line, rest = left[at].copy(), np.delete(left, at, axis=0)
        rest = (line[column] * rest - rest[:, column : column + 1] * line[np.newaxis]) // before
        left, before = rest[(rest != 0).any(axis=1)], line[column]
        lines.append(line)
        leading.append(column)
    if free < 0:
        return []
    found: list[Fraction] = [Fraction(0)] * columns
    found[free] = Fraction(1)
    for line, column in zip(reversed(lines), reversed(leading), strict=True):
        total = sum((line[k] * found[k] for k in range(column + 1, columns) if line[k] and found[k]), Fraction(0))
        found[column] = -total / int(line[column])
    if any(each < 0 for each in found):
        found = [-each for each in found]
        if any(each < 0 for each in found):
            return []
    return _whole(found)


def independent(points: Points, which: Indices) -> bool:
    """Whether these points are proven to be linearly independent.

    Points that are independent modulo a prime are independent, and remainders stay small.  Columns beyond twice the
    number of points are added up with random factors: points that are independent afterwards were so before.
    """
    k = len(which)
    width = min(points.d, 2 * k) + 1
    if k * k * width / 2 > STEPS_AT_MOST:
        return False
    rng = np.random.default_rng(0)
    sums = np.arange(points.d) if points.d < width else rng.integers(width - 1, size=points.d)
    times = rng.integers(1, PRIME, size=points.d)
    table = np.zeros((k, width), dtype=np.int64)
    table[:, -1] = 1
    for line, row in zip(table, which.tolist(), strict=True):
        columns, values = points.entries_of(row)
        np.add.at(line, sums[columns], _remainders(values.astype(np.float64)) * times[columns] % PRIME)
    table %= PRIME
    for at in range(k):
        leading = np.flatnonzero(table[at])
        if not len(leading):
            return False
        line = table[at] * pow(int(table[at, leading[0]]), -1, PRIME) % PRIME
        below = table[at + 1 :]
        below -= below[:, leading[:1]] * line % PRIME
        below %= PRIME
    return True


def _remainders(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Floating-point numbers, which are integers times powers of 2, modulo the prime."""
    fractions, exponents = np.frexp(values)
    powers, where = np.unique(exponents, return_inverse=True)
    of_powers = np.array([pow(2, int(power) - 53, PRIME) for power in powers.tolist()], dtype=np.int64)
    return np.asarray((fractions * 2.0**53).astype(np.int64) % PRIME * of_powers[where] % PRIME)


def exact_simplex(points: Points) -> tuple[list[int], list[Fraction]]:
    """Integers m >= 0 with sum_i m_i z_i = 0, or a plane (w, b) with z_i . (w, b) > 0; the other one is empty.

        minimise  sum of a    subject to   sum_i l_i z_i + a = 0,  sum_i l_i + a' = 1,  l, a >= 0

    by the simplex method in fractions with Bland's rule (1977), so that it ends.  The dual values at the end are the
    plane.
    """
    n, size = points.n, points.d + 2
    table = [[Fraction(0)] * (n + size + 1) for _ in range(size)]
    for row in range(n):
        sign = 1 if points.signs[row] > 0 else -1
        columns, values = points.entries_of(row)
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            table[column][row] = sign * Fraction(value)
        table[size - 2][row], table[size - 1][row] = Fraction(sign), Fraction(1)
    for line in range(size):
        table[line][n + line] = Fraction(1)
    table[size - 1][-1] = Fraction(1)
    basis = list(range(n, n + size))
    costs = [-sum((line[k] for line in table), Fraction(0)) for k in range(n)] + [Fraction(0)] * size
    costs.append(-table[size - 1][-1])
    while (entering := next((k for k in range(n) if costs[k] < 0), None)) is not None:
        ratios = [(table[line][-1] / table[line][entering], basis[line], line)
                  for line in range(size) if table[line][entering] > 0]  # fmt: skip
        _, _, leaving = min(ratios)
        pivot = table[leaving][entering]
        table[leaving] = [number / pivot for number in table[leaving]]
        for other in [*(each for number, each in enumerate(table) if number != leaving), costs]:
            factor = other[entering]
            if factor:
                other[:] = [a - factor * c if c else a for a, c in zip(other, table[leaving], strict=True)]
        basis[leaving] = entering
    if costs[-1] < 0:  # the sum of a is above 0: the duals p have p . z_i + p' <= 0 for all i, and p' > 0
        duals = [1 - costs[n + line] for line in range(size)]
        return [], [-dual for dual in duals[:-1]]
    found = [Fraction(0)] * n
    for line, variable in enumerate(basis):
        if variable < n:
            found[variable] = table[line][-1]
    return _whole(found), []


def _whole(numbers: list[Fraction]) -> list[int]:
    scale = lcm(*(each.denominator for each in numbers))
    whole = [int(each * scale) for each in numbers]
    common = gcd(*whole)
    return [each // common for each in whole]
