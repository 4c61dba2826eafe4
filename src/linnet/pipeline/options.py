"""What decides a run of training, and what it tells on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from linnet.data.features.conjunctions import MOST_TOGETHER
from linnet.data.features.features import FeatureOptions
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.on_error import OnError
from linnet.data.sources.formats import Format
from linnet.decisions.calibration import Method
from linnet.decisions.costs import GivenCosts, Rule, check_given
from linnet.decisions.thresholds import Goal
from linnet.errors import RecipeError
from linnet.learners.catalogue import Entry, Way
from linnet.learners.strength import OWN, Strength
from linnet.learners.winnowing import Winnowing
from linnet.model.predictor import no_probabilities
from linnet.pipeline.decision_fit import Wanted
from linnet.training.class_weights import ClassWeights

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
    threshold_for: str | None = None
    class_weights: ClassWeights | None = None
    strength: Strength = OWN
    winnowing: Winnowing = field(default_factory=Winnowing)

    @property
    def decides(self) -> bool:
        """Whether the model is to have a rule to decide by."""
        return self.priced or self.threshold_for is not None

    @property
    def priced(self) -> bool:
        """Whether it is to follow costs."""
        return self.costs is not None or self.reject is not None or self.least is not None

    @property
    def sets_apart(self) -> bool:
        """Whether rows are needed that are not learnt from, to settle how scores are decided on."""
        return self.calibrate is not None or self.threshold_for is not None

    def wanted(self, classes: Any) -> Wanted:
        """How scores are to be decided on, now that the labels are known."""
        goal = None if self.threshold_for is None else Goal.parsed(self.threshold_for).among(classes)
        rule = Rule.of(classes, self.costs, self.reject, self.least) if self.priced else None
        return Wanted(self.calibrate, rule, goal, classes)

    def check(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.holdout is not None and not 0.0 <= self.holdout < 1.0:
            raise RecipeError(f"holdout is a share of the rows, from 0 to below 1; not {self.holdout}")
        if self.passes is not None and self.passes < 1:
            raise RecipeError(f"passes are 1 or more; not {self.passes}")
        if not 1 <= self.features.conjunctions <= MOST_TOGETHER:
            raise RecipeError(
                f"conjunctions are of 1 to {MOST_TOGETHER} columns (1: of none); not {self.features.conjunctions}"
            )
        check_given(self.costs, self.reject, self.least)
        if self.threshold_for is not None:
            Goal.parsed(self.threshold_for)
            if self.priced:
                raise RecipeError(
                    "a threshold is chosen for a metric, or follows from costs: give --threshold-for, or --cost, "
                    "--reject and --least, not both"
                )
        self.strength.check()

    def check_task(self, task: Task, learner: Entry | None) -> None:
        """Refuse to weigh, calibrate or decide what cannot be."""
        if self.class_weights is not None:
            self._check_class_weights(task, learner)
        if not (self.decides or self.calibrate):
            return
        if task is Task.REGRESSION:
            raise RecipeError(
                "costs, rejection, thresholds and calibration are for classes, and here a number is predicted"
            )
        if learner is not None and not self.strength.of(learner).recipe.has_probabilities and self.calibrate is None:
            raise no_probabilities(learner)

    def _check_class_weights(self, task: Task, learner: Entry | None) -> None:
        assert self.class_weights is not None
        if task is Task.REGRESSION:
            raise RecipeError("class weights are for classes, and here a number is predicted")
        if learner is not None and learner.way is Way.COUNTING:
            raise RecipeError(
                f"--class-weight is not for {learner.name}, which counts the rows as they are: give costs (--cost), or "
                "choose a threshold (--threshold-for)"
            )
        if learner is not None and learner.way is Way.ONLINE and self.class_weights.balanced:
            raise balanced_stream(learner.name)

    def decisive(self) -> dict[str, Any]:
        """The options a resumed run must share."""
        left_out = {"quarantine", "threads", "checkpoint", "checkpoint_every", "resume", "memory"}
        # how to decide, which changes nothing of what is learnt, but for the rows that are set apart for it
        left_out |= {"costs", "reject", "least", "threshold_for"}
        plain = {name: value for name, value in asdict(self).items() if name not in left_out}
        plain["threshold_for_a_metric"] = self.threshold_for is not None
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


def balanced_stream(name: str) -> RecipeError:
    """What to say where classes are to be balanced that are not counted yet."""
    return RecipeError(
        f"--class-weight balanced needs the rows of every label counted before the first is learnt, and {name} learns "
        "them as they come: give numbers (--class-weight LABEL=WEIGHT), or take a learner that sees all rows at once, "
        "such as logistic-dual"
    )
