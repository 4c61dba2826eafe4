"""Naive Bayes: linear models from sums by class, in one pass over the rows.

With n_k the weight of the rows of class k, n = Σ n_k, and N_kj = Σ x_j over them, the score of class k is the logarithm
of its probability, up to a term that all classes share:

    multinomial   log(n_k / n) + Σ_j x_j log θ_kj,    θ_kj = (N_kj + α) / (Σ_j N_kj + α d)
    complement    -Σ_j x_j log θ_kj of the rows of all other classes together
    Bernoulli     log(n_k / n) + Σ_j [x_j log p_kj + (1 - x_j) log(1 - p_kj)],    p_kj = (N_kj + α) / (n_k + 2 α)

Two classes have one output, the difference of the two.  (Manning, Raghavan, Schütze 2008, Introduction to information
retrieval, chapter 13.)  Rows are added one by one in order, so the bits do not depend on the blocks of a stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import InputError, NumericalError, RecipeError
from linnet.kernels.class_sums import add_rows, add_weights, presence_logs, smoothed_logs
from linnet.learners.linear import LinearModel
from linnet.training.duality_gap import Certificate

Table = NDArray[np.float64]

NO_WEIGHTS = np.empty(0)
# The score of a class that no row has had yet: so low that it is never the largest, and a number that files can hold.
NEVER = -1e100
CLOSED_FORM = Certificate(float("nan"), float("-inf"), "a closed form of sums over the rows: nothing was minimised")


@dataclass(frozen=True)
class Priors:
    """The prior probabilities of the classes: their frequencies, uniform, or as given."""

    uniform: bool = False
    given: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.given and (min(self.given) < 0 or not np.isclose(sum(self.given), 1.0)):
            raise RecipeError(f"priors are probabilities that add up to 1; they are {list(self.given)}")

    def probabilities(self, counts: Table) -> Table:
        """The probability of each class, given its number of rows."""
        if self.given:
            if len(self.given) != len(counts):
                raise RecipeError(
                    f"Number of priors must match number of classes: there are {len(self.given)} priors "
                    f"for {len(counts)} classes"
                )
            return np.array(self.given)
        return np.full(len(counts), 1.0 / len(counts)) if self.uniform else counts / counts.sum()

    def logs(self, counts: Table) -> Table:
        """The logarithms; a class that has no row yet is never the most probable, whatever was given."""
        priors = np.where(counts > 0, self.probabilities(counts), 0.0)
        return np.where(priors > 0, np.log(np.where(priors > 0, priors, 1.0)), NEVER)


class Counting:
    """Sums by class, to which blocks of rows are added; new columns and classes may appear at any time."""

    def __init__(self, columns: int, labels: Labels, priors: Priors) -> None:
        self.columns = columns
        self.labels = labels
        self.priors = priors

    def take(self, examples: Examples, labels: Labels | None = None) -> None:
        """Add a block; `labels` are all known by now.  A block that cannot be used changes nothing."""
        examples.rows.check_finite()
        self._check(examples.rows)
        if labels is not None and len(labels) > len(self.labels):
            at = labels.encode(self.labels.classes).astype(np.int64) if len(self.labels) else np.empty(0, np.int64)
            self._extend(at, len(labels))
            self.labels = labels
        if examples.rows.shape[1] > self.columns:
            self._widen(examples.rows.shape[1])
            self.columns = examples.rows.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):  # reported when a model is made of it
            self._add(examples, NO_WEIGHTS if examples.weights is None else examples.weights)

    def model(self) -> LinearModel:
        """The model of all rows so far."""
        with np.errstate(over="ignore", invalid="ignore"):  # reported below, once
            weights, intercepts = self._scores()
            if len(intercepts) <= 2:  # one output: the second class against the first; 0 where there is one class only
                weights, intercepts = weights[:, -1:] - weights[:, :1], intercepts[-1:] - intercepts[:1]
            total = weights.sum()  # one fast read: a finite sum contains neither NaN nor infinity
        if not (np.isfinite(total) or np.isfinite(weights).all()) or not np.isfinite(intercepts).all():
            raise NumericalError("the sums left the range of numbers: scale the features down")
        return LinearModel(np.ascontiguousarray(weights), intercepts, self.labels.classes)

    def arranged(self, columns: NDArray[np.int64]) -> Self:
        """The same sums with the columns in this order: what is added up over them may depend on it in the last bit."""
        other = copy(self)
        other.columns = len(columns)
        other._arrange(columns)
        return other

    def _arrange(self, columns: NDArray[np.int64]) -> None:
        """Put the columns in this order, without a change to arrays that are shared."""
        raise NotImplementedError

    def _check(self, rows: Rows) -> None:
        """Raise for a value that cannot be counted."""

    def _extend(self, at: NDArray[np.int64], classes: int) -> None:
        """Make room for K classes; those so far move to these indices."""
        raise NotImplementedError

    def _widen(self, columns: int) -> None:
        """Make room for this many columns; new ones were 0 in all rows so far."""
        raise NotImplementedError

    def _add(self, examples: Examples, weights: Table) -> None:
        raise NotImplementedError

    def _scores(self) -> tuple[Table, Table]:
        """Weights (columns x classes) and intercepts of the classes' scores."""
        raise NotImplementedError

    def joint(self, rows: Rows) -> Table:
        """The score of every class for every row: the logarithm of its probability with the row, up to what all share;
        of naive Bayes that is nothing but for multinomial coefficients."""
        return LinearModel(*self._scores(), None).scores(rows)


