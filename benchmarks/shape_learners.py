"""The learners in the table of shapes.py: linnet's class, the peers' that fit the same model, and the objective.

A contender is given the tolerance to stop at (None: its default) and returns what it fitted, with `coef_` and
`intercept_`. An objective is a sum over the rows, as scikit-learn states it for the class. LIBLINEAR penalises the
intercept, so where it is the peer, fits to an equal objective have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import logsumexp

from benchmarks.shape_sets import Shape

Fit = Callable[[Shape, float | None], Any]
Objective = Callable[[Shape, Any], float]

# Iterations that no contender needs, so that only the tolerance ends a fit.
ENOUGH = 100_000
MOST_PAIRED = 5_000


@dataclass(frozen=True)
class Learner:
    """`fits`: which shapes it is for. `peers` fit it by their defaults, `exact` to an equal objective."""

    name: str
    fits: Callable[[Shape], bool]
    linnet: Fit
    peers: dict[str, Fit]
    exact_linnet: Fit | None = None
    exact: dict[str, Fit] = field(default_factory=dict)
    objective: Objective | None = None


def of(module: str, name: str, **given: Any) -> Fit:
    """A contender of the scikit-learn kind, by where it is imported from; with a tolerance, without a limit."""

    def fit(shape: Shape, tol: float | None) -> Any:
        from importlib import import_module

        more = {} if tol is None else {"tol": tol, "max_iter": ENOUGH}
        return getattr(import_module(module), name)(**given, **more).fit(shape.X, shape.y)

    return fit


def _scores(shape: Shape, fitted: Any) -> np.ndarray:
    return np.asarray(shape.X @ np.atleast_2d(fitted.coef_).T + np.atleast_1d(fitted.intercept_))


def _squares(fitted: Any) -> float:
    return 0.5 * float((np.asarray(fitted.coef_, dtype=np.float64) ** 2).sum())


def _size(fitted: Any) -> float:
    return float(np.abs(np.asarray(fitted.coef_, dtype=np.float64)).sum())


def log_losses(shape: Shape, fitted: Any) -> float:
    z = _scores(shape, fitted)
    if z.shape[1] == 1:
        return float(np.logaddexp(0.0, np.where(shape.y > 0, -1.0, 1.0) * z[:, 0]).sum())
    return float((logsumexp(z, axis=1) - z[np.arange(len(z)), np.searchsorted(fitted.classes_, shape.y)]).sum())


def _hinges(power: int) -> Objective:
    """Each class against the rest; of two classes, once."""

    def losses(shape: Shape, fitted: Any) -> float:
        z = _scores(shape, fitted)
        own = shape.y[:, np.newaxis] == (np.arange(z.shape[1]) if z.shape[1] > 1 else 1)
        return float((np.maximum(0.0, 1.0 - np.where(own, 1.0, -1.0) * z) ** power).sum())

    return losses


def _half_squared_errors(shape: Shape, fitted: Any) -> float:
    errors = shape.y - _scores(shape, fitted)[:, 0]
    return 0.5 * float(errors @ errors)


def _classes(shape: Shape) -> bool:
    return shape.classes > 0


def _two_classes(shape: Shape) -> bool:
    return shape.classes == 2


def _numbers(shape: Shape) -> bool:
    return shape.classes == 0


def _counts(shape: Shape) -> bool:
    return shape.classes > 0 and shape.counts


def _narrow(shape: Shape) -> bool:
    return not shape.sparse and shape.X.shape[1] <= 1000


def _narrow_classes(shape: Shape) -> bool:
    return shape.classes > 0 and _narrow(shape)


LINEAR, SVM, BAYES = "sklearn.linear_model", "sklearn.svm", "sklearn.naive_bayes"
FREE = {"fit_intercept": False}

LEARNERS = (
    Learner("Perceptron", _classes, of("linnet", "Perceptron"), {"scikit-learn": of(LINEAR, "Perceptron")}),
    Learner(
        "online, adaptive", _classes, of("linnet", "OnlineClassifier"), {"scikit-learn": of(LINEAR, "SGDClassifier")}
    ),
    Learner(
        "LogisticRegression",
        _classes,
        of("linnet", "LogisticRegression"),
        {"scikit-learn": of(LINEAR, "LogisticRegression")},
        of("linnet", "LogisticRegression"),
        {
            "scikit-learn lbfgs": of(LINEAR, "LogisticRegression"),
            "scikit-learn newton-cholesky": lambda shape, tol: _newton_cholesky(shape, tol),
        },
        lambda shape, fitted: _squares(fitted) + log_losses(shape, fitted),
    ),
    Learner(
        "LogisticRegression l1",
        _two_classes,
        of("linnet", "LogisticRegression", penalty="l1"),
        {"scikit-learn liblinear": of(LINEAR, "LogisticRegression", penalty="l1", solver="liblinear")},
        of("linnet", "LogisticRegression", penalty="l1", **FREE),
        {
            "scikit-learn liblinear": of(LINEAR, "LogisticRegression", penalty="l1", solver="liblinear", **FREE),
            "skglm": lambda shape, tol: _skglm_logistic(shape, tol),
        },
        lambda shape, fitted: _size(fitted) + log_losses(shape, fitted),
    ),
    Learner(
        "LinearSVC",
        _classes,
        of("linnet", "LinearSVC"),
        {"scikit-learn": of(SVM, "LinearSVC")},
        of("linnet", "LinearSVC", **FREE),
        {"scikit-learn": of(SVM, "LinearSVC", **FREE)},
        lambda shape, fitted: _squares(fitted) + _hinges(2)(shape, fitted),
    ),
    Learner(
        "LinearSVC hinge",
        _two_classes,
        of("linnet", "LinearSVC", loss="hinge"),
        {"scikit-learn": of(SVM, "LinearSVC", loss="hinge")},
        of("linnet", "LinearSVC", loss="hinge", **FREE),
        {"scikit-learn": of(SVM, "LinearSVC", loss="hinge", **FREE)},
        lambda shape, fitted: _squares(fitted) + _hinges(1)(shape, fitted),
    ),
    Learner("MultinomialNB", _counts, of("linnet", "MultinomialNB"), {"scikit-learn": of(BAYES, "MultinomialNB")}),
    Learner("BernoulliNB", _counts, of("linnet", "BernoulliNB"), {"scikit-learn": of(BAYES, "BernoulliNB")}),
    Learner(
        "LinearDiscriminantAnalysis",
        _narrow_classes,
        of("linnet", "LinearDiscriminantAnalysis"),
        {"scikit-learn": of("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis")},
    ),
    Learner(
        "LinearRegression",
        lambda shape: _numbers(shape) and not shape.sparse,
        of("linnet", "LinearRegression"),
        {"scikit-learn": of(LINEAR, "LinearRegression")},
    ),
    Learner(
        "Ridge",
        _numbers,
        of("linnet", "Ridge", alpha=1.0),
        {"scikit-learn": of(LINEAR, "Ridge")},
        of("linnet", "Ridge", alpha=1.0),
        {"scikit-learn": of(LINEAR, "Ridge")},
        lambda shape, fitted: _squares(fitted) + _half_squared_errors(shape, fitted),
    ),
    Learner(
        "online regression", _numbers, of("linnet", "OnlineRegressor"), {"scikit-learn": of(LINEAR, "SGDRegressor")}
    ),
)


def _newton_cholesky(shape: Shape, tol: float | None) -> Any:
    """Not where its table of all pairs of weights would take minutes and gigabytes: another peer is quicker there."""
    if shape.X.shape[1] * max(1, shape.classes - (shape.classes == 2)) > MOST_PAIRED:
        raise ValueError("too many weights for a table of all pairs")
    return of(LINEAR, "LogisticRegression", solver="newton-cholesky")(shape, tol)


class _Weights:
    def __init__(self, coef: np.ndarray, intercept: float = 0.0) -> None:
        self.coef_, self.intercept_ = coef, intercept


def _skglm_logistic(shape: Shape, tol: float | None) -> Any:
    from scipy.sparse import csc_matrix
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    n = len(shape.y)
    X = csc_matrix(shape.X) if shape.sparse else np.asfortranarray(shape.X)
    signs = np.where(shape.y > 0, 1.0, -1.0).astype(X.dtype)
    solver = ProxNewton(tol=tol or 1e-4, fit_intercept=False)
    return _Weights(np.asarray(solver.solve(X, signs, Logistic(), L1(1.0 / n))[0]))
