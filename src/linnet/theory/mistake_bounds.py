"""Mistake bounds: how often a learner was wrong on its way, beside how often it can have been at most.

The perceptron and balanced Winnow: by a plane, which need not separate the rows (planes.py).  Winnow with one weight a
column (Littlestone 1988): if some disjunction of k of the d Boolean variables is right of every row, a variable of it
is never demoted, and is promoted only while its weight is at most Theta: u <= k (log_alpha Theta + 1) promotions, for
each promotes one of the k at least.  A promotion adds at most (alpha - 1) Theta to the sum of all weights, which begins
at d; a demotion by the factor beta takes more than (1 - beta) Theta from it, and the sum never is below 0.  So there
are at most (d / Theta + (alpha - 1) u) / (1 - beta) demotions.  For Winnow1, beta = 0, both together are

    alpha k (log_alpha Theta + 1) + d / Theta.

Any disjunction that is right of every row will do; a short one is looked for greedily (disjunctions.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Factors, Loss, Recipe, Update
from linnet.learners.schedule import Step
from linnet.theory.disjunctions import READINGS, Disjunction
from linnet.theory.plane_bounds import Flat, Margins, bound_of_balanced, bound_of_perceptron, within_limits
from linnet.training.order import MOST_PRESENTATIONS
from linnet.training.reduction import Problem, problems
from linnet.training.result import OnlineFacts

# Where the kernel of multiplied weights stops them (kernels/multiplicative.py).
LARGEST_WEIGHT = 1e100

NOT_SEPARATED = (
    "the weights it ended with do not separate the rows, and lose so much on them that every row may have been mistaken"
)
BY_ROUNDING = "the weights it ended with separate the rows by no more than rounding may have added to their scores"
NO_DISJUNCTION = "no disjunction of the variables is right of every row"
NOT_BOOLEAN = "the bound is for Boolean columns, and some value is neither 0 nor 1"
STOPPED = f"the bound is for weights that may grow to αΘ, and they stop at {LARGEST_WEIGHT:g}: lower the threshold"
PENALISED = "the bound is for steps of one length without a penalty"
SHARES = "the bound is for rows that count whole times"
NOT_KEPT = "the rows were not kept, and a bound takes them all"
JOINED_LATE = (
    "the weights it ended with do not separate the rows, which the bound for many classes that join on the way asks for"
)
UNEVEN = "the bound is for balanced weights whose demotion takes back a promotion"
AT_THE_LIMITS = "so many mistakes may bring weights to the limits of numbers, where they are held"
# The numbers that a bound is made of: by a plane (of the perceptron, of balanced Winnow), by a disjunction, or of
# several problems.
FACTS = (
    {"radius", "margin", "losses", "factor"},
    {"variables", "promotion", "margin", "losses"},
    {"literals", "variables", "promotion", "demotion", "threshold"},
    {"problems"},
)
# (R / gamma)^2 times this: one plane, many classes at once, many classes of which some joined on the way (planes.py).
ONE_PLANE, MANY_PLANES, MANY_THAT_JOIN = 1.0, 2.0, 2.25


@dataclass(frozen=True)
class Mistakes:
    """So many mistakes were `made`, and no more than `bound` can have been; or, with a `reason`, no bound is proven.

    `facts` are the numbers that the bound is made of.
    """

    made: int
    bound: float = math.inf
    facts: dict[str, float] = field(default_factory=dict)
    reason: str = ""

    @property
    def holds(self) -> bool:
        return not self.reason and self.made <= self.bound

    def as_dict(self) -> dict[str, Any]:
        """For JSON: a bound that is none as null."""
        bound = None if self.reason else self.bound
        return {"kind": "mistakes", "mistakes": self.made, "bound": bound, **self.facts, "reason": self.reason}

    def __str__(self) -> str:
        made = f"{self.made:,} mistake{'' if self.made == 1 else 's'} made"
        if self.reason:
            return f"none: {made}, and no bound on them: {self.reason}"
        if not self.holds:  # only rounding could bring that about
            return f"{made}, which is above the bound of {self.bound:,.6g}: {self._formula()}"
        return f"{made}, at most {self.bound:,.6g} possible: {self._formula()}"

    def _formula(self) -> str:
        facts = self.facts
        if "radius" in facts:
            times = "" if facts["factor"] == 1 else f"{facts['factor']:g} "
            numbers = f"R = {facts['radius']:.6g}, γ = {facts['margin']:.6g}"
            if not facts["losses"]:
                return f"{times}(R/γ)², {numbers}"
            return f"((a + √(a² + 4L))/2)², a² = {times}(R/γ)², {numbers}, losses L = {facts['losses']:.6g}"
        if "literals" in facts:
            terms = "αk(log_α Θ + 1) + d/Θ" if facts["demotion"] == 0 else "u + (d/Θ + (α - 1)u)/(1 - β), "
            terms += "" if facts["demotion"] == 0 else f"u = k(log_α Θ + 1), β = {facts['demotion']:g}"
            return (
                f"{terms}, k = {facts['literals']:g}, α = {facts['promotion']:g}, Θ = {facts['threshold']:g}, "
                f"d = {facts['variables']:g}"
            )
        if "margin" in facts:
            return (
                f"(ln(2d + 2) + ηγL)/(ηγ - ln cosh η), η = ln α, α = {facts['promotion']:g}, "
                f"γ = {facts['margin']:.6g}, losses L = {facts['losses']:.6g}, d = {facts['variables']:g}"
            )
        return f"the sum of the bounds of {facts['problems']:g} problems"


def has_bound(recipe: Recipe) -> bool:
    """Whether mistakes are what this learner is judged by."""
    return recipe.loss is Loss.PERCEPTRON


def mistake_bound(
    recipe: Recipe, model: LinearModel, read: Callable[[], Iterable[Examples]], run: OnlineFacts
) -> Mistakes:
    """The bound on the mistakes of this run that the examples, and the weights that were learnt from them, prove.

    `read` goes through all of them, block after block; once, or twice if a disjunction is looked for.  It may go
    through more than were learnt from, too.
    """
    reason = _excluded(recipe)
    if reason:
        return Mistakes(run.made, reason=reason)
    proofs = _proofs(recipe, model, run)
    for reading in range(max(proof.readings for proof in proofs)):
        for examples in read():
            times = examples.weights
            if times is not None and not _whole(times):
                return Mistakes(run.made, reason=SHARES)
            for proof in proofs:
                proof.take(reading, examples)
                if proof.reason:
                    return Mistakes(run.made, reason=proof.reason)
    return _together([proof.result(run) for proof in proofs], run.made)


def bound_of_winnow(literals: int, variables: int, factors: Factors, threshold: float) -> float:
    """How many mistakes there can be on rows of which a disjunction of so many literals is right."""
    promotions = literals * max(0.0, math.log(threshold, factors.promotion) + 1.0)
    demotions = (variables / threshold + (factors.promotion - 1.0) * promotions) / (1.0 - factors.demotion)
    return promotions + demotions


def _excluded(recipe: Recipe) -> str:
    """Why there is no bound, whatever the rows are; nothing where there may be one."""
    if recipe.update is Update.MULTIPLICATIVE:
        taken_back = math.isclose(recipe.factors.promotion * recipe.factors.demotion, 1.0, rel_tol=1e-12)
        return UNEVEN if recipe.factors.balanced and not taken_back else ""
    penalised = recipe.penalty.l1 > 0 or recipe.penalty.l2 > 0
    even = recipe.update is Update.ADDITIVE and recipe.schedule.step is Step.POWER and recipe.schedule.power == 0
    return PENALISED if penalised or not even else ""


def _whole(times: Flat) -> bool:
    return bool((times == np.minimum(np.ceil(times), MOST_PRESENTATIONS)).all())


def _together(found: Sequence[Mistakes], made: int) -> Mistakes:
    """The bound on the mistakes of all problems."""
    reason = next((each.reason for each in found if each.reason), "")
    if reason:
        return Mistakes(made, reason=reason)
    if len(found) == 1:
        return Mistakes(made, found[0].bound, found[0].facts)
    return Mistakes(made, sum(each.bound for each in found), {"problems": float(len(found))})


# -- one problem after the other ---------------------------------------------------------------------------------------


def _proofs(recipe: Recipe, model: LinearModel, run: OnlineFacts) -> list[_ByPlane | _ByDisjunction]:
    classes = 1 if model.classes is None else len(model.classes)
    found: list[_ByPlane | _ByDisjunction] = []
    first = 0
    for problem in problems(classes, recipe.reduction):
        outputs = problem.outputs(classes)
        w, b = model.weights[:, first : first + outputs], model.intercepts[first : first + outputs]
        if recipe.update is Update.MULTIPLICATIVE and not recipe.factors.balanced:
            found.append(_ByDisjunction(_Rows(problem, classes), recipe.factors, len(w), run.threshold))
        else:
            found.append(_ByPlane(_Rows(problem, classes), recipe, w, b if run.intercept else None))
        first += outputs
    return found


@dataclass(frozen=True)
class _Rows:
    """The part that rows take in a problem."""

    problem: Problem
    classes: int

    def of(self, examples: Examples) -> tuple[Rows, NDArray[np.int64], Flat | None]:
        """Those that count, the numbers of their classes (of two sides: 1 for the positive), and how often they do."""
        members, times = self.problem.members(examples.targets, self.classes), examples.weights
        which = np.ones(len(examples.targets), dtype=bool) if members is None else members
        if times is not None:
            which = which & (times > 0)
        codes = examples.targets.astype(np.int64)
        if self.problem.outputs(self.classes) == 1:
            codes = (codes == (self.problem.positive or 0)).astype(np.int64)
        if which.all():
            return examples.rows, codes, times
        at = np.flatnonzero(which)
        return Rows.of(examples.rows.matrix(at)), codes[at], None if times is None else times[at]


class _ByPlane:
    """By the margins of the model's own plane."""

    readings = 1
    reason = ""

    def __init__(self, part: _Rows, recipe: Recipe, w: Flat, b: Flat | None) -> None:
        self.part, self.recipe = part, recipe
        self.balanced = recipe.update is Update.MULTIPLICATIVE
        self.margins = Margins(w, b, norm=1 if self.balanced else 2)

    def take(self, reading: int, examples: Examples) -> None:
        if reading == 0 and self.margins.length > 0:
            self.margins.take(*self.part.of(examples))

    def result(self, run: OnlineFacts) -> Mistakes:
        if not 0 < self.margins.length < math.inf:
            return Mistakes(0, reason=NOT_SEPARATED)
        return self._of_balanced(run) if self.balanced else self._of_perceptron(run)

    def _of_perceptron(self, run: OnlineFacts) -> Mistakes:
        margins, many = self.margins, self.margins.w.shape[1] > 1
        factor = ONE_PLANE if not many else MANY_THAT_JOIN if run.joining else MANY_PLANES
        if many and run.joining and not margins.margin > 0:
            return Mistakes(0, reason=JOINED_LATE)
        radius = margins.radius
        proven = margins.best(
            lambda gamma, losses: (
                math.inf if losses and many and run.joining else bound_of_perceptron(radius, gamma, losses, factor)
            ),
            run.passes,
        )
        if proven is None:
            return Mistakes(0, reason=BY_ROUNDING if margins.least > 0 else NOT_SEPARATED)
        facts = {"radius": radius, "margin": proven.gamma, "losses": proven.losses, "factor": factor}
        return Mistakes(0, proven.bound, facts)

    def _of_balanced(self, run: OnlineFacts) -> Mistakes:
        columns, promotion = len(self.margins.w), self.recipe.factors.promotion
        if run.made >= within_limits(columns, promotion):
            return Mistakes(0, reason=AT_THE_LIMITS)
        proven = self.margins.best(
            lambda gamma, losses: bound_of_balanced(columns, promotion, gamma, losses), run.passes
        )
        if proven is None:
            return Mistakes(0, reason=NOT_SEPARATED)
        facts = {
            "variables": float(columns),
            "promotion": promotion,
            "margin": proven.gamma,
            "losses": proven.losses,
        }
        return Mistakes(0, proven.bound, facts)


