"""Why a model decides as it does: its top features, and what each feature of a row adds to the score of a label.

The average row is what a row is compared with.  With the mean m of a feature in the training rows (moments.py), a value
x adds w (x - m) to the score; w m of all features and the intercept are the score of the average row, the baseline:

    number     w (x - m); where it is missing, x = m, and the feature `column is missing` has a weight of its own beside
    category   a line for the column: the weight of the row's value, less the mean of the training rows; so for crosses
    word       w x: measured against a text without it, which is nearly the mean; and so are conjunctions
    numbered   w (x - m), and w x where m is near 0 beside the deviation, as for most columns of wide and sparse rows

The lines of a row and the baseline add up to its score.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.conjunctions import ConjunctionTerm
from linnet.data.features.dates import DateTerm
from linnet.data.features.feature_map import Features
from linnet.data.features.terms import CategoryTerm, NamedTerm, NumberedTerm, NumberTerm, missing_name
from linnet.data.features.text import TextTerm
from linnet.data.rows import Rows
from linnet.errors import RecipeError
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.learners.sparse_weights import SparseWeights
from linnet.model.moments import Moments

Flat = NDArray[np.float64]
# the number of a feature in its term, its value in the row, its weight
Entry = tuple[int, float, float]

# A numbered column whose mean is below this fraction of its deviation is measured against 0.
NEAR_0 = 0.1
# What is left of the weight of a flag below this fraction of what was taken away is rounding.
DUST = 8 * float(np.finfo(np.float64).eps)
UNSEEN = "(not in the training data)"


class TopFeature(NamedTuple):
    """A feature, its weight, and the spread of what it contributes: |weight| times the feature's deviation."""

    feature: str
    weight: float
    spread: float


@dataclass(frozen=True)
class Contribution:
    """What one feature of a row adds to a score, compared with the average row.

    `value` is a number (as given, also where it enters by its logarithm), or the value of a category; None where that
    is missing.
    """

    feature: str
    value: Any
    weight: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """The score of a label for a row: the baseline, which is that of the average row, and the sum of `contributions`.

    These are the largest first; what adds 0 is left out.
    """

    label: Any
    score: float
    baseline: float
    contributions: list[Contribution]


