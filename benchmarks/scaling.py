"""How the cost of a fit grows with rows, columns, classes and entries: python benchmarks/scaling.py [--picture F.svg].

One of them doubles from step to step, the others stay. The slope of log seconds by log size is 1 where the cost is
linear, and below where something constant is part of it; the larger half of the sizes counts, by processor time.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.preprocessing import normalize

Problem = tuple[Any, np.ndarray]
TURNS = 3


def dense(n: int, d: int, classes: int, random: np.random.Generator) -> Problem:
    X = random.standard_normal((n, d))
    scores = X @ random.standard_normal((d, max(1, classes))) / np.sqrt(d)
    noisy = scores + random.gumbel(size=scores.shape)
    return X, noisy.argmax(axis=1) if classes else noisy[:, 0]


def sparse(n: int, d: int, entries: int, classes: int, random: np.random.Generator) -> Problem:
    """Rows of unit length, column k with a probability like 1 / k: longer rows would be another, harder problem."""
    cumulative = np.cumsum(1 / np.arange(1, d + 1))
    ids = np.sort(np.searchsorted(cumulative, random.random((n, entries)) * cumulative[-1]), axis=1).astype(np.int32)
    X = csr_matrix((np.ones(n * entries), ids.reshape(-1), np.arange(0, n * entries + 1, entries)), (n, d))
    X.sum_duplicates()
    X = normalize(X)
    weights = random.standard_normal((d, max(2, classes)))
    scores = np.asarray(X @ weights)
    return X, (scores + scores.std() * random.gumbel(size=scores.shape)).argmax(axis=1)


@dataclass(frozen=True)
class Line:
    """What grows, for which learner, over which sizes; `linear` where a cost of at most its size is possible."""

    grows: str
    what: str
    learner: Callable[[], Any]
    sizes: tuple[int, ...]
    make: Callable[[int, np.random.Generator], Problem]
    linear: bool = True


def _doubling(first: int, steps: int) -> tuple[int, ...]:
    return tuple(first * 2**step for step in range(steps))


def lines() -> list[Line]:
    import linnet

    def passes(learner: str) -> Callable[[], Any]:
        return lambda: linnet.OnlineClassifier(learner, max_iter=3, tol=None)

    tall, wide, entries = _doubling(25_000, 6), _doubling(4_000, 6), _doubling(8, 6)
    many = _doubling(8, 8)
    return [
        Line("rows", "three passes, dense", passes("adaptive"), tall, lambda n, r: dense(n, 28, 2, r)),
        Line("rows", "three passes, sparse", passes("adaptive"), tall, lambda n, r: sparse(n, 50_000, 30, 2, r)),
        Line("rows", "LogisticRegression, dense", linnet.LogisticRegression, tall, lambda n, r: dense(n, 28, 2, r)),
        Line("rows", "Perceptron, dense", linnet.Perceptron, tall, lambda n, r: dense(n, 28, 2, r)),
        Line("rows", "LinearSVC, dense", linnet.LinearSVC, tall, lambda n, r: dense(n, 28, 2, r)),
        Line("rows", "Ridge, dense", lambda: linnet.Ridge(alpha=1.0), tall, lambda n, r: dense(n, 28, 0, r)),
        Line("rows", "MultinomialNB, sparse", linnet.MultinomialNB, tall, lambda n, r: sparse(n, 50_000, 30, 5, r)),
        Line(
            "rows",
            "LogisticRegression, sparse",
            linnet.LogisticRegression,
            _doubling(5_000, 6),
            lambda n, r: sparse(n, 50_000, 30, 2, r),
        ),
        Line(
            "columns", "three passes, dense", passes("adaptive"), _doubling(16, 6), lambda d, r: dense(50_000, d, 2, r)
        ),
        Line("columns", "three passes, sparse", passes("adaptive"), wide, lambda d, r: sparse(50_000, d, 30, 2, r)),
        Line(
            "columns",
            "LogisticRegression, sparse",
            linnet.LogisticRegression,
            wide,
            lambda d, r: sparse(20_000, d, 30, 2, r),
        ),
        Line(
            "columns",
            "LogisticRegression, dense",
            linnet.LogisticRegression,
            _doubling(16, 6),
            lambda d, r: dense(20_000, d, 2, r),
            linear=False,
        ),
        Line(
            "entries", "three passes, sparse", passes("adaptive"), entries, lambda e, r: sparse(50_000, 50_000, e, 2, r)
        ),
        Line(
            "entries",
            "MultinomialNB, sparse",
            linnet.MultinomialNB,
            entries,
            lambda e, r: sparse(50_000, 50_000, e, 5, r),
        ),
        Line(
            "entries",
            "LogisticRegression, sparse",
            linnet.LogisticRegression,
            entries,
            lambda e, r: sparse(20_000, 50_000, e, 2, r),
        ),
        Line("classes", "three passes, sparse", passes("adaptive"), many, lambda k, r: sparse(20_000, 5_000, 10, k, r)),
        Line(
            "classes", "MultinomialNB, sparse", linnet.MultinomialNB, many, lambda k, r: sparse(20_000, 5_000, 10, k, r)
        ),
        Line(
            "classes",
            "Perceptron, dense",
            lambda: linnet.Perceptron(max_iter=5, tol=None),
            _doubling(4, 6),
            lambda k, r: dense(20_000, 50, k, r),
        ),
    ]


def measured(line: Line) -> list[float]:
    """Processor seconds at each size: the least of some turns."""
    found = []
    for size in line.sizes:
        X, y = line.make(size, np.random.default_rng(size))
        seconds = []
        for _ in range(TURNS):
            began = process_time()
            line.learner().fit(X, y)
            seconds.append(process_time() - began)
        found.append(min(seconds))
    return found


def slope(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Of the larger half, where what is constant no longer hides the growth."""
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[half:]), np.log(seconds[half:]), 1)[0])


def picture(found: list[tuple[Line, list[float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    kinds = list(dict.fromkeys(line.grows for line, _ in found))
    figure, axes = pyplot.subplots(1, len(kinds), figsize=(4 * len(kinds), 4), layout="constrained")
    for ax, kind in zip(axes, kinds, strict=True):
        for line, seconds in found:
            if line.grows == kind:
                ax.loglog(line.sizes, seconds, marker="o", markersize=3, label=line.what)
        ax.set(xlabel=kind, ylabel="processor seconds", title=f"cost by {kind}")
        ax.grid(True, which="major", alpha=0.3)
        ax.legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", type=Path, help="where to draw the lines (SVG)")
    parser.add_argument("--grows", help="only lines of this kind: rows, columns, entries or classes")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    print("| grows | fit | sizes | seconds | slope |\n|---|---|---|---|---|")
    for line in lines():
        if given.grows is None or line.grows == given.grows:
            seconds = measured(line)
            found.append((line, seconds))
            note = "" if line.linear else " (a table of all pairs of columns)"
            print(
                f"| {line.grows} | {line.what} | {line.sizes[0]:,} to {line.sizes[-1]:,} | {seconds[0]:.3g} to "
                f"{seconds[-1]:.3g} | {slope(line.sizes, seconds):.2f}{note} |",
                flush=True,
            )
    if given.picture:
        picture(found, given.picture)


if __name__ == "__main__":
    main()
