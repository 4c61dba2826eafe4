"""Logistic regression by dual coordinate descent, to a duality gap that is computed, not estimated.

    primal  P(w, b) = 1/2 |w|^2 + C sum_i c_i log(1 + exp(-y_i (w . x_i + b)))
    dual    D(a) = -1/2 |sum_i a_i y_i x_i|^2 + sum_i C c_i H(a_i / (C c_i)),   0 <= a_i <= C c_i,   sum_i a_i y_i = 0

with c_i the weight of row i, y_i its sign, H(p) = -p log p - (1 - p) log(1 - p).  D(a) <= P(w, b) for all a, w and b,
and the two meet at the optimum.  Without intercept the sum over a_i y_i is free.  P is f of objective.py over l2, where
C = 1 / (N l2).

The steps in a_i are those of Yu, Huang, Lin 2011 (kernels/dual_logistic.py), all rows once an epoch in a new order.
The intercept moves with every step, and before each epoch starts anew from

    b = argmin over b of P(w, b)  +  rho sum_i a_i y_i

where the scores for the first part are those that the epoch before met.  Where an epoch changes nothing, a_i is the
slope of row i's loss, so that the sum is -dP/db: then b can only stay if it is the minimum, and all is at the optimum.
(Holding b during an epoch and minimising over b alone has the same limit, but where the rows have much in common its
steps are a hundred times as short.)
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from linnet.data.rows import Examples
from linnet.errors import InputError, NumericalError, RecipeError, option
from linnet.kernels import dual_logistic as kernel
from linnet.kernels.dual_svm import combination
from linnet.kernels.scores import scores
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Table, certify
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import Flat, Objective
from linnet.training.order import presentations
from linnet.training.solvers.dual_ascent import RHO, TOO_LONG, Estimate, ascend, squared_norm


class DualLogistic:
    """One problem of two classes: the a_i, and the weights they determine."""

    def __init__(self, problem: Objective, seed: int = 0) -> None:
        rows, (n, d) = problem.rows, problem.rows.shape
        self.loss, self.signs, self.free, self.seed = problem.loss, problem.signed, problem.intercept, seed
        self._entries = rows.layout
        sample_weights = problem.sample_weights if len(problem.sample_weights) else np.ones(n)
        _check_sides(self.signs[sample_weights > 0])
        self.costs = 1.0 / (problem.total * problem.penalty.l2) * sample_weights
        self._presentations = presentations(Examples(rows, self.signs), shuffle=True)
        # sums are taken in an order of the contents, too: sorting the table changes no bit
        self._by_content = self._presentations.by_content
        self._sorted_signs, self._sorted_costs = self.signs[self._by_content], self.costs[self._by_content]
        self._idle = None if sample_weights.all() else sample_weights == 0
        self._lengths, self.rho = np.empty(n), 0.0
        kernel.squared_lengths(rows.values, rows.starts, d, rows.dense, self._lengths)
        with np.errstate(over="ignore"):
            if self.free:
                self.rho = RHO * float(np.sum((sample_weights / problem.total * self._lengths)[self._by_content]))
            if not np.isfinite(float(self.costs.max()) * (float(self._lengths.max()) + self.rho)):
                raise NumericalError(TOO_LONG)
        self.weights, self.intercept = np.zeros(d), 0.0
        self._alphas, self._last_margins, self._scores = np.zeros(n), np.full(n, np.inf), np.zeros((n, 1))
        self._balance, self.sweeps = 0.0, 0

    def begin(self, start: Flat, slopes: Table | None) -> None:
        """Start from the dual variables that were found with these weights, or from those that the weights imply."""
        weights, self.intercept = np.ascontiguousarray(start[:-1]), float(start[-1])
        scores(*self._entries, weights[:, np.newaxis], np.zeros(1), self._scores)
        self._last_margins = self.signs * (self._scores[:, 0] + self.intercept)
        if slopes is None:
            slopes = self.loss.slope(self._scores + self.intercept, self.signs[:, np.newaxis])
        self._alphas = self.costs * np.clip(-self.signs * slopes[:, 0], 0.0, 1.0)
        self.weights = np.zeros_like(self.weights)
        combination(*self._entries, self._alphas * self.signs, self.weights)
        self._balance = self._sum_of_alphas()

    def slopes(self) -> Table:
        """The dual variables as slopes of the losses: (n, 1), 0 for rows of no weight."""
        parts = np.divide(self._alphas, self.costs, out=np.zeros_like(self.costs), where=self.costs > 0)
        return np.asarray(-self.signs * parts)[:, np.newaxis]

    def sweep(self) -> Estimate:
        """One step for each row, in a new random order."""
        began, order = perf_counter(), self._presentations.in_pass(self.sweeps, self.seed)
        assert order is not None  # a shuffled order always is one
        if self._idle is not None:
            order = order[~self._idle[order]]
        self._best_intercept()
        _, _, loss, gap, mistakes, lost = kernel.epoch(
            *self._entries, order, self.signs, self.costs, self._lengths,
            self.weights, self._alphas, self._last_margins, self._scores,
            self.intercept + self.rho * self._balance, self.rho,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LONG)
        self.sweeps += 1
        self._balance = self._sum_of_alphas()
        tally = Pass(mistakes, len(order), loss / float(self.costs.sum()), perf_counter() - began)
        return Estimate(tally, 1.0, loss + 0.5 * squared_norm(self.weights) - gap, gap)

    def measured(self) -> tuple[Flat, float, float]:
        """The weights with their best intercept, the primal value there, and a value that the dual attains."""
        norm = squared_norm(self.weights)
        scores(*self._entries, self.weights[:, np.newaxis], np.zeros(1), self._scores)
        self._best_intercept()
        loss, dual = kernel.both_values(
            self._scores, self.signs, self.costs, self._lengths, self._alphas, norm, self.intercept, self.free
        )
        return np.append(self.weights, self.intercept), loss + 0.5 * norm, dual

    def _sum_of_alphas(self) -> float:
        return float((self._sorted_signs * self._alphas[self._by_content]).sum())

    def _best_intercept(self) -> None:
        if self.free:
            scores = self._scores[self._by_content]
            self.intercept = kernel.best_intercept(scores, self._sorted_signs, self._sorted_costs, self.intercept)


def _check_sides(signs: Flat) -> None:
    """Raise where one of the two classes has no row of any weight: the intercept would grow without bound."""
    if not ((signs > 0).any() and (signs < 0).any()):
        raise InputError("one of the two classes has no row with a positive weight: give rows of both")


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """Logistic regression with an L2 penalty by its dual, until the duality gap is at most tol."""
    if problem.outputs > 1 or problem.penalty.l1 > 0 or problem.penalty.l2 == 0:
        raise RecipeError(
            f"{option('solver', 'dual')} needs {option('penalty', 'l2')}, and takes more than two classes one by one: "
            f"{option('multiclass', 'one-vs-rest')}"
        )
    climbed = DualLogistic(problem)
    if how.start is not None:
        climbed.begin(how.start, how.slopes)
    scale = problem.penalty.l2

    def implied(weights: Flat) -> float:
        proof = certify(problem, weights)
        return -np.inf if proof.reason else proof.dual / scale

    return ascend(climbed, tol=how.tol, most=how.most, scale=scale, watch=watch, implied=implied)
