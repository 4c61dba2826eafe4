"""One step of Newton's method from a start near the optimum, certified at once: two reads of the rows, nothing kept.

For numbers to predict from many dense rows.  The first read adds up the gradient and H, the second the certificate
(duality_gap.py).  Its dual point is that of the step, g + D X p (newton.py), with the slopes g and the second
derivatives D at the start computed again: that takes less time than to write them to memory and read them.
"""

from __future__ import annotations

from math import sqrt
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.solvers.hessian import IN_CACHE, IN_KERNEL, squared_columns
from linnet.training.threads import added, over_parts

Table = NDArray[np.float64]


def suits(problem: Objective, how: Descent) -> bool:
    """Whether the rows are dense numbers to predict, by a loss and a penalty of which a gap can be proven."""
    known = problem.loss.strictly_convex and problem.loss.has_conjugate and problem.loss.code not in IN_KERNEL
    rows = problem.rows.dense and not isinstance(problem.rows, PackedRows) and problem.columns**2 <= IN_CACHE
    asked = how.proven and how.tol is not None and how.tol > 0 and how.most > 0 and problem.penalty.l2 > 0
    return known and rows and asked and problem.regression and problem.outputs == 1


def near_step(problem: Objective, start: Flat, value: float, how: Descent, watch: Watcher) -> Found | None:
    """The step, if it ends within the gap that is asked for; None if not, and if it promises too much to end there.

    `value` is about that of f.  What a step leaves is about the square of what it gains, as fractions of f.
    """
    tol, began = how.aim, perf_counter()
    gradient, hessian = _slope_and_bend(problem, start)
    free = problem.size if problem.intercept else problem.columns
    if not np.isfinite(gradient).all() or not np.isfinite(hessian).all():
        return None
    change = np.zeros(problem.size)
    change[:free] = -ScaledFactors(mirrored(hessian[:free, :free].T)).solve(gradient[:free])
    if not 0 <= -float(gradient @ change) <= sqrt(tol) * value:
        return None

    def slopes(X: Table, scores: Table, at: slice) -> Table:
        before = X @ start[:-1]
        before += start[-1]
        g, bends = problem.loss.slopes_and_curvatures(before, problem.signed[at])
        bends *= scores[:, 0] - before
        g += bends
        return np.asarray(g[:, np.newaxis])

    weights = start + change
    certificate = certify(problem, weights, slopes)
    if not certificate.within(tol):
        return None
    w = problem.penalised(weights)
    loss = certificate.primal - 0.5 * problem.penalty.l2 * float(w @ w)
    tally = Pass(0, len(problem.targets), loss, perf_counter() - began)
    watch(tally)
    return Found(weights, [tally], True, certificate)


def _slope_and_bend(problem: Objective, weights: Flat) -> tuple[Flat, Table]:
    """The gradient of f, and the upper triangle of H, each with the intercept last."""
    d, l2 = problem.columns, problem.penalty.l2
    height, weighted = max(1, IN_CACHE // (d + 1)), len(problem.sample_weights) > 0

    def part(first: int, last: int) -> Table:
        sums, room = np.zeros((d + 2, d + 1)), np.empty((height, d + 1))
        for begin in range(first, last, height):
            at = slice(begin, min(last, begin + height))
            X = problem.rows.matrix(at)
            scores = X @ weights[:-1]
            scores += weights[-1]
            slopes, bends = problem.loss.slopes_and_curvatures(scores, problem.signed[at])
            if weighted:
                slopes *= problem.sample_weights[at]
                bends *= problem.sample_weights[at]
            sums[:-1] += squared_columns(X, bends, room)
            sums[-1, :-1] += slopes @ X
            sums[-1, -1] += slopes.sum()
        return sums

    sums = added(over_parts(part, len(problem.targets), max(height, problem.rows_a_part)))
    sums /= problem.total
    gradient, hessian = sums[-1], sums[:-1]
    gradient[:-1] += l2 * weights[:-1]
    hessian.flat[: d * (d + 2) : d + 2] += l2
    return gradient, hessian
