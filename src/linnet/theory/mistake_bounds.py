"""Mistake bounds: the number of mistakes of an online run, and the largest number that was possible.

For the perceptron and balanced Winnow the bound follows from the margins of a plane, which need not separate the rows
(perceptron_bound.py, winnow_bound.py, margin_losses.py); for Winnow1 and Winnow2 from a disjunction that labels every
row correctly (winnow_bound.py, disjunctions.py).
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
from linnet.learners.losses import Loss
from linnet.learners.recipe import Factors, Recipe, Reduction, Update
from linnet.learners.schedule import Step
from linnet.learners.sparse_weights import SparseWeights
from linnet.notebook import card
from linnet.theory.disjunctions import READINGS, Disjunction
from linnet.theory.margin_losses import Flat, MarginLosses
from linnet.theory.perceptron_bound import JOINT, JOINT_STREAM, ONE_PLANE, perceptron_bound
from linnet.theory.winnow_bound import LARGEST_WEIGHT, balanced_winnow_bound, mistakes_within_range, winnow_bound
from linnet.training.order import MOST_PRESENTATIONS
from linnet.training.reduction import Problem, problems
from linnet.training.result import OnlineFacts

NOT_SEPARATED = "the final weights do not separate the rows, and their losses are too large for a bound"
BY_ROUNDING = "the final weights separate the rows by no more than the rounding error of their scores"
NO_DISJUNCTION = "no disjunction of the variables labels every row correctly"
NOT_BOOLEAN = "the bound requires Boolean columns, and some value is neither 0 nor 1"
STOPPED = f"the bound requires weights up to αΘ, and weights stop at {LARGEST_WEIGHT:g}: lower the threshold"
PENALISED = "the bound requires a constant learning rate without a penalty"
FRACTIONAL = "the bound requires sample weights that are integers"
NOT_KEPT = "the rows were not kept, and a bound needs all of them"
LATE_CLASSES = (
    "the final weights do not separate the rows, which the bound requires where classes appear later in the stream"
)
UNEVEN = "the bound requires a demotion factor of 1 / promotion"
AT_THE_LIMITS = "with this many mistakes, weights may have reached the largest number that is kept"
# The numbers behind a bound: by a plane (perceptron, balanced Winnow), by a disjunction, or for several problems.
FACTS = (
    {"radius", "margin", "losses", "factor"},
    {"variables", "promotion", "margin", "losses"},
    {"literals", "variables", "promotion", "demotion", "threshold"},
    {"problems"},
)


@dataclass(frozen=True)
class Mistakes:
    """The number of mistakes `made`, and the largest number possible, `bound`; with a `reason`, no bound is proven.

    `facts` are the numbers that the bound is computed from.
    """

    made: int
    bound: float = math.inf
    facts: dict[str, float] = field(default_factory=dict)
    reason: str = ""

    @property
    def holds(self) -> bool:
        return not self.reason and self.made <= self.bound

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the bound is None where there is none."""
        bound = None if self.reason else self.bound
        return {"kind": "mistakes", "mistakes": self.made, "bound": bound, **self.facts, "reason": self.reason}

    def __str__(self) -> str:
        made = f"{self.made:,} mistake{'' if self.made == 1 else 's'}"
        if self.reason:
            return f"{made}; no bound: {self.reason}"
        if not self.holds:  # possible by rounding only
            return f"{made}, more than the bound of {self.bound:,.6g}: {self._formula()}"
        verb = "is" if self.bound == 1 else "are"
        return f"{made}; at most {self.bound:,.6g} {verb} possible: {self._formula()}"

    def _repr_html_(self) -> str:
        facts = [("mistakes", f"{self.made:,}")]
        facts.append(("no bound", self.reason) if self.reason else ("at most possible", f"{self.bound:,.6g}"))
        return card("mistake bound", facts if self.reason else [*facts, ("by", self._formula())])

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
    """Whether this learner has a mistake bound; it is for one label a row."""
    return recipe.loss is Loss.PERCEPTRON and recipe.reduction is not Reduction.EACH_LABEL


def mistake_bound(
    recipe: Recipe, model: LinearModel, read: Callable[[], Iterable[Examples]], run: OnlineFacts
) -> Mistakes:
    """The bound on the mistakes of this run that the examples and the fitted weights prove.

    `read` yields all examples in blocks.  It is called once, or twice if a disjunction is searched.  It may yield more
    examples than were trained on.
    """
    reason = _excluded(recipe)
    if reason:
        return Mistakes(run.made, reason=reason)
    proofs = _proofs(recipe, model, run)
    for reading in range(max(proof.readings for proof in proofs)):
        for examples in read():
            times = examples.weights
            if times is not None and not _whole(times):
                return Mistakes(run.made, reason=FRACTIONAL)
            for proof in proofs:
                proof.add(reading, examples)
                if proof.reason:
                    return Mistakes(run.made, reason=proof.reason)
    return _together([proof.result(run) for proof in proofs], run.made)


def _excluded(recipe: Recipe) -> str:
    """Why there is no bound, whatever the rows are; empty where there may be one."""
    if recipe.update is Update.MULTIPLICATIVE:
        taken_back = math.isclose(recipe.factors.promotion * recipe.factors.demotion, 1.0, rel_tol=1e-12)
        return UNEVEN if recipe.factors.balanced and not taken_back else ""
    penalised = recipe.penalty.l1 > 0 or recipe.penalty.l2 > 0
    even = recipe.update is Update.ADDITIVE and recipe.schedule.step is Step.POWER and recipe.schedule.power == 0
    return PENALISED if penalised or not even else ""


