"""Coordinate descent for L1 penalties and elastic nets, on working sets of the columns, until the gap is proven small.

    minimise f(w, b) = (1/N) sum_i c_i loss(x_i . w + b, y_i) + l1 |w|_1 + l2/2 |w|_2^2

At the optimum most weights are 0: those whose column has a slope smaller than l1.  A working set is the columns that
have a weight, and those with the steepest slopes.  Over it f is minimised by proximal Newton steps: the losses are
replaced by parabolas, coordinate descent finds the minimum of that model (quadratic_model.py), and the step is halved
until f itself falls enough (Yuan, Ho, Lin 2012, An improved GLMNET for L1-regularized logistic regression).  Least
squares are their own parabolas.  The slopes of all columns then give the gap and the next, larger set (Massias,
Gramfort, Salmon 2018, Celer: a fast solver for the Lasso with dual extrapolation).
"""

from __future__ import annotations

from copy import copy
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.solvers import quadratic_model
from linnet.training.solvers.point import Point
from linnet.training.solvers.working_columns import ByColumn, DenseColumns, Pairs, Source, SparseColumns

Numbers = NDArray[np.int64]

# Up to this many columns are one set, if their table of pairs takes at most this many products; of more, the first set
# has the root of AT_FIRST times their number, or FEWEST.  For least squares it has more, whose table of pairs is made
# once a set and takes about as long as one look at all columns.
FEW_COLUMNS, FEW_PRODUCTS = 400, 1 << 26
AT_FIRST, AT_FIRST_OF_SQUARES, FEWEST = 2.0, 8.0, 32
# A later set has this many times the columns that have a weight; but of those without one, no more than this many times
# those that are steeper than l1.
GROWTH, OF_STEEP = 2, 4
# The gap over a set, beside the last one over all columns and beside the one asked for.
OF_LAST, OF_ASKED = 0.2, 0.5
# How far the model is solved: slopes are off by this fraction of what the gap asked for allows, or (of losses that are
# not parabolas) of what they were off by at first.
OF_GAP, OF_FIRST = 0.3, 0.2
# Sweeps over a table of pairs cost little beside the table: that of least squares is used for what it is worth.
FURTHER = 0.1
# Newton's steps on one set; on all columns.
MOST_STEPS, STEPS_ON_ALL = 3, 100
# Armijo's fraction of the fall that the model promises; and how often a step is halved.
ENOUGH, HALVINGS = 1e-4, 40
# A promised fall of less than this fraction of f is lost in its rounding.
ROUNDING = 1e-12
# After this many sets without a smaller gap or a smaller f (by this fraction), rounding keeps the gap from closing.
PATIENCE, FALLS = 3, 1e-9
# Without a tolerance the gap asked for is none that could be proven.
NO_TOLERANCE = 1e-14


