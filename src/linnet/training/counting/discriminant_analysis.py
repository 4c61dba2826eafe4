"""Linear discriminant analysis: Gaussian classes with one covariance between them.

    score of class k = log π_k + μ_k' Σ⁻¹ x - μ_k' Σ⁻¹ μ_k / 2,   Σ = Σ_k π_k S_k / n_k

with x and μ_k measured from the mean of all rows, where S_k = Σ (x - μ_k)(x - μ_k)' over the rows of class k and π_k is
its prior (n_k / n if estimated: then Σ is the pooled scatter over n).  Where Σ is singular its pseudo-inverse is taken,
in units of the columns' deviations: a direction in which no class varies has no weight.  (Fisher 1936, The use of
multiple measurements in taxonomic problems.)

A shrinkage s between 0 and 1 replaces each S_k / n_k =: C by (1 - s) C + s mean(diag C) I; "auto" estimates s for each
class, on columns of unit variance (Ledoit, Wolf 2004, A well-conditioned estimator for large-dimensional covariance
matrices):

    s = min(1, b / a),   b = (Σ_i |z_i|⁴ / n - |C|²) / (d n),   a = (|C|² - 2 m tr C + d m²) / d,   m = tr C / d

Moments are kept about the mean, by class, and merged (Chan, Golub, LeVeque 1983, Algorithms for computing the sample
variance) whenever a class has ROWS_AT_ONCE more rows, wherever blocks begin.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import InputError
from linnet.kernels.class_sums import add_products, add_scatter
from linnet.training.counting.naive_bayes import Counting, Priors, Table, about_mean, about_zero
from linnet.training.threads import in_threads

Shrinkage = float | Literal["auto"] | None

ROWS_AT_ONCE = 128
# The tables of all classes together, d x d each, may have this many numbers (1 GB).
LARGEST = 1 << 27
ROUNDING = float(np.finfo(np.float64).eps)


class Moments:
    """Weight, mean and central moments of the rows of one class; of order 3 and 4 only to estimate the shrinkage.

    second = Σ c_j c_l, third = Σ c_j c_l², fourth = Σ c_j² c_l², where c = x - mean.
    """

    def __init__(self, columns: int, *, higher: bool) -> None:
        self.higher = higher
        self.weight = 0.0
        self.mean = np.zeros(columns)
        self.second = np.zeros((columns, columns))
        self.third = np.zeros_like(self.second) if higher else np.empty((0, 0))
        self.fourth = np.zeros_like(self.second) if higher else np.empty((0, 0))
        self.waiting: list[Table] = []
        self.waiting_weights: list[Table] = []

    def widen(self, columns: int) -> None:
        """More columns, which were 0 in all rows so far."""
        more = columns - len(self.mean)
        self.mean = np.pad(self.mean, (0, more))
        self.second = np.pad(self.second, (0, more))
        if self.higher:
            self.third, self.fourth = np.pad(self.third, (0, more)), np.pad(self.fourth, (0, more))
        self.waiting = [np.pad(rows, ((0, 0), (0, more))) for rows in self.waiting]

    def take(self, X: Table, weights: Table) -> None:
        """Rows of this class, in order; they wait until there are enough to merge."""
        done = 0
        while done < len(X):
            some = slice(done, done + ROWS_AT_ONCE - self._waits)
            self.waiting.append(X[some])
            self.waiting_weights.append(weights[some])
            if self._waits == ROWS_AT_ONCE:
                self._merge()
            done = some.stop

    @property
    def _waits(self) -> int:
        return sum(map(len, self.waiting))

    def with_waiting(self) -> Moments:
        """The moments of all rows, including the waiting ones, which stay waiting here."""
        all_rows = copy(self)
        if self.waiting:
            all_rows.second = self.second.copy()
            all_rows._merge()
        return all_rows

    def arranged(self, columns: NDArray[np.int64]) -> Moments:
        """The moments of all rows, with the columns in this order."""
        other = self.with_waiting()
        both = np.ix_(columns, columns)
        other.mean, other.second = other.mean[columns], other.second[both]
        if self.higher:
            other.third, other.fourth = other.third[both], other.fourth[both]
        return other

    def _merge(self) -> None:
        """Add the waiting rows' moments; only `second` is changed in place."""
        X, weights = np.concatenate(self.waiting), np.concatenate(self.waiting_weights)[:, np.newaxis]
        self.waiting, self.waiting_weights = [], []
        more = Moments(len(self.mean), higher=self.higher)
        more.weight = float(sum(weights[:, 0].tolist()))
        more.mean = _products(weights, X)[0] / more.weight
        centred = X - more.mean
        if not self.higher:
            self._add_second(more, np.sqrt(weights) * centred)
        else:
            add_scatter(np.sqrt(weights) * centred, np.zeros_like(more.mean), 0.0, more.second)
            squared = centred * centred
            more.third, more.fourth = _products(weights * centred, squared), _products(weights * squared, squared)
            self.add(more)

    def _add_second(self, more: Moments, rows: Table) -> None:
        """As `add`, of rows about their mean times the roots of their weights: their products are added as made."""
        added, total = more.weight, self.weight + more.weight
        step = more.mean - self.mean
        add_scatter(rows, step, self.weight * added / total, self.second)
        self.mean = self.mean + step * (added / total)
        self.weight = total

    def add(self, more: Moments) -> None:
        """Add the moments of other rows, none of which waits."""
        if not more.weight:
            return
        added, total = more.weight, self.weight + more.weight
        step = more.mean - self.mean
        if self.higher:
            here = _moved(added, more.second, more.third, more.fourth, step * (self.weight / total))
            there = _moved(self.weight, self.second, self.third, self.fourth, -step * (added / total))
            self.third, self.fourth = here[0] + there[0], here[1] + there[1]
        self.second = self.second + more.second + np.outer(step, step * (self.weight * added / total))
        self.mean = self.mean + step * (added / total)
        self.weight = total

    def covariance(self, shrinkage: Shrinkage) -> Table:
        """C, shrunk."""
        if not self.weight:
            return np.zeros_like(self.second)
        C = self.second / self.weight
        if shrinkage == "auto":
            units = np.sqrt(np.diag(C))
            units[_constant(np.diag(C), self.mean, self.weight)] = 1.0
            shrinkage = self._shrinkage(C / np.outer(units, units), units)
            return np.asarray(_shrunk(C / np.outer(units, units), shrinkage) * np.outer(units, units))
        return C if shrinkage is None else _shrunk(C, float(shrinkage))

    def _shrinkage(self, C: Table, units: Table) -> float:
        d, n = len(C), self.weight
        if d == 1:
            return 0.0
        squares = float((C * C).sum())
        trace = float(np.trace(C))
        m = trace / d
        b = (float((self.fourth / np.outer(units**2, units**2)).sum()) / n - squares) / (d * n)
        a = (squares - 2.0 * m * trace + d * m * m) / d
        b = min(b, a)
        return b / a if b > 0 else 0.0