def _whole(times: Flat) -> bool:
    return bool((times == np.minimum(np.ceil(times), MOST_PRESENTATIONS)).all())


def _together(found: Sequence[Mistakes], made: int) -> Mistakes:
    """The bound on the mistakes of all problems together."""
    reason = next((each.reason for each in found if each.reason), "")
    if reason:
        return Mistakes(made, reason=reason)
    if len(found) == 1:
        return Mistakes(made, found[0].bound, found[0].facts)
    return Mistakes(made, sum(each.bound for each in found), {"problems": float(len(found))})


# -- one proof for each problem ----------------------------------------------------------------------------------------


def _proofs(recipe: Recipe, model: LinearModel, run: OnlineFacts) -> list[_ByPlane | _ByDisjunction]:
    classes = 1 if model.classes is None else len(model.classes)
    found: list[_ByPlane | _ByDisjunction] = []
    first = 0
    for problem in problems(classes, recipe.reduction):
        outputs = problem.outputs(classes)
        sparse = isinstance(model.weights, SparseWeights)  # of all classes jointly
        w = model.weights if sparse else model.weights[:, first : first + outputs]
        b = model.intercepts[first : first + outputs]
        if recipe.update is Update.MULTIPLICATIVE and not recipe.factors.balanced:
            found.append(_ByDisjunction(_Rows(problem, classes), recipe.factors, len(w), run.threshold))
        else:
            found.append(_ByPlane(_Rows(problem, classes), recipe, w, b if run.intercept else None))
        first += outputs
    return found


@dataclass(frozen=True)
class _Rows:
    """The rows that take part in a problem."""

    problem: Problem
    classes: int

    def of(self, examples: Examples) -> tuple[Rows, NDArray[np.int64], Flat | None]:
        """Rows of non-zero weight, their class numbers (1 for the positive of two), how often each is presented."""
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
    """By the margins of the fitted plane."""

    readings = 1
    reason = ""

    def __init__(self, part: _Rows, recipe: Recipe, w: Flat | SparseWeights, b: Flat | None) -> None:
        self.part, self.recipe = part, recipe
        self.balanced = recipe.update is Update.MULTIPLICATIVE
        self.margins = MarginLosses(w, b, norm=1 if self.balanced else 2)

    def add(self, reading: int, examples: Examples) -> None:
        if reading == 0 and self.margins.length > 0:
            self.margins.add(*self.part.of(examples))

    def result(self, run: OnlineFacts) -> Mistakes:
        if not 0 < self.margins.length < math.inf:
            return Mistakes(0, reason=NOT_SEPARATED)
        return self._of_balanced(run) if self.balanced else self._of_perceptron(run)

    def _of_perceptron(self, run: OnlineFacts) -> Mistakes:
        margins, many = self.margins, self.margins.w.shape[1] > 1
        factor = ONE_PLANE if not many else JOINT_STREAM if run.joining else JOINT
        if many and run.joining and not margins.margin > 0:
            return Mistakes(0, reason=LATE_CLASSES)
        radius = margins.radius
        proven = margins.best(
            lambda gamma, losses: (
                math.inf if losses and many and run.joining else perceptron_bound(radius, gamma, losses, factor)
            ),
            run.passes,
        )
        if proven is None:
            return Mistakes(0, reason=BY_ROUNDING if margins.smallest > 0 else NOT_SEPARATED)
        facts = {"radius": radius, "margin": proven.gamma, "losses": proven.losses, "factor": factor}
        return Mistakes(0, proven.bound, facts)

    def _of_balanced(self, run: OnlineFacts) -> Mistakes:
        columns, promotion = len(self.margins.w), self.recipe.factors.promotion
        if run.made >= mistakes_within_range(columns, promotion):
            return Mistakes(0, reason=AT_THE_LIMITS)
        proven = self.margins.best(
            lambda gamma, losses: balanced_winnow_bound(columns, promotion, gamma, losses), run.passes
        )
        if proven is None:
            return Mistakes(0, reason=NOT_SEPARATED)
        facts = {
            "variables": float(columns),
            "promotion": float(promotion),
            "margin": proven.gamma,
            "losses": proven.losses,
        }
        return Mistakes(0, proven.bound, facts)


class _ByDisjunction:
    """By a disjunction that labels every row correctly."""

    readings = READINGS

    def __init__(self, part: _Rows, factors: Factors, columns: int, threshold: float) -> None:
        self.part, self.factors, self.threshold = part, factors, threshold
        self.variables = columns * (2 if factors.complement else 1)
        self.found = Disjunction(columns, complement=factors.complement)
        self.reason = STOPPED if factors.promotion * threshold > LARGEST_WEIGHT else ""

    def add(self, reading: int, examples: Examples) -> None:
        rows, codes, _ = self.part.of(examples)
        if reading == 0 and not ((rows.values == 0) | (rows.values == 1)).all():
            self.reason = NOT_BOOLEAN
            return
        self.found.add(reading, rows, codes == 1)
        if not self.found.exists:
            self.reason = NO_DISJUNCTION

    def result(self, run: OnlineFacts) -> Mistakes:  # noqa: ARG002
        literals = self.found.length()
        if literals is None:
            return Mistakes(0, reason=NO_DISJUNCTION)
        facts = {
            "literals": float(literals),
            "variables": float(self.variables),
            "promotion": float(self.factors.promotion),
            "demotion": float(self.factors.demotion),
            "threshold": float(self.threshold),
        }
        return Mistakes(0, winnow_bound(literals, self.variables, self.factors, self.threshold), facts)
