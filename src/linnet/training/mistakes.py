"""Mistake bounds: how often a learner was wrong on its way, beside how often it can have been at most.

The perceptron (Novikoff 1962): if some plane leaves every row at a distance of gamma or more on its own side, a
perceptron that begins at 0 makes at most (R / gamma)^2 mistakes, in whatever order and however often the rows come; R
is the length of the longest row.  Both are measured where the learner works: on the points (x, 1) if it has an
intercept.  With many classes at once, gamma is the least lead over a rival under weights of length 1 in all, and a
mistake moves two classes: 2 (R / gamma)^2 (Collins 2002).  Any plane that separates will do; the one at hand is the
model's.

Winnow (Littlestone 1988): if some disjunction of k of the d Boolean variables is right of every row, a variable of it
is never demoted, and is promoted only while its weight is at most Theta: u <= k (log_alpha Theta + 1) promotions, for
each promotes one of the k at least.  A promotion adds at most (alpha - 1) Theta to the sum of all weights, which begins
at d; a demotion by the factor beta takes more than (1 - beta) Theta from it, and the sum never is below 0.  So there
are at most (d / Theta + (alpha - 1) u) / (1 - beta) demotions.  For Winnow1, beta = 0, both together are

    alpha k (log_alpha Theta + 1) + d / Theta.

Any disjunction that is right of every row will do; a short one is looked for greedily.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.examples import Examples, Rows
from linnet.learners.recipe import Factors, Loss, Recipe, Update
from linnet.learners.schedule import Step
from linnet.model import LinearModel
from linnet.training.order import presentations
from linnet.training.reduction import problems

Flat = NDArray[np.float64]

# Where the kernel of multiplied weights stops them (kernels/multiplicative.py).
LARGEST_WEIGHT = 1e100

NOT_SEPARATED = "the weights it ended with do not separate the rows, so no margin is known"
BY_ROUNDING = "the weights it ended with separate the rows by no more than rounding may have added to their scores"
NO_DISJUNCTION = "no disjunction of the variables is right of every row"
NOT_BOOLEAN = "the bound is for Boolean columns, and some value is neither 0 nor 1"
BALANCED = "no bound is proven here for balanced weights"
STOPPED = f"the bound is for weights that may grow to αΘ, and they stop at {LARGEST_WEIGHT:g}: lower the threshold"
PENALISED = "the bound is for steps of one length without a penalty"
SHARES = "the bound is for rows that count whole times"
NOT_KEPT = "the rows were not kept, and a bound takes them all"
JOINED_LATE = "classes joined on the way, and the bound is for classes known from the start"
# The numbers that a bound is made of: by a margin, by a disjunction, or of several problems.
FACTS = (
    {"radius", "margin", "outputs"},
    {"literals", "variables", "promotion", "demotion", "threshold"},
    {"problems"},
)
# Rows whose margins are measured at once: where rows are not separated, the first of them tell.
AT_ONCE = 1 << 12


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
        if "margin" in facts:
            twice = "2 " if facts["outputs"] > 1 else ""
            return f"{twice}(R/γ)², R = {facts['radius']:.6g}, γ = {facts['margin']:.6g}"
        if "literals" in facts:
            terms = "αk(log_α Θ + 1) + d/Θ" if facts["demotion"] == 0 else "u + (d/Θ + (α - 1)u)/(1 - β), "
            terms += "" if facts["demotion"] == 0 else f"u = k(log_α Θ + 1), β = {facts['demotion']:g}"
            return (
                f"{terms}, k = {facts['literals']:g}, α = {facts['promotion']:g}, Θ = {facts['threshold']:g}, "
                f"d = {facts['variables']:g}"
            )
        return f"the sum of the bounds of {facts['problems']:g} problems"


def has_bound(recipe: Recipe) -> bool:
    """Whether mistakes are what this learner is judged by."""
    return recipe.loss is Loss.PERCEPTRON


def counted(
    recipe: Recipe, model: LinearModel, examples: Examples, made: int, threshold: float, *, intercept: bool
) -> Mistakes:
    """The bound on these mistakes that the examples, and the weights that were learnt from them, prove."""
    reason = _excluded(recipe)
    if reason:
        return Mistakes(made, reason=reason)
    if examples.weights is not None:
        if len(presentations(examples, shuffle=False).shares):
            return Mistakes(made, reason=SHARES)
        examples = _some(examples, np.flatnonzero(examples.weights > 0))
    if recipe.update is Update.MULTIPLICATIVE and not _boolean(examples.rows):
        return Mistakes(made, reason=NOT_BOOLEAN)
    classes = 1 if model.classes is None else len(model.classes)
    found, first = [], 0
    for problem in problems(classes, recipe.reduction):
        members = problem.members(examples.targets, classes)
        mine = examples if members is None else _some(examples, np.flatnonzero(members))
        outputs = problem.outputs(classes)
        if recipe.update is Update.MULTIPLICATIVE:
            positive = mine.targets == float(problem.positive or 0)
            found.append(_by_disjunction(recipe.factors, mine.rows, positive, threshold))
        else:
            of_problem = slice(first, first + outputs)
            w, b = model.weights[:, of_problem], model.intercepts[of_problem] if intercept else None
            targets = mine.targets if outputs > 1 else (mine.targets == float(problem.positive or 0)).astype(np.float64)
            found.append(_by_margin(mine.rows, targets, w, b))
        if found[-1].reason:
            break
        first += outputs
    return _together(found, made)


def bound_of_winnow(literals: int, variables: int, factors: Factors, threshold: float) -> float:
    """How many mistakes there can be on rows of which a disjunction of so many literals is right."""
    promotions = literals * max(0.0, math.log(threshold, factors.promotion) + 1.0)
    demotions = (variables / threshold + (factors.promotion - 1.0) * promotions) / (1.0 - factors.demotion)
    return promotions + demotions


def _excluded(recipe: Recipe) -> str:
    """Why there is no bound, whatever the rows are; nothing where there may be one."""
    if recipe.update is Update.MULTIPLICATIVE:
        return BALANCED if recipe.factors.balanced else ""
    penalised = recipe.penalty.l1 > 0 or recipe.penalty.l2 > 0
    even = recipe.update is Update.ADDITIVE and recipe.schedule.step is Step.POWER and recipe.schedule.power == 0
    return PENALISED if penalised or not even else ""


def _some(examples: Examples, which: NDArray[np.int64]) -> Examples:
    if len(which) == len(examples.targets):
        return Examples(examples.rows, examples.targets)
    return Examples(Rows.of(examples.rows.matrix(which)), examples.targets[which])


def _together(found: Sequence[Mistakes], made: int) -> Mistakes:
    """The bound on the mistakes of all problems."""
    if found[-1].reason:
        return Mistakes(made, reason=found[-1].reason)
    if len(found) == 1:
        return Mistakes(made, found[0].bound, found[0].facts)
    return Mistakes(made, sum(each.bound for each in found), {"problems": float(len(found))})


# -- the perceptron ---------------------------------------------------------------------------------------------------


@np.errstate(over="ignore", invalid="ignore")  # a margin or radius beyond the range of numbers proves nothing
def _by_margin(rows: Rows, targets: Flat, w: Flat, b: Flat | None) -> Mistakes:
    """2 (R / gamma)^2 by the margin of these weights, or (R / gamma)^2 of two classes; targets are class numbers."""
    outputs = w.shape[1]
    offset = np.zeros(outputs) if b is None else b
    length = math.sqrt(float((w * w).sum() + (offset * offset).sum()))
    least, longest = math.inf, 0.0
    for first in range(0, rows.shape[0], AT_ONCE):
        block = rows.matrix(slice(first, first + AT_ONCE)).astype(np.float64)
        scores, codes = np.asarray(block @ w) + offset, targets[first : first + AT_ONCE].astype(np.int64)
        least = min(least, float(_leads(scores, codes).min(initial=math.inf)))
        if not least > 0:
            return Mistakes(0, reason=NOT_SEPARATED)
        squares = block.multiply(block).sum(axis=1) if hasattr(block, "multiply") else (block * block).sum(axis=1)
        longest = max(longest, float(np.asarray(squares).max(initial=0.0)))
    radius = math.sqrt(longest + (b is not None))
    # what rounding may have added to a score, for every product of its sum
    rounding = 4.0 * float(np.finfo(np.float64).eps) * (rows.shape[1] + 2) * radius
    margin = least / length - rounding if length > 0 else 0.0
    if not (margin > 0 and math.isfinite(margin) and math.isfinite(radius)):
        return Mistakes(0, reason=BY_ROUNDING)
    bound = (2.0 if outputs > 1 else 1.0) * (radius / margin) ** 2
    return Mistakes(0, bound, {"radius": radius, "margin": margin, "outputs": float(outputs)})


def _leads(scores: Flat, codes: NDArray[np.int64]) -> Flat:
    """By how much each row's own side or class leads."""
    if scores.shape[1] == 1:
        return np.asarray(np.where(codes == 1, scores[:, 0], -scores[:, 0]))
    every = np.arange(len(codes))
    own = scores[every, codes]
    rivals = scores.copy()
    rivals[every, codes] = -np.inf
    return np.asarray(own - rivals.max(axis=1))


