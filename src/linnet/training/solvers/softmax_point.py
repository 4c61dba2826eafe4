"""A point on the objective of softmax (hessian.py), and H times vectors.

With p the probabilities of a row's classes, the slopes by its scores are g = p - (1 for the row's class), and the
second derivative is diag(p) - p p' (kernels/softmax.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.kernels import softmax as kernel
from linnet.training.objective import Flat, Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.hessian import TINY, Point, TwoClasses
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]
Numbers = NDArray[np.floating[Any]]

# Numbers a part, for work on scores; and of dense rows a block, which stays in cache.
PART, IN_CACHE = 1 << 16, 1 << 15
# A block has this many rows, or more.
BLOCK_ROWS = 64
# Of up to this many numbers in double precision a copy in single precision is worth its memory.
MOST_COPIED = 1 << 26
# The entries for which single precision has room on both sides, for squares and sums.
LEAST_SINGLE, MOST_SINGLE = 1e-6, 1e6
# How many deviations from 0 the mean of a column may be, on about this many rows: its size costs others their digits.
FARTHEST, SAMPLE = 100.0, 256


class ManyClasses(Point):
    """A score a row and class, softmax; `sums`, of dense rows, is how they are looked at."""

    def __init__(self, problem: Objective, weights: Flat, scores: Table, sums: DenseSums | None = None) -> None:
        super().__init__(problem, weights, scores)
        self.normalised_weights = np.ascontiguousarray(normalised_weights(problem))
        self._targets = np.ascontiguousarray(problem.targets)
        self._looks = sums
        self.along = np.empty((0, problem.outputs))
        self._make_room()

        def part(first: int, last: int) -> int:
            return self._go(slice(first, last))

        self._tally(self._over_scores(part))

    def _make_room(self) -> None:
        self._p, self.slopes = np.empty_like(self.scores), np.empty_like(self.scores)
        self._values = np.empty(len(self.scores))

    def _go(self, at: slice) -> int:
        """Everything that these rows' scores determine; how many are predicted wrong."""
        c, targets = self.normalised_weights[at], self._targets[at]
        _, mistakes = kernel.at(self.scores[at], targets, c, self._p[at], self.slopes[at], self._values[at])
        return int(mistakes)

    def _tally(self, mistakes: list[int]) -> None:
        self.loss, self.mistakes = float((self.normalised_weights * self._values).sum()), sum(mistakes)

    def _over_scores(self, part: Any) -> list[Any]:
        return over_parts(part, len(self.scores), max(1, PART // self.problem.outputs))

    def moved(self, change: Flat, length: float, along: Table | None = None, /) -> Self:
        if along is None and self._looks is not None:
            return self._moved_at_once(length * change, self._looks)
        along = self.problem.scores(change) if along is None else along
        along = along if length == 1.0 else length * along
        after = type(self)(self.problem, self.weights + length * change, self.scores + along, self._looks)
        after.along = along
        return after

    def _moved_at_once(self, change: Flat, looks: DenseSums) -> Self:
        """The point after this change, with its gradient, by one look at the rows."""
        after = type(self).__new__(type(self))
        Point.__init__(after, self.problem, self.weights + change, np.empty_like(self.scores))
        after.normalised_weights, after._targets, after._looks = self.normalised_weights, self._targets, looks
        after.along = np.empty_like(self.scores)
        after._make_room()
        mistakes: list[int] = []

        def pulls(at: slice, X: Numbers, into: Numbers, sums: Flat) -> Numbers:
            after.along[at] = looks.scores(X, *changes)
            np.add(self.scores[at], after.along[at], out=after.scores[at])
            mistakes.append(after._go(at))
            kernel.weighed(after.slopes[at], self.normalised_weights[at], into, sums)
            return X

        changes = looks.table(change)
        after._gradient = self.problem.free(looks.summed(pulls))
        after._tally(mistakes)
        return after

    def gradient(self) -> Flat:
        return self.with_penalty(self._gradient.copy(), self.weights)

    @cached_property
    def _gradient(self) -> Flat:
        """Of the losses."""
        if self._looks is None:
            return self.problem.summed(self._over_rows(kernel.weighed, self.slopes, self.normalised_weights))

        def pulls(at: slice, X: Numbers, into: Numbers, sums: Flat) -> Numbers:
            kernel.weighed(self.slopes[at], self.normalised_weights[at], into, sums)
            return X

        return self.problem.free(self._looks.summed(pulls))

    @property
    def probabilities(self) -> Table:
        """Of each class, by row."""
        return self._p

    def own_bends(self) -> Table:
        return self._over_rows(kernel.curvatures, self._p, np.ones(len(self._p)))

    def diagonal(self) -> Flat:
        if self._looks is not None:
            return self.with_curvature_of_penalty(self._looks.squared(self))
        return super().diagonal()

    def bent(self, along: Table) -> Table:
        return self._over_rows(kernel.bent, self._p, along, np.ones(len(along)))

    def _over_rows(self, work: Callable[..., None], *tables: Numbers) -> Table:
        """What a kernel makes of every row of these tables."""
        into = np.empty_like(self.scores)

        def part(first: int, last: int) -> None:
            at = slice(first, last)
            work(*(table[at] for table in tables), into[at], np.zeros(into.shape[1]))

        self._over_scores(part)
        return into

    def product(self, v: Flat, along: Table | None = None) -> Flat:
        """H v; `along`, if given, becomes the change of the scores along v."""
        if self._looks is not None:
            return self._dense_product(v, along, self._looks)
        changes = self.problem.scores(v, along)
        weighed = self._over_rows(kernel.bent, self._p, changes, self.normalised_weights)
        return self.with_penalty(self.problem.summed(weighed), v)

    def _dense_product(self, v: Flat, along: Table | None, looks: DenseSums) -> Flat:
        table = looks.table(v)

        def bent(at: slice, X: Numbers, into: Numbers, sums: Flat) -> Numbers:
            changes = looks.scores(X, *table)
            kernel.bent(self._p[at], changes, self.normalised_weights[at], into, sums)
            if along is not None:
                along[at] = changes
            return X

        found = looks.summed(bent)
        if not np.isfinite(found).all() and looks.refine():
            return self._dense_product(v, along, looks)
        return self.with_penalty(self.problem.free(found), v)

    def intercepts(self, rest: Flat) -> Flat:
        weighed = self._over_rows(kernel.weighed, self._p, self.normalised_weights)
        bends = np.diag(weighed.sum(axis=0)) - self._p.T @ weighed
        if self.problem.reference:
            return np.append(np.linalg.lstsq(bends[:-1, :-1], rest[:-1])[0], 0.0)
        bends += bends.trace()  # a common change of all intercepts has no effect: take the shortest
        return np.asarray(np.linalg.lstsq(bends, rest)[0])

    def distance(self, slopes: Table) -> float:
        def part(first: int, last: int) -> float:
            at = slice(first, last)
            found: float = kernel.distance(self._p[at], slopes[at], self.slopes[at], self.normalised_weights[at], TINY)
            return found

        return 0.5 * float(sum(self._over_scores(part)))


class DenseSums:
    """Looks at the dense rows of a problem, block by block.

    `single`: in single precision, which takes half the time; of rows in double precision a copy is made for that.  It
    serves to find the way: sums over blocks, and all that is not of the rows, are in double precision, and so is what
    proves a result (duality_gap.py).  `refine` goes back to double precision, for rows that need it.
    """

    def __init__(self, problem: Objective, *, single: bool = False) -> None:
        self.problem, self.rows = problem, problem.rows
        self._single: NDArray[np.float32] | None = None
        if single and _fits_single(problem):
            self._single = self.rows.matrix().astype(np.float32, copy=False)

    def refine(self) -> bool:
        """From now on all in double precision; whether that changes anything."""
        changes, self._single = self._single is not None, None
        return changes

    def table(self, weights: Flat) -> tuple[Numbers, Numbers]:
        """Weights, and intercepts, as `scores` takes them."""
        table = weights.reshape(-1, self.problem.outputs)
        with np.errstate(over="ignore"):  # what is infinite is seen in the sums
            return table[:-1].astype(self._kind), table[-1].astype(self._kind)

    def scores(self, X: Numbers, weights: Numbers, free: Numbers) -> Numbers:
        """Of a block of rows."""
        found = X @ weights.astype(X.dtype, copy=False)
        found += free
        return found

    def squared(self, point: ManyClasses) -> Flat:
        """The losses' part of the diagonal of H."""

        def curved(at: slice, X: Numbers, into: Numbers, sums: Flat) -> Numbers:
            kernel.curvatures(point.probabilities[at], point.normalised_weights[at], into, sums)
            return X * X

        return self.summed(curved)

    @property
    def _kind(self) -> type[np.floating[Any]]:
        return np.float64 if self._single is None else np.float32

    def summed(self, amounts: Callable[[slice, Numbers, Numbers, Flat], Numbers]) -> Flat:
        """The rows (x, 1) summed, each times its amounts, as weights are laid out.

        `amounts` of a block of rows X are written to the table that it is given, and added to the sums; it returns what
        is summed, X mostly.
        """
        outputs, d = self.problem.outputs, self.problem.columns
        height, single, kind = max(BLOCK_ROWS, IN_CACHE // d), self._single, self._kind

        def part(first: int, last: int) -> Flat:
            into, sums = np.zeros((outputs, d)), np.zeros(outputs)
            room, product = np.empty((height, outputs), kind), np.empty((outputs, d), kind)
            for begin in range(first, last, height):
                at = slice(begin, min(last, begin + height))
                X = np.asarray(self.rows.matrix(at), dtype=np.float64) if single is None else single[at]
                own = room[: len(X)]
                X = amounts(at, X, own, sums)
                into += np.matmul(own.T, X, out=product)
            return np.append(into.T, sums)

        with np.errstate(over="ignore", invalid="ignore"):
            return added(over_parts(part, self.rows.shape[0], self.problem.rows_a_part))


def _fits_single(problem: Objective) -> bool:
    """Whether the rows, or a copy of them, can be looked at in single precision."""
    rows = problem.rows
    if isinstance(rows, PackedRows):
        return False
    small = rows.values.dtype == np.float32 or len(rows.values) <= MOST_COPIED
    if not (small and LEAST_SINGLE <= problem.largest_entry <= MOST_SINGLE):
        return False
    some = np.asarray(rows.matrix(slice(None, None, max(1, rows.shape[0] // SAMPLE))), dtype=np.float64)
    means, deviations = some.mean(axis=0), some.std(axis=0)
    return bool((np.abs(means) <= FARTHEST * deviations)[deviations > 0].all())


def point_at(problem: Objective, weights: Flat, sums: DenseSums | None = None, *, squared: bool = False) -> Point:
    """The point at these weights; `squared`: with the squares of dense rows, for two classes; `sums`: how the dense
    rows of several are looked at from there on."""
    if problem.outputs == 1:
        return TwoClasses(problem, weights, squared=squared)
    if sums is None and problem.rows.dense:
        sums = DenseSums(problem)
    return ManyClasses(problem, weights, problem.scores(weights), sums)
