"""Which solver a logistic regression is given to, by the shape of the problem, and why."""

from __future__ import annotations

from typing import NamedTuple

from linnet.data.rows import Rows
from linnet.learners.recipe import Penalty, Reduction
from linnet.training import batch
from linnet.training.history import Watcher
from linnet.training.objective import Objective
from linnet.training.solvers import dual_logistic as dual
from linnet.training.solvers import newton, softmax
from linnet.training.solvers.until_gap import to_gap

_by_gradient = to_gap(batch.lbfgs)


def _lbfgs(problem: Objective, how: batch.Descent, watch: Watcher) -> batch.Found:
    """L-BFGS: of many classes' weights, where they are many, in its quicker form."""
    penalised = problem.penalty.l2 > 0 and problem.penalty.l1 == 0
    joint = problem.outputs > 1 and problem.size > FEW_WEIGHTS
    return (softmax.lbfgs if penalised and joint else _by_gradient)(problem, how, watch)


METHODS: dict[str, batch.Method] = {
    "newton-cholesky": newton.cholesky,
    "newton-cg": newton.conjugate_gradients,
    "dual": dual.descend,
    "lbfgs": _lbfgs,
    "gradient": to_gap(batch.descend),
}

# A table of all pairs of columns is filled anew at every step: sparse rows fill it entry by entry, dense ones by BLAS.
PAIRED_IF_DENSE = 1000
PAIRED_IF_SPARSE = 500
# Conjugate gradients pay where products are the cost, not the calls; and on few rows their rounding grows.
FEW_WEIGHTS = 100


class Choice(NamedTuple):
    """A solver's name, and one sentence that says why it."""

    name: str
    reason: str


def choose(rows: Rows, classes: int, penalty: Penalty, reduction: Reduction) -> Choice:
    """The solver that is likely the quickest of those that can solve this."""
    d = rows.shape[1]
    if penalty.l1 > 0:
        return Choice("gradient", "an L1 penalty has a kink, which proximal gradient steps can take")
    if penalty.l2 == 0:
        return Choice("lbfgs", "without a penalty no gap can be proven, and L-BFGS stops by the gradient")
    if classes > 2 and reduction in (Reduction.JOINT, Reduction.REFERENCE):
        if d * classes <= FEW_WEIGHTS:
            return Choice("lbfgs", f"{d} columns for {classes} classes jointly are few weights: its steps are cheap")
        if rows.dense or d <= PAIRED_IF_SPARSE:
            return Choice("newton-cg", f"{classes} classes are solved jointly, with Hessian times vector products")
        return Choice(
            "lbfgs", f"{classes} classes jointly bend too unevenly over {d} sparse columns for Newton's steps"
        )
    if d <= (PAIRED_IF_DENSE if rows.dense else PAIRED_IF_SPARSE):
        return Choice("newton-cholesky", f"the Hessian of {d} columns is a small table, and few steps are needed")
    if rows.dense:
        return Choice("newton-cg", f"{d} dense columns are too many for a table of their pairs")
    return Choice("dual", f"rows are sparse in {d} columns, and a step on one row's multiplier costs only its entries")
