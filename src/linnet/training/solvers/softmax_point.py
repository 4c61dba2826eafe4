"""A point on the objective of softmax (hessian.py), and H times vectors.

With p the probabilities of a row's classes, the slopes by its scores are g = p - (1 for the row's class), and the second
derivative is diag(p) - p p' (kernels/softmax.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.kernels import softmax as kernel
from linnet.learners.joint_losses import Softmax
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


class ManyClasses(Point):
    """A score a row and class, softmax."""

    def __init__(self, problem: Objective, weights: Flat, scores: Table) -> None:
        super().__init__(problem, weights, scores)
        self.normalised_weights = np.ascontiguousarray(normalised_weights(problem))
        self.along = np.empty((0, problem.outputs))
        self._p, self.slopes = np.empty_like(scores), np.empty_like(scores)
        losses, targets = np.empty(len(scores)), np.ascontiguousarray(problem.targets)

        def part(first: int, last: int) -> tuple[float, int]:
            at = slice(first, last)
            found: tuple[float, int] = kernel.at(
                scores[at], targets[at], self.normalised_weights[at], self._p[at], self.slopes[at], losses[at]
            )
            return found

        sums = self._over_scores(part)
        self.loss, self.mistakes = sum(loss for loss, _ in sums), sum(mistakes for _, mistakes in sums)

    def _over_scores(self, part: Any) -> list[Any]:
        return over_parts(part, len(self.scores), max(1, PART // self.problem.outputs))

    def moved(self, change: Flat, length: float, along: Table | None = None, /) -> Self:
        along = self.problem.scores(change) if along is None else along
        along = along if length == 1.0 else length * along
        after = type(self)(self.problem, self.weights + length * change, self.scores + along)
        after.along = along
        return after

    def gradient(self) -> Flat:
        return self.with_penalty(self._gradient.copy(), self.weights)

    @cached_property
    def _gradient(self) -> Flat:
        """Of the losses."""
        weighed = np.empty_like(self.slopes)

        def part(first: int, last: int) -> None:
            at = slice(first, last)
            np.multiply(self.slopes[at], self.normalised_weights[at, np.newaxis], out=weighed[at])

        self._over_scores(part)
        return self.problem.summed(weighed)

    @property
    def probabilities(self) -> Table:
        """Of each class, by row."""
        return self._p

    def own_bends(self) -> Table:
        return self._p * (1.0 - self._p)

    def bent(self, along: Table) -> Table:
        return self._bent(along, np.ones(len(along)))

    def weighed_bent(self, along: Table) -> Table:
        """The same, times the rows' weights."""
        return self._bent(along, self.normalised_weights)

    def _bent(self, along: Table, weights: Flat) -> Table:
        into = np.empty_like(along)

        def part(first: int, last: int) -> None:
            at = slice(first, last)
            kernel.bent(self._p[at], along[at], weights[at], into[at])

        self._over_scores(part)
        return into

    def product(self, v: Flat, along: Table) -> Flat:
        if self.problem.rows.dense:
            return DenseProducts(self.problem)(self, v, along)
        along[:] = self.problem.scores(v)
        return self.with_penalty(self.problem.summed(self.weighed_bent(along)), v)

    def diagonal(self) -> Flat:
        return DenseProducts(self.problem).diagonal(self) if self.problem.rows.dense else super().diagonal()

    def intercepts(self, rest: Flat) -> Flat:
        weighed = self.normalised_weights[:, np.newaxis] * self._p
        bends = np.diag(weighed.sum(axis=0)) - self._p.T @ weighed
        if self.problem.reference:
            return np.append(np.linalg.lstsq(bends[:-1, :-1], rest[:-1])[0], 0.0)
        bends += bends.trace()  # a common change of all intercepts has no effect: take the shortest
        return np.asarray(np.linalg.lstsq(bends, rest)[0])

    def distance(self, slopes: Table) -> float:
        def part(first: int, last: int) -> float:
            at = slice(first, last)
            found: float = kernel.distance(
                self._p[at], slopes[at], self.slopes[at], self.normalised_weights[at], TINY
            )
            return found

        return 0.5 * sum(self._over_scores(part))


