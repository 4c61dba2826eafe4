"""The batch solvers by name, what each needs of a problem, and which is taken where none is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.errors import RecipeError, option
from linnet.learners.entry import AUTO, Entry
from linnet.learners.losses import Loss
from linnet.learners.recipe import Recipe, Reduction
from linnet.learners.robust_losses import Huber
from linnet.learners.svr_losses import EpsilonInsensitive
from linnet.training.descent import TIGHT, Descent, Found, Method
from linnet.training.history import Watcher
from linnet.training.objective import Objective
from linnet.training.solvers import (
    coordinate_descent,
    dual_logistic,
    dual_softmax,
    dual_svm,
    dual_svr,
    gradient,
    huber,
    least_squares,
    newton,
    quantile,
    ridge,
    softmax,
    svm_newton,
)
from linnet.training.solvers import lbfgs as quasi_newton
from linnet.training.solvers.dual_ascent import squared_norm
from linnet.training.solvers.until_gap import to_gap
from linnet.training.solvers.working_sets import by_working_sets

# A table of all pairs of columns is filled anew at every step: sparse rows fill it entry by entry, dense ones by BLAS.
PAIRED_IF_DENSE = 1000
PAIRED_IF_SPARSE = 500
# Conjugate gradients pay where products are the cost, not the calls; and on few rows their rounding grows.
FEW_WEIGHTS = dual_softmax.FEW_WEIGHTS
# How many steps of the quicker L-BFGS few weights mostly need.
SOON = 100
# Up to this many columns, whatever their scales, Newton's steps are the safer way to the optimum of an SVM.
FEW_COLUMNS = 50
# On the squared hinge few steps are needed: up to this many entries a row, they are also the quicker way.
PAIRED_ENTRIES = 100
# Sparse rows with more than the fraction FULL of all entries are solved as dense ones are, unless there are more than
# WIDER columns for each row; that is also too many columns for a table of their pairs.
FULL, WIDER = 0.2, 4
# How many sweeps rows of so many columns are given.
WIDE_SWEEPS = 16
# Newton's steps overtake the dual where columns are this many times the rows, times the root of C |x|^2 beyond 1: seen
# for 2,000 to 160,000 rows of 15 to 250 entries, C |x|^2 from 0.3 to 100.
CROWDED = 0.75
# A linear programme of more columns than this is not worth a table of their pairs a step.
MOST_IN_PROGRAMME = 2000
# Sparse rows of more columns than this are not worth a table of squares.
SQUARED_IF_SPARSE = 500

_any_lbfgs = to_gap(quasi_newton.lbfgs)


def _lbfgs(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """L-BFGS: for the weights of several classes in its quicker form, whose memory is shorter and in single precision.

    What that does not soon bring to an end for few weights is not easy, and the longer memory pays.
    """
    if problem.outputs == 1 or problem.penalty.l2 == 0 or problem.penalty.l1 > 0:
        return _any_lbfgs(problem, how, watch)
    if problem.size > FEW_WEIGHTS or how.tol is None or how.most <= SOON:
        return softmax.lbfgs(problem, how, watch)
    found = softmax.lbfgs(problem, replace(how, most=SOON), watch)
    if found.converged:
        return found
    rest = _any_lbfgs(problem, replace(how, start=found.weights, most=how.most - len(found.history)), watch)
    return replace(rest, history=found.history + rest.history)


def _newton_cg(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Newton's steps without a table.

    Dense rows of two classes that are few beside their columns have little in common, as a rule: then some sweeps of
    the dual are all it takes.  Where they are not, the steps begin at their weights.
    """
    n, d = problem.rows.shape
    few = problem.rows.dense and d > WIDER * n and how.most > WIDE_SWEEPS
    loose = how.tol is not None and how.tol > TIGHT and how.start is None
    if not few or problem.outputs > 1 or not problem.loss.log_odds or not loose:
        return newton.conjugate_gradients(problem, how, watch)
    found = dual_logistic.descend(problem, replace(how, most=WIDE_SWEEPS), watch)
    if found.converged:
        return found
    left = how.most - len(found.history)
    rest = newton.conjugate_gradients(problem, replace(how, start=found.weights, most=left), watch)
    return replace(rest, history=found.history + rest.history)


class Needs(NamedTuple):
    """What a solver takes: the losses (None: all that are smooth), L2 alone, no L1, several classes jointly; whether it
    needs any penalty."""

    losses: tuple[Loss, ...] | None
    l2_only: bool = False
    no_l1: bool = False
    joint: bool = True
    penalised: bool = False


# Solvers that make a table of all pairs of columns.
PAIRING = ("newton-cholesky", "newton", "interior-point")
MOST_PAIRED = least_squares.COLUMNS_AT_MOST
_HINGES = (Loss.HINGE, Loss.SQUARED_HINGE)