# -- Winnow -----------------------------------------------------------------------------------------------------------


def _boolean(rows: Rows) -> bool:
    return bool(((rows.values == 0) | (rows.values == 1)).all())


def _by_disjunction(factors: Factors, rows: Rows, positive: NDArray[np.bool_], threshold: float) -> Mistakes:
    if factors.promotion * threshold > LARGEST_WEIGHT:
        return Mistakes(0, reason=STOPPED)
    literals = shortest_found(rows, positive, complement=factors.complement)
    if literals is None:
        return Mistakes(0, reason=NO_DISJUNCTION)
    variables = rows.shape[1] * (2 if factors.complement else 1)
    facts = {
        "literals": float(literals),
        "variables": float(variables),
        "promotion": factors.promotion,
        "demotion": factors.demotion,
        "threshold": threshold,
    }
    return Mistakes(0, bound_of_winnow(literals, variables, factors, threshold), facts)


def shortest_found(rows: Rows, positive: NDArray[np.bool_], *, complement: bool = False) -> int | None:
    """How many literals a disjunction takes that is right of every row, found greedily; None if there is none.

    Its literals are false in every negative row, and one of them is true in every positive row: of those that may be
    in it, the one that most of the rows still lack is taken, and again.
    """
    from scipy.sparse import csc_array, csr_array, hstack

    matrix = csr_array(rows.matrix(slice(None)))
    matrix.eliminate_zeros()
    matrix.data = np.ones(len(matrix.data))
    negatives = np.asarray(matrix[np.flatnonzero(~positive)].sum(axis=0)).reshape(-1)
    wanted = matrix[np.flatnonzero(positive)]
    choices = csc_array(wanted[:, np.flatnonzero(negatives == 0)])
    if complement:
        opposed = wanted[:, np.flatnonzero(negatives == int((~positive).sum()))]
        choices = csc_array(hstack([choices, csc_array(1.0 - opposed.toarray())], format="csc"))
        choices.eliminate_zeros()
    by_row = csr_array(choices)
    if np.diff(by_row.indptr).min(initial=1) == 0:
        return None
    lacking, gains, taken = np.ones(wanted.shape[0], dtype=bool), np.diff(choices.indptr).astype(np.int64), 0
    while lacking.any():
        best = int(np.argmax(gains))
        covered = choices.indices[choices.indptr[best] : choices.indptr[best + 1]]
        covered = covered[lacking[covered]]
        lacking[covered] = False
        gains -= np.bincount(by_row[covered].indices, minlength=len(gains))
        taken += 1
    return taken
