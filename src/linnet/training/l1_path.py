"""Decreasing L1 penalties: each fit begins where the one before ended, and has its proof.

From l1 = max_j |slope of weight j at w = 0| on, all weights are 0.  Below it a fit that begins at that of a slightly
larger penalty takes few steps, and least squares of few columns keep their table of pairs for all of them (Friedman,
Hastie, Tibshirani 2010, Regularization paths for generalized linear models via coordinate descent).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.history import Watcher, ignore
from linnet.training.objective import Objective
from linnet.training.solvers.coordinate_descent import CoordinateDescent
from linnet.training.solvers.point import Point

SOLVER = "coordinate-descent"


def largest_l1(problem: Objective) -> float:
    """The smallest L1 penalty of the mean loss at which all weights are 0."""
    point = Point.first(problem, np.zeros(len(problem.targets)), 0.0)
    point.balance()
    slopes = problem.summed(point.r[:, np.newaxis])[:-1]
    return float((-slopes if problem.penalty.positive else np.abs(slopes)).max(initial=0.0))


def solutions(
    problem: Objective, penalties: Sequence[Penalty], how: Descent, watch: Watcher = ignore
) -> Iterator[Found]:
    """The minimum under each of these penalties of the mean loss, with its certificate, each from that before."""
    solver = CoordinateDescent(problem)
    for penalty in penalties:
        found = solver.solve(penalty, how, watch)
        yield found
        how = replace(how, start=found.weights, warm=True)
