"""What the strength of a penalty is tuned by: metrics by name, and the rules that choose among the points of a path.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from linnet.data.task import Task
from linnet.errors import RecipeError, option
from linnet.learners.entry import Entry

AUTO = "auto"


class TuneRule(StrEnum):
    """Which point of a path is chosen: the best, or the strongest penalty within one standard error of the best."""

    BEST = "best"
    ONE_STANDARD_ERROR = "one-standard-error"


class Kind(NamedTuple):
    """A metric: its task, whether more is better, whether it needs probabilities, and whether it counts answers."""

    task: Task
    higher: bool = True
    probable: bool = False
    counts: bool = False


_CLASSES, _NUMBERS = Task.CLASSIFICATION, Task.REGRESSION
METRICS = {
    "accuracy": Kind(_CLASSES, counts=True),
    "balanced-accuracy": Kind(_CLASSES, counts=True),
    "f1": Kind(_CLASSES, counts=True),
    "macro-f1": Kind(_CLASSES, counts=True),
    "roc-auc": Kind(_CLASSES),
    "log-loss": Kind(_CLASSES, higher=False, probable=True),
    "brier": Kind(_CLASSES, higher=False, probable=True),
    "r2": Kind(_NUMBERS),
    "rmse": Kind(_NUMBERS, higher=False),
    "mae": Kind(_NUMBERS, higher=False),
}
# The metric whose positive class is named, as in f1:spam.
SIDED = "f1"


@dataclass(frozen=True)
class Metric:
    """One of METRICS; f1 is of a label."""

    name: str
    label: str | None = None

    @classmethod
    def parsed(cls, text: str) -> Metric:
        """From its name, with :LABEL for f1."""
        name, colon, label = text.strip().partition(":")
        if name not in METRICS or (name == SIDED) != bool(colon and label):
            known = ", ".join(f"{each}:LABEL" if each == SIDED else each for each in METRICS)
            raise RecipeError(f"{option('tune')} takes one of {known}; not {text!r}")
        return cls(name, label or None)

    @property
    def higher(self) -> bool:
        """Whether more of it is better."""
        return METRICS[self.name].higher

    @property
    def counts_answers(self) -> bool:
        """Whether it changes only where an answer does."""
        return METRICS[self.name].counts

    def __str__(self) -> str:
        return self.name if self.label is None else f"{self.name}:{self.label}"

    def check(self, entry: Entry, task: Task, labels: int) -> None:
        """Refuse a metric that the task or the learner does not have."""
        kind = METRICS[self.name]
        if kind.task is not task:
            names = ", ".join(name for name, each in METRICS.items() if each.task is task)
            raise RecipeError(f"{self} is a metric of {kind.task}, and this is {task}: take one of {names}")
        if kind.probable and not entry.recipe.has_probabilities:
            raise RecipeError(f"{self} needs probabilities, which {entry.name} does not give: tune by accuracy")
        if self.name == "roc-auc" and labels != 2:
            raise RecipeError(f"{self} is of two labels, and there are {labels}: tune by macro-f1")


def default_metric(entry: Entry, task: Task) -> Metric:
    """log-loss where there are probabilities, else accuracy; of numbers r2."""
    if task is Task.REGRESSION:
        return Metric("r2")
    return Metric("log-loss" if entry.recipe.has_probabilities else "accuracy")


def names_a_metric(text: str) -> bool:
    """Whether a word of a command line is meant as a metric: it is one by the part before a colon."""
    return text.partition(":")[0] in {*METRICS, AUTO}


@dataclass(frozen=True)
class Tuning:
    """How to tune: by which metric (None: the learner's default), by which rule, over how many folds and points."""

    metric: Metric | None = None
    rule: TuneRule = TuneRule.BEST
    folds: int = 5
    points: int = 10
