"""How many functions of n variables are linear threshold functions? Every one is classified, most of them by symmetry.

To exchange variables, or to turn some around, changes what a function says but not whether a plane separates it.  So
one of each kind is enough: that whose weights fall and are not negative.  It rises along the order in which a 1 counts
more the further to the front it stands; functions that do are few (119 of 4,294,967,296 for five variables), and each
is decided by a unit or a witness.  How many functions there are of its kind is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.deciding import decide
from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.boolean.units import Unit
from linnet.boolean.witnesses import Witness
from linnet.errors import RecipeError

COUNTED_UP_TO = 6
CLASSIFIED_UP_TO = 4


@dataclass(frozen=True)
class Kind:
    """Threshold functions that variables changing places or turned around make of one: that whose weights fall."""

    unit: Unit
    functions: int


def count_threshold_functions(n: int) -> int:
    """How many of the 2^(2^n) functions of n variables are linear threshold functions.

    >>> from linnet.boolean import count_threshold_functions
    >>> [count_threshold_functions(n) for n in range(5)]
    [2, 4, 14, 104, 1882]
    """
    return sum(kind.functions for kind in threshold_kinds(n))


def threshold_kinds(n: int) -> list[Kind]:
    """Every kind of threshold function of n variables, with how many functions it has; largest kinds first."""
    _check(n, COUNTED_UP_TO, "2^(2^n) functions are counted by their kinds, and these are too many as well")
    names = tuple(f"x{j + 1}" for j in range(n))
    kinds = []
    for table in rising_tables(n):
        found = decide(BooleanFunction(names, table))
        if isinstance(found, Unit):
            kinds.append(Kind(found, _alike(table, n)))
    return sorted(kinds, key=lambda kind: (-kind.functions, kind.unit.weights, kind.unit.threshold))


def rising_tables(n: int) -> Iterator[Table]:
    """All functions that stay true when a further variable becomes 1, or when a 1 moves to the front."""
    points = cube(n)
    counts = points.cumsum(axis=1)
    above = np.asarray((counts[np.newaxis] >= counts[:, np.newaxis]).all(axis=2))  # [p, q]: q counts as much as p
    up = [sum(1 << int(q) for q in np.flatnonzero(row)) for row in above]
    down = [sum(1 << int(q) for q in np.flatnonzero(row)) for row in above.T]
    waiting = [((1 << len(points)) - 1, 0)]
    while waiting:
        open_points, true = waiting.pop()
        if not open_points:
            yield np.array([true >> row & 1 for row in range(len(points))], dtype=np.bool_)
            continue
        point = (open_points & -open_points).bit_length() - 1
        waiting.append((open_points & ~up[point], true | up[point]))
        waiting.append((open_points & ~down[point], true))


def _alike(table: Table, n: int) -> int:
    """How many functions variables that change places or are turned around make of a threshold function.

    Variables count alike if they are 1 in the same number of true points; one that is 1 in half does not matter.
    """
    counts: list[int] = cube(n)[table].sum(axis=0).tolist()
    groups = [counts.count(value) for value in set(counts)]
    matter = sum(2 * count != int(table.sum()) for count in counts)
    return int(2**matter * factorial(n) // prod(map(factorial, groups)))


@dataclass(frozen=True, eq=False)
class Census:
    """All functions of n variables, by number: the truth table read as a binary number, its first value first.

    A linear one has weights and a threshold; any other has its witness, two true and two false points (by their
    numbers) with the same sum.
    """

    n: int
    linear: NDArray[np.bool_]
    weights: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    witnesses: NDArray[np.int64]

    @property
    def count(self) -> int:
        return int(self.linear.sum())

    def table(self, number: int) -> Table:
        """The truth table of a function."""
        return np.array([number >> row & 1 for row in range(2**self.n - 1, -1, -1)], dtype=np.bool_)

    def proof(self, number: int) -> Unit | Witness:
        """Why a function is a linear threshold function, or why it is none."""
        if self.linear[number]:
            return Unit(tuple(self.weights[number].tolist()), int(self.thresholds[number]))
        a, b, c, d = cube(self.n)[self.witnesses[number]]
        return Witness.of_pairs((a, b), (c, d))


def classify(n: int) -> Census:
    """Every function of n variables: one of each kind is decided, and its proof goes with it to all it becomes when
    variables change places or are turned around, or when true and false are exchanged.

    >>> from linnet.boolean import classify
    >>> all_of_two = classify(2)
    >>> [format(number, "04b") for number in range(16) if not all_of_two.linear[number]]
    ['0110', '1001']
    """
    _check(n, CLASSIFIED_UP_TO, "there are 2^(2^n) functions: count_threshold_functions counts without listing")
    size = 2**n
    functions = 2**size
    census = Census(
        n,
        np.zeros(functions, dtype=np.bool_),
        np.zeros((functions, n), dtype=np.int64),
        np.zeros(functions, dtype=np.int64),
        np.full((functions, 4), -1, dtype=np.int64),
    )
    moves = _Moves(n)
    seen = np.zeros(functions, dtype=np.bool_)
    for number in range(functions):
        if not seen[number]:
            seen[moves.spread(census, number)] = True
    return census


class _Moves:
    """All ways to exchange variables and to turn some around: g(x) = f(z), z_i = x_place(i) xor turned_i."""

    def __init__(self, n: int) -> None:
        ways = list(product(permutations(range(n)), product((0, 1), repeat=n)))
        self.places = np.array([places for places, _ in ways], dtype=np.int64).reshape(len(ways), n)
        self.turned = np.array([turned for _, turned in ways], dtype=np.int64).reshape(len(ways), n)
        z = cube(n)[:, self.places].transpose(1, 0, 2) ^ self.turned[:, np.newaxis]
        self.rows = z @ (1 << np.arange(n - 1, -1, -1, dtype=np.int64))  # where g's value at each point comes from
        self.back = self.rows.argsort(axis=1)
        self.names = tuple(f"x{j + 1}" for j in range(n))

    def spread(self, census: Census, number: int) -> NDArray[np.int64]:
        """Decide a function, and write the proof to all it becomes; these functions' numbers."""
        table = census.table(number)
        size = len(table)
        images = table[self.rows] @ (1 << np.arange(size - 1, -1, -1, dtype=np.int64))
        opposite = 2**size - 1 - images
        found = decide(BooleanFunction(self.names, table))
        if isinstance(found, Unit):
            pulls = np.array(found.weights, dtype=np.int64) * (1 - 2 * self.turned)
            weights = np.zeros_like(pulls)
            np.put_along_axis(weights, self.places, pulls, axis=1)
            thresholds = found.threshold - (np.array(found.weights, dtype=np.int64) * self.turned).sum(axis=1)
            census.linear[images] = census.linear[opposite] = True
            census.weights[images], census.thresholds[images] = weights, thresholds
            census.weights[opposite], census.thresholds[opposite] = -weights, 1 - thresholds
        else:
            at = np.array([*found.true, *found.false]) @ (1 << np.arange(census.n - 1, -1, -1, dtype=np.int64))
            moved = self.back[:, at]
            census.witnesses[images] = moved
            census.witnesses[opposite] = moved[:, [2, 3, 0, 1]]
        return np.append(images, opposite)


def _check(n: int, most: int, why: str) -> None:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= most:
        raise RecipeError(f"n must be a whole number from 0 to {most}; it is {n!r}: {why}")