class _ByDisjunction:
    """By a disjunction that is right of every row."""

    readings = READINGS

    def __init__(self, part: _Rows, factors: Factors, columns: int, threshold: float) -> None:
        self.part, self.factors, self.threshold = part, factors, threshold
        self.variables = columns * (2 if factors.complement else 1)
        self.found = Disjunction(columns, complement=factors.complement)
        self.reason = STOPPED if factors.promotion * threshold > LARGEST_WEIGHT else ""

    def take(self, reading: int, examples: Examples) -> None:
        rows, codes, _ = self.part.of(examples)
        if reading == 0 and not ((rows.values == 0) | (rows.values == 1)).all():
            self.reason = NOT_BOOLEAN
            return
        self.found.take(reading, rows, codes == 1)
        if not self.found.exists:
            self.reason = NO_DISJUNCTION

    def result(self, run: OnlineFacts) -> Mistakes:  # noqa: ARG002
        literals = self.found.length()
        if literals is None:
            return Mistakes(0, reason=NO_DISJUNCTION)
        facts = {
            "literals": float(literals),
            "variables": float(self.variables),
            "promotion": self.factors.promotion,
            "demotion": self.factors.demotion,
            "threshold": self.threshold,
        }
        return Mistakes(0, bound_of_winnow(literals, self.variables, self.factors, self.threshold), facts)