class DenseProducts:
    """H v at points of one problem with dense rows, of which each block is looked at once.

    Conjugate gradients need not know H to the last digit, and in single precision a product takes half the time: of rows
    in double precision a copy is made for that.  Sums over blocks, and all that is not of the rows, are in double
    precision.  `exact` goes back to it.
    """

    def __init__(self, problem: Objective, *, copied: bool = False) -> None:
        self.problem, self.rows = problem, problem.rows
        self._single: NDArray[np.float32] | None = None
        if copied and _fits_single(problem):
            self._single = self.rows.matrix().astype(np.float32, copy=False)

    @property
    def is_exact(self) -> bool:
        return self._single is None

    def exact(self) -> None:
        """From now on all in double precision."""
        self._single = None

    def __call__(self, point: ManyClasses, v: Flat, along: Table | None = None) -> Flat:
        """H v; `along`, if given, becomes the change of the scores along v."""
        table = v.reshape(-1, self.problem.outputs)
        weights, free = table[:-1].astype(self._kind), table[-1].astype(self._kind)

        def bent(at: slice, X: Numbers, into: Numbers) -> Numbers:
            changes = X @ weights
            changes += free
            kernel.bent(point.probabilities[at], changes, point.normalised_weights[at], into)
            if along is not None:
                along[at] = changes
            return X

        found = self._summed(bent)
        if not self.is_exact and not np.isfinite(found).all():
            self.exact()
            return self(point, v, along)
        return point.with_penalty(self.problem.free(found), v)

    def diagonal(self, point: ManyClasses) -> Flat:
        """Of H."""

        def squared(at: slice, X: Numbers, into: Numbers) -> Numbers:
            kernel.curvatures(point.probabilities[at], point.normalised_weights[at], into)
            return X * X

        return point.with_curvature_of_penalty(self._summed(squared))

    @property
    def _kind(self) -> type[np.floating[Any]]:
        return np.float64 if self._single is None else np.float32

    def _summed(self, amounts: Callable[[slice, Numbers, Numbers], Numbers]) -> Flat:
        """The rows (x, 1) summed, each times its amounts, as weights are laid out.

        `amounts` of a block of rows X are written to the table that it is given; it returns what is summed, X mostly.
        """
        outputs, d = self.problem.outputs, self.problem.columns
        height = max(BLOCK_ROWS, IN_CACHE // d)

        def part(first: int, last: int) -> Flat:
            into, sums = np.zeros((outputs, d)), np.zeros(outputs)
            room, product = np.empty((height, outputs), self._kind), np.empty((outputs, d), self._kind)
            for begin in range(first, last, height):
                at = slice(begin, min(last, begin + height))
                X = np.asarray(self.rows.matrix(at), dtype=np.float64) if self._single is None else self._single[at]
                own = room[: len(X)]
                X = amounts(at, X, own)
                into += np.matmul(own.T, X, out=product)
                sums += own.sum(axis=0)
            return np.append(into.T, sums)

        return added(over_parts(part, self.rows.shape[0], self.problem.rows_a_part))


def _fits_single(problem: Objective) -> bool:
    """Whether the rows, or a copy of them, can be looked at in single precision."""
    rows = problem.rows
    if not rows.dense or isinstance(rows, PackedRows) or not isinstance(getattr(problem.loss, "joint", None), Softmax):
        return False
    small = rows.values.dtype == np.float32 or len(rows.values) <= MOST_COPIED
    return small and LEAST_SINGLE <= problem.largest_entry <= MOST_SINGLE


def point_at(problem: Objective, weights: Flat, *, squared: bool = False) -> Point:
    """The point at these weights; `squared`: with the squares of dense rows, for two classes."""
    if problem.outputs == 1:
        return TwoClasses(problem, weights, squared=squared)
    return ManyClasses(problem, weights, problem.scores(weights))
