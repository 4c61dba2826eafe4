"""Record: what happened in training, typed; stored in the model file, read by verify, inspect and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from linnet.data.frames import as_frame
from linnet.decisions.thresholds import ThresholdChoice
from linnet.evaluation.classification import ClassificationResult
from linnet.evaluation.intervals import Interval
from linnet.evaluation.json_values import plain
from linnet.evaluation.label_sets import LabelSetResult
from linnet.evaluation.regression import RegressionResult
from linnet.learners.entry import TextWeighting
from linnet.learners.recipe import Recipe
from linnet.model.plan import Plan
from linnet.model.point_sample import PointSample
from linnet.notebook import card, table
from linnet.storage.typed_json import NOT_STORED
from linnet.theory.fit_summary import FitSummary


@dataclass(frozen=True)
class OnlineSettings:
    """What it takes, beside recipe and seed, to run an online learner over the same rows once more.

    `passes` are those asked for; `holdout` is the fraction of rows held out; with `decision_rows` another fraction is
    kept for calibration and thresholds.
    """

    passes: int
    holdout: float
    decision_rows: bool

    def __post_init__(self) -> None:
        if self.passes < 1 or not 0.0 <= self.holdout < 1.0:
            raise ValueError(f"{self.passes} passes with {self.holdout} of the rows held out are impossible")


# Metrics of numbers need the predictions themselves: of more rows than this, a random sample is kept.
MOST_PREDICTIONS_KEPT = 100_000


@dataclass(frozen=True)
class Progressive:
    """Progressive validation: each row is predicted once, before it is first trained on, in the first pass.

    `rows` and `mistakes` are numbers of rows.  In the accuracy, and in the metrics of predicted `numbers`, a row counts
    by its weight; the latter are of a random sample, where the rows are more than 100,000.  Models of earlier versions
    have the first two alone, and counted a row as often as it was presented.
    """

    rows: int
    mistakes: int | None
    accuracy: float | None = None
    accuracy_interval: Interval | None = None
    baseline_accuracy: float | None = None  # of always predicting the most frequent label of these rows
    numbers: RegressionResult | None = None
    # how many mistakes there were in the first 1, 2, 3, 4, 6, 8, ... rows
    curve_rows: tuple[int, ...] = ()
    curve_mistakes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.curve_rows) != len(self.curve_mistakes):
            raise ValueError("the points of the progressive error differ in number")
        if not all(0 <= made <= n > 0 for made, n in zip(self.curve_mistakes, self.curve_rows, strict=True)):
            raise ValueError("there are more mistakes than rows")


@dataclass(frozen=True)
class ColumnStatistics:
    """A column of numbers in the training rows; the deviation is the unit that it is measured in: 1 for a constant."""

    mean: float
    deviation: float
    missing: int


@dataclass(frozen=True)
class CoefficientPath:
    """The weight of a feature at each point of a path, times the standard deviation of the feature: the mean over the
    folds.  `label` is the class that it is a weight of, where there are more than two."""

    feature: str
    label: str
    weights: tuple[float, ...]


@dataclass(frozen=True)
class StrengthChoice:
    """The strength of the penalty that was chosen from the rows: its name (C), its value, and how.

    `way` is how rows were kept out of the fits that they were predicted by, `rows` how many there were of them in all;
    `tried` are the candidates, `losses` the mean loss at each of them.

    Where it was tuned, by a `metric` and a `rule`, `scores` are the means of the metric over the `folds`, with their
    `standard_errors`, `gaps` the largest proven relative duality gap of a fit at each point (empty where nothing can be
    proven), and `paths` the weights of the top features there.  `tried` goes from the strongest penalty to the weakest
    that was fitted; `points` is how many the whole path would have had.
    """

    name: str
    value: float
    way: str
    rows: int
    tried: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()
    metric: str = ""
    scores: tuple[float, ...] = ()
    standard_errors: tuple[float, ...] = ()
    gaps: tuple[float | None, ...] = ()
    folds: int = 0
    points: int = 0
    rule: str = ""
    paths: tuple[CoefficientPath, ...] = ()

    def __post_init__(self) -> None:
        tried = len(self.tried)
        lengths = [len(each) for each in (self.losses, self.scores, self.standard_errors, self.gaps)]
        lengths += [len(each.weights) for each in self.paths]
        whole = all(length in (0, tried) for length in lengths) and (not tried or tried in lengths)
        if not 0 < self.value < math.inf or self.rows < 0 or not whole or self.folds < 0:
            raise ValueError(f"{self.name} = {self.value}, chosen on {self.rows} rows, is impossible")

    @property
    def tuned(self) -> bool:
        """Whether it was asked for, and chosen by a path."""
        return bool(self.metric)

    def frame(self) -> Any:
        """The path as a pandas data frame (a pyarrow table where pandas is not installed): a line for each point.

        Beside the strength it has what was recorded: `loss`, `score`, `standard_error`, `gap`, and a column for the
        weight of each top feature.
        """
        named = (("loss", self.losses), ("score", self.scores), ("standard_error", self.standard_errors))
        columns = {name: list(values) for name, values in (*named, ("gap", self.gaps)) if values}
        weights = {" ".join(filter(None, (each.label, each.feature))): list(each.weights) for each in self.paths}
        return as_frame({self.name: list(self.tried), **columns, **weights})

    def _repr_html_(self) -> str:
        shown = {
            self.name: self.tried,
            "loss": self.losses,
            "score": self.scores,
            "standard error": self.standard_errors,
        }
        facts = [("chosen", f"{self.name} = {self.value:g}"), ("by", self.way)]
        facts += [("metric", self.metric)] if self.metric else []
        return card("strength of the penalty", facts, table({name: values for name, values in shown.items() if values}))


@dataclass(frozen=True)
class Threshold:
    """The threshold that was chosen for a metric, and its figures on held-out rows, if there are any."""

    choice: ThresholdChoice
    held_out: dict[str, float] | None = None
    rows_held_out: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON, with None where a figure is not defined."""
        held_out = {} if self.held_out is None else {"held_out": {"rows": self.rows_held_out, **self.held_out}}
        result: dict[str, Any] = self.choice.as_dict() | plain(held_out)
        return result


