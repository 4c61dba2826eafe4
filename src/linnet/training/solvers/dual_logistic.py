"""Logistic regression by dual coordinate descent, to a duality gap that is measured, not guessed.

    primal  P(w, b) = 1/2 |w|^2 + C sum_i c_i log(1 + exp(-y_i (w . x_i + b)))
    dual    D(a) = -1/2 |sum_i a_i y_i x_i|^2 + sum_i C c_i H(a_i / (C c_i)),   0 <= a_i <= C c_i,   sum_i a_i y_i = 0

with c_i the weight of row i, y_i its sign, H(p) = -p log p - (1 - p) log(1 - p).  D(a) <= P(w, b) for all a, w and b,
and the two meet at the optimum.  Without intercept the sum over a_i y_i is free.

The steps in a_i are those of Yu, Huang, Lin 2011 (kernels/dual_logistic.py), all rows once an epoch in a new order.
The intercept moves with every step, and before each epoch starts anew from

    b = argmin over b of P(w, b)  +  rho sum_i a_i y_i

where the scores for the first part are those that the epoch before met.  Where an epoch changes nothing, a_i is the
slope of row i's loss, so that the sum is -dP/db: then b can only stay if it is the minimum, and all is at the optimum.
(To hold b during an epoch and to minimise over b alone comes to the same end, but where the rows have much in common it
goes there in steps a hundred times as short.)
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from linnet.data.rows import NO_STARTS, Examples, Rows
from linnet.errors import InputError, NumericalError, RecipeError
from linnet.kernels import dual_logistic as kernel
from linnet.kernels.dual_svm import combination
from linnet.kernels.scores import scores
from linnet.learners.linear import logistic as probability
from linnet.training.batch import Descent, Found
from linnet.training.duality_gap import Certificate
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import Flat, Objective
from linnet.training.order import presentations

# rho, as a share of the rows' mean squared length.  More makes the steps shorter, less leaves the intercept behind.
RHO = 0.1

TOO_LARGE = "the rows are too long to square: scale the features down (sklearn.preprocessing.StandardScaler)"


@dataclass(frozen=True, eq=False)
class DualSolution:
    """Weights and intercept, the primal value there, and a value that the optimum cannot lie below."""

    weights: Flat
    intercept: float
    primal: float
    dual: float
    epochs: int
    converged: bool


class DualLogistic:
    """One problem of two classes, solved for one C after another, each from where the last one ended."""

    def __init__(
        self,
        rows: Rows,
        signs: Flat,
        sample_weights: Flat | None = None,
        *,
        intercept: bool = True,
        seed: int = 0,
    ) -> None:
        n, d = rows.shape
        examples = Examples(rows, np.ascontiguousarray(signs, dtype=np.float64))
        shares = np.ones(n) if sample_weights is None else np.ascontiguousarray(sample_weights, dtype=np.float64)
        _check(examples.targets, shares)
        rows.check_finite()
        self.rows, self.signs, self.shares = rows, examples.targets, shares
        self.free, self.seed = intercept, seed
        self._presentations = presentations(examples, shuffle=True)
        self._idle = None if shares.all() else shares == 0
        self._lengths = np.empty(n)
        kernel.squared_lengths(rows.values, rows.starts, d, rows.dense, self._lengths)
        self._rho = 0.0
        if intercept:
            with np.errstate(over="ignore"):
                self._rho = RHO * float(np.sum(shares / shares.sum() * self._lengths))
        self._C = 1.0
        self._weights, self._intercept = np.zeros(d), 0.0
        self._alphas, self._rests, self._scores = np.zeros(n), np.full(n, np.inf), np.zeros((n, 1))
        self._balance, self._epochs = 0.0, 0

    def begin(self, C: float, weights: Flat, intercept: float, slopes: Flat | None) -> None:
        """Start from the multipliers that were found with these weights, or that they call for."""
        rows, signs, costs = self.rows, self.signs, C * self.shares
        entries = (rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense)
        scores(*entries, np.ascontiguousarray(weights)[:, np.newaxis], np.zeros(1), self._scores)
        self._rests = signs * (self._scores[:, 0] + intercept)
        self._alphas = costs * (probability(-self._rests) if slopes is None else np.clip(-signs * slopes, 0.0, 1.0))
        self._weights = np.zeros_like(self._weights)
        combination(*entries, self._alphas * signs, self._weights)
        self._C, self._intercept, self._balance = C, intercept, float((signs * self._alphas).sum())

    def slopes(self) -> Flat:
        """The multipliers as slopes of the losses: (n, 1), 0 for rows of no weight."""
        costs = self._C * self.shares
        shares = np.divide(self._alphas, costs, out=np.zeros_like(costs), where=costs > 0)
        return np.asarray(-self.signs * shares)[:, np.newaxis]

    def solve(self, C: float, *, tol: float | None, most: int, watch: Watcher = ignore) -> DualSolution:
        """Epochs until primal - dual <= tol * primal, `most` of them at most; without `tol`, all."""
        if most < 1:
            raise InputError(f"most must be 1 epoch or more; it is {most}")
        costs = self._at(C)
        epoch, met, gap_before, primal, dual = 0, False, 0.0, np.inf, -np.inf
        while epoch < most and not met:
            epoch += 1
            loss, gap = self._epoch(costs, watch)
            # What an epoch leaves is about what it met, times how much less that was than in the epoch before.
            left = gap * min(1.0, gap / gap_before) if gap_before > 0 else gap
            gap_before = gap
            # Measuring it takes a pass: only if that may be the last one.
            if epoch == most or (tol is not None and left <= tol * (loss + 0.5 * self._squared_norm())):
                primal, bound = self._values(costs)
                dual = max(dual, bound)
                met = tol is not None and primal - dual <= tol * primal
        return DualSolution(self._weights.copy(), self._intercept, primal, dual, epoch, met or tol is None)

    def _at(self, C: float) -> Flat:
        """The cost of every row at this C, with all that grows with C scaled from the last one."""
        costs = C * self.shares
        if not (C > 0 and np.isfinite(C)):
            raise InputError(f"C must be positive and finite; it is {C}")
        with np.errstate(over="ignore"):
            if not np.isfinite(float(costs.max()) * (float(self._lengths.max()) + self._rho)):
                raise NumericalError(TOO_LARGE)
        for grows in (self._weights, self._alphas, self._scores):
            grows *= C / self._C
        self._balance *= C / self._C
        self._C = C
        return costs

    def _epoch(self, costs: Flat, watch: Watcher) -> tuple[float, float]:
        """One epoch: the loss and about the gap that it met."""
        began = perf_counter()
        rows, order = self.rows, self._presentations.in_pass(self._epochs, self.seed)
        assert order is not None  # a shuffled order always is one
        if self._idle is not None:
            order = order[~self._idle[order]]
        if self.free:
            self._intercept = kernel.best_intercept(self._scores, self.signs, costs, self._intercept)
        _, self._balance, loss, gap, mistakes, lost = kernel.epoch(
            rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, order, self.signs, costs, self._lengths,
            self._weights, self._alphas, self._rests, self._scores,
            self._intercept + self._rho * self._balance, self._rho,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LARGE)
        self._epochs += 1
        watch(Pass(mistakes, len(order), loss / float(costs.sum()), perf_counter() - began))
        return loss, gap

    def _values(self, costs: Flat) -> tuple[float, float]:
        """The primal value, with the best intercept for these weights, and a value the dual reaches."""
        rows, norm = self.rows, self._squared_norm()
        scores(
            rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense,
            self._weights[:, np.newaxis], np.zeros(1), self._scores,
        )  # fmt: skip
        if self.free:
            self._intercept = kernel.best_intercept(self._scores, self.signs, costs, self._intercept)
        loss, dual = kernel.both_values(
            self._scores, self.signs, costs, self._lengths, self._alphas, norm, self._intercept, self.free
        )
        return loss + 0.5 * norm, dual

    def _squared_norm(self) -> float:
        """|w|^2, added in one order on every machine."""
        into = np.empty(1)
        kernel.squared_lengths(self._weights, NO_STARTS, len(self._weights), True, into)
        return float(into[0])


def _check(signs: Flat, shares: Flat) -> None:
    if len(shares) != len(signs):
        raise InputError(f"{len(signs)} rows but {len(shares)} weights")
    if not (np.abs(signs) == 1).all():
        raise InputError("the sign of every row must be 1 or -1")
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        raise InputError("every sample weight must be finite, and 0 or more")
    taking_part = signs[shares > 0]
    if not ((taking_part > 0).any() and (taking_part < 0).any()):
        side = "no row" if not len(taking_part) else f"only rows of sign {int(taking_part[0])}"
        raise InputError(f"two classes are to be told apart, but there is {side} of any weight: give rows of both")


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """The batch objective by its dual: with l2 its penalty and N the weight of all rows, C is 1 / (N l2)."""
    if problem.outputs > 1 or problem.penalty.l1 > 0 or problem.penalty.l2 == 0:
        raise RecipeError(
            "solver='dual' needs penalty='l2', and takes more than two classes one by one: multiclass='one-vs-rest'"
        )
    history: list[Pass] = []

    def keep(tally: Pass) -> None:
        history.append(tally)
        watch(tally)

    signs = np.where(problem.targets == problem.settings["positive"], 1.0, -1.0)
    solver = DualLogistic(
        problem.rows, signs, problem.shares if len(problem.shares) else None, intercept=problem.intercept
    )
    l2 = problem.penalty.l2
    C = 1.0 / (problem.total * l2)
    if how.start is not None:
        slopes = None if how.slopes is None else how.slopes[:, 0]
        solver.begin(C, how.start[:-1], float(how.start[-1]), slopes)
    found = solver.solve(C, tol=how.tol, most=how.most, watch=keep)
    return Found(
        np.append(found.weights, found.intercept),
        history,
        found.converged,
        Certificate(l2 * found.primal, l2 * found.dual),
        solver.slopes(),
    )
