"""Lifted: the conjunctions that make a function linear, and the unit over variables and conjunctions.

A conjunction is the product of two or more variables, none of them negated (beside the variables themselves, the
product x1·~x2 = x1 - x1·x2 adds nothing to x1·x2).  The smallest set has the fewest conjunctions, and among those the
smallest sum of degrees.

The search is by implicit hitting sets.  If the conjunctions S are not enough, multipliers prove it: integers m with
Σ m y φ = 0 for all φ in S; every set that is enough must contain one of the conjunctions for which that sum is not 0.
So the smallest set that hits all such collections found so far is tried; if it is enough, no smaller one is; if not,
its proof gives another collection.  A function that is symmetric in some variables gives a collection for each of
their permutations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import factorial, prod
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.boolean.threshold_units import NoUnitError, Unit, smallest_unit
from linnet.boolean.witnesses import balanced
from linnet.errors import NumericalError

Conjunction = tuple[int, ...]
MOST_SEARCHED = 8
MOST_PERMUTATIONS = 720
# The most points times features of an integer programme, and of a linear programme.
LARGEST_INTEGER, LARGEST_LINEAR = 1_000_000, 10_000_000
SEARCH_TIME = 0.6  # the fraction of the time for the exact search; the rest is for heuristics and weights
TIMES = "·"


@dataclass(frozen=True)
class Lifted:
    """Conjunctions of variables (by number, from 0), and a unit over all variables followed by these.

    At least `at_least` conjunctions are needed; `smallest` if the set is proven to be the smallest.
    """

    conjunctions: tuple[Conjunction, ...]
    unit: Unit
    at_least: int
    smallest: bool

    def columns(self, n: int) -> NDArray[np.int64]:
        """The variables and the conjunctions at every point of the cube."""
        return np.column_stack([cube(n), _products(cube(n), self.conjunctions)])

    def sums(self, n: int) -> NDArray[np.int64]:
        """The weighted sum at every point of the cube.

        Added up variable by variable: n additions a point for any number of conjunctions.
        """
        values = np.zeros((2,) * n, dtype=np.int64)
        for each, weight in zip([*((j,) for j in range(n)), *self.conjunctions], self.unit.weights, strict=True):
            values[tuple(int(j in each) for j in range(n))] += weight
        for axis in range(n):
            values = np.cumsum(values, axis=axis)
        return values.reshape(-1)

    def holds(self, function: BooleanFunction) -> bool:
        """Whether the unit equals the function at every point; integers, so exact."""
        return bool(((self.sums(function.n) >= self.unit.threshold) == function.table).all())

    def names(self, variables: tuple[str, ...]) -> list[str]:
        return [*variables, *(TIMES.join(variables[j] for j in each) for each in self.conjunctions)]


def lift(function: BooleanFunction, seconds: float = 10.0) -> Lifted:
    """The smallest set of conjunctions found within `seconds`, and the smallest weights over it."""
    start = monotonic()
    until = start + seconds
    points, table = function.points, function.table
    kept = [j for j in range(function.n) if _relevant(function, j)]
    small = points[:, kept]
    first = (points[:, [j for j in range(function.n) if j not in kept]] == 0).all(axis=1)
    small, truth = small[first], table[first]  # irrelevant variables are 0
    if len(kept) <= MOST_SEARCHED:
        chosen, at_least, proven = _search(small, truth, start + SEARCH_TIME * seconds, until)
    else:
        chosen, at_least, proven = _by_degree(small, truth, until), 1, False
    unit = _weights(small, truth, chosen, max(until - monotonic(), 1.0))
    if unit is None:
        (chosen, unit), proven = _by_polynomial(truth, len(kept)), False
    weights = [0] * function.n
    for j, weight in zip(kept, unit.weights[: len(kept)], strict=True):
        weights[j] = weight
    whole = Unit((*weights, *unit.weights[len(kept) :]), unit.threshold, unit.smallest)
    lifted = Lifted(tuple(tuple(kept[j] for j in each) for each in chosen), whole, at_least, proven)
    if not lifted.holds(function):
        raise NumericalError("the conjunctions found do not pass the exact check")
    return lifted


def _relevant(function: BooleanFunction, j: int) -> bool:
    grid = function.table.reshape((2,) * function.n)
    return bool((np.take(grid, 0, j) != np.take(grid, 1, j)).any())


def _products(points: NDArray[np.int64], conjunctions: tuple[Conjunction, ...]) -> NDArray[np.int64]:
    columns = [points[:, each].prod(axis=1) for each in conjunctions]
    return np.column_stack(columns) if columns else np.empty((len(points), 0), dtype=np.int64)


def _candidates(n: int, degree: int) -> tuple[Conjunction, ...]:
    return tuple(each for size in range(2, degree + 1) for each in combinations(range(n), size))


# -- the exact search -------------------------------------------------------------------------------------------------


def _search(
    points: NDArray[np.int64], table: Table, searching_until: float, until: float
) -> tuple[tuple[Conjunction, ...], int, bool]:
    """The smallest set, a lower bound on its size, and whether the set is proven to be the smallest."""
    n = points.shape[1]
    candidates = _candidates(n, n)
    columns = _products(points, candidates)
    images = list(_permuted(points, table, candidates))
    collections: set[frozenset[int]] = set()
    fewest = 0
    while monotonic() < searching_until:
        chosen = _smallest_hitting(collections, candidates, n, searching_until)
        if chosen is None:
            break
        fewest = len(chosen)
        try:
            missed = _missed(points, table, columns, chosen)
        except NumericalError:  # no exact proof
            break
        if missed is None:
            return tuple(candidates[k] for k in sorted(chosen)), fewest, True
        collections |= {frozenset(image[k] for k in missed) for image in images}
    return _by_degree(points, table, until), max(fewest, 1), False


def _missed(
    points: NDArray[np.int64], table: Table, columns: NDArray[np.int64], chosen: frozenset[int]
) -> frozenset[int] | None:
    """A minimal collection of conjunctions of which one must be added to those chosen; None if those are enough."""
    missed = _not_balanced(points, table, columns, frozenset(range(columns.shape[1])) - chosen)
    if missed is None:
        return None
    for k in sorted(missed):
        if k in missed and len(missed) > 1:
            missed = _not_balanced(points, table, columns, missed - {k}) or missed
    return missed


def _not_balanced(
    points: NDArray[np.int64], table: Table, columns: NDArray[np.int64], free: frozenset[int]
) -> frozenset[int] | None:
    """The free conjunctions that multipliers for all others do not balance; None where there are no multipliers."""
    fixed = [k for k in range(columns.shape[1]) if k not in free]
    others = sorted(free)
    found = balanced(np.column_stack([points, columns[:, fixed]]), table, columns[:, others])
    if found is None:
        return None
    at, m = found
    signed = np.array(m, dtype=object) * np.where(table[at], 1, -1)
    sums = signed @ columns[at][:, others].astype(object)
    return frozenset(k for k, total in zip(others, sums, strict=True) if total)


def _smallest_hitting(
    collections: set[frozenset[int]], candidates: tuple[Conjunction, ...], n: int, until: float
) -> frozenset[int] | None:
    """The smallest hitting set of the collections; None at the time limit."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not collections:
        return frozenset()
    ordered = sorted(collections, key=sorted)
    rows = np.zeros((len(ordered), len(candidates)))
    for row, collection in zip(rows, ordered, strict=True):
        row[list(collection)] = 1.0
    one_more = n * len(candidates) + 1  # costs more than all degrees together
    done = milp(
        np.array([one_more + len(each) for each in candidates], dtype=np.float64),
        constraints=LinearConstraint(rows, 1.0, np.inf),
        integrality=np.ones(len(candidates)),
        bounds=Bounds(0.0, 1.0),
        options={"mip_rel_gap": 0.0, "time_limit": max(until - monotonic(), 0.1)},
    )
    return frozenset(np.flatnonzero(done.x > 0.5).tolist()) if done.status == 0 else None