def descend(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Minimise the objective, which has one score a row, a smooth loss and an L1 penalty."""
    return CoordinateDescent(problem).solve(problem.penalty, how, watch)


class CoordinateDescent:
    """The solver of one problem under one penalty or several, one after the other (a path)."""

    def __init__(self, problem: Objective) -> None:
        self.problem = copy(problem)  # its penalty changes
        self.source = Source(self.problem)
        self.squared = problem.loss.is_quadratic
        self._columns: DenseColumns | SparseColumns | ByColumn | None = None
        self._pairs: Pairs | None = None  # of the columns of the last set, if the losses are parabolas

    def solve(self, penalty: Penalty, how: Descent, watch: Watcher) -> Found:
        """The weights for this penalty, from where `how` says."""
        self.problem.penalty, self.penalty = penalty, penalty
        run = _Run(self, how, watch)
        return run.descend()

    def columns(self, which: Numbers) -> DenseColumns | SparseColumns | ByColumn:
        """The columns of a working set; the last ones are kept."""
        if self._columns is None or not np.array_equal(self._columns.which, which):
            self._columns, self._pairs = self.source.columns(which), None
        return self._columns

    def pairs(self, columns: DenseColumns | SparseColumns, h: Flat) -> Pairs:
        if self._pairs is not None and columns is self._columns and self.squared:
            return self._pairs
        found = columns.pairs(h, intercept=self.problem.intercept)
        if self.squared and columns is self._columns:
            self._pairs = found
        return found


class _Run:
    """One descent."""

    def __init__(self, solver: CoordinateDescent, how: Descent, watch: Watcher) -> None:
        self.solver, self.problem, self.penalty = solver, solver.problem, solver.penalty
        self.how, self.watch = how, watch
        self.tol = NO_TOLERANCE if how.tol is None else how.tol
        self.history: list[Pass] = []
        start = how.begin(self.problem).copy()
        self.w, b = start[:-1], float(start[-1]) if self.problem.intercept else 0.0
        if self.penalty.positive:
            np.maximum(self.w, 0.0, out=self.w)
        scores = np.zeros(len(self.problem.targets))
        if self.w.any():
            scores = self.problem.scores(np.append(self.w, 0.0))[:, 0]
        self.point = Point.first(self.problem, scores, b)
        factor = AT_FIRST_OF_SQUARES if solver.squared else AT_FIRST
        self.size = max(FEWEST, int(np.sqrt(factor * self.problem.columns)))
        self.asked = 1.0

    def descend(self) -> Found:
        least, lowest, in_vain, asked = float("inf"), float("inf"), 0, self.tol
        while True:
            self.point.balance()
            slopes = self.problem.summed(self.point.r[:, np.newaxis])[:-1]
            gap = self.gap(slopes, self.w)
            if gap <= asked:
                if not self.how.proven:
                    return Found(self.flat(), self.history, True)
                certificate = self.certificate(slopes)
                if not certificate.within(self.tol):
                    certificate = self.certificate()  # balanced exactly
                if certificate.within(self.tol):
                    return self._found(True, certificate)
                # the estimate was too good: rounding, or an intercept that is not at its best
                asked = 0.3 * min(asked, gap)
            value = self.value(self.w, self.point.loss)
            in_vain = 0 if gap < least or value < (1.0 - FALLS) * lowest else in_vain + 1
            least, lowest = min(least, gap), min(lowest, value)
            if len(self.history) >= self.how.most or in_vain == PATIENCE:
                return self._found(self.how.tol is None, None)
            which = self._steepest(slopes)
            every = len(which) == self.problem.columns
            before = len(self.history)
            # least squares are solved to the end: by a table of pairs that costs little, and spares a set
            target = OF_ASKED * asked if every or self.solver.squared else max(OF_LAST * gap, OF_ASKED * asked)
            self._over(which, slopes[which], target)
            if len(self.history) == before:
                in_vain = PATIENCE - 1 if in_vain < PATIENCE - 1 else in_vain

    def _found(self, met: bool, certificate: Certificate | None) -> Found:
        if not self.history:
            self._tell(perf_counter())
        if certificate is None:
            certificate = self.certificate()
            met = met or certificate.within(self.tol)
        return Found(self.flat(), self.history, met, certificate)

    def flat(self) -> Flat:
        return np.append(self.w, self.point.b)

    def certificate(self, slopes: Flat | None = None) -> Certificate:
        """What these weights prove, by the slopes of the rows here, if those of the weights are known."""
        if slopes is None:
            return certify(self.problem, self.flat())
        return certify(self.problem, self.flat(), self.point.slopes[:, np.newaxis], summed=slopes)

    def _tell(self, began: float) -> None:
        tally = Pass(self.point.mistakes, 1, self.point.loss, perf_counter() - began)
        self.history.append(tally)
        self.watch(tally)

    def value(self, w: Flat, loss: float) -> float:
        """f at these weights, whose mean loss is this."""
        return loss + self.penalty.l1 * float(np.abs(w).sum()) + 0.5 * self.penalty.l2 * float(w @ w)

    def gap(self, slopes: Flat, w: Flat) -> float:
        """The relative gap as the slopes of some or all weights show it, if the intercept is at its best (see
        duality_gap.py, which proves it)."""
        primal, (l1, l2) = self.value(w, self.point.loss), (self.penalty.l1, self.penalty.l2)
        if not np.isfinite(primal):
            raise NumericalError(TOO_LARGE)
        sizes = -slopes if self.penalty.positive else np.abs(slopes)
        if l2 > 0:
            beyond = np.maximum(0.0, sizes - l1)
            dual = self.point.dual(1.0) - float(beyond @ beyond) / (2 * l2)
        else:
            largest = float(sizes.max(initial=0.0))
            dual = self.point.dual(min(1.0, l1 / largest) if largest > 0 else 1.0)
        return max(0.0, primal - max(dual, 0.0)) / primal if primal > 0 else 0.0

    def _steepest(self, slopes: Flat) -> Numbers:
        """The columns that have a weight, and the steepest others."""
        d = self.problem.columns
        if d <= FEW_COLUMNS and self.solver.source.products(np.arange(d)) <= FEW_PRODUCTS:
            return np.arange(d)
        sizes, used = -slopes if self.penalty.positive else np.abs(slopes), self.w != 0
        weights, steep = int(used.sum()), int(np.count_nonzero((sizes > self.penalty.l1) & ~used))
        size = min(max(self.size, GROWTH * weights), weights + max(FEWEST, OF_STEEP * steep))
        if 2 * size > d:
            return np.arange(d)
        sizes[used] = np.inf
        return np.sort(np.argpartition(-sizes, size)[:size])

    def _over(self, which: Numbers, slopes: Flat, target: float) -> float:
        """Newton's steps over some of the columns, from these slopes, until the gap over them is as small as this; the
        gap at the end."""
        columns, free = self.solver.columns(which), self.problem.intercept
        u, gap = self.w[which], float("inf")
        slopes = slopes - columns.means * self.point.total_slope
        for step in range(STEPS_ON_ALL if len(which) == self.problem.columns else MOST_STEPS):
            if step:
                self.point.balance()
                if not self.solver.squared or isinstance(columns, ByColumn):
                    slopes = columns.slopes(self.point.r)
                gap = self.gap(slopes, u)
            if gap <= target or len(self.history) >= self.how.most:
                break
            began = perf_counter()
            enough = self._enough(slopes, u, target)
            if isinstance(columns, ByColumn):
                found = quadratic_model.by_columns(
                    columns, self.point.r, self.point.h, u, self.penalty, enough, free=free
                )
            else:
                pairs = self.solver.pairs(columns, self.point.h)
                found = quadratic_model.by_pairs(pairs, slopes, self.point.total_slope, u, self.penalty, enough)
                if self.solver.squared:  # what the model says of the slopes there is true
                    slopes = found.slopes
            change = found.weights - u
            length = self._move(columns, u, change, found.shift, slopes)
            if length == 0.0:
                break
            u = u + length * change if length < 1.0 else found.weights
            self.w[which] = u
            self._tell(began)
        return gap

    def _enough(self, slopes: Flat, u: Flat, target: float) -> float:
        """How far off the slopes of the model's minimum may be for this gap."""
        l1, l2 = self.penalty.l1, self.penalty.l2
        value = self.value(u, self.point.loss)
        if l2 > 0:
            allowed = np.sqrt(2.0 * l2 * OF_GAP * target * value / max(1, len(u)))
        else:
            size = max(float(np.abs(u).sum()), value / l1 * 1e-3)
            allowed = min(OF_GAP * target * value / size, 0.1 * l1)
        if self.solver.squared:
            return FURTHER * float(allowed)
        sizes = -slopes if self.penalty.positive else np.abs(slopes)
        off = np.where(u != 0, np.abs(slopes + l2 * u + l1 * np.sign(u)), np.maximum(0.0, sizes - l1))
        return max(float(allowed), OF_FIRST * float(off.max(initial=0.0)))

    def _move(self, columns: DenseColumns | SparseColumns | ByColumn, u: Flat, change: Flat, shift: float,
              slopes: Flat) -> float:  # fmt: skip
        """Go along this change of the weights and the intercept, as far as f falls; returns how far."""
        along = columns.scores(change)
        own = float(columns.means @ change)
        if not np.isfinite(along).all():
            raise NumericalError(TOO_LARGE)
        if self.solver.squared:
            self.point.move(along, shift, shift - own)
            return 1.0
        l1, l2 = self.penalty.l1, self.penalty.l2
        before = self.value(u, self.point.loss)
        fall = float(slopes @ change) + self.point.total_slope * shift + l2 * float(u @ change)
        fall += l1 * float(np.abs(u + change).sum() - np.abs(u).sum())
        if fall > -ROUNDING * before:  # f cannot show it; near the optimum the model is to be trusted
            self.point.move(along, shift, shift - own)
            return 1.0
        length = 1.0
        for _ in range(HALVINGS):
            there = self.point.moved(along, shift, shift - own, length)
            if self.value(u + length * change, there.loss) <= before + ENOUGH * length * fall:
                self.point = there
                return length
            length /= 2
        return 0.0
