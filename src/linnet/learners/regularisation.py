"""Regularisation as users ask for it: C or alpha, the penalty, its L1 ratio; and how several classes are taken.

C       the penalty has weight 1 / C beside the sum of losses; for passive-aggressive learners the longest step
alpha   the weight of the penalty beside the mean loss of a row; ridge: beside the sum of squares; ridge, lasso and
        elastic net: chosen by the data where it is not given (training/alpha_choice.py); naive Bayes: what is added
        to every count
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from linnet.errors import RecipeError, option
from linnet.learners import catalogue
from linnet.learners.entry import Entry, Way
from linnet.learners.recipe import Penalty, Reduction
from linnet.learners.schedule import Step

# The L1 ratio of an elastic net, and alpha for learners that have no penalty of their own.
L1_RATIO = 0.5
ALPHA_ONLINE, ALPHA = 1e-4, 1.0


class PenaltyKind(StrEnum):
    """Kinds of penalty."""

    L2 = "l2"
    L1 = "l1"
    ELASTIC_NET = "elasticnet"
    NONE = "none"


@dataclass(frozen=True)
class Regularisation:
    """What was asked for; None for the learner's own."""

    C: float | None = None
    alpha: float | None = None
    penalty: PenaltyKind | None = None
    l1_ratio: float | None = None
    multiclass: Reduction | None = None
    intercept: bool = False

    @property
    def given(self) -> bool:
        return self != OWN

    @property
    def kind(self) -> PenaltyKind | None:
        """An L1 ratio asks for an elastic net."""
        return PenaltyKind.ELASTIC_NET if self.penalty is None and self.l1_ratio is not None else self.penalty

    def check(self) -> None:
        """Raise for values that no learner takes."""
        if self.C is not None and not 0 < self.C < float("inf"):
            raise RecipeError(f"C must be positive and finite; it is {self.C:g}")
        if self.alpha is not None and not 0 <= self.alpha < float("inf"):
            raise RecipeError(f"alpha must be 0 or more and finite; it is {self.alpha:g}")
        if self.l1_ratio is not None and not 0 <= self.l1_ratio <= 1:
            raise RecipeError(f"{option('l1_ratio')} must lie between 0 and 1; it is {self.l1_ratio:g}")
        if self.l1_ratio is not None and self.kind is not PenaltyKind.ELASTIC_NET:
            raise RecipeError(f"{option('l1_ratio')} goes with {option('penalty', 'elasticnet')}, not {self.penalty}")
        if self.penalty is PenaltyKind.NONE and (self.C is not None or self.alpha is not None):
            raise RecipeError(
                f"{option('penalty', 'none')} has no strength: leave {option('C')} and {option('alpha')} out"
            )
        if self.penalty is PenaltyKind.NONE and self.intercept:
            raise RecipeError(f"{option('penalty', 'none')} leaves nothing to {option('penalise_intercept')}: drop one")

    def fits(self, entry: Entry) -> bool:
        """Whether this learner takes all that was asked for."""
        try:
            self.of(entry)
        except RecipeError:
            return False
        return True

    def of(self, entry: Entry) -> Entry:
        """The learner with this regularisation; where it does not take it, an error that names learners that do."""
        for name, value in (("C", self.C), ("alpha", self.alpha)):
            if value is not None and entry.strength != name:
                raise _not_for(entry, option(name), lambda other, name=name: other.strength == name)  # type: ignore[misc]
        if self.alpha == 0 and entry.way is Way.COUNTING:
            raise RecipeError(f"alpha must be positive for {entry.name}: a count of 0 has no logarithm")
        kind, multiclass = self.kind, self.multiclass
        if kind is not None and kind not in entry.penalties:
            asked = option("l1_ratio") if self.penalty is None else option("penalty", kind)
            raise _not_for(entry, asked, lambda other: kind in other.penalties)
        if multiclass is not None and multiclass not in entry.multiclass:
            raise _not_for(entry, option("multiclass", multiclass), lambda other: multiclass in other.multiclass)
        if self.intercept and not entry.accepts("penalise_intercept"):
            raise _not_for(entry, option("penalise_intercept"), lambda other: other.accepts("penalise_intercept"))
        recipe = entry.recipe
        if multiclass is not None:
            recipe = replace(recipe, reduction=multiclass)
        if self.C is not None and recipe.schedule.step is not Step.POWER:
            recipe = replace(recipe, schedule=replace(recipe.schedule, eta=self.C))
        elif entry.penalties and (kind is not None or self.C is not None or self.alpha is not None):
            recipe = replace(recipe, penalty=self._penalty(entry, kind or _own_kind(entry)))
        if self.intercept:
            if not (recipe.penalty.l1 > 0 or recipe.penalty.l2 > 0):
                both = f"{option('alpha')} with {option('penalise_intercept')}"
                raise RecipeError(f"{entry.name} has no penalty of its own: give {both}")
            recipe = replace(recipe, penalty=replace(recipe.penalty, intercept=True))
        return replace(entry, recipe=recipe)

    def _penalty(self, entry: Entry, kind: PenaltyKind) -> Penalty:
        own = entry.recipe.penalty
        l1_ratio = L1_RATIO if self.l1_ratio is None else self.l1_ratio
        if kind is not PenaltyKind.ELASTIC_NET:
            l1_ratio = float(kind is PenaltyKind.L1)
        weight = own.l1 + own.l2 or (ALPHA_ONLINE if entry.way is Way.ONLINE else ALPHA)
        if self.C is not None:
            weight = 1.0 / self.C
        if self.alpha is not None:
            weight = self.alpha
        if kind is PenaltyKind.NONE:
            weight = 0.0
        return Penalty(weight * l1_ratio, weight * (1.0 - l1_ratio), total=own.total)


# Nothing was asked for: the learner's own.
OWN = Regularisation()


def with_strength(entry: Entry, value: float) -> Entry:
    """The learner with this C or alpha, its penalty otherwise as it is; L2, if it has none.

    The smoothing of counting learners is not part of them: their trainers take it.
    """
    recipe = entry.recipe
    if entry.way is Way.COUNTING:
        return entry
    if recipe.schedule.step is not Step.POWER:
        return replace(entry, recipe=replace(recipe, schedule=replace(recipe.schedule, eta=value)))
    own, weight = recipe.penalty, 1.0 / value if entry.strength == "C" else value
    ratio = own.l1 / (own.l1 + own.l2) if own.l1 > 0 else 0.0
    penalty = replace(own, l1=weight * ratio, l2=weight * (1.0 - ratio))
    return replace(entry, recipe=replace(recipe, penalty=penalty))


def _own_kind(entry: Entry) -> PenaltyKind:
    """The kind of the learner's own penalty; L2, if it has none."""
    own = entry.recipe.penalty
    if own.l1 == 0:
        return PenaltyKind.L2
    return PenaltyKind.L1 if own.l2 == 0 else PenaltyKind.ELASTIC_NET


def _not_for(entry: Entry, asked: str, can: Callable[[Entry], bool]) -> RecipeError:
    names = ", ".join(other.name for other in catalogue.entries() if can(other) and set(other.tasks) & set(entry.tasks))
    strengths = (option("C"), option("alpha"))
    own = f", which takes {option(entry.strength)}" if entry.strength and asked in strengths else ""
    return RecipeError(f"{asked} is not for {entry.name}{own}: it is for {names or 'no learner of this task'}")
