"""Recognition of linear threshold functions: the smallest unit, or a witness that there is none.

A threshold function is unate (monotone up or down in each variable), and of any two variables one dominates the other
everywhere.  So the variables in which it falls are negated, and all are sorted by their Chow parameters (the number of
true points in which they are 1).  If the function is not monotone in that order, four points prove that it is not a
threshold function.  If it is, its weights can be taken as non-increasing in that order, and few points constrain them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.boolean.function import BooleanFunction, Points, Table, cube
from linnet.boolean.threshold_units import NoUnitError, Unit, smallest_ordered_unit
from linnet.boolean.witnesses import PAIRS_UP_TO, Witness, by_programme, pairs_with_one_sum
from linnet.errors import NumericalError


@dataclass(frozen=True, eq=False)
class Ordered:
    """A function of the relevant variables, rising in each, sorted by Chow parameter; and how to undo that."""

    table: Table
    order: tuple[int, ...]
    negated: tuple[bool, ...]

    @property
    def n(self) -> int:
        return len(self.order)

    def unit(self, unit: Unit, n: int) -> Unit:
        """The unit over the original variables."""
        weights = [0] * n
        for weight, variable in zip(unit.weights, self.order, strict=True):
            weights[variable] = -weight if self.negated[variable] else weight
        return Unit(tuple(weights), unit.threshold + sum(w for w in weights if w < 0))

    def witness(self, witness: Witness, n: int) -> Witness:
        """The witness over the original variables; irrelevant ones are 0."""

        def back(point: tuple[int, ...]) -> tuple[int, ...]:
            values = [0] * n
            for x, variable in zip(point, self.order, strict=True):
                values[variable] = 1 - x if self.negated[variable] else x
            return tuple(values)

        true, false = tuple(map(back, witness.true)), tuple(map(back, witness.false))
        return Witness(true, false, witness.true_multipliers, witness.false_multipliers)


def decide(function: BooleanFunction) -> Unit | Witness:
    """The smallest unit, or a witness that there is none; either is checked exactly."""
    found = _recognised(function)
    holds = found.holds(function.points, function.table) if isinstance(found, Unit) else found.holds(function)
    if not holds:
        raise NumericalError("the unit or witness found does not pass the exact check")
    return found


def _recognised(function: BooleanFunction) -> Unit | Witness:
    ordered = in_order(function.table)
    if isinstance(ordered, Witness):
        return ordered
    if not ordered.n:
        return Unit((0,) * function.n, 0 if function.table[0] else 1)
    witness = _not_monotone(ordered)
    if witness is None:
        try:
            return ordered.unit(smallest_ordered_unit(*edges(ordered.table), ordered.n), function.n)
        except NoUnitError:
            witness = pairs_with_one_sum(ordered.table) if ordered.n <= PAIRS_UP_TO else None
            witness = witness or by_programme(ordered.table)
    if witness is None:
        raise NumericalError("neither a unit nor a proof that there is none was found in floating point")
    return ordered.witness(witness, function.n)


def in_order(table: Table) -> Ordered | Witness:
    """The function with sorted variables; or, if it is not unate, the four points that prove it."""
    n = len(table).bit_length() - 1
    grid, points = table.reshape((2,) * n), cube(n)
    directions = []
    for j in range(n):
        low, high = table[points[:, j] == 0], table[points[:, j] == 1]
        up, down = np.flatnonzero(high & ~low), np.flatnonzero(low & ~high)
        if len(up) and len(down):
            at_0, at_1 = points[points[:, j] == 0], points[points[:, j] == 1]
            return Witness.of_pairs((at_1[up[0]], at_0[down[0]]), (at_0[up[0]], at_1[down[0]]))
        directions.append(None if not len(up) and not len(down) else bool(len(down)))
    at = tuple(0 if way is None else slice(None, None, -1) if way else slice(None) for way in directions)
    kept = [j for j, way in enumerate(directions) if way is not None]
    rising = np.asarray(grid[at])
    counts = [int(np.take(rising, 1, axis).sum()) for axis in range(len(kept))]
    ranks = sorted(range(len(kept)), key=lambda axis: -counts[axis])
    flat = np.ascontiguousarray(rising.transpose(ranks)).reshape(-1)
    return Ordered(flat, tuple(kept[axis] for axis in ranks), tuple(bool(way) for way in directions))


def _not_monotone(ordered: Ordered) -> Witness | None:
    """Two neighbours in the order that dominate each other at one point each: the four points that prove it."""
    points, table = cube(ordered.n), ordered.table
    for j in range(ordered.n - 1):
        first = points[(points[:, j] == 1) & (points[:, j + 1] == 0)]
        second = first.copy()
        second[:, [j, j + 1]] = (0, 1)
        on_first, on_second = table[rank(first)], table[rank(second)]
        better, worse = np.flatnonzero(on_first & ~on_second), np.flatnonzero(on_second & ~on_first)
        if len(worse):  # and so better, since the first is 1 in at least as many true points
            return Witness.of_pairs((first[better[0]], second[worse[0]]), (second[better[0]], first[worse[0]]))
    return None


def rank(points: Points) -> Points:
    """The numbers of points in binary order."""
    return points @ (1 << np.arange(points.shape[1] - 1, -1, -1, dtype=np.int64))


def edges(table: Table) -> tuple[Points, Points]:
    """The minimal true points and the maximal false points.

    A step down sets the last variable from 1 to 0, or moves a 1 to the next variable.
    """
    n = len(table).bit_length() - 1
    points = cube(n)
    lowest, highest = table.copy(), ~table
    for j in range(n):
        end = j == n - 1
        down = points[(points[:, j] == 1) & (end or points[:, (j + 1) % n] == 0)]
        below = down.copy()
        below[:, j] = 0
        if not end:
            below[:, j + 1] = 1
        above_at, below_at = rank(down), rank(below)
        lowest[above_at] &= ~table[below_at]
        highest[below_at] &= table[above_at]
    return points[lowest], points[highest]
