"""Newton's method on few dense rows, all steps in one call of a kernel: calls for each step took most of the time.

With an L2 penalty the steps are those of newton.py, with an L1 penalty proximal ones, as in coordinate_descent.py.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.errors import NumericalError
from linnet.kernels import small_l1, small_newton
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import TOO_LARGE, Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.hessian import IN_KERNEL

# Up to this many rows, columns, and products of two columns over all rows the kernels are faster than calls of BLAS.
ROWS, COLUMNS, PRODUCTS = 4000, 50, 1 << 20
# What proximal steps have not brought to an end by then is not easy, and left to coordinate descent.
MOST_PROXIMAL = 25


def suits(problem: Objective) -> bool:
    """Whether the problem is small, and the kernels know its loss and penalty."""
    n, d = problem.rows.shape
    penalty = problem.penalty
    known = problem.outputs == 1 and problem.loss.code in IN_KERNEL and not penalty.positive
    small = n <= ROWS and d <= COLUMNS and n * d * d <= PRODUCTS
    dense = problem.rows.dense and not isinstance(problem.rows, PackedRows)
    return known and small and dense and (penalty.l1 > 0 or penalty.l2 > 0)


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol, or until rounding lets f fall no further; for an L2 penalty."""
    n, tol, history = len(problem.targets), how.tol or 0.0, list[Pass]()
    weights, dual, sample_weights = how.begin(problem), np.empty(n), normalised_weights(problem)
    while True:
        began, tallies = perf_counter(), np.empty((how.most - len(history), 2))
        made, closed, known = small_newton.descend(
            problem.rows.values, problem.loss.code, problem.intercept, problem.signed, sample_weights,
            problem.penalty.l2, tol, weights, dual, tallies,
        )  # fmt: skip
        history += _passes(tallies, made, n, began, watch)
        if not how.proven:
            return Found(weights, history, closed)
        certificate = certify(problem, weights, dual[:, np.newaxis] if known else None)
        if not closed or certificate.within(tol) or len(history) == how.most:
            return Found(weights, history, how.tol is None or certificate.within(tol), certificate)


def proximal_newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol, some at most; for an L1 penalty or an elastic net."""
    assert how.tol is not None
    weights, began, tallies = how.begin(problem), perf_counter(), np.empty((min(how.most, MOST_PROXIMAL), 2))
    made, closed = small_l1.descend(
        problem.rows.values, problem.loss.code, problem.intercept, problem.signed, normalised_weights(problem),
        problem.penalty.l1, problem.penalty.l2, how.tol, weights, tallies,
    )  # fmt: skip
    found = Found(weights, _passes(tallies, made, len(problem.targets), began, watch), closed)
    if not how.proven or not (closed or made == how.most):
        return found
    certificate = certify(problem, weights)
    return replace(found, converged=certificate.within(how.tol), certificate=certificate)


def _passes(tallies: NDArray[np.float64], made: int, n: int, began: float, watch: Watcher) -> list[Pass]:
    """What a kernel tells of its steps."""
    if made < 0:
        raise NumericalError(TOO_LARGE)
    seconds = (perf_counter() - began) / max(1, made)
    history = [Pass(int(mistakes), n, loss, seconds) for loss, mistakes in tallies[:made].tolist()]
    for each in history:
        watch(each)
    return history
