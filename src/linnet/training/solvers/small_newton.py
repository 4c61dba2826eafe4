"""Newton's method (newton.py) on few dense rows, all steps in one call of a kernel: calls were most of the time."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from linnet.data.packed_rows import PackedRows
from linnet.errors import NumericalError
from linnet.kernels import small_newton as kernel
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import TOO_LARGE, Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.hessian import IN_KERNEL

# Up to this many rows, columns, and products of two columns over all rows the kernel is faster than calls of BLAS.
ROWS, COLUMNS, PRODUCTS = 4000, 50, 1 << 20


def suits(problem: Objective) -> bool:
    """Whether the problem is small, and the kernel knows its loss and penalty."""
    n, d = problem.rows.shape
    known = problem.outputs == 1 and problem.loss.code in IN_KERNEL and problem.penalty.l2 > 0
    small = n <= ROWS and d <= COLUMNS and n * d * d <= PRODUCTS
    return known and small and problem.rows.dense and not isinstance(problem.rows, PackedRows)


def descend(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol, or until rounding lets f fall no further."""
    n, tol, history = len(problem.targets), how.tol or 0.0, list[Pass]()
    weights, dual, sample_weights = how.begin(problem), np.empty(n), normalised_weights(problem)
    while True:
        began, tallies = perf_counter(), np.empty((how.most - len(history), 2))
        made, closed, known = kernel.descend(
            problem.rows.values, problem.loss.code, problem.intercept, problem.signed, sample_weights,
            problem.penalty.l2, tol, weights, dual, tallies,
        )  # fmt: skip
        if made < 0:
            raise NumericalError(TOO_LARGE)
        seconds = (perf_counter() - began) / max(1, made)
        for loss, mistakes in tallies[:made].tolist():
            history.append(Pass(int(mistakes), n, loss, seconds))
            watch(history[-1])
        if not how.proven:
            return Found(weights, history, closed)
        certificate = certify(problem, weights, dual[:, np.newaxis] if known else None)
        if not closed or certificate.within(tol) or len(history) == how.most:
            return Found(weights, history, how.tol is None or certificate.within(tol), certificate)
