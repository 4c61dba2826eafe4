"""Solvers that stop by a criterion of their own, repeated until the gap is proven small enough."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from linnet.training.descent import Descent, Found, Method
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective

# How much shorter the solver's own criterion must at least, and may at most, become from one round to the next.
LEAST, MOST = 0.5, 1e-3
# After this many rounds without a smaller gap, rounding keeps it from closing.
PATIENCE = 3


def to_gap(method: Method) -> Method:
    """The method, whose criterion is a gradient or a step beside its first, so that `tol` is a relative gap instead.

    The gap goes with the gradient's square: so the first round asks for the root of tol, each further one for the root
    of what is missing, from where the last one ended.  Steps of given sizes, and objectives without a penalty, of which
    nothing can be proven, keep the method's own criterion.
    """

    def solve(problem: Objective, how: Descent, watch: Watcher) -> Found:
        penalised = problem.penalty.l1 > 0 or problem.penalty.l2 > 0
        tol = how.tol
        if tol is None or how.steps is not None or not penalised:
            return method(problem, how, watch)
        history: list[Pass] = []
        own, start, least, in_vain = sqrt(how.aim), how.start, float("inf"), 0
        if how.warm and start is not None:
            own, how = _reduction(tol, certify(problem, start).gap), replace(how, warm=False)
        while True:
            found = method(problem, replace(how, most=how.most - len(history), tol=own, start=start), watch)
            history += found.history
            certificate = certify(problem, found.weights)
            met = certificate.within(tol)
            in_vain = 0 if certificate.gap < least else in_vain + 1
            if met or len(history) >= how.most or in_vain == PATIENCE:
                return Found(found.weights, history, met, certificate)
            start, least = found.weights, min(least, certificate.gap)
            own = _reduction(tol, certificate.gap)

    return solve


def _reduction(tol: float, gap: float) -> float:
    """The criterion of the next round, relative to its value at the start."""
    return min(LEAST, max(MOST, 0.5 * sqrt(tol / gap)))