def _permuted(points: NDArray[np.int64], table: Table, candidates: tuple[Conjunction, ...]) -> Iterator[list[int]]:
    """The image of each candidate under every permutation of variables that leaves the function unchanged."""
    n = points.shape[1]
    alike: list[list[int]] = []
    for j in range(n):
        for group in alike:
            swapped = points.copy()
            swapped[:, [group[0], j]] = points[:, [j, group[0]]]
            if (table[swapped @ (1 << np.arange(n - 1, -1, -1))] == table).all():
                group.append(j)
                break
        else:
            alike.append([j])
    number = {each: k for k, each in enumerate(candidates)}
    if prod(factorial(len(group)) for group in alike) > MOST_PERMUTATIONS:
        alike = [[j] for j in range(n)]
    for images in product(*(permutations(group) for group in alike)):
        to = dict(zip(chain.from_iterable(alike), chain.from_iterable(images), strict=True))
        yield [number[tuple(sorted(to[j] for j in each))] for each in candidates]


# -- heuristics ----------------------------------------------------------------------------------------------------


def _by_degree(points: NDArray[np.int64], table: Table, until: float) -> tuple[Conjunction, ...]:
    """Few conjunctions of the smallest degree that is enough, by smallest L1 norm, without redundant ones.

    At the time limit, those of the function's polynomial.
    """
    n = points.shape[1]
    exact = tuple(each for each in _polynomial(table, n) if len(each) > 1)
    for degree in range(2, n):
        candidates = _candidates(n, degree)
        if len(candidates) > 4 * len(exact) or _too_large(points, candidates) or monotonic() > until:
            break
        kept = _of_least_weights(points, table, candidates, until)
        if kept is not None:
            return min(_thinned(points, table, kept, until), exact, key=len)
    return _thinned(points, table, exact, until)


