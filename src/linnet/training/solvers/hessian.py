"""A point on the objective, with its gradient and curvature: what Newton's method needs.

    f(w, b) = (1/N) sum_i c_i loss(z_i, y_i) + l2/2 |w|^2,   z_i = w . x_i + b        (objective.py, with L2 alone)

Here are points of one score a row, for which kernels/line_search.py has loss' = g and loss''; those of several classes
are in softmax_point.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.kernels import hessian as kernel
from linnet.kernels import line_search
from linnet.kernels.column_squares import MOST_COLUMNS, add_squares, padded
from linnet.learners.losses import Loss
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.row_losses import losses_at, normalised_weights
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]

# The losses whose values, slopes and curvatures the kernel computes (kernels/line_search.py).
IN_KERNEL = (Loss.LOGISTIC.code, Loss.SQUARED_HINGE.code)
# A second derivative of 0 must not divide.
TINY = 1e-300
# The change that led to a point that has been left.
NOT_KEPT = np.empty((0, 1))
NO_MEANS = np.empty(0)
# Rows that are looked at together where each takes some numbers.
PIECE = 1 << 18
# Dense rows are looked at in blocks of this many numbers, which stay in cache.
IN_CACHE = 1 << 17


class Point(ABC):
    """Weights, their scores, the losses there, and f.  `slopes` are those of each row, not yet times its weight.

    `along` is the change of the scores from the previous point.
    """

    slopes: Table
    along: Table
    # sum_i D_i (x_i, 1)(x_i, 1)', where it was asked for and added up in the same pass over the rows
    squares: Table | None = None
    normalised_weights: Flat
    loss: float
    mistakes: int

    def __init__(self, problem: Objective, weights: Flat, scores: Table) -> None:
        self.problem, self.weights, self.scores = problem, weights, scores

    @property
    def value(self) -> float:
        """f here."""
        w = self.problem.penalised(self.weights)
        return self.loss + 0.5 * self.problem.penalty.l2 * float(w @ w)

    @abstractmethod
    def moved(self, change: Flat, length: float, along: Table | None = None, /) -> Self:
        """The point at weights + length change; `along` is the change of the scores at length 1, if known."""

    @abstractmethod
    def gradient(self) -> Flat:
        """Of f, by weights and intercepts."""

    def with_penalty(self, product: Flat, v: Flat) -> Flat:
        """The loss's part of a gradient (v the weights) or of H v, plus the penalty's; 0 for a fixed intercept."""
        problem = self.problem
        problem.penalised(problem.free(product))[:] += problem.penalty.l2 * problem.penalised(v)
        if not problem.intercept:
            product[-problem.outputs :] = 0.0
        if not np.isfinite(product).all():
            raise NumericalError(TOO_LARGE)
        return product

    def diagonal(self) -> Flat:
        """Of H."""
        return self.with_curvature_of_penalty(
            self.summed_squares(self.normalised_weights[:, np.newaxis] * self.own_bends())
        )

    def with_curvature_of_penalty(self, diagonal: Flat) -> Flat:
        """The losses' part of the diagonal, plus the penalty's."""
        self.problem.penalised(diagonal)[:] += self.problem.penalty.l2
        free = diagonal[-self.problem.outputs :]
        free[free == 0] = 1.0  # no curvature, but perhaps a slope: then a step of size 1
        return np.maximum(diagonal, TINY)

    def summed_squares(self, amounts: Table) -> Flat:
        """The squares of the rows (x, 1) summed, each times its amounts, as weights are laid out."""
        into = np.zeros(self.problem.size)
        kernel.diagonal(*self.problem.rows.layout, amounts, into)
        return into

    @abstractmethod
    def own_bends(self) -> Table:
        """The second derivative of each row's loss by each of its scores alone."""

    @abstractmethod
    def bent(self, along: Table) -> Table:
        """The second derivative of each row's loss, times this change of its scores."""

    @abstractmethod
    def product(self, v: Flat, along: Table | None = None) -> Flat:
        """H v; `along`, if given, becomes the change of the scores along v."""

    @abstractmethod
    def intercepts(self, rest: Flat) -> Flat:
        """The change of the intercepts alone that changes their part of the gradient by this."""

    @abstractmethod
    def distance(self, slopes: Table) -> float:
        """An estimate of the mean Fenchel gap between the losses here and the conjugates of these slopes."""