def _products(left: Table, right: Table) -> Table:
    into = np.zeros((left.shape[1], right.shape[1]))
    add_products(np.ascontiguousarray(left), np.ascontiguousarray(right), into)
    return into


def _moved(n: float, second: Table, third: Table, fourth: Table, by: Table) -> tuple[Table, Table]:
    """Third and fourth moments about a point that lies `by` before the mean: of c + by, where Σ c = 0."""
    variance, squares = np.diag(second), by * by
    new_third = third + 2.0 * second * by + np.outer(by, variance + n * squares)
    crossed = third * by[:, np.newaxis]
    new_fourth = fourth + 2.0 * (crossed + crossed.T) + 4.0 * second * np.outer(by, by)
    new_fourth += np.outer(variance, squares) + np.outer(squares, variance) + n * np.outer(squares, squares)
    return new_third, new_fourth


def _shrunk(C: Table, shrinkage: float) -> Table:
    return np.asarray((1.0 - shrinkage) * C + shrinkage * (np.trace(C) / len(C)) * np.eye(len(C)))


def _constant(variance: Table, mean: Table, n: float) -> NDArray[np.bool_]:
    """Whether a column is constant up to rounding."""
    return np.asarray(variance <= n * ROUNDING * variance + (n * mean * ROUNDING) ** 2)


