"""Coordinate descent for L1 penalties and elastic nets, on working sets of the columns, until the gap is proven small.

    minimise f(w, b) = (1/N) sum_i c_i loss(x_i . w + b, y_i) + l1 |w|_1 + l2/2 |w|_2^2

At the optimum most weights are 0: those whose column has a slope smaller than l1.  A working set is the columns that
have a weight, and those with the steepest slopes.  Over it f is minimised by proximal Newton steps: the losses are
replaced by parabolas, coordinate descent finds the minimum of that model (quadratic_model.py), and the step is halved
until f itself falls enough (Yuan, Ho, Lin 2012, An improved GLMNET for L1-regularized logistic regression).  Least
squares are their own parabolas.  The slopes of all columns then give the gap and the next, larger set (Massias,
Gramfort, Salmon 2018, Celer: a fast solver for the Lasso with dual extrapolation).

A look at all of very many dense columns costs more than a whole set: sets are then taken from a copy of the steepest
columns, until the gap over these is small.  Of very many rows a sample tells where to begin.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, certify
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.solvers import quadratic_model, small_tables
from linnet.training.solvers.point import Point
from linnet.training.solvers.working_columns import (
    MOST_PAIRED,
    ByColumn,
    DenseColumns,
    Pairs,
    Source,
    SparseColumns,
)

Numbers = NDArray[np.int64]

# Up to this many columns are one set, if their table of pairs takes at most this many products; of more, the first set
# has the root of AT_FIRST times their number, or FEWEST.  For least squares it has more, whose table of pairs is made
# once a set and takes about as long as one look at all columns.
FEW_COLUMNS, FEW_PRODUCTS = 400, 1 << 26
AT_FIRST, AT_FIRST_OF_SQUARES, FEWEST = 2.0, 8.0, 32
# A later set has this many times the columns that have a weight; but of those without one, no more than this many times
# the ones steeper than l1, or as many as are always AT_HAND.  Where there is no table of pairs, a large set costs no
# more than its entries: it has one of EXPECTED columns that have a weight or are steep (no more weights than rows are
# needed).
GROWTH, OF_STEEP, AT_HAND, EXPECTED = 2, 4, 8, 2
# The gap over a set, beside the last one over all columns and beside the one asked for.
OF_LAST, OF_ASKED = 0.2, 0.5
# Of many dense columns a copy is made of the steepest first, one of so many, unless these are few; and the gap over
# them, beside the last one over all.
OF_MANY, FEW_CANDIDATES, OF_LAST_OF_MANY = 25, 500, 0.005
# Where there are this many times as many, the first weights are those of a sample of this many rows, and this many for
# each column; solved up to this gap.
MANY_SAMPLES, SAMPLE, SAMPLE_A_COLUMN, SAMPLE_GAP = 8, 4096, 40, 1e-3
# How far the model is solved: slopes are off by this fraction of what the gap asked for allows, or (of losses that are
# not parabolas) of what they were off by at first; by a table of pairs, which costs more than sweeps over it, less.
OF_GAP, OF_FIRST, OF_FIRST_BY_PAIRS = 0.3, 0.2, 0.02
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
    history: list[Pass] = []
    if how.tol is not None and problem.penalty.l1 > 0 and small_tables.suits(problem):
        found = small_tables.proximal_newton(problem, how, watch)
        if found.converged or len(found.history) >= how.most:
            return found
        history, how = found.history, replace(how, start=found.weights, most=how.most - len(found.history))
    found = CoordinateDescent(problem).solve(problem.penalty, how, watch)
    return replace(found, history=history + found.history) if history else found


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
        start = self._start(how).copy()
        w, b = start[:-1], float(start[-1]) if self.problem.intercept else 0.0
        if penalty.positive:
            np.maximum(w, 0.0, out=w)
        scores = self.problem.scores(np.append(w, 0.0))[:, 0] if w.any() else np.zeros(len(self.problem.targets))
        return _Run(self, w, Point.first(self.problem, scores, b), how, watch).descend()

    def _start(self, how: Descent) -> Flat:
        """Where the descent begins: of many rows, unless it is given, at the minimum over a sample of them."""
        rows = self.problem.order if len(self.problem.order) else np.arange(len(self.problem.targets))
        every = len(rows) // max(SAMPLE, SAMPLE_A_COLUMN * self.problem.columns)
        if how.start is not None or every < MANY_SAMPLES:
            return how.begin(self.problem)
        some = self.problem.of_rows(rows[::every])
        few = Descent(how.most, SAMPLE_GAP, proven=False)
        return CoordinateDescent(some).solve(self.problem.penalty, few, ignore).weights

    @property
    def last(self) -> Numbers | None:
        """The columns of the last set."""
        return None if self._columns is None else self._columns.which

    def columns(self, which: Numbers) -> DenseColumns | SparseColumns | ByColumn:
        """The columns of a working set; the last ones are kept."""
        if self._columns is None or not np.array_equal(self._columns.which, which):
            self._columns, self._pairs = self.source.columns(which), None
        return self._columns

    def products(self, w: Flat) -> Flat | None:
        """w . x of every row by the sparse columns of the last set, if that has all weights other than 0."""
        columns = self._columns
        if columns is None or self.problem.rows.dense or np.count_nonzero(w) > np.count_nonzero(w[columns.which]):
            return None
        return columns.scores(w[columns.which])

    def pairs(self, columns: DenseColumns | SparseColumns, h: Flat) -> Pairs:
        if self._pairs is not None and columns is self._columns and self.squared:
            return self._pairs
        found = columns.pairs(h, intercept=self.problem.intercept)
        if self.squared and columns is self._columns:
            self._pairs = found
        return found


class _Run:
    """One descent."""

    def __init__(self, solver: CoordinateDescent, w: Flat, point: Point, how: Descent, watch: Watcher) -> None:
        self.solver, self.problem, self.penalty = solver, solver.problem, solver.problem.penalty
        self.w, self.point, self.how, self.watch = w, point, how, watch
        self.tol = NO_TOLERANCE if how.tol is None else how.tol
        self.history: list[Pass] = []
        factor = AT_FIRST_OF_SQUARES if solver.squared else AT_FIRST
        self.size = max(FEWEST, int(np.sqrt(factor * self.problem.columns)))

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
            before = len(self.history)
            candidates = self._candidates(slopes)
            if candidates:
                which = _first(candidates, self._sizes(slopes), self.w)
                self._among(which, max(OF_LAST_OF_MANY * gap, OF_ASKED * asked))
                continue
            which = self._steepest(slopes)
            every = len(which) == self.problem.columns
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
        products = self.solver.products(self.w)
        return certify(self.problem, self.flat(), self.point.slopes[:, np.newaxis], products=products, summed=slopes)

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
        sizes = self._sizes(slopes)
        if l2 > 0:
            beyond = np.maximum(0.0, sizes - l1)
            dual = self.point.dual(1.0) - float(beyond @ beyond) / (2 * l2)
        else:
            largest = float(sizes.max(initial=0.0))
            dual = self.point.dual(min(1.0, l1 / largest) if largest > 0 else 1.0)
        return max(0.0, primal - max(dual, 0.0)) / primal if primal > 0 else 0.0

    def _sizes(self, slopes: Flat) -> Flat:
        """How steep each of these is, towards where its weight may go."""
        return -slopes if self.penalty.positive else np.abs(slopes)

    def _candidates(self, slopes: Flat) -> int:
        """How many dense columns are worth a copy; 0 if few are steep, or if they were too many."""
        d, weights = self.problem.columns, int(np.count_nonzero(self.w))
        size = max(d // OF_MANY, GROWTH * GROWTH * weights)
        if not self.problem.rows.dense or not FEW_CANDIDATES <= size <= d // 4:
            return 0
        steep = int(np.count_nonzero((self._sizes(slopes) > self.penalty.l1) & (self.w == 0)))
        return size if steep > FEWEST else 0

    def _steepest(self, slopes: Flat) -> Numbers:
        """The columns that have a weight, and the steepest others; the last set, if it has all that are steep."""
        n, d = self.problem.rows.shape
        if d <= FEW_COLUMNS and self.solver.source.products(np.arange(d)) <= FEW_PRODUCTS:
            return np.arange(d)
        sizes, used = self._sizes(slopes), self.w != 0
        steep = (sizes > self.penalty.l1) & ~used
        last, weights, more = self.solver.last, int(used.sum()), int(steep.sum())
        if last is not None and np.count_nonzero(used[last] | steep[last]) == weights + more:
            return last
        least, expected = max(self.size, GROWTH * weights), min(weights + more, n) // EXPECTED
        if expected > MOST_PAIRED:
            least = max(least, expected)
        size = min(least, weights + max(AT_HAND if weights else FEWEST, OF_STEEP * more))
        return np.arange(d) if 2 * size > d else _first(size, sizes, self.w)

    def _among(self, which: Numbers, target: float) -> None:
        """The same descent over some of many columns: a copy of them is quickly looked at."""
        inner = CoordinateDescent(self.problem.of_columns(which))
        how = replace(self.how, tol=target, most=self.how.most - len(self.history), proven=False)
        run = _Run(inner, self.w[which], self.point, how, self.watch)
        self.history += run.descend().history
        self.w[which], self.point = run.w, run.point

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
            of_first = OF_FIRST if isinstance(columns, ByColumn) else OF_FIRST_BY_PAIRS
            enough = self._enough(slopes, u, target, of_first)
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

    def _enough(self, slopes: Flat, u: Flat, target: float, of_first: float) -> float:
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
        sizes = self._sizes(slopes)
        off = np.where(u != 0, np.abs(slopes + l2 * u + l1 * np.sign(u)), np.maximum(0.0, sizes - l1))
        return max(float(allowed), of_first * float(off.max(initial=0.0)))

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


def _first(size: int, sizes: Flat, w: Flat) -> Numbers:
    """This many columns: those that have a weight, and those with the largest of these sizes."""
    return np.sort(np.argpartition(-np.where(w != 0, np.inf, sizes), size)[:size])
