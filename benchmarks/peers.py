"""Who is measured: each peer a function that passes over the data and returns what predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Fit = Callable[[Any, Any], Any]

STEP = {"eta0": 0.01, "alpha": 1e-6}


def _fixed(passes: int) -> dict[str, Any]:
    return {"max_iter": passes, "tol": None, "shuffle": False}


def linnet_fits(passes: int = 1) -> dict[str, Fit]:
    from linnet import OnlineClassifier, Perceptron

    fixed = _fixed(passes)
    return {
        "perceptron": lambda X, y: Perceptron(**fixed).fit(X, y),
        "hinge": lambda X, y: OnlineClassifier("sgd-hinge", **STEP, **fixed).fit(X, y),
        "logistic": lambda X, y: OnlineClassifier("sgd-logistic", power_t=0.0, **STEP, **fixed).fit(X, y),
    }


def sklearn_fits(passes: int = 1) -> dict[str, Fit]:
    from sklearn.linear_model import Perceptron, SGDClassifier

    fixed = _fixed(passes)
    step = {"learning_rate": "constant", **STEP, **fixed}
    return {
        "perceptron": lambda X, y: Perceptron(**fixed).fit(X, y),
        "hinge": lambda X, y: SGDClassifier(loss="hinge", **step).fit(X, y),
        "logistic": lambda X, y: SGDClassifier(loss="log_loss", **step).fit(X, y),
    }


def river_fits() -> dict[str, Fit]:
    """River as its manual has it: each row of X made a dictionary, predicted, then trained on.

    That is the work linnet's pass does: it, too, counts the mistakes made before learning from each row.
    """
    from river import linear_model, optim

    def each_row(make: Callable[[], Any]) -> Fit:
        def fit(X: Any, y: Any) -> Any:
            model, mistakes = make(), 0
            for x, target in zip(dictionaries(X), y.astype(bool).tolist(), strict=True):
                mistakes += model.predict_one(x) != target
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


def dictionaries(X: Any) -> Iterator[dict[int, float]]:
    """Rows as River takes them."""
    if hasattr(X, "indptr"):
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield dict(zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True))
    else:
        for row in X:
            yield dict(enumerate(row.tolist()))


def arrays_of(X: Any) -> tuple[np.ndarray, ...]:
    return (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)


def streaming_read(X: Any) -> float:
    """The limit: every byte of X read once, by NumPy's sum of each array."""
    return float(sum(array.sum() for array in arrays_of(X)))


def widest_read(X: Any) -> float:
    """The same bytes by the fastest reduction NumPy has, its maximum in vectors as wide as the machine's."""
    return float(sum(array.max() for array in arrays_of(X)))
