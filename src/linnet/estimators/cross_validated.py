"""What the cross-validated estimators share: folds, scorers, and a fold's path of fits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from linnet.data.labels import Labels
from linnet.data.rows import Examples, take_rows
from linnet.errors import InputError, RecipeError
from linnet.learners.entry import Entry
from linnet.training.fit import Settings
from linnet.training.penalty_path import PenaltyPath
from linnet.training.result import Trained

Numbers = NDArray[np.float64]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]


def folds_of(estimator: Any, X: Any, y: Any, cv: Any) -> list[Fold]:
    """The rows to fit to and the rows to score of every fold, as scikit-learn's splitters give them."""
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    try:
        return [(np.asarray(fitted), np.asarray(asked)) for fitted, asked in splitter.split(X, y)]
    except ValueError as error:
        raise InputError(str(error)) from None


def selected(examples: Examples, which: NDArray[np.int64]) -> Examples:
    """Some of the examples, by number or mask."""
    at = np.flatnonzero(which) if which.dtype == bool else which
    weights = None if examples.weights is None else examples.weights[at]
    return Examples(take_rows(examples.rows, at), examples.targets[at], weights)


def path_of(
    learners: Sequence[Entry], examples: Examples, labels: Labels | None, settings: Settings
) -> Iterator[Trained]:
    """The fits of learners from a strong to a weak penalty, each from the one before."""
    fits = PenaltyPath(examples, labels, settings)
    for learner in learners:
        yield fits.at(learner)


def strongest_first(values: Sequence[float], *, rising: bool) -> NDArray[np.int64]:
    """The order in which a path takes these values: C rises, alpha falls."""
    return np.argsort(np.asarray(values) if rising else -np.asarray(values), kind="stable")


def grid(name: str, values: Any, default: Callable[[int], Numbers], *, positive: bool = False) -> Numbers:
    """The values to try, none below 0 (`positive`: nor 0): as they are given, or the default ones of this number."""
    if isinstance(values, bool) or np.ndim(values) > 1:
        raise RecipeError(f"{name} is a number of values, or the values; it is {values!r}")
    if isinstance(values, int | np.integer):
        if values < 1:
            raise RecipeError(f"{name} must be 1 or more; it is {values!r}")
        return default(int(values))
    given = np.atleast_1d(np.asarray(values, dtype=object))
    for at, each in enumerate(given):
        least = ">" if positive else ">="
        number = isinstance(each, Real) and not isinstance(each, bool)
        if not number or not 0 <= float(each) < float("inf") or (positive and each == 0):
            raise RecipeError(f"{name}[{at}] == {each if number else repr(each)}, must be {least} 0.0 and finite")
    if not len(given):
        raise RecipeError(f"{name} has no values to try: give at least one")
    return given.astype(np.float64)


def scorer_of(scoring: Any) -> Any:
    """scikit-learn's scorer of this name, or the function itself; None for the default."""
    if scoring is None or callable(scoring):
        return scoring
    try:
        return get_scorer(scoring)
    except (ValueError, TypeError) as error:
        raise RecipeError(str(error)) from None


def for_classes(scorer: Any, classes: NDArray[Any]) -> Any:
    """The scorer told of all classes, if it can be: a fold may lack some."""
    function = getattr(scorer, "_score_func", None)
    if function is None or "labels" not in (known := signature(function).parameters):
        return scorer
    given = {"labels": classes, **({"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in known else {})}
    told = copy.copy(scorer)
    told._kwargs = {**given, **scorer._kwargs}
    return told


class Scoring:
    """The scores of models of an estimator on some of its rows, as a scorer gives them."""

    def __init__(self, estimator: Any, scorer: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator, self._scorer = estimator, scorer
        self._X, self._y, self._weights = X, y, sample_weight

    def of(self, trained: Trained, asked: NDArray[np.int64], dtype: Any) -> float:
        """The score of a fit on these rows."""
        view = copy.copy(self._estimator)
        view._show(trained.model, dtype)
        X, y = _safe_indexing(self._X, asked), _safe_indexing(self._y, asked)
        if self._weights is None:
            return float(self._scorer(view, X, y))
        return float(self._scorer(view, X, y, sample_weight=_safe_indexing(np.asarray(self._weights), asked)))
