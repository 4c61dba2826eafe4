"""What decides a run of training, and what it tells on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from linnet.calibration import Method
from linnet.decisions import GivenCosts, check_given
from linnet.errors import RecipeError
from linnet.features.features import FeatureOptions
from linnet.features.schema import Role, Schema, Task
from linnet.learners.catalogue import Entry
from linnet.learners.strength import OWN, Strength
from linnet.pipeline.policy import OnError
from linnet.sources.formats import Format

AUTO = "auto"
MEMORY = 1 << 30


@dataclass(frozen=True)
class TrainOptions:
    """All that decides what is learnt; see the command's help for what each means."""

    target: str | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    form: Format | None = None
    header: bool | None = None
    task: Task | None = None
    learner: str = AUTO
    passes: int | None = None
    holdout: float | None = None
    seed: int = 0
    memory: int = MEMORY
    features: FeatureOptions = field(default_factory=FeatureOptions)
    on_error: OnError = OnError.FAIL
    quarantine: str | None = None
    threads: int = 0
    checkpoint: str | None = None
    checkpoint_every: int | None = None
    resume: bool = False
    calibrate: Method | None = None
    costs: GivenCosts | None = None
    reject: float | None = None
    least: float | None = None
    strength: Strength = OWN

    @property
    def decides(self) -> bool:
        """Whether the model is to have a rule to decide by."""
        return self.costs is not None or self.reject is not None or self.least is not None

    def check(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.holdout is not None and not 0.0 <= self.holdout < 1.0:
            raise RecipeError(f"holdout is a share of the rows, from 0 to below 1; not {self.holdout}")
        if self.passes is not None and self.passes < 1:
            raise RecipeError(f"passes are 1 or more; not {self.passes}")
        check_given(self.costs, self.reject, self.least)
        self.strength.check()

    def check_task(self, task: Task, learner: Entry | None) -> None:
        """Refuse to calibrate or decide what cannot be."""
        if not (self.decides or self.calibrate):
            return
        if task is Task.REGRESSION:
            raise RecipeError("costs, rejection and calibration are for classes, and here a number is predicted")
        if learner is not None and not self.strength.of(learner).recipe.has_probabilities and self.calibrate is None:
            raise no_probabilities(learner)

    def decisive(self) -> dict[str, Any]:
        """The options a resumed run must share."""
        left_out = {"quarantine", "threads", "checkpoint", "checkpoint_every", "resume", "memory"}
        left_out |= {"costs", "reject", "least"}  # how to decide, which changes nothing of what is learnt
        plain = {name: value for name, value in asdict(self).items() if name not in left_out}
        plain["crosses"] = [list(cross) for cross in self.features.crosses]
        plain["features"] = {name: value for name, value in plain["features"].items() if name != "crosses"}
        return plain


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    stage: str
    rows: int = 0
    read: int = 0
    size: int | None = None
    loss: float | None = None
    mistakes: float | None = None


@dataclass(frozen=True)
class Plan:
    """What will be learnt, told before it is: the schema, the task, and the learner with the reason for it."""

    format: str
    schema: Schema
    task: Task
    why_task: str
    learner: str
    why_learner: str


def no_probabilities(learner: Entry) -> RecipeError:
    """What to say where decisions need probabilities and there are none."""
    if learner.recipe.has_probabilities:
        return RecipeError(
            "pairs of classes that vote have no probabilities: train with --calibrate sigmoid, or jointly"
        )
    return RecipeError(
        f"{learner.name} gives no probabilities: train with --calibrate sigmoid, or with a logistic learner"
    )