class Discriminant(Counting):
    """The moments of every class."""

    def __init__(
        self,
        columns: int,
        labels: Labels,
        priors: Priors | None = None,
        *,
        shrinkage: Shrinkage = None,
        estimate: Callable[[Table], Table] | None = None,
    ) -> None:
        """`estimate` gives the covariance of rows instead; all rows are kept for it."""
        super().__init__(columns, labels, Priors() if priors is None else priors)
        self.shrinkage, self.estimate = shrinkage, estimate
        self.kept: list[tuple[Table, Table]] = []
        self._check_size(columns, len(labels))
        self.moments = [self._empty(columns) for _ in range(len(labels))]

    def _empty(self, columns: int) -> Moments:
        return Moments(columns, higher=self.shrinkage == "auto")

    def _check_size(self, columns: int, classes: int) -> None:
        tables = 3 if self.shrinkage == "auto" else 1
        if tables * classes * columns**2 > LARGEST:
            raise InputError(
                f"discriminant analysis needs {tables * classes} tables of {columns:,} x {columns:,} numbers, which is "
                "too many: take naive Bayes (naive-bayes-gaussian) or logistic regression"
            )

    def _extend(self, at: NDArray[np.int64], classes: int) -> None:
        self._check_size(self.columns, classes)
        known = dict(zip(at.tolist(), self.moments, strict=True))
        self.moments = [known.get(k) or self._empty(self.columns) for k in range(classes)]

    def _widen(self, columns: int) -> None:
        self._check_size(columns, len(self.labels))
        for each in self.moments:
            each.widen(columns)

    def _arrange(self, columns: NDArray[np.int64]) -> None:
        self.moments = [each.arranged(columns) for each in self.moments]

    def _add(self, examples: Examples, weights: Table) -> None:
        if self.estimate is not None:
            if len(weights):
                raise InputError("an estimator of the covariance takes no sample weights: leave one of them out")
            X = examples.rows.matrix()
            self.kept.append((np.asarray(X.toarray() if hasattr(X, "toarray") else X, np.float64), examples.targets))

        def add(k: int) -> None:
            mine = examples.targets == float(k)
            which = np.flatnonzero(mine & (weights > 0) if len(weights) else mine)
            for first in range(0, len(which), ROWS_AT_ONCE):
                at = which[first : first + ROWS_AT_ONCE]
                X = examples.rows.matrix(at)
                X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
                wide = np.pad(X, ((0, 0), (0, self.columns - X.shape[1]))) if X.shape[1] < self.columns else X
                self.moments[k].take(wide, weights[at] if len(weights) else np.ones(len(at)))

        with one_thread():
            in_threads(add, range(len(self.moments)), -1)

    def _parts(self) -> tuple[list[Moments], Table, Table]:
        """The moments of every class, the weights of their rows, and their priors."""
        moments = [each.with_waiting() for each in self.moments]
        counts = np.array([each.weight for each in moments])
        return moments, counts, self.priors.probabilities(counts)

    def means(self) -> Table:
        """(classes, columns)."""
        return np.array([each.mean for each in self._parts()[0]])

    def probabilities(self) -> Table:
        """The prior of every class."""
        return self._parts()[2]

    @one_thread()
    def within(self) -> Table:
        """Σ, the covariance within classes."""
        moments, _, priors = self._parts()
        return self._within(moments, priors)

    def _within(self, moments: list[Moments], priors: Table) -> Table:
        covariance = np.zeros((self.columns, self.columns))
        for k, (prior, each) in enumerate(zip(priors.tolist(), moments, strict=True)):
            of_class = each.covariance(self.shrinkage) if self.estimate is None else self._estimated(k)
            covariance += prior * of_class
        return covariance

    @one_thread()
    def total(self) -> Table:
        """The covariance of all rows, shrunk or estimated as those of the classes are."""
        if self.estimate is not None:
            return self._estimated(None)
        whole = Moments(self.columns, higher=self.shrinkage == "auto")
        for each in self.moments:
            whole.add(each.with_waiting())
        return whole.covariance(self.shrinkage)

    def _estimated(self, k: int | None) -> Table:
        """What the user's own estimate makes of the rows of a class, or of all."""
        assert self.estimate is not None
        rows = [X if k is None else X[labels == float(k)] for X, labels in self.kept]
        return np.atleast_2d(self.estimate(np.concatenate(rows)))

    @one_thread()
    def _scores(self) -> tuple[Table, Table]:
        moments, counts, priors = self._parts()
        means, covariance = np.array([each.mean for each in moments]).T.copy(), self._within(moments, priors)
        largest = np.abs(means).max(axis=1, initial=0.0)
        centre, apart = about_mean(means, counts)
        weights = _solved(covariance, apart, _constant(np.diag(covariance), largest, float(counts.sum())))
        return about_zero(weights, centre, apart, self.priors.logs(counts))


def _solved(covariance: Table, means: Table, constant: NDArray[np.bool_]) -> Table:
    """Σ⁺ μ: by eigenvectors, in units of the columns' deviations; what is 0 to rounding is left out."""
    if not (np.isfinite(covariance).all() and np.isfinite(means).all()):
        return np.full_like(means, np.nan)
    weights = np.zeros_like(means)
    vary = np.flatnonzero(~constant)
    if not len(vary):
        return weights
    units = np.sqrt(np.diag(covariance)[vary])
    values, vectors = scipy("linalg").eigh(covariance[np.ix_(vary, vary)] / np.outer(units, units))
    kept = values > len(vary) * ROUNDING * values[-1]
    vectors = vectors[:, kept]
    weights[vary] = (vectors @ ((vectors.T @ (means[vary] / units[:, np.newaxis])) / values[kept, np.newaxis])) / units[
        :, np.newaxis
    ]
    return weights
