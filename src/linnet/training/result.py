"""What every training run ends in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linnet.learners.linear import LinearModel
from linnet.training.duality_gap import ONLINE, Certificate
from linnet.training.history import Pass


@dataclass(frozen=True, eq=False)
class Start:
    """Where a training may begin: a model, and of each of its problems the dual point, a slope a row and output, that
    a solver came to with it (None where it came to none)."""

    model: LinearModel
    slopes: tuple[NDArray[np.float64] | None, ...]


@dataclass(frozen=True)
class OnlineFacts:
    """What a mistake bound must know of the run that it is for: the mistakes made, and how they came about.

    `passes` is how often a row was presented at most, `threshold` is Winnow's; `joining` says that classes may have
    joined after the first row.
    """

    made: int
    passes: int
    threshold: float = 0.0
    intercept: bool = True
    joining: bool = False


@dataclass(frozen=True)
class Trained:
    """The model, what happened on the way, whether the way came to its end, and what that end proves."""

    model: LinearModel
    history: list[Pass]
    converged: bool
    certificate: Certificate = ONLINE
    start: Start | None = field(default=None, repr=False)
    online: OnlineFacts | None = None
