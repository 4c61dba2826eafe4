"""Decision thresholds: the one at which a metric is best on held-out rows.

With two classes the second is predicted where the score of a row (usually a probability) is above a threshold t.  All t
between two neighbouring scores decide alike, so there is one candidate for each gap, its middle, and one beyond either
end; no row lies on a candidate.  All candidates are evaluated at once, by sums over the sorted rows.  Scores too close
for a number between them count as equal.  Of equally good thresholds the one nearest to the default is chosen.

The goal is a metric of MEASURES, or one of them subject to a lower bound on another:

    f1                      precision@recall=0.95                      f1:spam, where spam is the positive label
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Label, label_text, plain_label
from linnet.errors import InputError, RecipeError, option

Floats = NDArray[np.float64]

# The default threshold of a probability.
USUAL = 0.5
# Scores closer than this many units in the last place count as equal.
ROUNDINGS = 8
# Pairs of labels whose second is evidently the positive one.
EVIDENT = (
    ("0", "1"), ("-1", "1"), ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("negative", "positive"),
    ("neg", "pos"), ("-", "+"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows by truth and decision, arrays over thresholds: true and false positives, false and true negatives."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @property
    def swapped(self) -> Counts:
        """The same, with the other label as the positive one."""
        return Counts(self.tn, self.fn, self.fp, self.tp)


@dataclass(frozen=True)
class Measure:
    """A metric of decisions; whether it depends on the positive label, and whether it is a goal by itself."""

    of: Callable[[Counts], Floats]
    sided: bool = True
    alone: bool = True


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(np.shape(below), math.nan), where=np.asarray(below) > 0)
    return ratio


def _precision(n: Counts) -> Floats:
    return _ratio(n.tp, n.tp + n.fp)


def _recall(n: Counts) -> Floats:
    return _ratio(n.tp, n.tp + n.fn)


def _f(beta: float) -> Callable[[Counts], Floats]:
    """F-beta: the weighted harmonic mean of precision and recall, recall with the weight beta²."""
    b = beta * beta
    return lambda n: _ratio((1 + b) * n.tp, (1 + b) * n.tp + b * n.fn + n.fp)


def _matthews(n: Counts) -> Floats:
    """The Matthews correlation coefficient; 0 where all decisions are the same."""
    sides = (n.tp + n.fp) * (n.tp + n.fn) * (n.tn + n.fp) * (n.tn + n.fn)
    return np.where(sides > 0, n.tp * n.tn - n.fp * n.fn, 0.0) / np.sqrt(np.where(sides > 0, sides, 1.0))


MEASURES = {
    "f1": Measure(_f(1.0)),
    "f0.5": Measure(_f(0.5)),
    "f2": Measure(_f(2.0)),
    "accuracy": Measure(lambda n: _ratio(n.tp + n.tn, n.tp + n.fp + n.fn + n.tn), sided=False),
    "balanced-accuracy": Measure(lambda n: 0.5 * (_recall(n) + _recall(n.swapped)), sided=False),
    "matthews": Measure(_matthews, sided=False),
    "precision": Measure(_precision, alone=False),
    "recall": Measure(_recall, alone=False),
}
GOALS = tuple(name for name, measure in MEASURES.items() if measure.alone)


@dataclass(frozen=True)
class Goal:
    """The metric to maximise, the metric bounded from below with its bound, and the positive label."""

    measure: str
    bounded: str | None = None
    least: float = 0.0
    label: Label | None = None

    @classmethod
    def parsed(cls, text: str, label: Any = None) -> Goal:
        """From MEASURE or MEASURE@MEASURE=BOUND, with :LABEL unless `label` is given."""
        if not isinstance(text, str):
            raise RecipeError(f"a metric is a text such as 'f1'; it is {text!r}")
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
                f"a threshold is chosen for one of {', '.join(GOALS)}, or for a metric with a lower bound on another, "
                f"such as precision@recall=0.95; add :LABEL to name the positive label; {text!r} is neither"
            )
        return cls(measure, bounded or None, number, named.strip() if colon else label)

    @property
    def metric(self) -> str:
        """The goal without its label, as it is written."""
        return self.measure if self.bounded is None else f"{self.measure}@{self.bounded}={self.least:g}"

    def __str__(self) -> str:
        return f"{self.metric}:{self.label}" if self.label is not None and self.sided else self.metric

    @property
    def measures(self) -> list[str]:
        """The metrics to report of a threshold."""
        return [self.measure] if self.bounded in (None, self.measure) else [self.measure, str(self.bounded)]

    @property
    def sided(self) -> bool:
        return any(MEASURES[name].sided for name in self.measures)

    def among(self, classes: Any) -> Goal:
        """The goal with its label as one of the two classes; an error where it is unclear which."""
        labels = [plain_label(label) for label in np.asarray(classes).tolist()]
        if len(labels) != 2:
            raise RecipeError(
                f"a threshold is for two labels, and there are {len(labels)}: use {option('costs')} instead"
            )
        if self.label is None:
            return replace(self, label=_evident(labels) if self.sided else labels[1])
        for label in labels:
            if label == self.label or label_text(label) == label_text(self.label):
                return replace(self, label=label)
        raise RecipeError(f"the positive label {self.label!r} is unknown: choose {_either(labels)}")

    def counted(self, counts: Counts, classes: Any) -> Counts:
        """Counts for the goal's positive label, given those for the second class."""
        return counts if self.label == plain_label(np.asarray(classes).tolist()[1]) else counts.swapped

    def figures(self, counts: Counts) -> dict[str, float]:
        """The metrics to report, for the counts of one threshold."""
        return {name: float(MEASURES[name].of(counts)) for name in self.measures}


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold with its metrics on the rows it was chosen on, beside those of the default threshold, `usual`."""

    goal: Goal
    threshold: float
    rows: int
    usual: float
    at_usual: dict[str, float]
    at_threshold: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; None for a metric that is not defined."""
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
    """Metrics for JSON; None for one that is not defined."""
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
) -> ThresholdChoice:
    """The best threshold for the goal (see `among`) on these scores and class numbers of held-out rows.

    Scores and the threshold lie between `ends`.
    """
    if weights is not None:
        scores, truth, weights = (each[weights > 0] for each in (scores, truth, weights))
    second = np.asarray(truth) == 1
    if second.all() or not second.any():
        raise InputError(
            f"the {len(scores):,} rows held out to choose a threshold do not show both labels: pass more rows, or "
            f"leave {option('threshold_for')} out"
        )
    thresholds, counts = _candidates(scores, second, weights, ends)
    mine = goal.counted(counts, classes)
    values = MEASURES[goal.measure].of(mine)
    if goal.bounded is not None:
        reached = MEASURES[goal.bounded].of(mine)
        if not (reached >= goal.least).any():
            raise InputError(
                f"no threshold reaches a {goal.bounded} of {goal.least:g} for {goal.label!r} on the {len(scores):,} "
                f"held-out rows: the highest is {np.nanmax(reached):.4g}; lower the bound"
            )
        values = np.where(reached >= goal.least, values, math.nan)
    best = np.flatnonzero(values == np.nanmax(values))
    at = int(best[np.argmin(np.abs(thresholds[best] - usual))])
    chosen = Counts(*(np.asarray(each[at]) for each in (mine.tp, mine.fp, mine.fn, mine.tn)))
    before = goal.counted(_counts_above(usual, scores, second, weights), classes)
    return ThresholdChoice(goal, float(thresholds[at]), len(scores), usual, goal.figures(before), goal.figures(chosen))


