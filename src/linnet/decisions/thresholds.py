"""Thresholds chosen for a metric: of all that part rows not learnt from differently, the one where the metric is best.

With two classes a row is taken for the second where its score (a probability, mostly) is above a threshold t.  Between
two neighbouring scores every t decides alike, so there is one candidate for each gap, its middle, and one beyond either
end: no row sits on the edge.  All of them are weighed at once, by sums over the sorted rows.  Scores too near to one
another to be told apart by a number between them count as equal.  Of thresholds that are equally good the one nearest
to the usual is taken: what the rows do not ask for is not changed.

What may be asked for is a measure of MEASURES, or one of them while another is at least so much:

    f1                      precision@recall=0.95                      f1:spam, where spam is what is to be found
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import spelt_label
from linnet.errors import InputError, RecipeError

Floats = NDArray[np.float64]

# Where the second of two classes is decided for, if nothing else is said.
USUAL = 0.5
# Scores must differ by more than so many roundings for a number between them to tell them apart.
ROUNDINGS = 8
# Pairs of labels that say themselves which of them is to be found: the second.
EVIDENT = (
    ("0", "1"), ("-1", "1"), ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("negative", "positive"),
    ("neg", "pos"), ("-", "+"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows by truth and decision, each number an array over thresholds: found, false alarms, missed, rightly passed."""

    found: Floats
    alarms: Floats
    missed: Floats
    passed: Floats

    @property
    def turned(self) -> Counts:
        """The same, with the other label to be found."""
        return Counts(self.passed, self.missed, self.alarms, self.found)


@dataclass(frozen=True)
class Measure:
    """A measure of decisions; whether it depends on which label is to be found, and whether it is a goal by itself."""

    of: Callable[[Counts], Floats]
    sided: bool = True
    alone: bool = True


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(np.shape(below), math.nan), where=np.asarray(below) > 0)
    return ratio


def _precision(n: Counts) -> Floats:
    return _ratio(n.found, n.found + n.alarms)


def _recall(n: Counts) -> Floats:
    return _ratio(n.found, n.found + n.missed)


def _f(beta: float) -> Callable[[Counts], Floats]:
    """The harmonic mean of precision and recall, recall counting beta² times."""
    b = beta * beta
    return lambda n: _ratio((1 + b) * n.found, (1 + b) * n.found + b * n.missed + n.alarms)


def _matthews(n: Counts) -> Floats:
    """The correlation of truth and decision; 0 where all decisions are one."""
    sides = (n.found + n.alarms) * (n.found + n.missed) * (n.passed + n.alarms) * (n.passed + n.missed)
    return np.where(sides > 0, n.found * n.passed - n.alarms * n.missed, 0.0) / np.sqrt(np.where(sides > 0, sides, 1.0))


MEASURES = {
    "f1": Measure(_f(1.0)),
    "f0.5": Measure(_f(0.5)),
    "f2": Measure(_f(2.0)),
    "accuracy": Measure(lambda n: _ratio(n.found + n.passed, n.found + n.alarms + n.missed + n.passed), sided=False),
    "balanced-accuracy": Measure(lambda n: 0.5 * (_recall(n) + _recall(n.turned)), sided=False),
    "matthews": Measure(_matthews, sided=False),
    "precision": Measure(_precision, alone=False),
    "recall": Measure(_recall, alone=False),
}
GOALS = tuple(name for name, measure in MEASURES.items() if measure.alone)


@dataclass(frozen=True)
class Goal:
    """What a threshold is to be best for: a measure, while another is at least so much, of finding this label."""

    measure: str
    bounded: str | None = None
    least: float = 0.0
    label: Any = None

    @classmethod
    def parsed(cls, text: str, label: Any = None) -> Goal:
        """MEASURE, MEASURE@MEASURE=LEAST; either with :LABEL, unless the label comes beside it."""
        if not isinstance(text, str):
            raise RecipeError(f"a metric is a word, such as 'f1'; it is {text!r}")
        metric, colon, named = text.partition(":")
        measure, at, bound = metric.strip().partition("@")
        bounded, equals, least = bound.partition("=")
        try:
            number = float(least) if at else 0.0
        except ValueError:
            number = math.nan
        known = measure in MEASURES and (bounded in MEASURES and bool(equals) if at else MEASURES[measure].alone)
        if not known or not 0 <= number <= 1 or (colon and (not named.strip() or label is not None)):
            raise RecipeError(
                f"a threshold is chosen for {', '.join(GOALS)}, or for one measure while another is at least so much, "
                f"such as precision@recall=0.95 or recall@precision=0.9; with :LABEL for what is to be found; "
                f"not for {text!r}"
            )
        return cls(measure, bounded or None, number, named.strip() if colon else label)

    @property
    def metric(self) -> str:
        """Without the label, as it is typed."""
        return self.measure if self.bounded is None else f"{self.measure}@{self.bounded}={self.least:g}"

    def __str__(self) -> str:
        return f"{self.metric}:{self.label}" if self.label is not None and self.sided else self.metric

    @property
    def measures(self) -> list[str]:
        """What is worth telling of a threshold for it."""
        return [self.measure] if self.bounded in (None, self.measure) else [self.measure, str(self.bounded)]

    @property
    def sided(self) -> bool:
        return any(MEASURES[name].sided for name in self.measures)

    def among(self, classes: Any) -> Goal:
        """The goal with its label as one of the two classes; an error where that cannot be told."""
        labels = np.asarray(classes).tolist()
        if len(labels) != 2:
            raise RecipeError(
                f"a threshold parts two labels, and here there are {len(labels)}: give costs instead (--cost, costs=)"
            )
        if self.label is None:
            return replace(self, label=_evident(labels) if self.sided else labels[1])
        for label in labels:
            if label == self.label or spelt_label(label) == spelt_label(self.label):
                return replace(self, label=label)
        raise RecipeError(f"a threshold is to find the label {self.label!r}, and there are {_either(labels)}")

    def counted(self, counts: Counts, classes: Any) -> Counts:
        """Counts that take the second class for what is to be found, for the label that is."""
        return counts if self.label == np.asarray(classes).tolist()[1] else counts.turned

    def figures(self, counts: Counts) -> dict[str, float]:
        """What is worth telling, of the one threshold that these counts are of."""
        return {name: float(MEASURES[name].of(counts)) for name in self.measures}


