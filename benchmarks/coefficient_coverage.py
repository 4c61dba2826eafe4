"""How often the 95 % intervals of `summary` hold the true coefficients, where the model is true.

Rows are drawn from a table, targets from a model whose coefficients are known.  Sampling weights are those of rows of
which some kinds were drawn more rarely than they occur.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from linnet import LinearRegression, LogisticRegression
from linnet.errors import InputError

Flat = np.ndarray
Draw = Callable[[np.random.Generator, Flat], Flat]
SEED = 21


@dataclass(frozen=True)
class Truth:
    """A table, true coefficients with the intercept last, and how targets are drawn given their scores."""

    X: Flat
    coefficients: Flat
    targets: Draw
    logistic: bool = False
    sampled: bool = False  # rows are drawn by their first column, and weighted accordingly

    def intervals(self, rng: np.random.Generator, size: int) -> Flat | None:
        """(coefficients, 2), the intercept last; None where they are refused."""
        odds = 1 / (1 + np.exp(-self.X[:, 0])) + 0.2 if self.sampled else np.ones(len(self.X))
        at = rng.choice(len(self.X), size, p=odds / odds.sum())
        X, weights = self.X[at], 1 / odds[at] if self.sampled else None
        y = self.targets(rng, X @ self.coefficients[:-1] + self.coefficients[-1])
        asked = {"weights_are": "sampling"} if self.sampled else {}
        try:
            model = LogisticRegression(penalty=None, tol=1e-8) if self.logistic else LinearRegression()
            fitted = model.fit(X, y, sample_weight=weights)
            return np.asarray(fitted.summary(X, y, sample_weight=weights, **asked).intervals)
        except InputError:
            return None


def covered(truth: Truth, size: int, draws: int) -> list[float]:
    """1 for each interval that holds its coefficient, 0 for one that does not, NaN where the table is refused."""
    rng = np.random.default_rng([SEED, size])
    found: list[float] = []
    for _ in range(draws):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = truth.intervals(rng, size)
        if ends is None:
            found += [np.nan] * len(truth.coefficients)
        else:
            found += ((ends[:, 0] <= truth.coefficients) & (truth.coefficients <= ends[:, 1])).astype(float).tolist()
    return found


def _normal(rng: np.random.Generator, scores: Flat) -> Flat:
    return scores + rng.normal(size=len(scores))


def _laplace(rng: np.random.Generator, scores: Flat) -> Flat:
    return scores + rng.laplace(size=len(scores))


def _labels(rng: np.random.Generator, scores: Flat) -> Flat:
    return (rng.random(len(scores)) < 1 / (1 + np.exp(-scores))).astype(np.int64)


def truths() -> Iterator[tuple[str, Truth]]:
    """Columns that are correlated, one of them skewed and one of zeros and ones."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(20_000, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.exp(X[:, 2] / 2)
    X[:, 3] = X[:, 3] > 0.5
    w = np.array([0.5, -0.3, 0.4, 0.6, -0.5])
    yield "least squares, normal errors", Truth(X, w, _normal)
    yield "least squares, Laplace errors", Truth(X, w, _laplace)
    yield "least squares, sampling weights", Truth(X, w, _normal, sampled=True)
    yield "logistic regression", Truth(X, w, _labels, logistic=True)
    yield "logistic regression, sampling weights", Truth(X, w, _labels, logistic=True, sampled=True)