NEEDS = {
    "newton-cholesky": Needs(None, l2_only=True, joint=False),
    "newton-cg": Needs(None, l2_only=True),
    "newton": Needs(_HINGES, l2_only=True, joint=False),
    "dual": Needs((*_HINGES, Loss.LOGISTIC), l2_only=True),
    "lbfgs": Needs(None, no_l1=True),
    "analytic": Needs((Loss.SQUARED,), no_l1=True),
    "cg": Needs((Loss.SQUARED,), no_l1=True),
    "coordinate-descent": Needs(None, joint=False, penalised=True),
    "gradient": Needs(()),
    "interior-point": Needs(()),
    "highs": Needs(()),
}


def _dual(loss: Loss) -> Method:
    if isinstance(loss, EpsilonInsensitive):
        return dual_svr.descend
    return dual_logistic.descend if loss.log_odds else dual_svm.descend


def method_of(solver: str, loss: Loss) -> Method:
    """The function that runs a solver on this loss."""
    methods: dict[str, Method] = {
        "newton-cholesky": huber.newton if isinstance(loss, Huber) else newton.cholesky,
        "newton-cg": _newton_cg,
        "newton": svm_newton.newton,
        "dual": _dual(loss),
        "lbfgs": _lbfgs,
        "analytic": ridge.analytic,
        "cg": ridge.conjugate_gradients,
        "coordinate-descent": coordinate_descent.descend,
        "interior-point": quantile.interior_point,
        "highs": quantile.highs,
        "gradient": by_working_sets(to_gap(gradient.descend)),
    }
    return methods[solver]


class Choice(NamedTuple):
    """A solver's name, and one sentence that says why it was taken."""

    name: str
    reason: str


@dataclass(frozen=True)
class Shape:
    """What a choice depends on; `jointly` is how many classes are solved for at once, 0 for one score a row."""

    loss: Loss
    l1: float
    l2: float
    rows: int
    columns: int
    entries: int
    dense: bool
    jointly: int
    positive: bool = False
    sparse: NDArray[Any] | None = field(default=None, compare=False, repr=False)  # the entries of sparse rows
    total: bool = False  # of the penalty

    @classmethod
    def of(cls, recipe: Recipe, rows: Rows, classes: int) -> Shape:
        jointly = classes if classes > 2 and recipe.reduction in (Reduction.JOINT, Reduction.REFERENCE) else 0
        n, d = rows.shape
        l1, l2, positive, total = recipe.penalty.l1, recipe.penalty.l2, recipe.penalty.positive, recipe.penalty.total
        sparse = None if rows.dense else rows.values
        return cls(recipe.loss, l1, l2, n, d, rows.entries, rows.dense, jointly, positive, sparse, total)

    @cached_property
    def reach(self) -> float:
        """C |x|² of the mean sparse row; a look at all entries, which few rules need."""
        if self.sparse is None or not self.l2 > 0 or not self.rows:
            return 0.0
        return squared_norm(self.sparse) / (self.rows * self.l2 * (1 if self.total else self.rows))

    @property
    def paired(self) -> bool:
        """Whether a table of all pairs of columns is small, also beside the rows, if those are sparse."""
        if self.dense:
            return self.columns <= PAIRED_IF_DENSE
        return self.columns <= min(PAIRED_IF_SPARSE, max(FEW_COLUMNS, WIDER * self.rows))

    @property
    def full(self) -> bool:
        """Whether enough entries are there that the rows have much in common, which makes steps on one row short."""
        return self.dense or (self.entries > FULL * self.rows * self.columns and self.columns <= WIDER * self.rows)

    @property
    def crowded(self) -> bool:
        """Whether steps on one row's multiplier mostly undo those on others: so it is with many rows for the columns,
        and with long rows or a large C, which let a multiplier go far."""
        return self.columns < CROWDED * self.rows * sqrt(max(1.0, self.reach))

    @property
    def few(self) -> bool:
        """Whether Newton's steps suit an SVM."""
        entries = self.columns <= PAIRED_IF_SPARSE and self.entries <= PAIRED_ENTRIES * self.rows
        tall = self.dense and self.columns <= min(PAIRED_IF_DENSE, self.rows)
        return not self.jointly and (self.columns <= FEW_COLUMNS or (self.loss.smooth and (entries or tall)))

    @property
    def closed_form(self) -> bool:
        """Whether least squares are quickest in closed form."""
        wide = not self.dense and self.columns > SQUARED_IF_SPARSE and self.l2 > 0
        return least_squares.fits_shape(self.rows, self.columns) and not wide


class Rule(NamedTuple):
    """Take this solver where the shape is such, for this reason."""

    solver: str
    when: Callable[[Shape], bool]
    reason: str


FEW_PAIRS = "the Hessian of {columns} columns is a small table, and few steps are needed"

