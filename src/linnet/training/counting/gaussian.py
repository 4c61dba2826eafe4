"""Gaussian naive Bayes with one variance a column for all classes, which makes it linear.

Every column is Gaussian about the mean of its class, with one variance for all classes:

    score of class k = log(n_k / n) + Σ_j [x_j μ_kj / v_j - μ_kj² / (2 v_j)],
    v_j = Σ_k Σ_{rows of k} (x_j - μ_kj)² / n + ε

with x and μ_k measured from the mean of all rows.
It is discriminant analysis with a diagonal covariance (Hastie, Tibshirani, Friedman 2009, The elements of statistical
learning, section 18.2).  With a variance for each class, as scikit-learn's GaussianNB has, scores would be quadratic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.kernels.moments import add_moments, variances
from linnet.training.counting.naive_bayes import Counting, Priors, Table, about_mean, about_zero, spread


class SharedGaussian(Counting):
    """Rows, sums (by class) and sums of squares, each as a pair of doubles: high and low digits."""

    def __init__(self, columns: int, labels: Labels, priors: Priors | None = None, *, smoothing: float = 1e-9) -> None:
        super().__init__(columns, labels, Priors() if priors is None else priors)
        self.smoothing = smoothing
        self.counts = np.zeros((len(labels), 2))
        self.sums = np.zeros((columns, len(labels), 2))
        self.squares = np.zeros((columns, 2))

    def _extend(self, at: NDArray[np.int64], classes: int) -> None:
        self.counts = spread(self.counts, at, classes)
        self.sums = spread(self.sums, at, classes, axis=1)

    def _widen(self, columns: int) -> None:
        more = max(columns, 2 * len(self.sums)) - len(self.sums)
        if columns > len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros((more, *self.sums.shape[1:]))])
            self.squares = np.concatenate([self.squares, np.zeros((more, 2))])

    def _arrange(self, columns: NDArray[np.int64]) -> None:
        self.sums, self.squares = self.sums[columns], self.squares[columns]

    def _add(self, examples: Examples, weights: Table) -> None:
        rows = examples.rows
        add_moments(
            rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, examples.targets, weights,
            self.counts, self.sums, self.squares,
        )  # fmt: skip

    def means(self) -> Table:
        """(columns, classes)."""
        counts = self.counts[:, 0]
        return np.asarray(self.sums[: self.columns, :, 0] / np.where(counts > 0, counts, 1.0))

    @one_thread()
    def variance(self) -> Table:
        """v: the variance within classes, plus `smoothing` times the largest variance of a column over all rows."""
        sums, squares = self.sums[: self.columns], self.squares[: self.columns]
        within = np.empty(self.columns)
        variances(self.counts, sums, squares, within)
        # the variance of all rows is the one within classes, and that of their means
        counts = self.counts[:, 0]
        _, apart = about_mean(self.means(), counts)
        of_all = within + (apart * apart) @ (counts / counts.sum())
        return np.asarray(within + self.smoothing * (float(of_all.max(initial=0.0)) or 1.0))

    @one_thread()
    def _scores(self) -> tuple[Table, Table]:
        counts = self.counts[:, 0]
        centre, apart = about_mean(self.means(), counts)
        return about_zero(apart / self.variance()[:, np.newaxis], centre, apart, self.priors.logs(counts))
