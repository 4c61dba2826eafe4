"""The SVM of very many classes with sparse weights, to a proven duality gap.

kernels/sparse_classes.py states the problem.

The weights of the model and both sides of the gap are worked out anew from the dual variables, not taken from the sums
that the sweeps kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from linnet.cores import scipy
from linnet.data.rows import Examples, Rows
from linnet.kernels import sparse_classes as kernel
from linnet.kernels.dual_svm import shuffle
from linnet.learners.sparse_weights import SparseWeights
from linnet.training.duality_gap import Certificate
from linnet.training.history import Pass, Watcher

# Sweeps between two looks at the gap, which take about as long as one.
BETWEEN_LOOKS = 3


@dataclass(frozen=True, eq=False)
class Solved:
    """The weights, features x classes, and what is proven of them."""

    weights: SparseWeights
    history: list[Pass]
    converged: bool
    certificate: Certificate


def solve(examples: Examples, classes: int, C: float, *, tol: float | None, most: int, watch: Watcher) -> Solved:
    """Minimise 1/2 sum_k |w_k|^2 + C sum_i max(0, 1 - z_y + max(0, max over k != y of z_k)), rows by their weights."""
    problem = _Dual(examples, classes, C)
    history: list[Pass] = []
    while True:
        history.append(problem.sweep())
        watch(history[-1])
        last = len(history) >= most
        if last or (tol is not None and len(history) % BETWEEN_LOOKS == 0 and problem.estimated_gap() <= tol):
            weights, certificate = problem.certified()
            near = tol is None or certificate.within(tol)
            if last or near:
                return Solved(weights, history, near, certificate)


def objective(examples: Examples, classes: int, C: float, weights: SparseWeights) -> float:
    """The objective of these weights, over the sum of the rows' costs."""
    return _Dual(examples, classes, C).primal(weights)


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
        self.weights, self.parts = kernel.ClassLists(rows.shape[1], classes), kernel.ClassLists(n)
        self.scores = np.zeros(classes + 1, dtype=np.float32)
        self.dual, self.sweeps = 0.0, 0

    def sweep(self) -> Pass:
        began = perf_counter()
        shuffle(self.order, self.sweeps)
        self.sweeps += 1
        loss, gain, mistakes, changed = self._visit(self.weights, learning=True)
        self.dual += gain
        return Pass(mistakes, changed, loss / self.total, perf_counter() - began)

    def _visit(self, weights: Any, *, learning: bool) -> tuple[float, float, int, int]:
        visited: tuple[float, float, int, int] = kernel.sweep(
            self.values, self.rows.ids, self.rows.starts, self.order, self.classes, self.costs, self.lengths,
            weights, self.parts, self.scores, learning,
        )  # fmt: skip
        return visited

    def estimated_gap(self) -> float:
        """The gap by the sums that the sweeps kept."""
        primal = 0.5 * self.weights.squares() + self._visit(self.weights, learning=False)[0]
        return (primal - self.dual) / primal if primal > 0 else 0.0

    def certified(self) -> tuple[SparseWeights, Certificate]:
        """The weights that the parts make, and both sides of the gap at them, as a mean over the rows' costs."""
        sparse = scipy("sparse")
        n, d = self.rows.shape
        counts, classes, parts = self.parts.flat()
        rows = np.repeat(np.arange(n), counts)
        mine = classes == self.classes[rows]
        own = np.clip(np.bincount(rows[mine], parts[mine], n), 0.0, self.costs)
        others = np.bincount(rows[~mine], parts[~mine], n)
        # single precision may leave the others a little more than the row's own class has to give
        fraction = np.where(-others > own, own / np.where(others < 0, -others, 1.0), 1.0)
        parts = np.where(mine, own[rows], parts * fraction[rows])
        named = (classes < self.outputs) & (parts != 0)
        table = sparse.csr_array((parts[named], (rows[named], classes[named].astype(np.int64))), (n, self.outputs))
        X = sparse.csr_array((self.values, self.rows.ids.astype(np.int64), self.rows.starts), shape=(n, d))
        weights = SparseWeights.of(X.T.tocsr() @ table)
        squares = 0.5 * float(weights.values @ weights.values)
        dual = float(own.sum()) - squares
        return weights, Certificate(self.primal(weights), dual / self.total)

    def primal(self, weights: SparseWeights) -> float:
        """The objective of these weights, over the sum of the rows' costs."""
        losses = np.empty(len(self.classes))
        kernel.losses(
            self.values, self.rows.ids, self.rows.starts, self.classes, weights.starts, weights.outputs,
            weights.values, np.zeros(self.outputs), losses,
        )  # fmt: skip
        return (0.5 * float(weights.values @ weights.values) + float(self.costs @ losses)) / self.total


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
