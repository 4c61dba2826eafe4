"""The problem on a sample of its rows, where the first steps of Newton's method are taken."""

from __future__ import annotations

import numpy as np

from linnet.data.rows import Examples
from linnet.learners.recipe import Penalty
from linnet.training.objective import Objective

# The first steps are on a sample: every eighth row, or every eighth of those again, while there are ROWS_A_COLUMN rows
# a column and FEWEST rows.
SPARED = 8
ROWS_A_COLUMN = 40
FEWEST = 1000
# For tables of many columns, each step of which is long, a sample of this many rows a column is better than none.
MANY_COLUMNS, FEWER_ROWS_A_COLUMN = 200, 8


def fewer(problem: Objective) -> Objective | None:
    """The problem on an eighth of the rows, or some more; None where that would be too few, or of one class."""
    n, d = problem.rows.shape
    every = min(SPARED, n // max(FEWEST, (ROWS_A_COLUMN if d < MANY_COLUMNS else FEWER_ROWS_A_COLUMN) * d))
    if every < 4:
        return None
    some = slice(None, None, every)
    weights = problem.sample_weights[some] if len(problem.sample_weights) else None
    sides = problem.signed if problem.outputs == 1 else problem.targets
    sides = sides[some] if weights is None else sides[some][weights > 0]
    if not len(sides) or sides.min() == sides.max():
        return None
    if problem.outputs > 1 and len(np.unique(sides)) < problem.outputs:
        return None
    return Objective(
        Examples(problem.rows.every(every), problem.targets[some], weights),
        problem.loss,
        Penalty(l2=problem.penalty.l2),
        problem.outputs,
        intercept=problem.intercept,
        regression=problem.regression,
        positive=problem.positive,
        part=problem.part,
    )
