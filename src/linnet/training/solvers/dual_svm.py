"""The two-class linear SVM by dual coordinate descent (kernels/dual_svm.py), to a duality gap that is proven.

    primal  P(w, b) = 1/2 |w|^2 + sum_i C_i loss(y_i (w . x_i + b)),   C_i = C c_i
    dual    D(a) = sum_i (a_i - e_i a_i^2 / 2) - 1/2 |sum_i a_i y_i x_i|^2,   sum_i a_i y_i = 0

with c_i the weight of row i.  Without intercept the sum over a_i y_i is free.  P is f of objective.py over l2, where
C = 1 / (N l2).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.errors import NumericalError, RecipeError, option
from linnet.kernels import dual_svm as margins
from linnet.learners.losses import Loss
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Table
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import PART, Flat, Objective
from linnet.training.solvers.crammer_singer import CrammerSinger
from linnet.training.solvers.dual_ascent import TOO_LONG, Costs, Estimate, ascend, squared_norm
from linnet.training.threads import over_parts

Entries = tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64], int, bool]

# Up to NEAR weights fit the L1 cache; more are sorted if there are ENTRIES_A_COLUMN entries a column.
NEAR = 2048
ENTRIES_A_COLUMN = 8
# Every COUNTED_BY-th entry is counted, up to TOP.
COUNTED_BY = 16
TOP = (1 << 16) - 1


class DualSVM:
    """One problem of two classes: the a_i, the weights they determine, and the active rows."""

    def __init__(self, problem: Objective, seed: int = 0, *, near: int = NEAR) -> None:
        rows = problem.rows
        n, d = rows.shape
        self.free, self.squared, self.seed = problem.intercept, problem.loss is Loss.SQUARED_HINGE, seed
        self._new_ids, ids = _common_first(rows, near)
        self._entries = (rows.values, ids, rows.starts, d, rows.dense)
        self.signs = problem.signed
        costs = Costs.of(problem)
        self.costs, self.rho, self.everyone = costs.each, costs.rho, costs.rows
        self.cost = float(self.costs.sum())
        with np.errstate(divide="ignore"):  # rows of weight 0 are not active, and for rows of zeros infinity is right
            limits = 0.5 / self.costs if self.squared else self.costs
            steps = 1.0 / (costs.lengths + self.rho + (limits if self.squared else 0.0))
        self.states = np.column_stack([np.zeros(n), self.signs, limits, steps])
        self.weights, self.intercept, self.value, self.sweeps = np.zeros(d), 0.0, 0.0, 0
        self.order, self.highest, self.lowest = self.everyone.copy(), np.inf, -np.inf

    def begin(self, start: Flat, slopes: Flat | None) -> None:
        """Start from the dual variables found with these weights, or those they imply, 2 C_i max(0, 1 - margin_i).

        For the hinge the weights do not determine them: a row on the margin has any value from 0 to C_i.
        """
        if slopes is None and not self.squared:
            return
        weights, self.intercept, alphas = np.ascontiguousarray(start[:-1]), float(start[-1]), self.states[:, 0]
        if slopes is None:
            scores = np.empty(len(self.signs))
            margins.scores_as_they_stand(*self._entries, weights, scores)
            alphas[:] = 2.0 * self.costs * np.maximum(0.0, 1.0 - self.signs * (scores + self.intercept))
        else:
            alphas[:] = self.costs * np.clip(-self.signs * slopes[:, 0], 0.0, np.inf if self.squared else 1.0)
        margins.combination(*self._entries, alphas * self.signs, self.weights)
        self.value = float(alphas.sum()) - 0.5 * squared_norm(self.weights)
        if self.squared:
            there = alphas > 0
            self.value -= 0.5 * float((self.states[there, 2] * alphas[there] ** 2).sum())

    def slopes(self) -> Table:
        fractions = np.divide(self.states[:, 0], self.costs, out=np.zeros_like(self.costs), where=self.costs > 0)
        return np.asarray(-self.signs * fractions)[:, np.newaxis]

    def _activate(self, short: Flat) -> None:
        """Activate the rows whose a_i is not optimal at 1 - margin = short."""
        alphas = self.states[:, 0]
        wanting = np.where(short > 0, alphas < self.states[:, 2], alphas > 0)
        if self.squared:
            wanting = (short > 0) | (alphas > 0)
        wanting[self.order] = True
        self.order, self.highest, self.lowest = self.everyone[wanting[self.everyone]], np.inf, -np.inf

    def sweep(self) -> Estimate:
        began, visited = perf_counter(), len(self.order)
        margins.shuffle(self.order, self.seed + self.sweeps)
        self.sweeps += 1
        kept, self.intercept, most, least, loss, gap, mistakes, gain, changed, lost = margins.sweep(
            *self._entries, self.squared, self.order, self.states,
            self.weights, self.intercept, self.rho, self.highest, self.lowest,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LONG)
        self.highest, self.lowest = most if most > 0 else np.inf, least if least < 0 else -np.inf
        self.value += gain
        self.order = self.order[:kept]
        if self.free:
            self.intercept += self.rho * float((self.states[:, 0] * self.signs)[self.everyone].sum())
        tally = Pass(mistakes, changed, loss / self.cost, perf_counter() - began)
        return Estimate(tally, visited / len(self.everyone), self.value, gap)

    def measured(self) -> tuple[Flat, float, float]:
        rows, alphas = self._entries, self.states[:, 0].copy()
        scores = row_scores(rows, self.weights, len(alphas))
        b = best_intercept(scores, self.signs, self.costs, squared=self.squared) if self.free else 0.0
        made = self.weights
        if self.free:
            alphas, made = balanced(alphas, self.signs), np.zeros_like(made)
            margins.combination(*rows, alphas * self.signs, made)
        loss, value = margins.both_sums(scores, self.signs, self.costs, alphas, b, self.squared)
        self._activate(1.0 - self.signs * (scores + self.intercept))
        weights = self.weights if self._new_ids is None else self.weights[self._new_ids]
        return np.append(weights, b), loss + 0.5 * squared_norm(self.weights), value - 0.5 * squared_norm(made)


def _common_first(rows: Rows, near: int) -> tuple[NDArray[np.uint32] | None, NDArray[np.uint32]]:
    """Renumber the columns by frequency, so that the weights of the common ones are adjacent and stay in the L1 cache.

    Returns the new id of each column, and the ids of all entries; None and the ids unchanged where all weights fit
    the cache, or there are too few entries to pay for it.  Frequencies are counted on a sample of the entries.  Rows
    keep the order of their entries, so no sum changes.
    """
    d = rows.shape[1]
    if rows.dense or d <= near or len(rows.ids) < ENTRIES_A_COLUMN * d:
        return None, rows.ids
    counts = np.bincount(rows.ids[::COUNTED_BY], minlength=d)
    rare_last = np.argsort((TOP - np.minimum(counts, TOP)).astype(np.uint16), kind="stable")
    new_ids = np.empty(d, dtype=np.uint32)
    new_ids[rare_last] = np.arange(d, dtype=np.uint32)
    ids = np.empty_like(rows.ids)
    over_parts(lambda first, last: margins.renumber(rows.ids[first:last], new_ids, ids[first:last]), len(ids), PART)
    return new_ids, ids


def row_scores(entries: Entries, weights: Flat, n: int) -> Flat:
    """w . x of every row, on a thread a core."""
    values, ids, starts, d, dense = entries
    into = np.empty(n)

    def part(first: int, last: int) -> None:
        mine = values[first * d : last * d] if dense else values
        margins.scores_as_they_stand(mine, ids, starts[first : last + 1], d, dense, weights, into[first:last])

    over_parts(part, n, max(1, PART * n // max(1, len(values))))
    return into


def balanced(alphas: Flat, signs: Flat) -> Flat:
    """The side that weighs more, scaled down until both weigh the same."""
    up, down = float(alphas[signs > 0].sum()), float(alphas[signs < 0].sum())
    if up == down:
        return alphas
    heavier = 1.0 if up > down else -1.0
    return np.where(signs == heavier, alphas * (min(up, down) / max(up, down)), alphas)


def best_intercept(scores: Flat, signs: Flat, costs: Flat, *, squared: bool) -> float:
    """The b that minimises sum_i C_i loss(y_i (scores_i + b)).

    The loss of row i reaches 0 at b = y_i - scores_i.  Between two such breakpoints the slope by b is linear (for the
    hinge, constant: its minimum is at one of them, or between two).
    """
    taking_part = costs > 0
    y, c = signs[taking_part], costs[taking_part]
    breakpoints = y - scores[taking_part]
    order = np.argsort(breakpoints, kind="stable")
    breakpoints, c, up = breakpoints[order], c[order], y[order] > 0
    if not squared:
        slopes = np.cumsum(c) - float(c[up].sum())  # right of each breakpoint
        at = min(int(np.searchsorted(slopes, 0.0)), len(breakpoints) - 1)
        beyond = at + 1 if slopes[at] == 0 and at + 1 < len(breakpoints) else at
        return float(0.5 * (breakpoints[at] + breakpoints[beyond]))
    below, above = np.where(up, 0.0, c), np.where(up, c, 0.0)
    # the slope left of breakpoint k, over 2, is  bend_k b - pull_k
    bends = np.cumsum(below) + float(above.sum()) - np.cumsum(above)
    pulls = np.cumsum(below * breakpoints) + float((above * breakpoints).sum()) - np.cumsum(above * breakpoints)
    slopes = bends * breakpoints - pulls
    at = max(int(np.searchsorted(slopes, 0.0, side="right")) - 1, 0)
    return float(pulls[at] / bends[at]) if bends[at] > 0 else float(breakpoints[at])


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """The SVM's objective by its dual."""
    if problem.penalty.l1 > 0 or problem.penalty.l2 == 0:
        raise RecipeError(f"{option('solver', 'dual')} needs {option('penalty', 'l2')}")
    climbed = CrammerSinger(problem) if problem.outputs > 1 else DualSVM(problem)
    if how.start is not None:
        climbed.begin(how.start, how.slopes)
    return ascend(climbed, tol=how.tol, most=how.most, scale=problem.penalty.l2, watch=watch)
