"""Linear support vector regression by dual coordinate descent (kernels/dual_svr.py), to a duality gap that is proven.

    primal  P(w, b) = 1/2 |w|^2 + sum_i C_i max(0, |y_i - w . x_i - b| - ε)^p,   C_i = C c_i
    dual    D(a) = sum_i (a_i y_i - ε |a_i| - e_i a_i^2 / 2) - 1/2 |sum_i a_i x_i|^2,   sum_i a_i = 0

with c_i the weight of row i.  Without intercept the sum over a_i is free.  P is f of objective.py over l2, where
C = 1 / (N l2).
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError, RecipeError, option
from linnet.kernels import dual_svm as entries_of
from linnet.kernels import dual_svr as residuals
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Table
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import Flat, Objective
from linnet.training.solvers.dual_ascent import TOO_LONG, Costs, Estimate, ascend, squared_norm
from linnet.training.solvers.dual_svm import balanced, best_intercept, row_scores


class DualSVR:
    """The a_i, the weights they determine, and the active rows.

    Where the intercept is free, targets are taken less their mean: a large one would cancel.
    """

    def __init__(self, problem: Objective, seed: int = 0) -> None:
        assert isinstance(problem.loss, EpsilonInsensitive)
        rows, loss = problem.rows, problem.loss
        n, d = rows.shape
        self.free, self.epsilon, self.seed = problem.intercept, loss.epsilon, seed
        self.squared = isinstance(loss, SquaredEpsilonInsensitive)
        self._entries = rows.layout
        costs = Costs.of(problem)
        self.costs, self.rho, self.everyone = costs.each, costs.rho, costs.rows
        self.cost = float(self.costs.sum())
        self.about = problem.mean_target if self.free else 0.0
        self.targets = problem.targets - self.about
        with np.errstate(divide="ignore"):  # rows of weight 0 are not active, and for rows of zeros infinity is right
            limits = 0.5 / self.costs if self.squared else self.costs
            steps = 1.0 / (costs.lengths + self.rho + (limits if self.squared else 0.0))
        self.states = np.column_stack([np.zeros(n), self.targets, limits, steps])
        self.weights, self.value, self.sweeps = np.zeros(d), 0.0, 0
        self.intercept = self._best_intercept(np.zeros(n))
        self.order, self.allowed = self.everyone.copy(), np.inf

    def begin(self, start: Flat, slopes: Flat | None) -> None:
        """Start from the dual variables found with these weights, or those they imply."""
        weights, b = np.ascontiguousarray(start[:-1]), float(start[-1]) - self.about
        alphas, n = self.states[:, 0], len(self.targets)
        if slopes is not None:
            alphas[:] = -self.costs * (slopes[:, 0] if self.squared else np.clip(slopes[:, 0], -1.0, 1.0))
        elif self.squared:
            off = self.targets - row_scores(self._entries, weights, n) - b
            alphas[:] = 2.0 * self.costs * np.sign(off) * np.maximum(np.abs(off) - self.epsilon, 0.0)
        else:
            return  # a row whose residual is ε has any a_i: weights do not say which
        self.intercept = b
        entries_of.combination(*self._entries, alphas, self.weights)
        self.value = self._linear(alphas) - 0.5 * squared_norm(self.weights)

    def slopes(self) -> Table:
        fractions = np.divide(self.states[:, 0], self.costs, out=np.zeros_like(self.costs), where=self.costs > 0)
        return np.asarray(-fractions)[:, np.newaxis]

    def sweep(self) -> Estimate:
        began, visited = perf_counter(), len(self.order)
        entries_of.shuffle(self.order, self.seed + self.sweeps)
        self.sweeps += 1
        kept, self.intercept, most, loss, gap, gain, changed, lost = residuals.sweep(
            *self._entries, self.squared, self.epsilon, self.order, self.states, self.weights, self.intercept, self.rho,
            self.allowed,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LONG)
        self.allowed = most if most > 0 else np.inf
        self.value += gain
        self.order = self.order[:kept]
        if self.free:
            self.intercept += self.rho * float(self.states[self.everyone, 0].sum())
        tally = Pass(0, changed, loss / self.cost, perf_counter() - began)
        return Estimate(tally, visited / len(self.everyone), self.value, gap)

    def measured(self) -> tuple[Flat, float, float]:
        alphas, made = self.states[:, 0].copy(), self.weights
        scores = row_scores(self._entries, self.weights, len(alphas))
        b = self._best_intercept(scores)
        if self.free:
            alphas, made = balanced(np.abs(alphas), np.sign(alphas)) * np.sign(alphas), np.zeros_like(made)
            entries_of.combination(*self._entries, alphas, made)
        beyond = np.maximum(np.abs(self.targets - scores - b) - self.epsilon, 0.0)
        loss = float((self.costs * (beyond * beyond if self.squared else beyond)).sum())
        self._activate(self.targets - scores - self.intercept)
        primal = loss + 0.5 * squared_norm(self.weights)
        return np.append(self.weights, b + self.about), primal, self._linear(alphas) - 0.5 * squared_norm(made)

    def _linear(self, alphas: Flat) -> float:
        """The dual value but for the length of w."""
        some = self.costs > 0
        a = alphas[some]
        value = float((a * self.targets[some]).sum()) - self.epsilon * float(np.abs(a).sum())
        return value - 0.25 * float((a * a / self.costs[some]).sum()) if self.squared else value

    def _best_intercept(self, scores: Flat) -> float:
        """The b of the least loss: a residual costs as a row of each of two classes does, on either side of ε."""
        if not self.free:
            return 0.0
        off, ones = self.targets - scores, np.ones(len(scores))
        pretended = np.concatenate([1.0 - (off - self.epsilon), -1.0 - (off + self.epsilon)])
        signs, costs = np.concatenate([ones, -ones]), np.concatenate([self.costs, self.costs])
        return best_intercept(pretended, signs, costs, squared=self.squared)

    def _activate(self, off: Flat) -> None:
        """Activate the rows whose a_i is not optimal at these residuals."""
        alphas = self.states[:, 0]
        wanting: NDArray[np.bool_] = np.where(alphas == 0, np.abs(off) > self.epsilon, True)
        if not self.squared:
            wanting &= ~((np.abs(alphas) == self.costs) & (np.sign(alphas) * off >= self.epsilon))
        wanting[self.order] = True
        self.order, self.allowed = self.everyone[wanting[self.everyone]], np.inf


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """The objective of support vector regression by its dual."""
    if problem.penalty.l1 > 0 or problem.penalty.l2 == 0:
        raise RecipeError(f"{option('solver', 'dual')} needs {option('penalty', 'l2')}")
    climbed = DualSVR(problem)
    if how.start is not None:
        climbed.begin(how.start, how.slopes)
    l2 = problem.penalty.l2
    return ascend(climbed, tol=how.tol, most=how.most, scale=l2, watch=watch, rounded_away=problem.rounded_away / l2)
