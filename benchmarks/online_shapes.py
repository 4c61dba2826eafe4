"""Workloads of online defaults on dense rows, and of naive Bayes.

linnet's defaults beside the peer's, each with its own stopping rule; scores are of held-out rows, beside the ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# rows, columns, classes (0: numbers)
DENSE = ((200_000, 28, 2), (50_000, 100, 10), (12_000, 784, 10))
TWICE = Goal(least=2)


def dense_online(options: Options) -> Iterator[Figure]:
    """Noisy dense classes that no plane separates."""
    from sklearn import linear_model

    import linnet

    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "Perceptron": (linnet.Perceptron, linear_model.Perceptron),
        "PassiveAggressive": (linnet.PassiveAggressive, linear_model.PassiveAggressiveClassifier),
        "OnlineClassifier": (linnet.OnlineClassifier, lambda: linear_model.SGDClassifier(loss="log_loss")),
    }
    for rows, columns, classes in DENSE:
        X, y = noisy(rows, columns, classes)
        for name, (ours, theirs) in pairs.items():
            yield _beside(f"dense {rows:,} x {columns}, {classes} classes", name, ours, theirs, X, y, options)


def dense_online_regression(options: Options) -> Iterator[Figure]:
    """Many rows of few columns."""
    from sklearn.linear_model import SGDRegressor

    import linnet

    X, y = noisy(500_000, 10, 0)
    yield _beside("dense 500,000 x 10, numbers", "OnlineRegressor", linnet.OnlineRegressor, SGDRegressor, X, y, options)


def naive_bayes_of_many_classes(options: Options) -> Iterator[Figure]:
    """Wide sparse rows in memory, 50 classes."""
    from scipy.sparse import csr_array
    from sklearn.naive_bayes import MultinomialNB

    import linnet

    rng = np.random.default_rng(0)
    n, d, each = 20_000, 200_000, 100
    ids = rng.integers(0, d, n * each)
    X = csr_array((rng.integers(1, 4, n * each).astype(float), ids, np.arange(0, n * each + 1, each)), shape=(n, d))
    X.sum_duplicates()
    y = rng.integers(0, 50, n)
    yield _beside(
        f"sparse {n:,} x {d:,}, 50 classes", "MultinomialNB", linnet.MultinomialNB, MultinomialNB, X, y, options
    )


def _beside(
    shape: str, name: str, ours: Callable[[], Any], theirs: Callable[[], Any], X: Any, y: Any, options: Options
) -> Figure:
    """How many times faster our fit is, with the scores of both on the last tenth of the rows."""
    train = X.shape[0] * 9 // 10
    fitted: dict[str, Any] = {}

    def fit(who: str, make: Callable[[], Any]) -> Callable[[], None]:
        return lambda: fitted.__setitem__(who, make().fit(X[:train], y[:train]))

    contenders = {"linnet": fit("linnet", ours), "scikit-learn": fit("scikit-learn", theirs)}
    seconds = take_turns(contenders, max(1, options.repeats // 3))
    scores = {who: f"{seconds[who]:.2f} s, {fitted[who].score(X[train:], y[train:]):.3f}" for who in contenders}
    return Figure(shape, f"{name}, times scikit-learn", seconds["scikit-learn"] / seconds["linnet"], TWICE, scores)


def noisy(rows: int, columns: int, classes: int) -> tuple[Any, Any]:
    """Gaussian columns, and classes (or, of 0 classes, numbers) that depend on them with as much noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    scores = X @ rng.standard_normal((columns, max(1, classes)))
    scores += np.sqrt(columns) * rng.standard_normal(scores.shape)
    return X, scores.argmax(axis=1) if classes else scores[:, 0]


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {
    "dense-online": dense_online,
    "dense-online-regression": dense_online_regression,
    "naive-bayes-classes": naive_bayes_of_many_classes,
}
