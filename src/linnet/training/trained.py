"""What every training run ends in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linnet.model import LinearModel
from linnet.training.certificate import ONLINE, Certificate
from linnet.training.history import Pass
from linnet.training.mistakes import Mistakes


@dataclass(frozen=True, eq=False)
class Start:
    """Where a training may begin: a model, and of each of its problems the dual point, a slope a row and output, that
    a solver came to with it (None where it came to none)."""

    model: LinearModel
    slopes: tuple[NDArray[np.float64] | None, ...]


@dataclass(frozen=True)
class Trained:
    """The model, what happened on the way, whether the way came to its end, and what that end proves."""

    model: LinearModel
    history: list[Pass]
    converged: bool
    certificate: Certificate = ONLINE
    start: Start | None = field(default=None, repr=False)
    mistakes: Callable[[], Mistakes] | None = None

    @property
    def proven(self) -> Certificate | Callable[[], Mistakes]:
        """How near the fit is to the best; or, where mistakes are what counts, what tells the bound on them.

        To tell it all rows are gone through once more, which may take as long as to learn from them once.
        """
        return self.certificate if self.mistakes is None else self.mistakes