@dataclass(frozen=True)
class Record:
    """One training run: what was asked for, what was chosen and why, what was read, and how it ended.

    `recipe` is the learner as fitted: its penalty, reduction and factors in full; `text_weighting` is how it takes
    text.  `options` are those of the run, as JSON holds them.  Fields of other kinds of learners are None or empty.
    """

    learner: str
    reason: str
    recipe: Recipe
    text_weighting: TextWeighting = TextWeighting.LOG_COUNTS
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    rows: int = 0
    rows_held_out: int = 0
    rejected_rows: int = 0
    rows_are_files: bool = False
    task_guessed: bool = False
    # what was shown before training; the file does not hold it, because it does not depend on the format of the data
    plan: Plan | None = field(default=None, compare=False, metadata=NOT_STORED)
    # how many rows were read otherwise than they look, by what was the matter; and in which first, not stored
    notes: dict[str, int] = field(default_factory=dict)
    first_noted: dict[str, str] = field(default_factory=dict, metadata=NOT_STORED, compare=False)
    # format, encoding and separator of the data; not stored: the same table makes the same model in any of them
    source: str = field(default="", metadata=NOT_STORED, compare=False)
    # values that did not fit the type of their column, by column; the first of them are known only after training
    misfits: dict[str, int] = field(default_factory=dict)
    first_misfits: tuple[str, ...] = field(default=(), compare=False, metadata=NOT_STORED)
    collisions: int = 0
    class_weight: dict[str, float] | None = None
    # how many labels a row has on average, where rows have several or none
    labels_per_row: float | None = None
    held_out: ClassificationResult | RegressionResult | LabelSetResult | None = None
    threshold: Threshold | None = None
    # batch learners
    solver: str = ""
    solver_reason: str = ""
    tol: float | None = None
    iterations: int | None = None
    converged: bool | None = None
    separation: str = ""
    # how the strength of the penalty was chosen from the rows, if it was
    strength: StrengthChoice | None = None
    numbers: dict[str, ColumnStatistics] = field(default_factory=dict)
    # some of the rows, where they are two numbers and a label, for a picture of the plane between the classes
    points: PointSample | None = None
    # coefficients with standard errors and the figures of the fit, if they were asked for
    summary: FitSummary | None = None
    # online learners
    online: OnlineSettings | None = None
    passes: int | None = None
    progressive: Progressive | None = None
    held_out_losses: tuple[float, ...] = ()
    sorted_by_label: bool | None = None
    like_follows_like: bool | None = None  # whether successive rows have equal labels more often than by chance

    def __post_init__(self) -> None:
        for name in ("seed", "rows", "rows_held_out", "rejected_rows", "collisions"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is below 0")
        if self.labels_per_row is not None and not 0 <= self.labels_per_row < math.inf:
            raise ValueError(f"a row has {self.labels_per_row} labels")
        if not all(rows > 0 for rows in self.notes.values()):
            raise ValueError("a note is on no rows")
        if not all(count > 0 for count in self.misfits.values()):
            raise ValueError("a number of values that did not fit is below 1")
        if self.tol is not None and not 0 <= self.tol < math.inf:
            raise ValueError(f"the tolerance is {self.tol}")
        if self.passes is not None and not 1 <= self.passes <= (
            math.inf if self.online is None else self.online.passes
        ):
            raise ValueError(f"there were {self.passes} passes, which is not what was asked for")
        for found in (self.held_out, self.progressive):
            if isinstance(found, ClassificationResult | Progressive) and found.accuracy is not None:
                fractions = (found.accuracy, *(found.accuracy_interval or ()), found.baseline_accuracy or 0.0)
                if not all(0 <= each <= 1 for each in fractions):
                    raise ValueError("an accuracy is not between 0 and 1")
        if not all(0 < weight < math.inf for weight in (self.class_weight or {}).values()):
            raise ValueError("a class weight is not a positive number")

    def as_dict(self) -> dict[str, Any]:
        """For JSON, with None where a figure is not defined."""
        result: dict[str, Any] = plain(self)
        for name in ("held_out", "threshold", "summary"):
            value = getattr(self, name)
            result[name] = None if value is None else plain(value.as_dict())
        return result