class TwoClasses(Point):
    """One score a row; `squared` asks for `squares`, which sparse rows and many columns leave out."""

    def __init__(self, problem: Objective, weights: Flat, *, squared: bool = False) -> None:
        super().__init__(problem, weights, np.empty((len(problem.targets), 1)))
        self.normalised_weights, self.signs = normalised_weights(problem), problem.signed
        self._go(weights, np.zeros_like(self.scores), squared=squared)

    def _go(self, change: Flat, before: Table, *, squared: bool = False) -> None:
        """Compute everything at the scores `before`, changed by `change`, in one pass over the rows."""
        problem = self.problem
        self.along, self.slopes, self._bends = (np.empty_like(before) for _ in range(3))
        self.squares = None
        if problem.loss.code not in IN_KERNEL:
            self._go_by_loss(change, before)
            return
        squared = squared and problem.columns**2 <= IN_CACHE  # larger ones are better added up over more rows
        dense = _DenseGo(self, change, before, squared) if problem.rows.dense else None
        parts = over_parts(dense or _SparseGo(self, change, before), len(before), problem.rows_a_part)
        self._sums = added(sums for sums, _, _, _ in parts)
        self.loss = sum(loss for _, loss, _, _ in parts)
        self.mistakes = sum(mistakes for _, _, mistakes, _ in parts)
        if squared and dense:
            self.squares = added(squares for _, _, _, squares in parts if squares is not None)

    def _go_by_loss(self, change: Flat, before: Table) -> None:
        """The same for a loss that the kernel does not know."""
        problem, self.scores = self.problem, np.empty_like(before)

        def part(first: int, last: int) -> tuple[Flat, float, int]:
            at = slice(first, last)
            problem.scores_part(change, first, self.along[at])
            scores, y, c = self.scores[at, 0], self.signs[at], self.normalised_weights[at]
            np.add(before[at, 0], self.along[at, 0], out=scores)
            values, slopes, bends = problem.loss.with_curvature(scores, y)
            self.slopes[at, 0], self._bends[at, 0] = slopes, bends
            wrong = 0 if problem.regression else int(np.count_nonzero((y * scores <= 0) & (c > 0)))
            return problem.summed_part((c * slopes)[:, np.newaxis], first), float((c * values).sum()), wrong

        parts = over_parts(part, len(before), problem.rows_a_part)
        self._sums = problem.free(added(sums for sums, _, _ in parts))
        self.loss = sum(loss for _, loss, _ in parts)
        self.mistakes = sum(mistakes for _, _, mistakes in parts)

    def moved(self, change: Flat, length: float, _: Table | None = None, /) -> Self:
        self.along = NOT_KEPT
        after = copy(self)
        after.weights, after.scores = self.weights + length * change, np.empty_like(self.scores)
        after._go(length * change, self.scores)
        return after

    def gradient(self) -> Flat:
        return self.with_penalty(self._sums.copy(), self.weights)

    def own_bends(self) -> Table:
        return self._bends

    def bent(self, along: Table) -> Table:
        return self._bends * along

    def product(self, v: Flat, along: Table | None = None) -> Flat:
        along = np.empty_like(self.scores) if along is None else along
        into = np.zeros(self.problem.size)
        kernel.product(*self.problem.rows.layout, self.normalised_weights * self._bends[:, 0], v, along, into)
        return self.with_penalty(into, v)

    def intercepts(self, rest: Flat) -> Flat:
        return rest / (float(self.normalised_weights @ self._bends[:, 0]) or 1.0)

    def distance(self, slopes: Table) -> float:
        if self.problem.loss.strictly_convex:
            return 0.5 * sum(self._distance(slopes, at) for at in _pieces(len(slopes)))
        losses = losses_at(self.problem, self.scores)
        g = losses.allowed(slopes)
        gap = float(self.normalised_weights @ (losses.values + losses.conjugates(g) - (g * self.scores)[:, 0]))
        return gap + self._weighed_away(g - slopes)

    def _weighed_away(self, moved: Table) -> float:
        """What it costs that slopes which fit the weights were moved into their bounds: |X' moved|^2 / (2 l2)."""
        if not moved.any():
            return 0.0
        problem = self.problem
        v = problem.penalised(problem.summed(self.normalised_weights[:, np.newaxis] * moved))
        return float(v @ v) / (2.0 * problem.penalty.l2)

    def _distance(self, slopes: Table, at: slice) -> float:
        off = slopes[at] - self.slopes[at]
        return float(self.normalised_weights[at] @ (off * off / np.maximum(self._bends[at], TINY))[:, 0])