class ClassSums(Counting):
    """Sums of every column by class (room x classes, where room grows ahead of the columns), and rows by class."""

    def __init__(
        self, columns: int, labels: Labels, priors: Priors | None = None, *, alpha: float | Sequence[float] = 1.0
    ) -> None:
        """`alpha` is added to the count of every feature, or of each its own."""
        super().__init__(columns, labels, Priors() if priors is None else priors)
        self.alpha = alpha
        self.counts = np.zeros(len(labels))
        self.table = np.zeros((columns, len(labels)))

    @property
    def sums(self) -> Table:
        return self.table[: self.columns]

    @property
    def smoothing(self) -> Any:
        """alpha, for all columns or one each, beside the sums of the classes."""
        if not isinstance(self.alpha, Sequence):
            return self.alpha
        if len(self.alpha) != self.columns:
            raise RecipeError(
                f"alpha is one number, or one for each feature: there are {len(self.alpha)} for {self.columns} features"
            )
        return np.array(self.alpha)[:, np.newaxis]

    @property
    def _alphas(self) -> Table:
        """alpha as the kernels take it: one number, or one for each column."""
        return np.ravel(np.asarray(self.smoothing, dtype=np.float64))

    # its name among the estimators
    named = "MultinomialNB"

    def log_probabilities(self) -> Table:
        """log θ_kj or log p_kj (columns x classes)."""
        raise NotImplementedError

    def _check(self, rows: Rows) -> None:
        if rows.ends[0] < 0:
            at = int(np.argmax(rows.values < 0))
            row, column = rows.row_and_column(at)
            name = f" ({rows.names[column]})" if rows.names else ""
            raise InputError(
                f"{NEGATIVE} {self.named} (input X): {rows.values[at]:g} at row {row}, column {column}{name}: "
                "it counts what rows have; take SharedGaussianNB or LinearDiscriminantAnalysis for measurements"
            )

    def _extend(self, at: NDArray[np.int64], classes: int) -> None:
        self.counts = spread(self.counts, at, classes)
        self.table = spread(self.table, at, classes, axis=1)

    def _widen(self, columns: int) -> None:
        if columns > len(self.table):
            more = max(columns, 2 * len(self.table)) - len(self.table)
            self.table = np.concatenate([self.table, np.zeros((more, self.table.shape[1]))])

    def _arrange(self, columns: NDArray[np.int64]) -> None:
        self.table = self.table[columns]

    def _add(self, examples: Examples, weights: Table) -> None:
        rows = examples.rows
        add_weights(examples.targets, weights, self.counts)
        add_rows(rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, examples.targets, weights, self.table)


