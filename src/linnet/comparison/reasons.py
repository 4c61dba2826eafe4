"""Reasons why learners do as they do on some data, each a measured number."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from linnet.evaluation.intervals import Interval


@dataclass(frozen=True)
class Fact:
    """One measured property of the data: its name, its value as a number and in words, and what follows from it.

    `interval` is of the value, where it is an estimate.
    """

    name: str
    value: float
    text: str
    meaning: str = ""
    interval: Interval | None = None


@dataclass(frozen=True)
class LearningCurve:
    """The error of a learner by training size, and a power law error = floor + scale * rows^-exponent fitted to it.

    `errors` are means over repeats.  `at_twice` is the error predicted for twice the rows, with its interval.  Where no
    power law could be fitted, its numbers are NaN and `note` says why.
    """

    learner: str
    metric: str
    rows: tuple[int, ...]
    errors: tuple[float, ...]
    intervals: tuple[Interval, ...]
    floor: float
    scale: float
    exponent: float
    at_twice: float
    at_twice_interval: Interval
    repeats: int = 1
    note: str = ""


@dataclass(frozen=True)
class Sensitivity:
    """The standard deviation of a score over orders of the rows and seeds, and the scores.

    `sampling_error` is the standard error of such a score for the rows that it was measured on: a deviation far below
    it does not matter.  `as_given` is the score where rows are taken in the order of the data.  `note` says how many
    rows there were, and which orders ended without a score.
    """

    learner: str
    metric: str
    scores: tuple[float, ...]
    deviation: float
    sampling_error: float = nan
    as_given: float = nan
    note: str = ""


@dataclass(frozen=True)
class Disagreement:
    """Two learners: the fraction of out-of-fold rows on which they predict differently, and the first such rows.

    `answers` are what the data have in these rows, and what each of the two predicts.  Two numbers are different that
    are farther apart than `tolerance`; then "right" means nearer to the target.
    """

    first: str
    second: str
    fraction: float
    only_first_right: int
    only_second_right: int
    rows: tuple[str, ...]
    answers: tuple[tuple[str, str, str], ...] = ()
    compared: int = 0
    tolerance: float = 0.0


@dataclass(frozen=True)
class Reasons:
    """All that was measured to explain the differences on one data set."""

    facts: tuple[Fact, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    sensitivities: tuple[Sensitivity, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
