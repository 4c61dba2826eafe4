"""The data of the table in shapes.py, made here with fixed seeds: few and many rows, columns, classes, entries.

`fraction` makes all of them shorter, for a quick look.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix


@dataclass(frozen=True, eq=False)
class Shape:
    """Rows to fit and rows to judge by. `classes` is 0 for numbers; `counts` if every value is a count."""

    name: str
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    classes: int
    counts: bool = False

    @property
    def sparse(self) -> bool:
        return hasattr(self.X, "indptr")


def _tested(n: int) -> int:
    """How many of n rows are for judging: enough that a point of accuracy can be seen."""
    return 1000 if n < 10_000 else min(20_000, n // 5)


def _divided(name: str, X: Any, y: np.ndarray, classes: int, *, counts: bool = False) -> Shape:
    test = _tested(len(y))
    return Shape(name, X[:-test], y[:-test], X[-test:], y[-test:], classes, counts)


def _labels(random: np.random.Generator, scores: np.ndarray, noise: float) -> np.ndarray:
    """The class with the largest score, once noise has been added; two classes from one score."""
    noisy = scores + noise * scores.std() * random.gumbel(size=scores.shape)
    return np.asarray(noisy.argmax(axis=1) if scores.ndim > 1 else noisy > np.median(noisy)).astype(np.int64)


def _dense(name: str, n: int, d: int, classes: int, *, seed: int, noise: float = 0.5, rank: int = 0) -> Shape:
    """Normal columns, correlated by `rank` common factors; numbers as targets if there are no classes."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    if rank:
        X += random.standard_normal((n, rank)) @ random.standard_normal((rank, d))
    some = random.permutation(d)[: max(5, d // 10)]
    weights = np.zeros((d, max(1, classes if classes > 2 else 1)))
    weights[some] = random.standard_normal((len(some), weights.shape[1])) / np.sqrt(len(some))
    scores = X @ weights
    if classes:
        return _divided(name, X, _labels(random, scores if classes > 2 else scores[:, 0], noise), classes)
    y = scores[:, 0] + noise * scores.std() * random.standard_normal(n)
    return _divided(name, X, y, 0)


def _images(n: int) -> Shape:
    """Like scanned digits: most of the 784 pixels are 0, each class a few blurred strokes."""
    random = np.random.default_rng(7)
    grid = np.stack(np.meshgrid(np.arange(28), np.arange(28)), axis=-1).reshape(-1, 1, 2)
    strokes = random.uniform(6, 22, (10, 8, 2))
    y = random.integers(0, 10, n)
    X = np.empty((n, 784), dtype=np.float32)
    for first in range(0, n, 2000):
        which = y[first : first + 2000]
        places = strokes[which] + random.normal(0, 1.6, (len(which), 8, 2))
        near = np.exp(-((grid[np.newaxis] - places[:, np.newaxis]) ** 2).sum(axis=-1) / 3.0).sum(axis=-1)
        X[first : first + 2000] = np.where(near > 0.15, np.minimum(near, 1.0), 0.0)
    return _divided("images", X, y, 10)


def _sparse(name: str, n: int, d: int, entries: int, classes: int, *, seed: int, binary: bool = False) -> Shape:
    """Like words: column k with a probability like 1 / k; counts, or only which columns a row has."""
    random = np.random.default_rng(seed)
    cumulative = np.cumsum(1 / np.arange(1, d + 1))
    ids = np.searchsorted(cumulative, random.random((n, entries)) * cumulative[-1]).astype(np.int32)
    X = csr_array((np.ones(n * entries), ids.reshape(-1), np.arange(0, n * entries + 1, entries)), (n, d))
    X.sum_duplicates()
    if binary:
        X.data[:] = 1.0
    X = csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    weights = random.standard_normal((d, max(1, classes if classes > 2 else 1)))
    scores = np.asarray(X @ weights)
    if classes:
        return _divided(name, X, _labels(random, scores if classes > 2 else scores[:, 0], 0.3), classes, counts=True)
    y = scores[:, 0] + 0.5 * scores.std() * random.standard_normal(n)
    return _divided(name, X, y, 0, counts=True)


def makers(fraction: float = 1.0) -> dict[str, Callable[[], Shape]]:
    """By name, what makes the shape."""

    def rows(n: int) -> int:
        return max(2000, round(n * fraction))

    return {
        "tiny": lambda: _dense("tiny", 1000 + 150, 4, 3, seed=1),
        "small": lambda: _dense("small", 1000 + 1243, 22, 2, seed=2, noise=1.0, rank=3),
        "tall": lambda: _dense("tall", rows(1_000_000), 28, 2, seed=3, rank=2),
        "tall, 10 classes": lambda: _dense("tall, 10 classes", rows(100_000), 100, 10, seed=4),
        "images": lambda: _images(rows(30_000)),
        "genes": lambda: _dense("genes", 1000 + 200, rows(20_000), 2, seed=5),
        "words": lambda: _sparse("words", rows(20_000), 200_000, 60, 2, seed=6),
        "words, 50 classes": lambda: _sparse("words, 50 classes", rows(20_000), 200_000, 60, 50, seed=8),
        "clicks": lambda: _sparse("clicks", rows(500_000), 100_000, 20, 2, seed=9, binary=True),
        "numbers": lambda: _dense("numbers", rows(5_000_000), 10, 0, seed=10),
        "numbers, wide": lambda: _dense("numbers, wide", 1000 + 500, rows(20_000), 0, seed=11),
        "numbers, square": lambda: _dense("numbers, square", rows(20_000), 500, 0, seed=12, rank=10),
        "numbers of words": lambda: _sparse("numbers of words", rows(20_000), 200_000, 60, 0, seed=13),
    }