def _too_large(points: NDArray[np.int64], conjunctions: tuple[Conjunction, ...]) -> bool:
    return bool(len(points) * (points.shape[1] + len(conjunctions)) > LARGEST_LINEAR)


def _polynomial(table: Table, n: int) -> dict[Conjunction, int]:
    """The multilinear polynomial of the function: products, shortest first, with coefficients (Möbius inversion)."""
    values = table.astype(np.int64).reshape((2,) * n)
    for axis in range(n):
        first, second = np.take(values, 0, axis), np.take(values, 1, axis)
        values = np.stack([first, second - first], axis)
    terms = {tuple(np.flatnonzero(at).tolist()): int(values[tuple(at)]) for at in np.argwhere(values)}
    return dict(sorted(terms.items(), key=lambda term: (len(term[0]), term[0])))


def _plane(
    columns: NDArray[np.int64], table: Table, value: NDArray[np.float64], until: float
) -> NDArray[np.float64] | None:
    """Weights of smallest value · |w| with every margin at least 1; None where none are found in time."""
    from scipy.optimize import linprog

    if monotonic() > until:
        return None

    signed = np.column_stack([columns, -columns, np.ones(len(table))]) * np.where(table, 1.0, -1.0)[:, np.newaxis]
    done = linprog(
        np.concatenate([value, value, [0.0]]),
        A_ub=-signed,
        b_ub=-np.ones(len(table)),
        bounds=[(0.0, None)] * (2 * len(value)) + [(None, None)],
        method="highs",
        options={"time_limit": max(until - monotonic(), 0.1)},
    )
    d = len(value)
    return None if done.status else np.asarray(done.x[:d] - done.x[d : 2 * d])


def _of_least_weights(
    points: NDArray[np.int64], table: Table, candidates: tuple[Conjunction, ...], until: float
) -> tuple[Conjunction, ...] | None:
    n = points.shape[1]
    columns = np.column_stack([points, _products(points, candidates)])
    w = _plane(columns, table, np.append(np.full(n, 1e-3), np.ones(len(candidates))), until)
    if w is None:
        return None
    return tuple(each for each, weight in zip(candidates, w[n:], strict=True) if abs(weight) > 1e-9)


def _thinned(
    points: NDArray[np.int64], table: Table, chosen: tuple[Conjunction, ...], until: float
) -> tuple[Conjunction, ...]:
    """The conjunctions without redundant ones, the longest tried first."""
    if _too_large(points, chosen):
        return chosen
    for each in sorted(chosen, key=lambda each: (-len(each), each)):
        if monotonic() > until:
            break
        rest = tuple(other for other in chosen if other != each)
        columns = np.column_stack([points, _products(points, rest)])
        if _plane(columns, table, np.zeros(columns.shape[1]), until) is not None:
            chosen = rest
    return chosen


def _weights(points: NDArray[np.int64], table: Table, chosen: tuple[Conjunction, ...], seconds: float) -> Unit | None:
    """The smallest integer weights, or those of a rounded plane at the time limit; None if both fail."""
    if _too_large(points, chosen):
        return None
    until = monotonic() + 2 * seconds
    columns = np.column_stack([points, _products(points, chosen)])
    if columns.size <= LARGEST_INTEGER:
        with suppress(NoUnitError):
            return smallest_unit(columns, table, seconds)
    w = _plane(columns, table, np.ones(columns.shape[1]), until)
    return None if w is None else _rounded(w, columns, table)


def _by_polynomial(table: Table, n: int) -> tuple[tuple[Conjunction, ...], Unit]:
    """The products and coefficients of the function's polynomial, which is 1 where the function is true, else 0."""
    terms = _polynomial(table, n)
    chosen = tuple(each for each in terms if len(each) > 1)
    weights = tuple(terms.get(each, 0) for each in [*((j,) for j in range(n)), *chosen])
    return chosen, Unit(weights, 1 - terms.get((), 0), smallest=False)


def _rounded(w: NDArray[np.float64], columns: NDArray[np.int64], table: Table) -> Unit | None:
    """Integer weights: the plane times the first factor at which rounding keeps it correct."""
    for times in range(1, 1000):
        weights = np.rint(w * times).astype(np.int64)
        sums = columns @ weights
        if sums[table].min() > sums[~table].max():
            return Unit(tuple(weights.tolist()), int(sums[~table].max()) + 1, smallest=False)
    return None
