"""Newton's method on few dense rows, all steps in one call of a kernel: calls for each step took most of the time.

With an L2 penalty the steps are those of newton.py, with an L1 penalty proximal ones, as in coordinate_descent.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.errors import NumericalError
from linnet.kernels import small_certificate, small_l1, small_newton
from linnet.training.descent import TIGHT, Descent, Found
from linnet.training.duality_gap import OVERFLOWN, Certificate, certify, stated
from linnet.training.gap_rounding import Rounding
from linnet.training.history import Pass, Watcher
from linnet.training.objective import TOO_LARGE, Flat, Objective
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
    aim = tol if tol > TIGHT else 0.0  # one or two more steps, until rounding lets f fall no further
    weights, dual, sample_weights = how.begin(problem), np.empty(n), normalised_weights(problem)
    while True:
        began, tallies = perf_counter(), np.empty((how.most - len(history), 2))
        made, closed, known = small_newton.descend(
            problem.rows.values, problem.loss.code, problem.intercept, problem.signed, sample_weights,
            problem.penalty.l2, aim, weights, dual, tallies,
        )  # fmt: skip
        history += _passes(tallies, made, n, began, watch)
        if not how.proven:
            return Found(weights, history, closed or len(history) < how.most)
        certificate = certified(problem, weights, sample_weights, dual if known else None)
        if not closed or certificate.within(tol) or len(history) == how.most:
            return Found(weights, history, how.tol is None or certificate.within(tol), certificate)


@dataclass
class _AllRows:
    """What all rows together add to a certificate."""

    largest: float
    steepness: float
    mean_size: float
    mean_slope: float = 0.0
    bend: float = 0.0

    def size(self) -> float:
        return self.mean_size


def certified(problem: Objective, weights: Flat, sample_weights: Flat, dual: Flat | None) -> Certificate:
    """What duality_gap.py would certify of an L2 penalty: the same objective, and a bound by one look at the rows.

    `dual` is brought into its bounds in place.
    """
    w, l2, v = problem.penalised(weights), problem.penalty.l2, np.empty(len(weights))
    scores = problem.rows.matrix() @ w + weights[-1]
    values, slopes = problem.loss.at(scores, problem.signed)
    primal = float((sample_weights * values).sum()) + 0.5 * l2 * float((w * w).sum())
    if not np.isfinite(primal):
        return Certificate(primal, -np.inf, OVERFLOWN)
    largest, steepness, size, conjugate = small_certificate.certified(
        problem.rows.values, problem.loss.code, problem.intercept, problem.signed, sample_weights,
        scores, slopes, slopes.copy() if dual is None else dual, v,
    )  # fmt: skip
    one_by_one = Rounding.PAIRWISE + len(scores)
    rounding = Rounding(problem, weights, [_AllRows(largest, steepness, size)], primal, operations=one_by_one)
    v = v[:-1]
    bound = -conjugate - float((v * v).sum()) / (2.0 * l2)
    return stated(primal, bound, rounding.total(np.abs(v) / l2), rounding, w)


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