NEGATIVE = "Negative values in data passed to"


class Multinomial(ClassSums):
    """x_j is how often feature j was drawn: a word in a text."""

    def log_probabilities(self) -> Table:
        logs = np.empty_like(self.sums)
        smoothed_logs(self.sums, self._alphas, logs)
        return logs

    def _scores(self) -> tuple[Table, Table]:
        return self.log_probabilities(), self.priors.logs(self.counts)


class Bernoulli(ClassSums):
    """x_j is 1 or 0: whether the row has feature j; its absence counts, too."""

    named = "BernoulliNB"

    def log_probabilities(self) -> Table:
        return np.asarray(np.log(self.sums + self.smoothing) - np.log(self.counts + 2.0 * self.smoothing))

    def _scores(self) -> tuple[Table, Table]:
        odds, absent = np.empty_like(self.sums), np.zeros(len(self.counts))
        presence_logs(self.sums, self.counts, self._alphas, odds, absent)
        whole = np.log(self.counts + 2.0 * self.smoothing)
        never = absent - (self.columns * whole if whole.ndim == 1 else whole.sum(axis=0))
        return odds, self.priors.logs(self.counts) + never


class Complement(ClassSums):
    """A class by what all others draw: a feature that they draw often speaks against it; classes have no priors.

    A score is Σ_j x_j w_kj, w_kj = -log((Σ_{i≠k} N_ij + α) / (Σ_j Σ_{i≠k} N_ij + α d)); with `norm` over Σ_j |w_kj|.
    """

    named = "ComplementNB"

    def __init__(
        self,
        columns: int,
        labels: Labels,
        priors: Priors | None = None,
        *,
        alpha: float | Sequence[float] = 1.0,
        norm: bool = False,
    ) -> None:
        super().__init__(columns, labels, priors, alpha=alpha)
        self.norm = norm

    def log_probabilities(self) -> Table:
        others = self.sums.sum(axis=1, keepdims=True) - self.sums + self.smoothing
        logs = np.log(others / others.sum(axis=0))
        return np.asarray(logs / logs.sum(axis=0) if self.norm else -logs)

    def _scores(self) -> tuple[Table, Table]:
        never = np.where(self.counts > 0, 0.0, NEVER)
        return self.log_probabilities(), self.priors.logs(self.counts) if len(self.counts) == 1 else never


def about_mean(means: Table, counts: Table) -> tuple[Table, Table]:
    """The mean of all rows, and how far the classes' means (columns x classes) lie from it; 0 for one without rows.

    Scores of Gaussian classes are worked out about it: what they have in common decides nothing and costs digits.
    """
    centre = means @ (counts / counts.sum())
    return centre, np.where(counts > 0, means - centre[:, np.newaxis], 0.0)


def about_zero(weights: Table, centre: Table, apart: Table, logs: Table) -> tuple[Table, Table]:
    """Weights and intercepts of the scores log π_k + w_k . (x - centre) - w_k . apart_k / 2."""
    return weights, logs - ((0.5 * apart + centre[:, np.newaxis]) * weights).sum(axis=0)


def presence(rows: Rows, threshold: float = 0.0) -> Rows:
    """Rows of 1 where a value is above the threshold (0 or more) and 0 elsewhere."""
    rows.check_finite()
    least, most = rows.ends
    if threshold < least == most == 1.0:
        return rows
    return replace(rows, values=(rows.values > threshold).astype(rows.values.dtype))


def spread(held: Table, at: NDArray[np.int64], size: int, axis: int = 0) -> Any:
    """An array of this length along an axis: the old values at the indices given, 0 elsewhere."""
    shape = list(held.shape)
    shape[axis] = size
    into = np.zeros(shape)
    into[(slice(None),) * axis + (at,)] = held
    return into
