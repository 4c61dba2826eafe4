"""What every training run ends in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learners.linear import LinearModel
from linnet.training.duality_gap import ONLINE, Certificate
from linnet.training.history import Pass


@dataclass(frozen=True, eq=False)
class Start:
    """Where a fit may begin: a model, and for each of its problems the dual point that a solver found with it, a slope
    for each row and output (None where it found none); `nearby`, of a problem with another penalty."""

    model: LinearModel
    slopes: tuple[NDArray[np.float64] | None, ...]
    nearby: bool = False


@dataclass(frozen=True)
class OnlineFacts:
    """What a mistake bound needs to know of its run: the mistakes made, and how the rows were presented.

    `passes` is how often a row was presented at most, `threshold` is Winnow's; `joining` says that classes may have
    been added after the first row.
    """

    made: int
    passes: int
    threshold: float = 0.0
    intercept: bool = True
    joining: bool = False


@dataclass(frozen=True)
class Trained:
    """The model, its history, whether the solver converged, and what is proven; which solver it was and why.

    `state` is what a stream can continue from (online and counting learners), `fingerprint` the contents of the rows of
    an online run, where it read them for a shuffled order.
    """

    model: LinearModel
    history: list[Pass]
    converged: bool
    certificate: Certificate = ONLINE
    start: Start | None = field(default=None, repr=False)
    online: OnlineFacts | None = None
    solver: str = ""
    solver_reason: str = ""
    state: Any = field(default=None, repr=False)
    fingerprint: int | None = None
