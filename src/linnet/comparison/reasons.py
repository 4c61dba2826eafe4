"""Reasons why learners do as they do on some data, each a measured number."""

from __future__ import annotations

from dataclasses import dataclass

from linnet.evaluation.intervals import Interval


@dataclass(frozen=True)
class Fact:
    """One measured property of the data: its name, its value in words and as a number, and what follows from it."""

    name: str
    value: float
    text: str
    meaning: str = ""


@dataclass(frozen=True)
class LearningCurve:
    """The error of a learner by training size, and a power law error = floor + scale * rows^-exponent fitted to it.

    `errors` are means over repeats.  `at_twice` is the error predicted for twice the rows, with its interval.
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


@dataclass(frozen=True)
class Sensitivity:
    """The standard deviation of a score over orders of the rows and seeds, and the scores."""

    learner: str
    metric: str
    scores: tuple[float, ...]
    deviation: float


@dataclass(frozen=True)
class Disagreement:
    """Two learners: the fraction of out-of-fold rows on which they predict differently, and the first such rows."""

    first: str
    second: str
    fraction: float
    only_first_right: int
    only_second_right: int
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Reasons:
    """All that was measured to explain the differences on one data set."""

    facts: tuple[Fact, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    sensitivities: tuple[Sensitivity, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
