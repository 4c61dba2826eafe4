"""What rounding may add to a duality gap, or hide of it: see duality_gap.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from linnet.training.objective import Flat, Objective

# The most that one operation may round by, relative to its result.
UNIT = 0.5 * float(np.finfo(np.float64).eps)
# A bound on an error that is this fraction of the objective need not be any sharper.
NEGLIGIBLE = 1e-9
# As many weights are squared at once: tables of very many would not stay in cache.
AT_ONCE = 1 << 16


class Sums(Protocol):
    """What some of the rows add to a certificate, as far as its rounding depends on it."""

    largest: float
    steepness: float
    mean_slope: float
    bend: float

    def size(self) -> float: ...


class Rounding:
    """How far the objective and the bound may be off, for each was computed in double precision (u = 2^-53).

    A score w . x + b of k terms other than 0 is off by at most (k + 6) u A, where A >= sum_j |w_j x_j| + |b|: 6 for x
    and w, which may have been scaled, and their product.  With m_j the largest |x_ij|, A(w) = sqrt(k) |m w| + |b| will
    do.  That moves a loss by its slope times as much.  Sums over r rows, one after the other, are off by r u times the
    sum of sizes: so is v, and with it R*, whose slope by v is p = max(0, |v| - l1) / l2, by r u S A(p) in all with S
    the mean |g|.  All other sums take so many `operations`, few where they are pairwise.
    """

    PAIRWISE = 128.0  # operations on the way to one of NumPy's sums, and in a loss

    def __init__(
        self,
        problem: Objective,
        weights: Flat,
        parts: Sequence[Sums],
        primal: float,
        about: float = 0.0,
        operations: float = PAIRWISE,
    ) -> None:
        self.problem, self.primal, self.operations = problem, abs(primal), operations
        self.largest = max(part.largest for part in parts) + (0.0 if problem.regression else 1.0)
        steepness = sum(part.steepness for part in parts)
        n, at_once = len(problem.targets), problem.rows_a_sum
        self.summed = float(min(at_once, n) + -(-n // at_once) + 8)
        intercepts = weights[-problem.outputs :] if problem.intercept else np.zeros(1)
        self.size = sum(part.size() for part in parts)
        w = problem.penalised(weights)
        in_score = self._terms(w) + 6.0
        reach = self._reach(w, in_score * steepness) + float(np.abs(intercepts - about).max(initial=0.0))
        self.of_scores = UNIT * (in_score * reach + 4.0 * self.largest)
        loss = problem.loss if problem.outputs == 1 else problem.loss.joint
        bend = 0.0 if loss is None else loss.largest_curvature
        if problem.outputs == 1 and problem.loss.smooth and not np.isfinite(bend):
            bend = 2.0 * sum(part.bend for part in parts)  # no bound is known, but scores hardly move
        # a large intercept was itself rounded when it was scaled: that moves all scores alike, by which slopes cancel
        self.shift, self.balance = 2.0 * UNIT * abs(about), abs(sum(part.mean_slope for part in parts))
        self.bend = bend if np.isfinite(bend) else 0.0
        if not np.isfinite(bend):  # beyond a kink slopes no longer cancel
            self.balance = max(self.balance, 1.0)
        # where the slope jumps, the next one counts: 1 for the hinge, 2 with a rival's
        self.steepness = steepness + bend * self.of_scores if np.isfinite(bend) else max(steepness, 2.0)

    def _terms(self, w: Flat) -> float:
        """The most terms of a sum w . x that are not 0."""
        if self.problem.outputs > 1 and not self.problem.rows.dense:  # to count them takes longer than all the rest
            return float(self.problem.most_entries)
        used = w != 0 if self.problem.outputs == 1 else w.reshape(-1, self.problem.outputs).any(axis=1)
        return float(min(self.problem.most_entries, int(np.count_nonzero(used))))

    def _reach(self, w: Flat, times: float) -> float:
        """A bound on sum_j |w_j x_ij|, over all rows and outputs.

        The largest entry of all makes it, if the error, which is `times` as many roundings of it, is small even so.
        """
        outputs, terms = self.problem.outputs, self._terms(w)
        if outputs == 1:
            rough = float(np.sqrt(terms * (w @ w))) * self.problem.largest_entry
            if UNIT * times * rough <= NEGLIGIBLE * self.primal:
                return rough
        table, largest, squares = w.reshape(-1, outputs), self.problem.largest_entries, np.zeros(outputs)
        step = max(1, AT_ONCE // outputs)
        for first in range(0, len(table), step):
            scaled = table[first : first + step] * largest[first : first + step, np.newaxis]
            scaled *= scaled
            squares += scaled.sum(axis=0)
        return float(np.sqrt(terms * squares.max(initial=0.0)))

    def of_sums(self) -> float:
        """How far an entry of v may be off."""
        return UNIT * self.summed * self.size * self.problem.largest_entry

    def total(self, p: Flat | None) -> float:
        """The error of the objective and of the bound, whose penalty has the slopes p by v."""
        joint = self.problem.outputs > 1
        pulled = 0.0 if p is None else self._reach(p, self.summed * self.size)
        found = self.of_scores * (self.steepness + (1.0 if joint else 0.0))
        if self.shift:
            found += self.shift * (self.balance + self.bend * (self.shift + self.of_scores))
        found += UNIT * self.operations * (self.primal + self.size * (self.largest + pulled))
        if self.problem.loss.log_odds or self.problem.loss.code is None:
            found += UNIT * 8.0 * self.problem.outputs  # logarithms of what is near 1
        found += UNIT * self.summed * self.size * pulled
        if self.problem.penalty.l2 > 0:
            each = UNIT * self.summed * self.size
            squares = self.problem.columns * self.problem.largest_entry * self.problem.largest_entry  # inf, no error
            if not each * each * squares <= NEGLIGIBLE * self.primal * self.problem.penalty.l2:
                entries = self.problem.largest_entries
                squares = float((entries * entries).sum())
            found += each * each * squares / (2.0 * self.problem.penalty.l2)
        return float(found)
