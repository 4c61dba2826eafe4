"""LabelSetTally: metrics of predictions where a row has several labels, or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.sources.label_sets import labels_of
from linnet.evaluation.classification import ClassResult
from linnet.evaluation.intervals import Interval, share_interval
from linnet.evaluation.json_values import plain
from linnet.evaluation.result_tables import ClassesShown

Has = NDArray[np.bool_]
Floats = NDArray[np.float64]
# How many of the labels with the largest scores are looked at.
AT = (1, 3, 5)


@dataclass(frozen=True)
class LabelSetResult(ClassesShown):
    """The metrics over all rows added, as scikit-learn has them: an F1 without a true or predicted row is 0.

    A label that the model does not know is one that it misses: its row is not right, and it counts in micro F1;
    macro F1 and Hamming loss are over the labels of the model.  Precision at k is the mean over all rows of the
    fraction of the k labels with the largest scores that the row has, as in the Extreme Classification Repository; of
    labels with equal scores the first counts.  Where the model has fewer than k labels it is not defined.
    """

    rows: int
    unknown_labels: int
    subset_accuracy: float  # of rows whose labels are all predicted, and no other
    subset_accuracy_interval: Interval
    hamming_loss: float  # the fraction of wrong answers, a row giving one for every label
    micro_f1: float
    macro_f1: float
    precision_at_1: float
    precision_at_3: float
    precision_at_5: float
    labels: tuple[ClassResult, ...]

    def __post_init__(self) -> None:
        counts = (self.rows, self.unknown_labels, *(each.support for each in self.labels))
        fractions = (self.subset_accuracy, self.hamming_loss, self.micro_f1, self.macro_f1, *self.precisions)
        if min(counts) < 0 or not all(0 <= each <= 1 for each in fractions if not math.isnan(each)):
            raise ValueError("a metric of label sets is out of its range")

    @property
    def precisions(self) -> tuple[float, float, float]:
        """At 1, 3 and 5."""
        return self.precision_at_1, self.precision_at_3, self.precision_at_5

    @property
    def headline(self) -> str:
        """The one figure for a line."""
        return f"micro F1 {self.micro_f1:.3f}"

    def _by_class(self) -> tuple[ClassResult, ...]:
        return self.labels

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with None where a metric is not defined."""
        result: dict[str, Any] = plain(self)
        return result


def indicator(spelt: Sequence[str], classes: Sequence[Any]) -> tuple[Has, NDArray[np.int64]]:
    """Which of these classes each row has, and how many other labels, from the spellings of their sets."""
    meant = str if isinstance(classes[0], str) else float  # 1 and 1.0 are the same label
    known = {meant(label): number for number, label in enumerate(classes)}
    has, others = np.zeros((len(spelt), len(known)), dtype=bool), np.zeros(len(spelt), dtype=np.int64)
    for row, text in enumerate(spelt):
        numbers = [known.get(meant(label), -1) for label in labels_of(text)]
        has[row, [number for number in numbers if number >= 0]] = True
        others[row] = numbers.count(-1)
    return has, others


def largest(scores: Floats, k: int) -> Has:
    """Which k columns have the largest scores of each row; of equal ones the first."""
    least = np.partition(scores, -k, axis=1)[:, -k, np.newaxis]
    top: Has = scores >= least
    too_many = np.flatnonzero(np.count_nonzero(top, axis=1) > k)
    if len(too_many):
        above, equal = scores[too_many] > least[too_many], scores[too_many] == least[too_many]
        room = k - np.count_nonzero(above, axis=1)
        top[too_many] = above | (equal & (np.cumsum(equal, axis=1) <= room[:, np.newaxis]))
    return top


class LabelSetTally:
    """Adds up predictions block by block: counts, which any cut into blocks leaves the same."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.rows = self.right = self.unknown = 0
        self.hits, self.true, self.predicted = np.zeros((3, len(classes)), dtype=np.int64)
        self.among_largest = dict.fromkeys(AT, 0)

    def add(self, truth: Has, scores: Floats, unknown: NDArray[np.int64] | None = None) -> None:
        """Some rows: which labels they have, the score of each, and how many they have that are not known."""
        predicted = scores > 0
        right = (truth == predicted).all(axis=1)
        if unknown is not None:
            right &= unknown == 0
            self.unknown += int(unknown.sum())
        self.rows += len(truth)
        self.right += int(right.sum())
        self.hits += (truth & predicted).sum(axis=0)
        self.true += truth.sum(axis=0)
        self.predicted += predicted.sum(axis=0)
        for k in AT:
            if k <= len(self.classes):
                self.among_largest[k] += int(np.count_nonzero(truth & largest(scores, k)))

    def _precision_at(self, k: int) -> float:
        possible = self.rows and k <= len(self.classes)
        return self.among_largest[k] / (k * self.rows) if possible else math.nan

    def result(self) -> LabelSetResult:
        """The metrics of all rows so far."""
        sizes = self.true + self.predicted
        with np.errstate(invalid="ignore"):
            precision, recall = self.hits / self.predicted, self.hits / self.true
        f1 = np.where(sizes > 0, 2 * self.hits / np.maximum(sizes, 1), 0.0)
        total, answers = int(sizes.sum()) + self.unknown, self.rows * len(self.classes)
        each = zip(
            self.classes.tolist(), precision.tolist(), recall.tolist(), f1.tolist(), self.true.tolist(), strict=True
        )
        return LabelSetResult(
            rows=self.rows,
            unknown_labels=self.unknown,
            subset_accuracy=self.right / self.rows if self.rows else math.nan,
            subset_accuracy_interval=share_interval(self.right, self.rows, self.rows),
            hamming_loss=int((sizes - 2 * self.hits).sum()) / answers if answers else math.nan,
            micro_f1=2 * int(self.hits.sum()) / total if total else 0.0,
            macro_f1=float(f1.mean()),
            precision_at_1=self._precision_at(1),
            precision_at_3=self._precision_at(3),
            precision_at_5=self._precision_at(5),
            labels=tuple(ClassResult(*one) for one in each),
        )
