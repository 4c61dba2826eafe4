"""The SVM of many classes at once, by its dual (kernels/crammer_singer.py states both), to a proven duality gap.

The q_i of the kernel, over C_i, are the distributions q of duality_gap.py: it also certifies the gap.
"""

from __future__ import annotations

from copy import copy
from time import perf_counter

import numpy as np

from linnet.errors import NumericalError
from linnet.kernels import crammer_singer as kernel
from linnet.kernels import dual_svm as margins
from linnet.training.duality_gap import Table, certify
from linnet.training.history import Pass
from linnet.training.objective import Flat, Objective
from linnet.training.solvers.dual_ascent import TOO_LONG, Costs, Estimate


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
        began, visited, rows = perf_counter(), len(self.order), self.rows
        margins.shuffle(self.order, self.sweeps)
        self.sweeps += 1
        kept, most, loss, gap, mistakes, gain, changed, lost = kernel.sweep(
            rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, self.order, self.classes, self.costs,
            self.curvatures, self.q, self.weights, self.intercepts, self.room, self.rho, self.largest,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LONG)
        self.value += gain
        self.order, self.largest = self.order[:kept], most or np.inf
        if self.problem.intercept:
            self.intercepts += self.rho * self.room[0]
        tally = Pass(mistakes, changed, loss / float(self.costs.sum()), perf_counter() - began)
        return Estimate(tally, visited / len(self.everyone), self.value, gap)

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
