"""The results of a comparison, typed: what `linnet compare -o` writes and `linnet report` reads.

They are the same bytes for the same data and options, whatever the number of jobs and interruptions; seconds and
memory are not, so they are kept in a file of their own (`Costs`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from linnet.comparison.reasons import Reasons
from linnet.comparison.result_tables import data_card, fold_columns, pair_columns, results_card, score_columns
from linnet.data.frames import as_frame
from linnet.data.task import Task
from linnet.evaluation.intervals import Interval
from linnet.evaluation.paired_comparison import McNemar, PairedComparison, RankComparison
from linnet.storage.typed_json import NOT_STORED

# The metrics of which more is better, and the beginning of the name of another, f1:LABEL; all others are losses.
LARGER_IS_BETTER = ("accuracy", "balanced-accuracy", "macro-f1", "roc-auc", "average-precision", "r2")
F1 = "f1:"


def larger_is_better(metric: str) -> bool:
    """Whether more of a metric is better."""
    return metric in LARGER_IS_BETTER or metric.startswith(F1)


@dataclass(frozen=True)
class Measured:
    """One metric of one contender: a score a fold, repeat after repeat; their mean with a corrected interval."""

    metric: str
    scores: tuple[float, ...]
    mean: float
    interval: Interval


@dataclass(frozen=True)
class ContenderResults:
    """One learner on one data set.  `yardstick` if it is a scikit-learn estimator, `name` then is its import path.

    `strengths` are the values of C or alpha chosen in each fold, where it was tuned.  `failed` is why there are no
    figures, if there are none.
    """

    name: str
    yardstick: bool
    tuned: bool
    options: dict[str, Any]
    metrics: tuple[Measured, ...]
    strengths: tuple[float, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class DataResults:
    """All contenders on one data set.

    `metric` decides; larger is better for those whose name is in LARGER_IS_BETTER, and the scores of `pairs` are
    negated losses otherwise.  `split` is stratified, grouped, random (of numbers) or in time.  `held_out` compares the
    predictions for one fold, whose number is `held_out_fold`: the first, in time the last.  `contenders` are in their
    order by the metric, those that failed last.
    """

    name: str
    target: str
    task: Task
    rows: int
    features: int
    classes: tuple[str, ...]
    metric: str
    split: str
    folds: int
    repeats: int
    contenders: tuple[ContenderResults, ...]
    pairs: tuple[PairedComparison, ...]
    held_out: tuple[McNemar, ...]
    reasons: Reasons | None
    conclusion: tuple[str, ...]
    held_out_fold: int = 0

    def _repr_html_(self) -> str:
        return data_card(self)


@dataclass(frozen=True)
class Cost:
    """Seconds to fit and to predict in each fold, and the peak of memory beside that of the data, in bytes."""

    fit_seconds: tuple[float, ...]
    predict_seconds: tuple[float, ...]
    peak_bytes: int | None = None


@dataclass(frozen=True)
class Costs:
    """By data set and contender; not part of the results, since no two runs take the same time."""

    data: dict[str, dict[str, Cost]]


@dataclass(frozen=True)
class Results:
    """A comparison of learners on one or several data sets."""

    data: tuple[DataResults, ...]
    seed: int
    confidence: float
    over_data: RankComparison | None = None
    conclusion: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    costs: Costs | None = field(default=None, compare=False, repr=False, metadata=NOT_STORED)

    def frame(self) -> Any:
        """The mean scores as a pandas data frame (a pyarrow table where pandas is not installed).

        A line for every data set, learner and metric, with the ends of the interval, `low` and `high`.
        """
        return as_frame(score_columns(self))

    def folds_frame(self) -> Any:
        """The scores of the single folds as a data frame."""
        return as_frame(fold_columns(self))

    def pairs_frame(self) -> Any:
        """The pairs of learners as a data frame: difference, interval, p-values, effect size, and the probabilities
        that the first is better, that they are equivalent, and that it is worse."""
        return as_frame(pair_columns(self))

    def _repr_html_(self) -> str:
        return results_card(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results to a file of JSON, and what they cost, if that is known, to one beside it."""
        from linnet.comparison.results_file import save

        save(self, path)