@dataclass(frozen=True, eq=False)
class _SparseGo:
    """A part of the pass of `_go` over sparse rows."""

    point: TwoClasses
    change: Flat
    before: Table

    def __call__(self, first: int, last: int) -> tuple[Flat, float, int, None]:
        point, at = self.point, slice(first, last)
        values, ids, starts, d, _ = point.problem.layout(first, last)
        sums = np.zeros(point.problem.size)
        loss, mistakes = line_search.moved(
            values, ids, starts, d, point.problem.loss.code,
            point.signs[at], point.normalised_weights[at], self.change, self.before[at, 0],
            point.along[at, 0], point.scores[at, 0], point.slopes[at, 0], point.own_bends()[at, 0], sums,
        )  # fmt: skip
        return sums, loss, mistakes, None


@dataclass(frozen=True, eq=False)
class _DenseGo:
    """The same of dense rows, in blocks that stay in cache; with the squares of their columns, if these are wanted."""

    point: TwoClasses
    change: Flat
    before: Table
    squared: bool

    def __call__(self, first: int, last: int) -> tuple[Flat, float, int, Table | None]:
        point, rows = self.point, self.point.problem.rows
        d = rows.shape[1]
        height = max(1, IN_CACHE // (d + 1))
        sums, squares = np.zeros(d + 1), np.zeros((d + 1, d + 1)) if self.squared else None
        room = np.empty((height if self.squared else 0, d + 1))
        loss, mistakes = 0.0, 0
        for begin in range(first, last, height):
            at = slice(begin, min(last, begin + height))
            X, along, bends = rows.matrix(at), point.along[at, 0], point.own_bends()[at, 0]
            sample_weights, pulls = point.normalised_weights[at], np.empty(len(along))
            np.add(X @ self.change[:-1], self.change[-1], out=along)
            more, wrong = line_search.moved_by(
                point.problem.loss.code, point.signs[at], sample_weights, self.before[at, 0], along,
                point.scores[at, 0], point.slopes[at, 0], bends, pulls,
            )  # fmt: skip
            loss, mistakes = loss + more, mistakes + wrong
            sums[:-1] += pulls @ X
            sums[-1] += pulls.sum()
            if squares is not None:
                squares += squared_columns(X, sample_weights * bends, room)
        return sums, loss, mistakes, squares


def squared_columns(X: Table, bends: Flat, room: Table) -> Table:
    """The upper triangle of sum_i bends_i (x_i, 1)(x_i, 1)'; `room` is for as many rows, or more."""
    d = X.shape[1]
    if d < MOST_COLUMNS:
        table = np.zeros((padded(d + 1), padded(d + 1)))
        add_squares(X, np.empty((len(X), 0)), NO_MEANS, bends, table)
        return table[: d + 1, : d + 1]
    own, roots = room[: len(X)], np.sqrt(bends)
    np.multiply(X, roots[:, np.newaxis], out=own[:, :d])
    own[:, d] = roots
    return np.asarray(own.T @ own)


def _pieces(rows: int) -> list[slice]:
    """Some rows after the other, where arrays of all of them would take much memory."""
    return [slice(first, first + PIECE) for first in range(0, rows, PIECE)]
