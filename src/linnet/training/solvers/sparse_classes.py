"""The SVM of very many classes with sparse weights, to a proven duality gap.

kernels/sparse_classes.py states the problem.

To score all classes takes most of the time of a sweep, so each sweep that does follows one over only the classes that
rows pull already.  The first of these finds, with no rivals but that of score 0, where each class is: the rivals that
the second meets are those that matter.

The weights of the model and both sides of the gap are worked out anew from the dual variables, not taken from the sums
that the sweeps kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.cores import scipy
from linnet.data.rows import Examples, Rows
from linnet.kernels.class_lists import ClassLists
from linnet.kernels.dual_svm import shuffle
from linnet.kernels.sparse_classes import sweep
from linnet.kernels.sparse_weights import combined, losses
from linnet.learners.sparse_weights import SparseWeights
from linnet.training.duality_gap import Certificate
from linnet.training.history import Pass, Watcher

# The gap after a sweep, as a multiple of the one by the losses that the sweep met, each before its row's step.
FIRST_GUESS = 0.5


@dataclass(frozen=True, eq=False)
class Solved:
    """The weights, features x classes, and what is proven of them: nothing, if that was not asked for."""

    weights: SparseWeights
    history: list[Pass]
    converged: bool
    certificate: Certificate | None


def solve(
    examples: Examples,
    classes: int,
    C: float,
    *,
    tol: float | None,
    most: int,
    watch: Watcher,
    kept: Callable[[SparseWeights], SparseWeights] = lambda weights: weights,
    proven: bool = True,
) -> Solved:
    """Minimise 1/2 sum_k |w_k|^2 + C sum_i max(0, 1 - z_y + max(0, max over k != y of z_k)), rows by their weights.

    What is proven is proven of the weights with the digits that are `kept` of them.  What is not to be proven ends
    where the gap is estimated to be small enough.
    """
    problem = _Dual(examples, classes, C)
    history: list[Pass] = []
    factor = FIRST_GUESS
    while True:
        history.append(problem.improve())
        watch(history[-1])
        # single precision has no step left: none will follow either
        last = len(history) >= most or history[-1].updates == 0
        met = problem.gap_of_losses(history[-1].loss)
        near = tol is not None and factor * met <= tol
        if not (last or near):
            continue
        parts = problem.feasible()
        weights = problem.combined(parts)
        if not proven:
            return Solved(weights, history, near or tol is None, None)
        certificate = Certificate(problem.primal(kept(weights)), problem.dual_of(parts, weights))
        near = tol is None or certificate.within(tol)
        if last or near:
            return Solved(weights, history, near, certificate)
        factor = min(1.0, certificate.gap / met) if met > 0 else 1.0


def objective(examples: Examples, classes: int, C: float, weights: SparseWeights) -> float:
    """The objective of these weights, over the sum of the rows' costs."""
    return _Dual(examples, classes, C).primal(weights)


@dataclass(frozen=True, eq=False)
class Parts:
    """Of row i the parts of classes[starts[i]] to classes[starts[i + 1]]; the sum of those of the rows' own classes."""

    starts: NDArray[np.int64]
    classes: NDArray[np.uint32]
    numbers: NDArray[np.float64]
    own: float