class Reasons:
    """The reasons of a linear model; `moments` are None where no training rows are known: then means are 0."""

    def __init__(self, features: Features, linear: LinearModel, moments: Moments | None) -> None:
        self.features, self.linear = features, linear
        self.moments = Moments(np.zeros(len(features)), np.ones(len(features))) if moments is None else moments
        self._offsets = list(accumulate(features.sizes, initial=0))

    @cached_property
    def weights(self) -> Any:
        """(features, outputs): a missing number counts as its mean, so the weight of its flag is what that adds."""
        weights = self.linear.weights
        if isinstance(weights, SparseWeights):
            return weights.matrix()
        pairs = np.array(list(self.features.number_features()), dtype=np.int64).reshape(-1, 2)
        if not len(pairs):
            return weights
        value, missing = pairs.T
        weights = weights.copy()
        with np.errstate(over="ignore", invalid="ignore"):  # of a file: what leaves the range is shown as its end
            flags, which = np.unique(missing, return_inverse=True)  # the numbers of a date share one
            filled = np.zeros((len(flags), weights.shape[1]))
            np.add.at(filled, which, weights[value] * self.moments.means[value, np.newaxis])
            own = np.nan_to_num(weights[flags] - filled)
            weights[flags] = np.where(np.abs(own) <= DUST * np.abs(filled), 0.0, own)
        return weights

    def of_output(self, output: int) -> Flat:
        """The weights of all features for one output."""
        sparse = self.linear.weights if isinstance(self.linear.weights, SparseWeights) else None
        return np.asarray(self.weights[:, output] if sparse is None else sparse.output(output))

    def of_feature(self, feature: int) -> Flat:
        """The weights of one feature for all outputs."""
        row = self.weights[[feature]]
        return np.ravel(row.toarray() if isinstance(self.linear.weights, SparseWeights) else row)

    def by_spread(self) -> NDArray[np.int64]:
        """All features, first the one whose contributions to some output spread most."""
        weights = self.weights
        if isinstance(self.linear.weights, SparseWeights):
            largest = abs(weights).max(axis=1).toarray().ravel()
        else:
            largest = np.maximum(weights.max(axis=1), -weights.min(axis=1))
        with np.errstate(over="ignore", invalid="ignore"):  # weights of a file may have any size
            return np.argsort(-np.nan_to_num(largest * self.moments.deviations), kind="stable")

    @property
    def used(self) -> int:
        """How many features have a weight other than 0 for some output."""
        if isinstance(self.linear.weights, SparseWeights):
            return int((np.diff(self.linear.weights.starts) > 0).sum())
        return int((self.weights != 0).any(axis=1).sum())

    def top(self, output: int, count: int) -> tuple[list[TopFeature], list[TopFeature]]:
        """The features whose contributions to an output spread most: those with a positive weight, and the others."""
        with np.errstate(over="ignore", invalid="ignore"):  # weights of a file may have any size
            weights = np.nan_to_num(self._contrast(output))
            effects = np.nan_to_num(weights * self.moments.deviations)
        order = np.argsort(effects, kind="stable")
        against = [int(i) for i in order[:count] if effects[i] < 0]
        favour = [int(i) for i in order[::-1][:count] if effects[i] > 0]
        found = []
        for each in (favour, against):
            lines = zip(
                self.features.names_of(each), weights[each].tolist(), np.abs(effects[each]).tolist(), strict=True
            )
            found.append([TopFeature(*line) for line in lines])
        return found[0], found[1]

    def _contrast(self, output: int) -> Flat:
        """The weights of an output; of classes fitted jointly, less the mean over all of them.

        What all classes have in common decides nothing: naive Bayes's log probabilities are below 0 in each of them.
        """
        weights = self.weights
        if isinstance(self.linear.weights, SparseWeights):
            return np.asarray(self.linear.weights.output(output) - self._mean_weights)
        if weights.shape[1] > 1 and self.linear.reduction is Reduction.JOINT:
            return np.asarray(weights[:, output] - (weights / weights.shape[1]).sum(axis=1))
        return np.asarray(weights[:, output])

    @cached_property
    def _mean_weights(self) -> Flat:
        """Of each feature with sparse weights, the mean over all outputs."""
        return np.asarray(self.linear.weights.mean_of_outputs())

    # -- single rows -----------------------------------------------------------------------------------------------

    def label_outputs(self, code: int) -> Flat:
        """What the score of a class is made of: a number for each output of the model.

        Two classes: towards the class.  Classes fitted jointly: the output of the class less the mean of all.  Pairs:
        the mean over the pairs that the class is in.
        """
        classes, outputs = self.linear.classes, len(self.linear.intercepts)
        if self.linear.votes:
            raise RecipeError(
                "hypotheses that vote have no score to explain: what they count is not a sum over features; take the "
                "averaged perceptron"
            )
        if classes is None or outputs == 1:
            return np.array([-1.0 if classes is not None and len(classes) == 2 and code == 0 else 1.0])
        if self.linear.pairwise:
            pairs = [(a, b) for a in range(len(classes)) for b in range(a + 1, len(classes))]
            return np.array([(b == code) - float(a == code) for a, b in pairs]) / (len(classes) - 1)
        own = np.full(
            outputs, 0.0 if self.linear.reduction in (Reduction.ONE_VS_REST, Reduction.EACH_LABEL) else -1.0 / outputs
        )
        own[code] += 1.0
        return own

    def explained(self, rows: Rows, codes: NDArray[np.int64], labels: list[Any]) -> Iterator[Explanation]:
        """Every row, for the class of this code (0 where numbers are predicted)."""
        scores = self.linear.scores(rows)
        for row, (code, label) in enumerate(zip(codes.tolist(), labels, strict=True)):
            mixed = self.label_outputs(code)
            with np.errstate(over="ignore", invalid="ignore"):  # weights of a file may have any size
                found = [each for each in self._lines(*_entries(rows, row), mixed) if each.contribution]
                baseline = float(np.nan_to_num((self.linear.intercepts + self._average) @ mixed))
                score = float(np.nan_to_num(scores[row] @ mixed))
            if not all(isfinite(each.weight) and isfinite(each.contribution) for each in found):
                found = [_within_range(each) for each in found]
            found.sort(key=lambda each: -abs(each.contribution))
            yield Explanation(label, score, baseline, found)

    @cached_property
    def references(self) -> Flat:
        """What each feature is measured against: its mean, or 0."""
        means = self.moments.means.copy()
        near_0 = np.abs(means) < NEAR_0 * self.moments.deviations
        for term, first in zip(self.features.terms, self._offsets, strict=False):
            there = slice(first, first + len(term))
            if isinstance(term, TextTerm | ConjunctionTerm):
                means[there] = 0.0
            elif isinstance(term, NumberedTerm):
                means[there][near_0[there]] = 0.0
        return means

    @cached_property
    def _by_term(self) -> Flat:
        """(terms, outputs): what each term adds to the scores of the average row."""
        by_term = np.zeros((len(self.features.terms), len(self.linear.intercepts)))
        for number, (term, first) in enumerate(zip(self.features.terms, self._offsets, strict=False)):
            at = first + np.flatnonzero(self.references[first : first + len(term)])
            by_term[number] = self.references[at] @ self.weights[at]
        return by_term

    @cached_property
    def _average(self) -> Flat:
        """What all terms add to the scores of the average row."""
        return np.asarray(self._by_term.sum(axis=0))

    @cached_property
    def _numbered(self) -> NDArray[np.int64]:
        """The numbered columns that are measured against their means."""
        numbered = len(self.features.terms[0]) if self.features.is_numbered else 0
        return np.flatnonzero(self.references[:numbered])

    def _lines(self, ids: NDArray[np.int64], values: Flat, mixed: Flat) -> Iterator[Contribution]:
        """Every contribution to the score, given the entries of a row."""
        weights = (self.weights[ids] @ mixed).tolist()
        by_term: dict[int, list[Entry]] = {}
        for j, x, w in zip(ids.tolist(), values.tolist(), weights, strict=True):
            at = bisect_right(self._offsets, j) - 1
            by_term.setdefault(at, []).append((j - self._offsets[at], x, w))
        for number, term in enumerate(self.features.terms):
            found, first = by_term.get(number, []), self._offsets[number]
            if isinstance(term, NumberTerm):
                yield from self._of_number(term, first, found, mixed)
            elif isinstance(term, DateTerm):
                yield from self._of_date(term, first, found, mixed)
            elif isinstance(term, NumberedTerm):
                yield from self._of_numbered(found, mixed)
            elif isinstance(term, TextTerm | ConjunctionTerm):
                yield from (Contribution(term.name(j), x, w, w * x) for j, x, w in found)
            else:
                yield from _of_names(term, found, float(self._by_term[number] @ mixed))

    def _of_number(self, term: NumberTerm, first: int, found: list[Entry], mixed: Flat) -> Iterator[Contribution]:
        """The number, and whether it is missing."""
        name = term.name(0)
        given = {j: x for j, x, _ in found}
        missing = given.get(1, 0.0)
        (w, flag), (mean, rate) = self.weights[first : first + 2] @ mixed, self.references[first : first + 2]
        x = float(mean) if missing else given.get(0, 0.0)
        value = None if missing else x if term.log is None else term.log.undone(x)
        yield Contribution(name, value, float(w), float(w) * (x - float(mean)))
        yield Contribution(term.name(1), missing, float(flag), float(flag) * (missing - float(rate)))

    def _of_date(self, term: DateTerm, first: int, found: list[Entry], mixed: Flat) -> Iterator[Contribution]:
        """The numbers of a date, whether it is missing, and its month, weekday and hour less their averages."""
        given = {j: x for j, x, _ in found}
        weights, references = self.weights[first : first + len(term)] @ mixed, self.references[first:]
        missing = given.get(term.missing, 0.0)
        for j, _ in term.numbers:
            w, value = float(weights[j]), None if missing else given.get(j, 0.0)
            yield Contribution(term.name(j), value, w, 0.0 if value is None else w * (value - float(references[j])))
        flag = float(weights[term.missing])
        yield Contribution(term.name(term.missing), missing, flag, flag * (missing - float(references[term.missing])))
        for name, part in term.groups:
            average = float(references[part.start : part.stop] @ weights[part.start : part.stop])
            there = [j for j in given if j in part]
            w = float(weights[there[0]]) if there else 0.0
            level = term.name(there[0]).rpartition("=")[2] if there else None
            yield Contribution(name, level, w, w - average)

    def _of_numbered(self, found: list[Entry], mixed: Flat) -> Iterator[Contribution]:
        """The columns that the row has, and those that the average row has."""
        for j, x, w in found:
            yield Contribution(str(j), x, w, w * (x - float(self.references[j])))
        absent = np.setdiff1d(self._numbered, [j for j, _, _ in found])
        for j, w in zip(absent.tolist(), (self.weights[absent] @ mixed).tolist(), strict=True):
            yield Contribution(str(j), 0.0, w, -w * float(self.references[j]))


def _of_names(term: NamedTerm, found: list[Entry], average: float) -> Iterator[Contribution]:
    """A category, or a cross: what the row has of it, less the average, of which several values take equal parts."""
    column = "×".join(term.columns)
    if not found:
        yield Contribution(column, UNSEEN, 0.0, -average)
    for j, x, w in found:
        name, added = term.name(j), w * x - average / len(found)
        if isinstance(term, CategoryTerm):
            missing = name == missing_name(column)
            yield Contribution(column, None if missing else name[len(column) + 1 :], w, added)
        else:
            yield Contribution(name, x, w, added)


def _within_range(line: Contribution) -> Contribution:
    """Of weights that no training gives: what leaves the range of numbers is its end."""
    weight, added = np.nan_to_num([line.weight, line.contribution]).tolist()
    return Contribution(line.feature, line.value, weight, added)


def _entries(rows: Rows, row: int) -> tuple[NDArray[np.int64], Flat]:
    """Columns and values of a row."""
    if rows.dense:
        return np.arange(rows.shape[1]), rows.matrix(np.array([row]))[0].astype(np.float64)
    a, b = int(rows.starts[row]), int(rows.starts[row + 1])
    return rows.ids[a:b].astype(np.int64), rows.values[a:b].astype(np.float64)
