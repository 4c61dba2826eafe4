"""A place on the logistic objective, with its slopes and how it bends there: what Newton's method asks for.

    f(w, b) = (1/N) sum_i c_i loss(z_i, y_i) + l2/2 |w|^2,   z_i = w . x_i + b        (objective.py, with L2 alone)

Two classes: loss' = g and loss'' = a (1 - a), a = |g|.  K classes: g = p - (1 for the row's class) and
loss'' = diag(p) - p p', which needs no table: times t it is p (t - p . t).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.kernels import curvature as kernel
from linnet.training.certificate import loss_at, problem_shares
from linnet.training.objective import TOO_LARGE, Flat, Objective

Table = NDArray[np.float64]

# A second derivative that has come to nothing still divides.
TINY = 1e-300


class Place(ABC):
    """Weights, the scores they give, the losses there, and f. Slopes are a row's own, not yet times its share."""

    def __init__(self, problem: Objective, weights: Flat, scores: Table) -> None:
        self.problem, self.weights, self.scores = problem, weights, scores
        self.shares = problem_shares(problem)
        self._losses = loss_at(problem, scores)
        self.slopes: Table = self._losses.slopes
        self.loss = float(self.shares @ self._losses.values)
        w = problem.penalised(weights)
        self.value = self.loss + 0.5 * problem.penalty.l2 * float(w @ w)

    def moved(self, change: Flat, along: Table, length: float) -> Self:
        """The place so far along a change of the weights that changes the scores by `along`."""
        return type(self)(self.problem, self.weights + length * change, self.scores + length * along)

    def gradient(self) -> Flat:
        """Of f, by weights and intercepts."""
        return self.with_penalty(self.problem.summed(self.shares[:, np.newaxis] * self.slopes), self.weights)

    def with_penalty(self, product: Flat, v: Flat) -> Flat:
        """The loss's part of a gradient (v the weights) or of H v, made whole; 0 for an intercept that is held."""
        problem = self.problem
        problem.penalised(problem.free(product))[:] += problem.penalty.l2 * problem.penalised(v)
        if not problem.intercept:
            product[-problem.outputs :] = 0.0
        if not np.isfinite(product).all():
            raise NumericalError(TOO_LARGE)
        return product

    def diagonal(self) -> Flat:
        """Of H."""
        into = np.zeros(self.problem.size)
        kernel.diagonal(*self.problem.rows.layout, self.shares[:, np.newaxis] * self.own_bends(), into)
        self.problem.penalised(into)[:] += self.problem.penalty.l2
        return np.maximum(into, TINY)

    @abstractmethod
    def own_bends(self) -> Table:
        """The second derivative of each row's loss by each of its scores alone."""

    @abstractmethod
    def bent(self, along: Table) -> Table:
        """The second derivative of each row's loss, times this change of its scores."""

    @abstractmethod
    def product(self, v: Flat, along: Table) -> Flat:
        """H v; `along` becomes what v changes the scores by."""

    @abstractmethod
    def intercepts(self, rest: Flat) -> Flat:
        """The change of the intercepts alone that gives their part of the gradient this change."""

    @abstractmethod
    def distance(self, slopes: Table) -> float:
        """About how far these slopes' conjugates and the losses here lie apart (Fenchel's gap), in the mean of rows."""

    @property
    @abstractmethod
    def mistakes(self) -> int:
        """Rows of any weight on the wrong side."""


class TwoClasses(Place):
    """One score a row."""

    def __init__(self, problem: Objective, weights: Flat, scores: Table) -> None:
        super().__init__(problem, weights, scores)
        a = np.abs(self.slopes)
        self._bends = a * (1.0 - a)

    def own_bends(self) -> Table:
        return self._bends

    def bent(self, along: Table) -> Table:
        return self._bends * along

    def product(self, v: Flat, along: Table) -> Flat:
        into = np.zeros(self.problem.size)
        kernel.product(*self.problem.rows.layout, self.shares * self._bends[:, 0], v, along, into)
        return self.with_penalty(into, v)

    def intercepts(self, rest: Flat) -> Flat:
        return rest / max(float(self.shares @ self._bends[:, 0]), TINY)

    def distance(self, slopes: Table) -> float:
        off = slopes - self.slopes
        return 0.5 * float(self.shares @ (off * off / np.maximum(self._bends, TINY))[:, 0])

    @property
    def mistakes(self) -> int:
        return int(np.count_nonzero((self._losses.y * self.scores[:, 0] <= 0) & (self.shares > 0)))


class ManyClasses(Place):
    """A score a row and class, softmax."""

    def __init__(self, problem: Objective, weights: Flat, scores: Table) -> None:
        super().__init__(problem, weights, scores)
        self._p: Table = np.maximum(0.0, self.slopes + self._losses.own)

    def own_bends(self) -> Table:
        return self._p * (1.0 - self._p)

    def bent(self, along: Table) -> Table:
        return np.asarray(self._p * (along - (self._p * along).sum(axis=1, keepdims=True)))

    def product(self, v: Flat, along: Table) -> Flat:
        along[:] = self.problem.scores(v)
        return self.with_penalty(self.problem.summed(self.shares[:, np.newaxis] * self.bent(along)), v)

    def intercepts(self, rest: Flat) -> Flat:
        weighed = self.shares[:, np.newaxis] * self._p
        bends = np.diag(weighed.sum(axis=0)) - self._p.T @ weighed
        if self.problem.reference:
            return np.append(np.linalg.lstsq(bends[:-1, :-1], rest[:-1])[0], 0.0)
        bends += bends.trace()  # all intercepts alike change nothing: where that is not asked for, it is not done
        return np.asarray(np.linalg.lstsq(bends, rest)[0])

    def distance(self, slopes: Table) -> float:
        off = slopes - self.slopes
        return 0.5 * float(self.shares @ (off * off / np.maximum(self._p, TINY)).sum(axis=1))

    @property
    def mistakes(self) -> int:
        wrong = self.scores.argmax(axis=1) != self.problem.targets
        return int(np.count_nonzero(wrong & (self.shares > 0)))


def place_at(problem: Objective, weights: Flat) -> Place:
    """The place at these weights."""
    kind = TwoClasses if problem.outputs == 1 else ManyClasses
    return kind(problem, weights, problem.scores(weights))
