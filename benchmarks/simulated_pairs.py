"""Pairs of equally good learners, really cross-validated on made-up data, for benchmarks/comparison_tests.py.

The two learners of a pair are the same algorithm on different columns, drawn alike: so on average over data sets they
are equally good, whatever the algorithm.  All are cheap, so that thousands of pairs times 30 folds take seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Array = np.ndarray
# Training columns and labels (-1 or 1, or numbers), test columns; returns decision values or numbers.
Learner = Callable[[Array, Array, Array], Array]


def least_squares(X: Array, y: Array, test: Array) -> Array:
    A = np.column_stack([X, np.ones(len(X))])
    w = np.linalg.solve(A.T @ A + 1e-6 * np.eye(A.shape[1]), A.T @ y)
    return test @ w[:-1] + w[-1]


def nearest_centroid(X: Array, y: Array, test: Array) -> Array:
    above, below = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    return (test - (above + below) / 2) @ (above - below)


def perceptron(X: Array, y: Array, test: Array) -> Array:
    """One pass, the last weights: the order of the rows matters, and so does every row."""
    w = np.zeros(X.shape[1] + 1)
    for x, label in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
        if label * (w @ x) <= 0:
            w += label * x
    return test @ w[:-1] + w[-1]


def stump(X: Array, y: Array, test: Array) -> Array:
    """The one column that is best alone: another one for other rows."""
    above, below = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    middle, side = (above + below) / 2, above - below
    best = int((((X - middle) * side > 0) == (y > 0)[:, np.newaxis]).sum(axis=0).argmax())
    return (test[:, best] - middle[best]) * side[best]


def nearest_neighbour(X: Array, y: Array, test: Array) -> Array:
    distances = (test**2).sum(axis=1)[:, np.newaxis] - 2 * test @ X.T + (X**2).sum(axis=1)
    return y[distances.argmin(axis=1)]


def nearest_five(X: Array, y: Array, test: Array) -> Array:
    distances = (test**2).sum(axis=1)[:, np.newaxis] - 2 * test @ X.T + (X**2).sum(axis=1)
    return y[np.argpartition(distances, 5, axis=1)[:, :5]].sum(axis=1)


def tree(X: Array, y: Array, test: Array, depth: int = 3) -> Array:
    """Cuts at the mean of the column that is best alone, again and again."""
    middle = X.mean(axis=0)
    above = (X - middle) > 0
    right = (above == (y > 0)[:, np.newaxis]).sum(axis=0)
    best = int(np.maximum(right, len(y) - right).argmax())
    side = above[:, best]
    if depth == 0 or len(y) < 4 or abs(y.sum()) == len(y) or side.all() or not side.any():
        return np.full(len(test), y.sum() + 1e-9)
    asked = test[:, best] > middle[best]
    found = np.empty(len(test))
    for rows, of in ((side, asked), (~side, ~asked)):
        found[of] = tree(X[rows], y[rows], test[of], depth - 1)
    return found


def three_best(X: Array, y: Array, test: Array) -> Array:
    """Least squares on the three columns whose means differ most."""
    best = np.argsort(-np.abs(X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)))[:3]
    return least_squares(X[:, best], y, test[:, best])


def shrunken_centroid(X: Array, y: Array, test: Array) -> Array:
    above, below = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    apart = above - below
    return (test - (above + below) / 2) @ np.where(np.abs(apart) > 0.4, apart, 0.0) + 1e-12


class Tested(NamedTuple):
    """Scores of each learner, one a fold; the score of each row in each repeat; and the fold of the row there."""

    scores: Array
    rows: Array
    fold: Array


@dataclass(frozen=True)
class Pair:
    """Rows, columns that each learner has for itself, columns that all have, and how far the classes are apart.

    `weaker` is by how much less in the columns of the second.  `numbers` if the target is a number: the score then is
    the negated mean square error.
    """

    name: str
    learner: Learner
    rows: int
    own: int
    shared: int = 0
    apart: float = 1.0
    weaker: float = 0.0
    numbers: bool = False

    def data(self, random: np.random.Generator, rows: int, learners: int = 2) -> tuple[list[Array], Array]:
        """The columns of each learner, and the target."""
        X = random.standard_normal((rows, learners * self.own + self.shared))
        if self.numbers:
            w = np.full(X.shape[1], self.apart / np.sqrt(X.shape[1]))
            y = X @ w + random.standard_normal(rows)
        else:
            y = np.where(np.arange(rows) % 2, 1.0, -1.0)
            apart = np.full(X.shape[1], self.apart / np.sqrt(self.own + self.shared))
            apart[self.own : 2 * self.own] *= 1 - self.weaker
            X += y[:, np.newaxis] * apart
        shared = np.arange(learners * self.own, X.shape[1])
        own = [np.arange(each * self.own, (each + 1) * self.own) for each in range(learners)]
        return [X[:, np.concatenate([each, shared])] for each in own], y

    def right(self, X: Array, y: Array, train: Array, test: Array) -> Array:
        """The score of each test row."""
        found = self.learner(X[train], y[train], X[test])
        return -((found - y[test]) ** 2) if self.numbers else np.where(found > 0, 1.0, -1.0) == y[test]

    def cross_validated(
        self, random: np.random.Generator, folds: int, repeats: int, learners: int = 2, stratified: bool = True
    ) -> Tested:
        """Every learner on the folds of one data set."""
        columns, y = self.data(random, self.rows, learners)
        found = []
        rows, fold_of = np.empty((learners, repeats, self.rows)), np.empty((repeats, self.rows), dtype=int)
        for number, fold in enumerate(_folds(random, y, folds, repeats, stratified and not self.numbers)):
            train, test = np.flatnonzero(~fold), np.flatnonzero(fold)
            train = random.permutation(train)  # for learners that meet rows in order
            repeat, fold_of[number // folds, test] = divmod(number, folds)
            rows[:, repeat, test] = [self.right(X, y, train, test) for X in columns]
            found.append(rows[:, repeat, test].mean(axis=1))
        return Tested(np.array(found).T, rows, fold_of)

    def held_out(self, random: np.random.Generator, fraction: float) -> Array:
        """Whether either learner, trained on the rest, has each held-out row right."""
        columns, y = self.data(random, self.rows)
        order = random.permutation(self.rows)
        cut = int(fraction * self.rows)
        return np.array([self.right(X, y, order[cut:], order[:cut]) for X in columns])


def _folds(random: np.random.Generator, y: Array, folds: int, repeats: int, stratified: bool) -> Iterator[Array]:
    for _ in range(repeats):
        fold = np.empty(len(y), dtype=int)
        for rows in [np.flatnonzero(y > 0), np.flatnonzero(y < 0)] if stratified else [np.arange(len(y))]:
            fold[random.permutation(rows)] = np.arange(len(rows)) % folds
        for k in range(folds):
            yield fold == k


LINEAR = (
    Pair("least squares, 10 columns each, 200 rows", least_squares, 200, 10),
    Pair("least squares, 10 shared, 5 columns each, 200 rows", least_squares, 200, 5, 10),
    Pair("least squares, 40 columns each, 100 rows", least_squares, 100, 40),
    Pair("least squares, 10 columns each, 200 rows, 2 % mistakes", least_squares, 200, 10, apart=2.2),
    Pair("nearest centroid, 10 columns each, 200 rows", nearest_centroid, 200, 10),
    Pair("nearest centroid, 5 columns each, 40 rows", nearest_centroid, 40, 5),
    Pair("perceptron, one pass, 10 columns each, 200 rows", perceptron, 200, 10),
    Pair("least squares, mean square error, 200 rows", least_squares, 200, 10, numbers=True),
)
# The numbers of training_variance.py were chosen on the pairs above and on UNSTABLE; on these they were only checked.
CHECKED = (
    Pair("5 nearest neighbours, 5 columns each, 200 rows", nearest_five, 200, 5),
    Pair("tree of depth 3, 10 columns each, 200 rows", tree, 200, 10, apart=2.0),
    Pair("least squares, the best 3 of 20 columns, 200 rows", three_best, 200, 20, apart=2.0),
    Pair("least squares, 20 shared, 3 columns each, 300 rows", least_squares, 300, 3, 20),
    Pair("shrunken centroid, 15 columns each, 150 rows", shrunken_centroid, 150, 15, apart=1.5),
)
UNSTABLE = (
    Pair("the best of 20 columns alone, 200 rows", stump, 200, 20, apart=2.0),
    Pair("the best of 20 columns alone, 60 rows", stump, 60, 20, apart=2.0),
    Pair("1 nearest neighbour, 5 columns each, 100 rows", nearest_neighbour, 100, 5),
    Pair("1 nearest neighbour, 5 columns each, 400 rows", nearest_neighbour, 400, 5),
)
