"""The factor and the threshold of Winnow, as users ask for them.

promotion   alpha: a missed row of the positive class multiplies its weights by it; a missed row of the other class
            divides them by it (winnow, winnow2)
threshold   Theta: what the sum of a row's weights must exceed (winnow1, winnow2)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from linnet.errors import RecipeError, option
from linnet.learners import catalogue
from linnet.learners.entry import Entry


@dataclass(frozen=True)
class WinnowFactors:
    """What was asked for; None for the learner's own."""

    promotion: float | None = None
    threshold: float | None = None

    @property
    def given(self) -> bool:
        return self != WinnowFactors()

    def of(self, entry: Entry) -> Entry:
        """The learner with these factors; where it does not take them, an error that names learners that do."""
        factors = entry.recipe.factors
        if self.promotion is not None:
            _check(entry, "promotion")
            if not 1 < self.promotion < float("inf"):
                raise RecipeError(f"{option('promotion')} must be above 1 and finite; it is {self.promotion:g}")
            demotion = 0.0 if factors.eliminates else 1.0 / self.promotion
            factors = replace(factors, promotion=self.promotion, demotion=demotion)
        if self.threshold is not None:
            _check(entry, "winnow_threshold")
            if not 0 < self.threshold < float("inf"):
                raise RecipeError(f"{option('winnow_threshold')} must be positive and finite; it is {self.threshold:g}")
            factors = replace(factors, threshold=self.threshold)
        return replace(entry, recipe=replace(entry.recipe, factors=factors))


def _check(entry: Entry, name: str) -> None:
    if not entry.accepts(name):
        names = ", ".join(other.name for other in catalogue.entries() if other.accepts(name))
        raise RecipeError(f"{option(name)} is not for {entry.name}: it is for {names}")
