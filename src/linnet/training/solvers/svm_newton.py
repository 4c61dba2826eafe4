"""The SVM by Newton's method: for few columns of any scales.

Coordinate ascent on the dual is slow where one column is a hundred times as long as another; Newton's steps do not
depend on the scales.  On the squared hinge, which has no kink, they end at the optimum itself once the rows that count
are found (newton.py; Mangasarian 2002, A finite Newton method for classification).  On the hinge they stay within
the bounds of the dual (interior_point.py).  If rounding keeps the gap open, the dual is tried, too.
"""

from __future__ import annotations

from dataclasses import replace

from linnet.learners.losses import Loss
from linnet.training.descent import Descent, Found
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective
from linnet.training.solvers import dual_svm, interior_point
from linnet.training.solvers.newton import cholesky

# Where C |x|^2 is no more than EASY on the mean, few multipliers reach their bounds by steps on others: then this many
# sweeps of the dual, of no more than SMALL numbers, mostly do, and take less time than steps on all rows.
EASY, SMALL, SWEEPS = 1.0, 1 << 18, 10
# On the squared hinge each of Newton's steps takes a table of the squares of all columns, which costs as much as some
# sweeps where columns are many.  A sweep for every so many columns brings the weights near enough to spare more steps
# than it costs where classes are nearly separable, and little is lost where they are not.
MANY_COLUMNS, COLUMNS_A_SWEEP = 200, 20


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol; for two classes and an L2 penalty."""
    smooth = problem.loss is Loss.SQUARED_HINGE
    begun, sweeps = list[Pass](), min(how.most - 1, _sweeps(problem, smooth=smooth))
    if how.tol is not None and how.start is None and sweeps > 0:
        found = dual_svm.descend(problem, replace(how, most=sweeps), watch)
        if found.converged:
            return found
        if smooth:  # the weights are near, which spares steps; an interior point begins anew
            begun, how = found.history, replace(how, start=found.weights, most=how.most - sweeps)
    found = (cholesky if smooth else interior_point.descend)(problem, how, watch)
    if found.converged:
        return replace(found, history=begun + found.history)
    other = dual_svm.descend(problem, how, watch)
    assert found.certificate is not None
    assert other.certificate is not None
    better = other if other.certificate.gap < found.certificate.gap else found
    return replace(better, history=begun + found.history + other.history)


def _sweeps(problem: Objective, *, smooth: bool) -> int:
    """How many sweeps of the dual to try first."""
    if smooth:
        return problem.columns // COLUMNS_A_SWEEP if problem.columns > MANY_COLUMNS else 0
    return SWEEPS if _is_easy(problem) else 0


def _is_easy(problem: Objective) -> bool:
    values = problem.rows.values
    if problem.rows.entries > SMALL:
        return False
    return float(values @ values) / len(problem.targets) <= EASY * problem.penalty.l2 * problem.total
