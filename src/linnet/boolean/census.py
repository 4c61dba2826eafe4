"""The linear threshold functions of n variables, counted and classified by symmetry.

Permuting or negating variables does not change whether a function is a linear threshold function.  So one
representative of each class is enough: the one with nonnegative, non-increasing weights.  Such a function is monotone
in the order in which a 1 further to the front weighs more; few functions are (119 of 4,294,967,296 of five variables).
Each is decided by a unit or a witness, and the size of its class is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.boolean.recognition import decide
from linnet.boolean.threshold_units import Unit
from linnet.boolean.witnesses import Witness
from linnet.errors import RecipeError

MOST_COUNTED = 6
MOST_CLASSIFIED = 4


@dataclass(frozen=True)
class Kind:
    """A class of threshold functions under permutation and negation of variables: a representative, and its size."""

    unit: Unit
    functions: int


def count_threshold_functions(n: int) -> int:
    """The number of linear threshold functions among the 2^(2^n) functions of n variables.

    >>> from linnet.boolean import count_threshold_functions
    >>> [count_threshold_functions(n) for n in range(5)]
    [2, 4, 14, 104, 1882]
    """
    return sum(kind.functions for kind in threshold_kinds(n))


def threshold_kinds(n: int) -> list[Kind]:
    """The classes of threshold functions of n variables under permutation and negation; largest first."""
    _check(n, MOST_COUNTED, "beyond that even the classes of functions are too many")
    names = tuple(f"x{j + 1}" for j in range(n))
    kinds = []
    for table in monotone_tables(n):
        found = decide(BooleanFunction(names, table))
        if isinstance(found, Unit):
            kinds.append(Kind(found, _class_size(table, n)))
    return sorted(kinds, key=lambda kind: (-kind.functions, kind.unit.weights, kind.unit.threshold))


def monotone_tables(n: int) -> Iterator[Table]:
    """All functions that stay true when a variable becomes 1 or a 1 moves to the front."""
    points = cube(n)
    counts = points.cumsum(axis=1)
    above = np.asarray((counts[np.newaxis] >= counts[:, np.newaxis]).all(axis=2))  # [p, q]: q weighs no less than p
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


def _class_size(table: Table, n: int) -> int:
    """The number of functions that permuting and negating variables make of a threshold function.

    Variables are interchangeable if they are 1 in the same number of true points; one that is 1 in half of them is
    irrelevant.
    """
    counts: list[int] = cube(n)[table].sum(axis=0).tolist()
    groups = [counts.count(value) for value in set(counts)]
    relevant = sum(2 * count != int(table.sum()) for count in counts)
    return int(2**relevant * factorial(n) // prod(map(factorial, groups)))


@dataclass(frozen=True, eq=False)
class Census:
    """All functions of n variables, by number: the truth table read as a binary number, first value first.

    A linear threshold function has weights and a threshold; any other has a witness, two true and two false points (by
    number) with the same sum.
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
        """The unit of a linear threshold function, or the witness that it is not one."""
        if self.linear[number]:
            return Unit(tuple(self.weights[number].tolist()), int(self.thresholds[number]))
        a, b, c, d = cube(self.n)[self.witnesses[number]]
        return Witness.of_pairs((a, b), (c, d))


def classify(n: int) -> Census:
    """Classify every function of n variables.

    One function of each class is decided, and its proof is carried over to all functions that permuting or negating
    variables, or negating the function, make of it.

    >>> from linnet.boolean import classify
    >>> all_of_two = classify(2)
    >>> [format(number, "04b") for number in range(16) if not all_of_two.linear[number]]
    ['0110', '1001']
    """
    _check(n, MOST_CLASSIFIED, "there are 2^(2^n) functions; count_threshold_functions counts them without listing")
    size = 2**n
    functions = 2**size
    census = Census(
        n,
        np.zeros(functions, dtype=np.bool_),
        np.zeros((functions, n), dtype=np.int64),
        np.zeros(functions, dtype=np.int64),
        np.full((functions, 4), -1, dtype=np.int64),
    )
    symmetries = _Symmetries(n)
    seen = np.zeros(functions, dtype=np.bool_)
    for number in range(functions):
        if not seen[number]:
            seen[symmetries.spread(census, number)] = True
    return census


class _Symmetries:
    """All permutations and negations of variables: g(x) = f(z), z_i = x_source(i) xor negated_i."""

    def __init__(self, n: int) -> None:
        ways = list(product(permutations(range(n)), product((0, 1), repeat=n)))
        self.sources = np.array([sources for sources, _ in ways], dtype=np.int64).reshape(len(ways), n)
        self.negated = np.array([negated for _, negated in ways], dtype=np.int64).reshape(len(ways), n)
        z = cube(n)[:, self.sources].transpose(1, 0, 2) ^ self.negated[:, np.newaxis]
        self.rows = z @ (1 << np.arange(n - 1, -1, -1, dtype=np.int64))  # the point of f that gives the value of g
        self.back = self.rows.argsort(axis=1)
        self.names = tuple(f"x{j + 1}" for j in range(n))

    def spread(self, census: Census, number: int) -> NDArray[np.int64]:
        """Decide a function, store the proof for all functions of its class, and return their numbers."""
        table = census.table(number)
        size = len(table)
        images = table[self.rows] @ (1 << np.arange(size - 1, -1, -1, dtype=np.int64))
        opposite = 2**size - 1 - images
        found = decide(BooleanFunction(self.names, table))
        if isinstance(found, Unit):
            pulls = np.array(found.weights, dtype=np.int64) * (1 - 2 * self.negated)
            weights = np.zeros_like(pulls)
            np.put_along_axis(weights, self.sources, pulls, axis=1)
            thresholds = found.threshold - (np.array(found.weights, dtype=np.int64) * self.negated).sum(axis=1)
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
        raise RecipeError(f"n must be an integer from 0 to {most}; it is {n!r}: {why}")
