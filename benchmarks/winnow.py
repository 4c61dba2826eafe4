"""One pass of Winnow beside one of the perceptron, on the same Boolean rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

ROWS, COLUMNS, ON, RELEVANT = 200_000, 100_000, 50, 20


def winnow(options: Options) -> Iterator[Figure]:
    """Kernel against kernel: what a pass takes, without reading the input or proving a bound."""
    from linnet import Perceptron, Winnow

    X, y = disjunction()
    once = {"max_iter": 1, "tol": None, "shuffle": False}
    perceptron = Perceptron(**once)
    for variant in ("winnow1", "winnow2", "balanced"):
        ours, passes = Winnow(variant=variant, **once), {"winnow": [], "perceptron": []}
        take_turns(
            {
                name: lambda name=name, model=model, passes=passes: passes[name].append(
                    model.fit(X, y).history_[0].seconds
                )
                for name, model in (("winnow", ours), ("perceptron", perceptron))
            },
            options.repeats,
        )
        seconds = {name: median(taken[1:]) for name, taken in passes.items()}
        made = {"mistakes": f"{ours.history_[0].mistakes:,}, {perceptron.history_[0].mistakes:,}"}
        yield Figure(
            f"disjunction, {variant}",
            "times the perceptron's pass",
            seconds["perceptron"] / seconds["winnow"],
            Goal(least=1),
            {name: f"{1e3 * taken:.1f} ms" for name, taken in seconds.items()} | made,
        )


def disjunction() -> tuple[csr_matrix, np.ndarray]:
    """Rows of some fifty of the columns; positive are those with one of the first twenty."""
    rng = np.random.default_rng(0)
    columns = rng.integers(RELEVANT, COLUMNS, size=(ROWS, ON))
    some = rng.random(ROWS) < 0.5
    columns[some, 0] = rng.integers(RELEVANT, size=some.sum())
    columns.sort(axis=1)
    X = csr_matrix((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, ON)), shape=(ROWS, COLUMNS))
    X.sum_duplicates()
    X.data[:] = 1.0
    return X, some.astype(int)


WORKLOADS: dict[str, Callable[[Options], Iterator[Figure]]] = {"winnow": winnow}
