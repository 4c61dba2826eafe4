"""The SVM of many classes at once, by its dual (kernels/crammer_singer.py states both), to a proven duality gap.

The q_i of the kernel, over C_i, are the distributions q of duality_gap.py: it also certifies the gap.
"""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.kernels import crammer_singer as kernel
from linnet.kernels import dual_svm as margins
from linnet.training.duality_gap import Table, certify
from linnet.training.history import Pass
from linnet.training.objective import Flat, Objective
from linnet.training.solvers.dual_ascent import TOO_LONG, Costs, Estimate

# Of a row's classes one in MANY at most is listed for sweeps over few of them, if that is LISTED or more.
MANY, LISTED = 8, 8
# Sweeps over few classes follow one over all until the gap in these is this fraction of what it was, or this many.
CLOSED, SWEEPS = 0.1, 64


class Swept(NamedTuple):
    """What the kernel returns of a sweep."""

    kept: int
    most: float
    loss: float
    gap: float
    mistakes: int
    gain: float
    changed: int
    scores: int
    lost: int


class CrammerSinger:
    """The dual variables q of all rows, the weights they determine, and the rows that take part."""

    def __init__(self, problem: Objective) -> None:
        n, d = problem.rows.shape
        self.problem, self.rows, self.outputs = copy(problem), problem.rows, problem.outputs
        self.classes = problem.targets.astype(np.int64)
        costs = Costs.of(problem)
        self.problem.sample_weights = costs.sample_weights
        self.costs, self.rho, self.everyone = costs.each, costs.rho, costs.rows
        self.curvatures = costs.lengths + self.rho
        self.own = np.zeros((n, self.outputs))
        self.own[np.arange(n), self.classes] = self.costs
        self.q = self.own.copy()
        self.weights, self.intercepts = np.zeros(d * self.outputs), np.zeros(self.outputs)
        self.room = np.zeros((4, self.outputs))  # the first is the balance of the classes
        listed = self.outputs // MANY if self.outputs // MANY >= LISTED else 0
        self.lists, self.counts = np.zeros((n, listed), dtype=np.uint32), np.zeros(n, dtype=np.uint32)
        self.value, self.sweeps = 0.0, 0
        self.order, self.largest = self.everyone.copy(), np.inf

    def begin(self, start: Flat, slopes: Table | None) -> None:
        """Start from the dual variables found with these weights; the weights alone do not determine them."""
        if slopes is None:
            return
        g = slopes * (self.costs > 0)[:, np.newaxis]
        self.q = self.own + self.costs[:, np.newaxis] * g
        self.weights = -self.problem.summed(self.costs[:, np.newaxis] * g)[: -self.outputs]
        self.intercepts = start[-self.outputs :].copy()
        self._balance()
        self.value = certify(self.problem, start, slopes).dual / self.problem.penalty.l2

    def _balance(self) -> None:
        """The sums that free intercepts ask to be 0, anew: sweeps add what changes, with its rounding."""
        if self.problem.intercept:
            self.room[0] = (self.own - self.q)[self.everyone].sum(axis=0)  # in no order of the table

    def sweep(self) -> Estimate:
        """A step for every active row in all classes, then, of many classes, steps in those that it listed."""
        began, visited = perf_counter(), len(self.order)
        swept = self._swept(self.order, self.largest, few=False)
        self.order, self.largest = self.order[: swept.kept], swept.most or np.inf
        tally = Pass(swept.mistakes, swept.changed, swept.loss / float(self.costs.sum()), perf_counter() - began)
        scores = visited * self.outputs
        if self.lists.shape[1]:
            scores += self._among_few(swept.gap)
        return Estimate(tally, scores / (len(self.everyone) * self.outputs), self.value, swept.gap)

    def _among_few(self, gap: float) -> int:
        """Sweeps over the listed classes until the gap in them is small beside this one; returns how many scores they
        took."""
        order, largest, scores = self.order.copy(), np.inf, 0
        for _ in range(SWEEPS):
            swept = self._swept(order, largest, few=True)
            scores += swept.scores
            order, largest = order[: swept.kept], swept.most or np.inf
            if swept.gap <= CLOSED * gap or not swept.changed:
                break
        return scores

    def _swept(self, order: NDArray[np.uint32], largest: float, *, few: bool) -> Swept:
        rows = self.rows
        margins.shuffle(order, self.sweeps)
        self.sweeps += 1
        swept = Swept(*kernel.sweep(
            rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, order, self.classes, self.costs,
            self.curvatures, self.q, self.weights, self.intercepts, self.room, self.lists, self.counts, few,
            self.rho, largest,
        ))  # fmt: skip
        if swept.lost >= 0:
            raise NumericalError(TOO_LONG)
        self.value += swept.gain
        if self.problem.intercept:
            self.intercepts += self.rho * self.room[0]
        return swept

    def measured(self) -> tuple[Flat, float, float]:
        weights = np.append(self.weights, self.intercepts)
        proven = certify(self.problem, weights, self.slopes())
        self.order, self.largest = self.everyone.copy(), np.inf
        self._balance()
        l2 = self.problem.penalty.l2
        return weights, proven.primal / l2, proven.dual / l2

    def slopes(self) -> Table:
        """The dual point as duality_gap.py has it: of the mean loss by the scores, for a row of weight 1."""
        costs = np.where(self.costs > 0, self.costs, 1.0)[:, np.newaxis]
        own = np.zeros_like(self.own)
        own[np.arange(len(own)), self.classes] = 1.0
        return np.where(self.costs[:, np.newaxis] > 0, self.q / costs, own) - own
