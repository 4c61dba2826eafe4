"""Losses that have parameters, by the names that files hold: a family, and its parameters after colons."""

from __future__ import annotations

from linnet.errors import RecipeError
from linnet.learners.glm_losses import Tweedie
from linnet.learners.losses import Loss
from linnet.learners.robust_losses import FixedHuber, Huber, Pinball
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive

_INSENSITIVE = {loss.family: loss for loss in (EpsilonInsensitive, SquaredEpsilonInsensitive)}


def from_plain(plain: str) -> Loss:
    """The loss that calls itself so in `to_plain`; TypeError for anything else."""
    family, *parameters = plain.split(":")
    try:
        if family == "tweedie" and len(parameters) == 2:
            return Tweedie(float(parameters[0]), parameters[1])
        if family == "pinball" and len(parameters) == 1:
            return Pinball(float(parameters[0]))
        if family == "huber" and len(parameters) == 1:
            return Huber(float(parameters[0]))
        if family == "fixed_huber" and len(parameters) == 1:
            return FixedHuber(float(parameters[0]))
        if family in _INSENSITIVE and len(parameters) == 1:
            return _INSENSITIVE[family](float(parameters[0]))
    except (ValueError, RecipeError) as error:
        raise TypeError(f"no loss is called {plain!r}: {error}") from None
    raise TypeError(f"no loss is called {plain!r}")
