"""Why a model decides as it does: its top features, and what each feature of a row adds to the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.terms import NumberTerm
from linnet.data.rows import Rows
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.model.record import ColumnStatistics

Weighted = list[tuple[str, float]]


@dataclass(frozen=True)
class Contribution:
    """One feature of a row: its value, its weight, and the product, which adds to the score."""

    feature: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.value * self.weight


def contributions(features: Features, linear: LinearModel, rows: Rows, row: int, output: int) -> list[Contribution]:
    """What each feature of a row adds to the score of an output, the largest first."""
    a, b = int(rows.starts[row]), int(rows.starts[row + 1])
    ids = rows.ids[a:b].tolist()
    found = [
        Contribution(name, float(x), float(linear.weights[j, output]))
        for name, j, x in zip(features.names_of(ids), ids, rows.values[a:b], strict=True)
    ]
    return sorted((each for each in found if each.contribution), key=lambda each: -abs(each.contribution))


def top_features(
    features: Features, linear: LinearModel, numbers: Mapping[str, ColumnStatistics], output: int, count: int
) -> tuple[Weighted, Weighted]:
    """The features with the largest effects for an output, and against it, with their weights.

    An effect is a weight times the deviation of its column in the training rows, so that columns of all scales compare.
    """
    with np.errstate(over="ignore"):  # weights of a file may have any size: what leaves the range is the largest number
        weights = np.nan_to_num(_contrasts(linear, output))
        effects = np.nan_to_num(weights * _deviations(features, numbers))
    order = np.argsort(effects, kind="stable")
    against = [int(i) for i in order[:count] if effects[i] < 0]
    favour = [int(i) for i in order[::-1][:count] if effects[i] > 0]
    named = [list(zip(features.names_of(each), weights[each].tolist(), strict=True)) for each in (favour, against)]
    return named[0], named[1]


def _contrasts(linear: LinearModel, output: int) -> NDArray[np.float64]:
    """The weights of an output; of classes fitted jointly, less the mean over all of them.

    What all classes have in common decides nothing: naive Bayes's log probabilities are below 0 in each of them.
    """
    weights = linear.weights
    if weights.shape[1] > 1 and linear.reduction is Reduction.JOINT:
        return np.asarray(weights[:, output] - (weights / weights.shape[1]).sum(axis=1))
    return weights[:, output]


def _deviations(features: Features, numbers: Mapping[str, ColumnStatistics]) -> NDArray[np.float64]:
    """A number's deviation in the training rows, else 1; 0 for a missing value that never occurred."""
    deviations = np.ones(len(features))
    terms = (term for term in features.terms if isinstance(term, NumberTerm))
    for (value, missing), term in zip(features.number_features(), terms, strict=True):
        known = numbers.get(term.columns[0])
        if known:
            deviations[value], deviations[missing] = known.deviation, float(known.missing > 0)
    return deviations
