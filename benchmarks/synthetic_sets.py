"""Random tables for comparing defaults, of which no default was chosen: relatives of the real sets.

They differ in rows (60 to 1,500), columns (5 to 150), how many of these matter, classes (2 to 8), labels drawn at
random (none to 40 %), correlation of columns, imbalance of classes, and how well the classes can be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.default_sets import Rows, Set

TEST_ROWS = 5000


def synthetic_sets(seed: int) -> Iterator[Set]:
    """36 sets that follow from the seed."""
    random = np.random.default_rng(seed)
    for n in (60, 300, 1500):
        for d in (5, 30, 150):
            for classes in (2, 2, 4, 8):
                noise, correlated = float(random.choice([0, 0.1, 0.2, 0.4])), float(random.choice([0, 0, 0.5, 0.9]))
                imbalance, scale = float(random.choice([0, 0, 2.5])), float(random.choice([1, 2, 5, 15]))
                X = _columns(random, n + TEST_ROWS, d, correlated)
                weights = np.zeros((d, classes))
                some = random.permutation(d)[: max(1, round(d * random.choice([0.1, 0.5, 1.0])))]
                weights[some] = random.normal(size=(len(some), classes)) * scale / np.sqrt(len(some))
                scores = X @ weights + np.linspace(0, imbalance, classes) + random.gumbel(size=(len(X), classes))
                y = np.where(random.random(len(X)) < noise, random.integers(0, classes, len(X)), scores.argmax(axis=1))
                name = f"{n}x{d} {classes} cl."
                yield Set(name, _rows(X[:n], y[:n]), _rows(X[n:], y[n:]))


def _columns(random: np.random.Generator, n: int, d: int, correlated: float) -> np.ndarray:
    """Normal columns, of which this fraction of the variance comes from a few common factors."""
    factors = random.normal(size=(n, max(1, d // 8)))
    common = factors @ random.normal(size=(factors.shape[1], d)) / np.sqrt(factors.shape[1])
    return np.asarray(np.sqrt(1 - correlated) * random.normal(size=(n, d)) + np.sqrt(correlated) * common)


def _rows(X: np.ndarray, y: np.ndarray) -> Rows:
    columns = {f"column {number}": X[:, number].tolist() for number in range(X.shape[1])}
    return Rows(columns, None, np.array([f"class {label}" for label in y]))
