"""What Winnow multiplies by and compares with, as its users say it.

promotion   alpha: a row of the positive class that is missed multiplies its weights by it; one of the other class
            divides them by it (winnow, winnow2)
threshold   Theta: what the sum of a row's weights must exceed (winnow1, winnow2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linnet.errors import RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Entry
from linnet.learners.recipe import Update


@dataclass(frozen=True)
class Winnowing:
    """What was given; None for what was left to the learner."""

    promotion: float | None = None
    threshold: float | None = None

    @property
    def given(self) -> bool:
        return self != Winnowing()

    def of(self, entry: Entry) -> Entry:
        """The learner with these factors; an error that names those that take them, where it does not."""
        factors = entry.recipe.factors
        if self.promotion is not None:
            if not _multiplies(entry):
                raise _not_for(entry, "--promotion", _multiplies)
            if not 1 < self.promotion < float("inf"):
                raise RecipeError(
                    f"--promotion is what weights are multiplied by: above 1 and finite; not {self.promotion:g}"
                )
            demotion = 0.0 if factors.eliminates else 1.0 / self.promotion
            factors = replace(factors, promotion=self.promotion, demotion=demotion)
        if self.threshold is not None:
            if not _compares(entry):
                raise _not_for(entry, "--winnow-threshold", _compares)
            if not 0 < self.threshold < float("inf"):
                raise RecipeError(f"--winnow-threshold must be positive and finite; it is {self.threshold:g}")
            factors = replace(factors, threshold=self.threshold)
        return replace(entry, recipe=replace(entry.recipe, factors=factors))


def _multiplies(entry: Entry) -> bool:
    return entry.recipe.update is Update.MULTIPLICATIVE


def _compares(entry: Entry) -> bool:
    return _multiplies(entry) and not entry.recipe.factors.balanced


def _not_for(entry: Entry, option: str, can: Callable[[Entry], bool]) -> RecipeError:
    names = ", ".join(other.name for other in catalogue.entries() if can(other))
    return RecipeError(f"{option} is not for {entry.name}: it is for {names}")
