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
from linnet.training.history import Watcher
from linnet.training.objective import Objective
from linnet.training.solvers import dual_svm, interior_point
from linnet.training.solvers.newton import cholesky

# Where C |x|^2 is no more than EASY on the mean, few multipliers reach their bounds by steps on others: then this many
# sweeps of the dual, of no more than SMALL numbers, mostly do, and take less time than steps on all rows.
EASY, SMALL, SWEEPS = 1.0, 1 << 18, 10


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol; for two classes and an L2 penalty."""
    smooth = problem.loss is Loss.SQUARED_HINGE
    if not smooth and how.tol is not None and how.start is None and _is_easy(problem):
        found = dual_svm.descend(problem, replace(how, most=min(how.most, SWEEPS)), watch)
        if found.converged:
            return found
    found = (cholesky if smooth else interior_point.descend)(problem, how, watch)
    if found.converged:
        return found
    other = dual_svm.descend(problem, how, watch)
    assert found.certificate is not None
    assert other.certificate is not None
    better = other if other.certificate.gap < found.certificate.gap else found
    return replace(better, history=found.history + other.history)


def _is_easy(problem: Objective) -> bool:
    values = problem.rows.values
    if problem.rows.entries > SMALL:
        return False
    return float(values @ values) / len(problem.targets) <= EASY * problem.penalty.l2 * problem.total