# The first rule whose solver the learner has, and whose condition holds.
RULES = (
    Rule(
        "coordinate-descent",
        lambda s: (s.l1 > 0 or s.positive) and not s.jointly,
        "an L1 penalty leaves few of {columns} columns a weight, and coordinate descent looks mostly at those",
    ),
    Rule("gradient", lambda s: s.l1 > 0, "an L1 penalty has a kink, which proximal gradient steps can take"),
    Rule("analytic", lambda s: s.closed_form, "least squares over {columns} columns have a closed form"),
    Rule("cg", lambda s: s.l2 > 0, "a table of the pairs of {columns} columns would be too large"),
    Rule("newton-cholesky", lambda s: s.loss.unpenalised_by_newton and s.paired, FEW_PAIRS),
    Rule("lbfgs", lambda s: s.l2 == 0, "without a penalty no gap can be proven, and L-BFGS stops by the gradient"),
    Rule("gradient", lambda s: s.l2 == 0, "without a penalty no gap can be proven, and gradient steps need none"),
    Rule("newton", lambda s: s.few, "{columns} columns are few: Newton's steps do not depend on their scales"),
    Rule("dual", lambda s: s.loss in _HINGES, "with an L2 penalty the dual proves how near the optimum is"),
    Rule(
        "lbfgs",
        lambda s: 0 < s.jointly * s.columns <= FEW_WEIGHTS,
        "{columns} columns for {jointly} classes jointly are few weights: its steps are cheap",
    ),
    Rule(
        "newton-cg",
        lambda s: s.jointly > 0 and (s.dense or s.columns <= PAIRED_IF_SPARSE),
        "{jointly} classes are solved jointly, with Hessian times vector products",
    ),
    Rule(
        "lbfgs",
        lambda s: s.jointly > 0,
        "{jointly} classes jointly bend too unevenly over {columns} sparse columns for Newton's steps",
    ),
    Rule(
        "newton-cholesky",
        lambda s: s.paired,
        FEW_PAIRS,
    ),
    Rule("newton-cg", lambda s: s.full, "{columns} filled columns are too many for a table of their pairs"),
    Rule(
        "newton-cg",
        lambda s: s.crowded,
        "for {columns} columns the rows are many: their multipliers depend on one another, and Newton steps are few",
    ),
    Rule(
        "dual",
        lambda _: True,
        "rows are sparse in {columns} columns, and a step on one row's multiplier costs only its entries",
    ),
    Rule("lbfgs", lambda _: True, "the loss is smooth"),
    Rule(
        "interior-point",
        lambda s: s.columns <= MOST_IN_PROGRAMME,
        "a step takes one table of the pairs of {columns} columns, and few are needed",
    ),
    Rule("newton-cholesky", lambda _: True, "it is the only solver of this learner"),
    Rule("highs", lambda _: True, "a table of the pairs of {columns} columns would be too large"),
    Rule("gradient", lambda _: True, "it is the only solver of this learner"),
)


def choose(entry: Entry, rows: Rows, classes: int, *, asked: str = AUTO, steps: bool = False) -> Choice:
    """The solver asked for; or, with `steps` of given sizes, the gradient; or the one likely to be the quickest."""
    shape = Shape.of(entry.recipe, rows, classes)
    _check_joint(shape)
    if asked != AUTO:
        entry.solver(asked)
        _check(asked, shape)
        return Choice(asked, "the solver was given")
    if steps and entry.offers("gradient"):
        return Choice("gradient", f"a step size ({option('eta0')}) was given")
    offered = {solver.name for solver in entry.solvers}
    for rule in RULES:
        if rule.solver in offered and rule.when(shape):
            return Choice(rule.solver, rule.reason.format(columns=shape.columns, jointly=shape.jointly))
    raise RecipeError(f"{entry.name} has no solver for this problem")


def _check_joint(shape: Shape) -> None:
    loss = shape.loss
    if shape.jointly and loss.has_conjugate and loss.joint is None:
        one_by_one = f"{option('multiclass', 'one-vs-rest')} or {option('multiclass', 'pairwise')}"
        raise RecipeError(f"the {loss.name} loss takes several classes one by one: {one_by_one}")


def _check(solver: str, shape: Shape) -> None:
    """Raise where the solver cannot take this problem, naming what it needs."""
    needs = NEEDS[solver]
    smooth = shape.loss.joint is not None and shape.loss.joint.smooth if shape.jointly else shape.loss.smooth
    wrong = [
        (
            needs.l2_only and (shape.l1 > 0 or not (shape.l2 > 0 or shape.loss.unpenalised_by_newton)),
            option("penalty", "l2"),
        ),
        (shape.positive and solver != "coordinate-descent", "positive=False"),
        (needs.penalised and shape.l1 == 0 and shape.l2 == 0, f"a penalty, such as {option('penalty', 'l1')}"),
        (needs.no_l1 and shape.l1 > 0, f"a smooth penalty, such as {option('penalty', 'l2')}"),
        (shape.jointly and not needs.joint, option("multiclass", "one-vs-rest")),
        (solver == "dual" and shape.jointly and shape.loss.log_odds, option("multiclass", "one-vs-rest")),
        (needs.losses is None and not smooth, "a smooth loss, such as squared_hinge"),
        (
            solver in PAIRING and shape.columns > least_squares.COLUMNS_AT_MOST,
            f"{least_squares.COLUMNS_AT_MOST:,} columns at most",
        ),
        (solver == "analytic" and not least_squares.fits_shape(shape.rows, shape.columns), "fewer columns"),
    ]
    missing = [what for is_wrong, what in wrong if is_wrong]
    if missing:
        raise RecipeError(
            f"{option('solver', solver)} needs {' and '.join(missing)}: take {option('solver', AUTO)}, or change that"
        )
