"""An L1 penalty over many columns: the few that can matter are solved for, until the gap over all is proven small.

At the optimum the weight of a column is 0 wherever the slope of the smooth part is smaller than l1, and most are.  A
working set is the columns whose weight is not 0 and those with the steepest slopes; the problem over these alone is
solved, and the slopes over all columns at its end give the next set (Massias, Gramfort, Salmon 2018).  A step over a
set costs only its columns, and may be longer: 1/L grows with the number of columns that have something in common.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.training.descent import Descent, Found, Method
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective

# Fewer columns than this, and sets of more than half of them, are solved for at once.
MANY_COLUMNS = 256
# Columns of the first set.  A later one has at least twice as many columns as there are weights other than 0.
FIRST = 64
# The gap over a set, beside the last one over all columns and beside the one asked for.
OF_LAST, OF_ASKED = 0.1, 0.5
# A gap over all columns that is not smaller than this fraction of the last one asks for a larger set.
SMALLER = 0.5


def by_working_sets(method: Method) -> Method:
    """The method, which ends at a proven gap, on working sets of the columns where there is an L1 penalty on many."""

    def solve(problem: Objective, how: Descent, watch: Watcher) -> Found:
        many = problem.penalty.l1 > 0 and problem.columns > MANY_COLUMNS and not problem.has_kinks
        if how.tol is None or how.steps is not None or not many:
            return method(problem, how, watch)
        weights, history = how.begin(problem), list[Pass]()
        gap, size, asked = certify(problem, weights).gap, FIRST, 1.0
        while True:
            columns = _steepest(problem, weights, size)
            onwards = replace(how, most=how.most - len(history), warm=True)
            if 2 * len(columns) > problem.columns:
                found = method(problem, replace(onwards, start=weights), watch)
                return replace(found, history=history + found.history)
            asked = min(asked, max(OF_LAST * gap, OF_ASKED * how.tol))
            start = weights.reshape(-1, problem.outputs)[np.append(columns, problem.columns)].ravel()
            found = method(problem.of_columns(columns), replace(onwards, tol=asked, start=start), watch)
            history += found.history
            weights = _spread(problem, columns, found.weights)
            certificate = certify(problem, weights)
            met = certificate.within(how.tol)
            if met or len(history) >= how.most:
                return Found(weights, history, met, certificate)
            if certificate.gap > SMALLER * gap:
                size, asked = 2 * len(columns), max(OF_LAST * asked, OF_LAST * OF_ASKED * how.tol)
            gap = certificate.gap

    return solve


def _steepest(problem: Objective, weights: Flat, size: int) -> NDArray[np.int64]:
    """The columns that have a weight, and the steepest others: `size` in all, or twice as many as have one."""
    slopes = problem.smooth(weights)[1]
    table = np.abs(problem.penalised(slopes)).reshape(-1, problem.outputs).max(axis=1)
    used = problem.penalised(weights).reshape(-1, problem.outputs).any(axis=1)
    table[used] = np.inf
    size = max(size, 2 * int(used.sum()))
    return np.sort(np.argsort(-table, kind="stable")[:size])


def _spread(problem: Objective, columns: NDArray[np.int64], found: Flat) -> Flat:
    """The weights of all columns: 0 for those that were not in the set."""
    weights = np.zeros((problem.columns + 1, problem.outputs))
    weights[np.append(columns, problem.columns)] = found.reshape(-1, problem.outputs)
    return weights.ravel()
