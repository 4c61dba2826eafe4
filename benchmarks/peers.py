"""Who is measured: each peer a function that makes one pass over the data and returns what predicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Fit = Callable[[Any, Any], Any]

ONCE = {"max_iter": 1, "tol": None, "shuffle": False}
STEP = {"eta0": 0.01, "alpha": 1e-6}


def linnet_fits() -> dict[str, Fit]:
    from linnet import OnlineClassifier, Perceptron

    return {
        "perceptron": lambda X, y: Perceptron(**ONCE).fit(X, y),
        "hinge": lambda X, y: OnlineClassifier("hinge", **STEP, **ONCE).fit(X, y),
        "logistic": lambda X, y: OnlineClassifier("logistic", power_t=0.0, **STEP, **ONCE).fit(X, y),
    }


def sklearn_fits() -> dict[str, Fit]:
    from sklearn.linear_model import Perceptron, SGDClassifier

    step = {"learning_rate": "constant", **STEP, **ONCE}
    return {
        "perceptron": lambda X, y: Perceptron(**ONCE).fit(X, y),
        "hinge": lambda X, y: SGDClassifier(loss="hinge", **step).fit(X, y),
        "logistic": lambda X, y: SGDClassifier(loss="log_loss", **step).fit(X, y),
    }


def river_fits() -> dict[str, Fit]:
    """River takes one row at a time, as a dictionary; making the dictionaries is not counted."""
    from river import linear_model, optim

    def each_row(make: Callable[[], Any]) -> Fit:
        def fit(rows: Any, y: Any) -> Any:
            model = make()
            for x, target in zip(rows, y, strict=True):
                model.learn_one(x, target)
            return model

        return fit

    def logistic(loss: Any) -> Callable[[], Any]:
        return lambda: linear_model.LogisticRegression(optim.SGD(STEP["eta0"]), loss=loss, l2=STEP["alpha"])

    return {
        "perceptron": each_row(linear_model.Perceptron),
        "hinge": each_row(logistic(optim.losses.Hinge())),
        "logistic": each_row(logistic(optim.losses.Log())),
    }


def as_dictionaries(X: Any) -> list[dict[int, float]]:
    """Rows as River takes them."""
    if hasattr(X, "indptr"):
        parts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        return [dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in parts]
    return [dict(enumerate(row.tolist())) for row in X]


def arrays_of(X: Any) -> tuple[np.ndarray, ...]:
    return (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)


def streaming_read(X: Any) -> float:
    """The limit: every byte of X read once, by NumPy's sum of each array."""
    return float(sum(array.sum() for array in arrays_of(X)))


def widest_read(X: Any) -> float:
    """The same bytes by the fastest reduction NumPy has, its maximum in vectors as wide as the machine's."""
    return float(sum(array.max() for array in arrays_of(X)))
