"""How strongly a learner is held back, as its users say it: C or alpha, the kind of penalty, the part of it that is L1.

C       the penalty's weight is 1 / C beside the sum of losses; of passive-aggressive steps the longest
alpha   the penalty's weight beside the mean loss of a row; ridge: beside the sum of squares; naive Bayes: what is
        added to every count
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from linnet.errors import RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Entry, Way
from linnet.learners.recipe import Penalty, Reduction
from linnet.learners.schedule import Step

E = TypeVar("E", bound=StrEnum)

# The part of an elastic net that is L1, and alpha for learners that have no penalty of their own.
L1_RATIO = 0.5
ALPHA_ONLINE, ALPHA = 1e-4, 1.0


class Kind(StrEnum):
    """Kinds of penalty."""

    L2 = "l2"
    L1 = "l1"
    ELASTIC_NET = "elasticnet"
    NONE = "none"


@dataclass(frozen=True)
class Strength:
    """What was given; None for what was left to the learner."""

    C: float | None = None
    alpha: float | None = None
    penalty: Kind | None = None
    l1_ratio: float | None = None
    multiclass: Reduction | None = None
    intercept: bool = False

    @classmethod
    def of_words(
        cls,
        C: float | None = None,
        alpha: float | None = None,
        penalty: str | None = None,
        l1_ratio: float | None = None,
        multiclass: str | None = None,
        intercept: bool = False,
    ) -> Strength:
        """As users write it."""
        kind, reduction = _one_of(Kind, "penalty", penalty), _one_of(Reduction, "multiclass", multiclass)
        return cls(C, alpha, kind, l1_ratio, reduction, bool(intercept))

    @property
    def given(self) -> bool:
        return self != OWN

    @property
    def kind(self) -> Kind | None:
        """An L1 ratio asks for an elastic net."""
        return Kind.ELASTIC_NET if self.penalty is None and self.l1_ratio is not None else self.penalty

    def check(self) -> None:
        """Refuse what means nothing for any learner."""
        if self.C is not None and not 0 < self.C < float("inf"):
            raise RecipeError(f"C must be positive and finite; it is {self.C:g}")
        if self.alpha is not None and not 0 <= self.alpha < float("inf"):
            raise RecipeError(f"alpha must be 0 or more and finite; it is {self.alpha:g}")
        if self.l1_ratio is not None and not 0 <= self.l1_ratio <= 1:
            raise RecipeError(f"the L1 ratio must lie between 0 and 1; it is {self.l1_ratio:g}")
        if self.l1_ratio is not None and self.kind is not Kind.ELASTIC_NET:
            raise RecipeError(f"an L1 ratio is for the penalty elasticnet; it is {self.penalty}")
        if self.penalty is Kind.NONE and (self.C is not None or self.alpha is not None):
            raise RecipeError("without a penalty there is no strength of it: leave C and alpha out")
        if self.penalty is Kind.NONE and self.intercept:
            raise RecipeError("without a penalty the intercept has none either: leave --penalise-intercept out")

    def fits(self, entry: Entry) -> bool:
        """Whether this learner takes all that was given."""
        try:
            self.of(entry)
        except RecipeError:
            return False
        return True

    def of(self, entry: Entry) -> Entry:
        """The learner, held back so; an error that names those that can be, where it cannot."""
        for name, value in (("C", self.C), ("alpha", self.alpha)):
            if value is not None and entry.strength != name:
                raise _not_for(entry, f"--{name}", lambda other, name=name: other.strength == name)  # type: ignore[misc]
        if self.alpha == 0 and entry.way is Way.COUNTING:
            raise RecipeError(f"alpha must be positive for {entry.name}: a count of 0 has no logarithm")
        kind, multiclass = self.kind, self.multiclass
        if kind is not None and kind not in entry.penalties:
            option = "--l1-ratio" if self.penalty is None else f"--penalty {kind}"
            raise _not_for(entry, option, lambda other: kind in other.penalties)
        if multiclass is not None and multiclass not in entry.multiclass:
            raise _not_for(entry, f"--multiclass {multiclass}", lambda other: multiclass in other.multiclass)
        if self.intercept and not _may_penalise_intercept(entry):
            raise _not_for(entry, "--penalise-intercept", _may_penalise_intercept)
        recipe = entry.recipe
        if multiclass is not None:
            recipe = replace(recipe, reduction=multiclass)
        if self.C is not None and recipe.schedule.step is not Step.POWER:
            recipe = replace(recipe, schedule=replace(recipe.schedule, eta=self.C))
        elif entry.penalties and (kind is not None or self.C is not None or self.alpha is not None):
            recipe = replace(recipe, penalty=self._penalty(entry, kind or Kind.L2))
        if self.intercept:
            if not (recipe.penalty.l1 > 0 or recipe.penalty.l2 > 0):
                raise RecipeError(f"{entry.name} has no penalty of its own: give --alpha with --penalise-intercept")
            recipe = replace(recipe, penalty=replace(recipe.penalty, intercept=True))
        return replace(entry, recipe=recipe)

    def _penalty(self, entry: Entry, kind: Kind) -> Penalty:
        own = entry.recipe.penalty
        share = L1_RATIO if self.l1_ratio is None else self.l1_ratio
        if kind is not Kind.ELASTIC_NET:
            share = float(kind is Kind.L1)
        weight = own.l2 or (ALPHA_ONLINE if entry.way is Way.ONLINE else ALPHA)
        if self.C is not None:
            weight = 1.0 / self.C
        if self.alpha is not None:
            weight = self.alpha
        if kind is Kind.NONE:
            weight = 0.0
        return Penalty(weight * share, weight * (1.0 - share), total=own.total)


def _one_of(kinds: type[E], what: str, word: str | None) -> E | None:
    if word is not None and word not in list(kinds):
        raise RecipeError(f"{what} is one of {', '.join(map(str, kinds))}; not {word!r}")
    return None if word is None else kinds(word)


# Nothing was given: a learner's own.
OWN = Strength()


def _may_penalise_intercept(entry: Entry) -> bool:
    """Whether all rows are seen at once, under a penalty."""
    return bool(entry.penalties) and entry.way is not Way.ONLINE


def _not_for(entry: Entry, option: str, can: Callable[[Entry], bool]) -> RecipeError:
    names = ", ".join(other.name for other in catalogue.entries() if can(other) and set(other.tasks) & set(entry.tasks))
    own = f", which takes --{entry.strength}" if entry.strength and option in ("--C", "--alpha") else ""
    return RecipeError(f"{option} is not for {entry.name}{own}: it is for {names or 'no learner of this task'}")
