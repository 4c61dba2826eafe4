"""What a batch solver is given and what it returns: where to start, when to stop, and the weights it ends at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linnet.learners.schedule import Schedule
from linnet.training.duality_gap import Certificate, Table
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective

# Who asks for a gap this small is after the weights.
TIGHT = 1e-7


@dataclass(frozen=True)
class Steps:
    """Step sizes for a gradient: on the objective, a mean over the rows; with a `gain`, on gain times the sum."""

    schedule: Schedule
    gain: float | None = None


@dataclass(frozen=True)
class Descent:
    """Where to start and when to stop: after `most` steps, or at `tol` (see each solver); without `tol`, after all.

    Without a `start`, all weights are 0 at first, and the intercept is where the loss says.  A `warm` start is the end
    of an earlier descent: steps and gradients are then compared with those at weights 0: relative to those at the end
    none would be short.  It may come with the `slopes` of the losses that were found there, a dual point.  Unless the
    end is to be `proven`, a solver may trust its own estimate of the gap.
    """

    most: int
    tol: float | None
    steps: Steps | None = None
    start: Flat | None = None
    warm: bool = False
    slopes: Table | None = None
    proven: bool = True

    @property
    def aim(self) -> float:
        """The gap that smooth solvers work for: the weights' error goes with its root, so a tight one is squared."""
        tol = self.tol or 0.0
        return tol if tol > TIGHT else tol * tol

    def begin(self, problem: Objective, units: Flat | float = 1.0) -> Flat:
        """The weights at first, measured in these units."""
        return (problem.first_weights() if self.start is None else self.start) * units


@dataclass(frozen=True)
class Found:
    """The weights a solver ended at, flat as in the kernels; its history; whether it converged.

    A solver of the dual returns its certificate and its dual point (see certify); for others both are computed from
    the weights.
    """

    weights: Flat
    history: list[Pass]
    converged: bool
    certificate: Certificate | None = None
    slopes: Table | None = None


Method = Callable[[Objective, Descent, Watcher], Found]