@dataclass(frozen=True)
class Choice:
    """A threshold, and how it did on the rows it was chosen on, beside the usual one."""

    goal: Goal
    threshold: float
    rows: int
    usual: float
    at_usual: dict[str, float]
    at_threshold: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: a figure that is not defined as null."""
        return {
            "metric": self.goal.metric,
            "label": self.goal.label if self.goal.sided else None,
            "threshold": self.threshold,
            "rows": self.rows,
            "at_threshold": plain(self.at_threshold),
            "usual_threshold": self.usual,
            "at_usual_threshold": plain(self.at_usual),
        }


def plain(figures: dict[str, float]) -> dict[str, float | None]:
    """Figures for JSON."""
    return {name: None if math.isnan(value) else value for name, value in figures.items()}


def choose(
    goal: Goal,
    classes: Any,
    scores: Floats,
    truth: NDArray[Any],
    weights: Floats | None = None,
    *,
    usual: float = USUAL,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Choice:
    """The threshold that is best for the goal (see `among`) on these scores of rows whose class numbers are known.

    Scores lie between the ends; a threshold never does beyond them.
    """
    if weights is not None:
        scores, truth, weights = (each[weights > 0] for each in (scores, truth, weights))
    second = np.asarray(truth) == 1
    if second.all() or not second.any():
        raise InputError(
            f"{len(scores):,} rows held back to choose a threshold on do not show both labels: give more rows, or "
            "leave the threshold as it is (no --threshold-for)"
        )
    thresholds, counts = _candidates(scores, second, weights, ends)
    mine = goal.counted(counts, classes)
    values = MEASURES[goal.measure].of(mine)
    if goal.bounded is not None:
        reached = MEASURES[goal.bounded].of(mine)
        if not (reached >= goal.least).any():
            raise InputError(
                f"no threshold has a {goal.bounded} of {goal.least:g} in finding {goal.label!r} on {len(scores):,} "
                f"rows not learnt from: the highest is {np.nanmax(reached):.4g}; ask for less"
            )
        values = np.where(reached >= goal.least, values, math.nan)
    best = np.flatnonzero(values == np.nanmax(values))
    at = int(best[np.argmin(np.abs(thresholds[best] - usual))])
    chosen = Counts(*(np.asarray(each[at]) for each in (mine.found, mine.alarms, mine.missed, mine.passed)))
    before = goal.counted(_counts_above(usual, scores, second, weights), classes)
    return Choice(goal, float(thresholds[at]), len(scores), usual, goal.figures(before), goal.figures(chosen))


def of_confusion(goal: Goal, classes: Any, confusion: Any) -> dict[str, float]:
    """The figures of a goal by a table of truth (down) and decision (across)."""
    (passed, alarms), (missed, found) = np.asarray(confusion, dtype=np.float64)
    return goal.figures(goal.counted(Counts(found, alarms, missed, passed), classes))


def _candidates(
    scores: Floats, second: NDArray[np.bool_], weights: Floats | None, ends: tuple[float, float]
) -> tuple[Floats, Counts]:
    """The middle of every gap between scores, rising; and what is decided there, the second class to be found."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    w = np.ones(len(scores)) if weights is None else weights[order]
    sums = [np.concatenate([[0.0], np.cumsum(w * side)]) for side in (second[order], ~second[order])]
    bounds = np.concatenate([[ends[0]], ordered, [ends[1]]])
    low, high = bounds[:-1], bounds[1:]
    apart = high - low > ROUNDINGS * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    missed, passed = (below[apart] for below in sums)
    counts = Counts(sums[0][-1] - missed, sums[1][-1] - passed, missed, passed)
    return (low + 0.5 * (high - low))[apart], counts


def _counts_above(threshold: float, scores: Floats, second: NDArray[np.bool_], weights: Floats | None) -> Counts:
    w = np.ones(len(scores)) if weights is None else weights
    above = scores > threshold
    kinds = (above & second, above & ~second, ~above & second, ~above & ~second)
    return Counts(*(np.asarray(w[kind].sum()) for kind in kinds))


def _evident(labels: Sequence[Any]) -> Any:
    spelt = [spelt_label(label).lower() for label in labels]
    for pair in EVIDENT:
        if set(pair) == set(spelt):
            return labels[spelt.index(pair[1])]
    raise RecipeError(
        f"which label is to be found, {_either(labels)}? Say it with the metric, such as 'f1:{labels[1]}' (with "
        "scikit-learn's interface: positive=)"
    )


def _either(labels: Sequence[Any]) -> str:
    return f"{labels[0]!r} or {labels[1]!r}"
