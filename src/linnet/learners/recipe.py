"""Recipe: a learner as six independent choices, and which of them combine."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from linnet.errors import RecipeError
from linnet.learners.losses import Loss
from linnet.learners.schedule import Schedule, Step
from linnet.learners.values import ZERO_OR_ONE, ZERO_TO_ONE, Values


class Update(IntEnum):
    """How a pull moves the weights: additively, each column in its own unit at its own rate, or by a factor."""

    ADDITIVE = 0
    ADAPTIVE = 1
    MULTIPLICATIVE = 2


class Averaging(IntEnum):
    """Which of the weight vectors of a run predicts: the last, their mean, or all of them by vote."""

    LAST = 0
    AVERAGE = 1
    VOTE = 2


class Reduction(StrEnum):
    """How more than two classes are taken.

    With a reference it is the last class whose weights and intercept are 0: the scores of the others are log-odds
    against it.  Jointly every class has weights of its own.  Where a row has several labels, or none, each label is a
    problem of two classes.
    """

    JOINT = "joint"
    REFERENCE = "reference"
    ONE_VS_REST = "one-vs-rest"
    PAIRWISE = "pairwise"
    EACH_LABEL = "each-label"


@dataclass(frozen=True)
class Penalty:
    """l1 |w|_1 + l2/2 |w|_2^2 per example; the intercept is not penalised, unless `intercept` asks for it (then it is
    penalised as the weights are; for batch learners only).

    With `positive` no weight is below 0 (coordinate descent only).  With `total` the two are the penalty of the whole
    sum of losses (as in 1/C), not of their mean: at step t they count a t-th, and an n-th once n rows are known.
    """

    l1: float = 0.0
    l2: float = 0.0
    total: bool = False
    intercept: bool = False
    positive: bool = False

    def __post_init__(self) -> None:
        for name, value in (("l1", self.l1), ("l2", self.l2)):
            if not 0 <= value < float("inf"):
                raise RecipeError(f"the {name} penalty must be 0 or more and finite; it is {value}")


@dataclass(frozen=True)
class Factors:
    """What the multiplicative update multiplies by, and what it compares the sum with.

    A row of the positive class that is missed multiplies its weights by `promotion` (to the power of x_j), a row of the
    other by `demotion`; a demotion of 0 eliminates.  The sum is compared with `threshold`; None is half the number of
    variables.  `balanced` keeps two weights for each column, whose difference counts, and learns the threshold as it
    learns them; `complement` gives every variable x_j another, 1 - x_j.
    """

    promotion: float = 2.0
    demotion: float = 0.5
    threshold: float | None = None
    balanced: bool = False
    complement: bool = False

    def __post_init__(self) -> None:
        if not 1 < self.promotion < float("inf"):
            raise RecipeError(f"the factor of a promotion must be above 1 and finite; it is {self.promotion}")
        if not 0 <= self.demotion < 1:
            raise RecipeError(
                f"the factor of a demotion must be from 0 (elimination) to below 1; it is {self.demotion}"
            )
        if self.threshold is not None and not 0 < self.threshold < float("inf"):
            raise RecipeError(f"the threshold must be positive and finite; it is {self.threshold}")
        if self.balanced and self.threshold is not None:
            raise RecipeError("balanced weights learn their threshold: leave it out")
        if self.balanced and self.complement:
            raise RecipeError("balanced weights may be below 0 and need no complements: take one of the two")
        if self.balanced and self.demotion == 0:
            raise RecipeError("balanced weights are demoted, never eliminated: the demotion must be above 0")

    @property
    def eliminates(self) -> bool:
        return self.demotion == 0


@dataclass(frozen=True)
class Recipe:
    """One learner. Anything that combines is a learner; the named ones are in the catalogue.

    An average may begin after the first `average_from` steps, which are still far from where they lead.
    """

    loss: Loss
    update: Update = Update.ADDITIVE
    schedule: Schedule = field(default_factory=Schedule)
    penalty: Penalty = field(default_factory=Penalty)
    averaging: Averaging = Averaging.LAST
    reduction: Reduction = Reduction.JOINT
    factors: Factors = field(default_factory=Factors)
    average_from: int = 0

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            if not isinstance(getattr(self, name), kind):
                raise RecipeError(f"a recipe's {name} is a linnet.{kind.__name__}; it is {getattr(self, name)!r}")
        penalised = self.penalty.l1 > 0 or self.penalty.l2 > 0
        aggressive = self.schedule.step is not Step.POWER
        adaptive = self.update is Update.ADAPTIVE
        multiplicative = self.update is Update.MULTIPLICATIVE
        refused = [
            (aggressive and penalised, "passive-aggressive steps take no penalty: their C already bounds each step"),
            (aggressive and adaptive, "a passive-aggressive step and adaptive rates both choose the step: take one"),
            (
                aggressive and not self.loss.unit_slopes,
                "passive-aggressive steps mend a hinge loss, or an epsilon-insensitive one; others take a schedule",
            ),
            (
                adaptive and self.loss.epsilon > 0,
                f"adaptive rates measure targets in their own unit, in which epsilon is not: the {self.loss.name} loss "
                "takes a schedule",
            ),
            (aggressive and self.schedule.power > 0, "a passive-aggressive step follows the row: power_t must be 0"),
            (adaptive and self.schedule.power > 0, "adaptive rates fall by themselves: power_t must be 0"),
            (
                adaptive and self.averaging is not Averaging.LAST,
                "the adaptive update has no averaging: its rates fall by themselves",
            ),
            (
                self.averaging is Averaging.AVERAGE and self.penalty.l1 > 0,
                "an average of sparse weights is not sparse: take averaging or an L1 penalty, not both",
            ),
            (
                self.average_from != 0 and self.averaging is not Averaging.AVERAGE,
                "average_from goes with averaging: take Averaging.AVERAGE",
            ),
            (not 0 <= self.average_from < 1 << 53, "average_from must be 0 or more"),
            (
                self.averaging is Averaging.VOTE and (self.loss is not Loss.PERCEPTRON or penalised),
                "voting keeps every hypothesis as a list of mistakes: perceptron loss without penalty only",
            ),
            (
                self.schedule.per_penalty and self.penalty.l2 == 0,
                "steps in units of 1 / l2 need an L2 penalty: give one, or a step size eta0",
            ),
            (
                self.reduction is Reduction.REFERENCE and not self.loss.log_odds,
                "a reference class goes with the logistic loss, whose scores are log-odds against it: "
                "take 'joint', 'one-vs-rest' or 'pairwise'",
            ),
            (
                multiplicative and (self.loss is not Loss.PERCEPTRON or penalised),
                "the multiplicative update learns from mistakes alone: perceptron loss without penalty only",
            ),
            (
                multiplicative and self.schedule != Schedule(),
                "the multiplicative update has factors instead of steps: leave eta0 and power_t out",
            ),
            (multiplicative and self.averaging is not Averaging.LAST, "the multiplicative update has no averaging"),
            (
                multiplicative and self.reduction in (Reduction.JOINT, Reduction.REFERENCE),
                "the multiplicative update compares one sum with a threshold: take 'one-vs-rest' or 'pairwise'",
            ),
            (
                not multiplicative and self.factors != Factors(),
                "factors are for the multiplicative update: take it, or leave them out",
            ),
        ]
        for wrong, why in refused:
            if wrong:
                raise RecipeError(why)

    @property
    def eta(self) -> float:
        """The first step."""
        return self.schedule.eta / self.penalty.l2 if self.schedule.per_penalty else self.schedule.eta

    @property
    def values(self) -> Values | None:
        """The numbers that the update takes; None for all."""
        if self.update is not Update.MULTIPLICATIVE:
            return None
        return ZERO_OR_ONE if self.factors.eliminates else ZERO_TO_ONE

    @property
    def has_probabilities(self) -> bool:
        return self.loss.log_odds and self.reduction is not Reduction.PAIRWISE


_KINDS: dict[str, type] = {
    "loss": Loss,
    "update": Update,
    "schedule": Schedule,
    "penalty": Penalty,
    "averaging": Averaging,
    "reduction": Reduction,
    "factors": Factors,
}