class _Dual:
    """The parts t of all rows, and the weights that they make."""

    def __init__(self, examples: Examples, classes: int, C: float) -> None:
        rows = _sparse(examples.rows)
        self.rows, self.outputs = rows, classes
        self.values = rows.values.astype(np.float64)
        self.classes = examples.targets.astype(np.int64)
        n = len(self.classes)
        self.costs = C * (np.ones(n) if examples.weights is None else examples.weights)
        self.total = float(self.costs.sum())
        which = np.repeat(np.arange(n), np.diff(rows.starts))
        self.lengths = np.bincount(which, self.values * self.values, n)
        self.order = np.arange(n, dtype=np.uint32)
        self.weights, self.parts = ClassLists(rows.shape[1], classes), ClassLists(n)
        self.scores = np.zeros(classes + 1, dtype=np.float32)
        self.dual, self.sweeps = 0.0, 0

    def improve(self) -> Pass:
        """A sweep over the classes that rows pull, and one over all, whose losses and mistakes are counted."""
        began = perf_counter()
        _, _, changed = self._sweep(pulled_only=True)
        loss, mistakes, also_changed = self._sweep(pulled_only=False)
        return Pass(mistakes, changed + also_changed, loss / self.total, perf_counter() - began)

    def _sweep(self, *, pulled_only: bool) -> tuple[float, int, int]:
        shuffle(self.order, self.sweeps)
        self.sweeps += 1
        loss, gain, mistakes, changed = sweep(
            self.values, self.rows.ids, self.rows.starts, self.order, self.classes, self.costs, self.lengths,
            self.weights, self.parts, self.scores, pulled_only,
        )  # fmt: skip
        self.dual += gain
        return loss, mistakes, changed

    def gap_of_losses(self, mean: float) -> float:
        """The gap, if the mean of the losses were this one, by the sums that the sweeps kept."""
        primal = 0.5 * self.weights.squares() + self.total * mean
        return (primal - self.dual) / primal if primal > 0 else 0.0

    def feasible(self) -> Parts:
        """The parts of all rows, in double precision, with no class beyond its limits."""
        n = len(self.classes)
        counts, classes, numbers = self.parts.flat()
        rows = np.repeat(np.arange(n), counts)
        mine = classes == self.classes[rows]
        own = np.clip(np.bincount(rows[mine], numbers[mine], n), 0.0, self.costs)
        others = np.bincount(rows[~mine], numbers[~mine], n)
        # single precision may leave the others a little more than the row's own class has to give
        fraction = np.where(-others > own, own / np.where(others < 0, -others, 1.0), 1.0)
        numbers = np.where(mine, own[rows], numbers * fraction[rows])
        named = (classes < self.outputs) & (numbers != 0)
        starts = np.append(0, np.cumsum(np.bincount(rows[named], minlength=n))).astype(np.int64)
        return Parts(starts, classes[named], numbers[named], float(own.sum()))

    def combined(self, parts: Parts) -> SparseWeights:
        """The weights that the parts make."""
        shape = self.rows.shape
        X = scipy("sparse").csr_array((self.values, self.rows.ids.astype(np.int64), self.rows.starts), shape).tocsc()
        starts, outputs, values = combined(
            X.data, X.indices.astype(np.uint32), X.indptr.astype(np.int64), parts.numbers, parts.classes, parts.starts,
            self.outputs, self.weights.pairs,
        )  # fmt: skip
        return SparseWeights(starts, outputs, values, (shape[1], self.outputs))

    def dual_of(self, parts: Parts, weights: SparseWeights) -> float:
        """The dual value of these parts, which make these weights, over the sum of the rows' costs."""
        return (parts.own - 0.5 * float(weights.values @ weights.values)) / self.total

    def primal(self, weights: SparseWeights) -> float:
        """The objective of these weights, over the sum of the rows' costs."""
        found = np.empty(len(self.classes))
        losses(
            self.values, self.rows.ids, self.rows.starts, self.classes, weights.starts, weights.outputs,
            weights.values, np.zeros(self.outputs), found,
        )  # fmt: skip
        return (0.5 * float(weights.values @ weights.values) + float(self.costs @ found)) / self.total


def _sparse(rows: Rows) -> Rows:
    """The rows with the columns of their entries named; zeros are not entries."""
    if not rows.dense:
        entries = slice(rows.starts[0], rows.starts[-1])
        return Rows(rows.values[entries], rows.ids[entries], rows.starts - rows.starts[0], rows.shape)
    n, d = rows.shape
    table = rows.values.reshape(n, d)
    at = np.nonzero(table)
    starts = np.append(0, np.cumsum(np.bincount(at[0], minlength=n))).astype(np.int64)
    return Rows(table[at], at[1].astype(np.uint32), starts, (n, d))
