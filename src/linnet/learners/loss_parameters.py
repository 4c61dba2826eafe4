"""The parameters of losses, as users ask for them.

power      p: the variance grows as mean^p (tweedie)
epsilon    residuals beyond epsilon times the scale count by their size, not their square (huber); residuals up to
           epsilon cost nothing (svr)
quantile   q: a fraction q of the targets is to be below the prediction (quantile)
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from linnet.errors import RecipeError, option
from linnet.learners import catalogue
from linnet.learners.entry import Entry
from linnet.learners.glm_losses import Tweedie
from linnet.learners.robust_losses import Huber, Pinball
from linnet.learners.svr_losses import EpsilonInsensitive


@dataclass(frozen=True)
class LossParameters:
    """What was asked for; None for the learner's own."""

    power: float | None = None
    quantile: float | None = None
    epsilon: float | None = None

    @property
    def given(self) -> bool:
        return self != LossParameters()

    def of(self, entry: Entry) -> Entry:
        """The learner with these parameters; where it does not take one, an error that names learners that do."""
        for each in fields(self):
            if getattr(self, each.name) is not None and not entry.accepts(each.name):
                names = ", ".join(other.name for other in catalogue.entries() if other.accepts(each.name))
                raise RecipeError(f"{option(each.name)} is not for {entry.name}: it is for {names}")
        loss = entry.recipe.loss
        if self.power is not None:
            loss = Tweedie(self.power, "identity" if self.power == 0 else "log")
        if self.quantile is not None:
            loss = Pinball(self.quantile)
        if self.epsilon is not None:
            loss = type(loss)(self.epsilon) if isinstance(loss, EpsilonInsensitive) else Huber(self.epsilon)
        return replace(entry, recipe=replace(entry.recipe, loss=loss))