def of_confusion(goal: Goal, classes: Any, confusion: Any) -> dict[str, float]:
    """The metrics of a goal, given a confusion matrix (a row a true class)."""
    (tn, fp), (fn, tp) = np.asarray(confusion, dtype=np.float64)
    return goal.figures(goal.counted(Counts(tp, fp, fn, tn), classes))


def _candidates(
    scores: Floats, second: NDArray[np.bool_], weights: Floats | None, ends: tuple[float, float]
) -> tuple[Floats, Counts]:
    """The middle of every gap between scores, rising, and the counts there for the second class."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    w = np.ones(len(scores)) if weights is None else weights[order]
    sums = [np.concatenate([[0.0], np.cumsum(w * side)]) for side in (second[order], ~second[order])]
    bounds = np.concatenate([[ends[0]], ordered, [ends[1]]])
    low, high = bounds[:-1], bounds[1:]
    apart = high - low > ROUNDINGS * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    fn, tn = (below[apart] for below in sums)
    counts = Counts(sums[0][-1] - fn, sums[1][-1] - tn, fn, tn)
    return (low + 0.5 * (high - low))[apart], counts


def _counts_above(threshold: float, scores: Floats, second: NDArray[np.bool_], weights: Floats | None) -> Counts:
    w = np.ones(len(scores)) if weights is None else weights
    above = scores > threshold
    kinds = (above & second, above & ~second, ~above & second, ~above & ~second)
    return Counts(*(np.asarray(w[kind].sum()) for kind in kinds))


def _evident(labels: Sequence[Any]) -> Any:
    spelt = [label_text(label).lower() for label in labels]
    for pair in EVIDENT:
        if set(pair) == set(spelt):
            return labels[spelt.index(pair[1])]
    raise RecipeError(
        f"which label is the positive one, {_either(labels)}? Name it with the metric, such as 'f1:{labels[1]}' (an "
        "estimator: positive=)"
    )


def _either(labels: Sequence[Any]) -> str:
    return f"{labels[0]!r} or {labels[1]!r}"
