"""Step sizes: eta_t for t = 1, 2, ..., and whether they meet the Robbins-Monro conditions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from linnet.errors import RecipeError


class Step(IntEnum):
    """How a step's size is found. The numbers are the kernels'."""

    POWER = 0
    PASSIVE_AGGRESSIVE_1 = 1
    PASSIVE_AGGRESSIVE_2 = 2


@dataclass(frozen=True)
class RobbinsMonro:
    """The three conditions of Robbins and Monro (1951), under which stochastic approximation converges."""

    tends_to_zero: bool
    sum_diverges: bool
    sum_of_squares_converges: bool
    reason: str

    def __bool__(self) -> bool:
        return self.tends_to_zero and self.sum_diverges and self.sum_of_squares_converges


@dataclass(frozen=True)
class Schedule:
    """eta_t = eta t^(-power); or passive-aggressive: the step that just corrects the row, eta its aggressiveness C.

    With `per_penalty`, eta counts in units of 1 / l2: pegasos takes steps of 1 / (l2 t).  With an `offset` steps are
    eta (t + offset)^(-power), which keeps the first ones from being too long.
    """

    eta: float = 1.0
    power: float = 0.0
    step: Step = Step.POWER
    per_penalty: bool = False
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not -1 < self.offset < float("inf"):
            raise RecipeError(f"the offset of a step's number must be above -1 and finite; it is {self.offset}")
        if self.offset and self.power == 0:
            raise RecipeError("an offset of the step's number goes with steps that fall: power_t must be above 0")
        if not 0 < self.eta < float("inf"):
            raise RecipeError(f"a step size must be positive and finite; eta0 is {self.eta}")
        if not 0 <= self.power < float("inf"):
            raise RecipeError(f"steps must not grow: power_t must be 0 or more, it is {self.power}")

    def at(self, t: int) -> float:
        """The size of step t, counted from 1 (in units of 1 / l2 if it is per penalty)."""
        if self.step is not Step.POWER:
            raise RecipeError("a passive-aggressive step depends on the row, not on its number")
        return float(self.eta * (t + self.offset) ** (-self.power))

    def robbins_monro(self) -> RobbinsMonro:
        """Does sum eta_t diverge while sum eta_t^2 converges?  For eta t^(-p): exactly when 1/2 < p <= 1."""
        if self.step is not Step.POWER:
            return RobbinsMonro(False, False, False, "passive-aggressive steps follow the rows, not a schedule")
        p = self.power
        if p == 0:
            reason = "a constant step never converges: it does not tend to 0"
        elif p <= 0.5:
            reason = f"t^-{p:g} shrinks too slowly: the sum of its squares diverges (it would take a power over 1/2)"
        elif p <= 1:
            reason = f"t^-{p:g} meets all three conditions (1/2 < power <= 1)"
        else:
            reason = f"t^-{p:g} shrinks too fast: the steps add up to a finite length (it would take a power up to 1)"
        return RobbinsMonro(p > 0, p <= 1, p > 0.5, reason)


def constant(eta: float = 1.0) -> Schedule:
    """The same step always."""
    return Schedule(eta, 0.0)


def inverse(eta: float = 1.0) -> Schedule:
    """eta / t."""
    return Schedule(eta, 1.0)


def inverse_sqrt(eta: float = 1.0) -> Schedule:
    """eta / sqrt(t)."""
    return Schedule(eta, 0.5)


def passive_aggressive(C: float = 1.0, *, variant: int = 1) -> Schedule:
    """PA-I caps the step at C; PA-II softens it by 1 / (2 C)."""
    return Schedule(C, 0.0, Step.PASSIVE_AGGRESSIVE_1 if variant == 1 else Step.PASSIVE_AGGRESSIVE_2)
