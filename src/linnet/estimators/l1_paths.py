"""Paths of Lasso and ElasticNet: the weights under a decreasing sequence of penalties, as scikit-learn returns them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows
from linnet.errors import InputError, RecipeError
from linnet.estimators.parameters import check_positive
from linnet.estimators.reading import input_errors
from linnet.learners import catalogue
from linnet.learners.recipe import Penalty
from linnet.training.fit import Settings
from linnet.training.penalty_path import path
from linnet.training.result import Trained

Table = NDArray[np.float64]


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    alphas: Any = 100,
    positive: bool = False,
    return_n_iter: bool = False,
    tol: float = 1e-4,
    max_iter: int = 1000,
    **others: Any,
) -> tuple[Any, ...]:
    """The weights of an elastic net for each of `alphas`, the largest first: (alphas, coefs, dual_gaps).

    `alphas` is a sequence, or how many to take, from the least that leaves no weight down to `eps` times that.  coefs
    has a column for each (and for y of several columns, a table for each of these).  As in scikit-learn's, there is no
    intercept: centre X and y first.  With `return_n_iter` the iterations follow.  Other parameters of scikit-learn's
    function are taken and change nothing.
    """
    del others
    ratio = check_positive("l1_ratio", l1_ratio)
    if ratio > 1:
        raise RecipeError(f"l1_ratio must lie between 0 and 1; it is {l1_ratio:g}")
    with input_errors():
        rows, targets = Rows.of(X), np.asarray(y, dtype=np.float64)
    if targets.ndim not in (1, 2) or len(targets) != rows.shape[0]:
        raise InputError(f"X has {rows.shape[0]} rows, but y is of the shape {targets.shape}")
    columns = targets.reshape(len(targets), -1).T
    grid = _grid(rows, columns, alphas, ratio, eps, positive=positive)
    entry = catalogue.find("elastic-net")
    penalties = [Penalty(alpha * ratio, alpha * (1.0 - ratio), positive=bool(positive)) for alpha in grid.tolist()]
    settings = Settings(tol=tol, max_iter=max_iter, intercept=False)
    entry = replace(entry, recipe=replace(entry.recipe, penalty=penalties[0]))
    fits = [
        list(path(entry, Examples(rows, np.ascontiguousarray(each), None), None, penalties, settings))
        for each in columns
    ]
    coefs = np.array([[one.model.weights[:, 0] for one in each] for each in fits]).transpose(0, 2, 1)
    gaps = np.array([[_gap(one) for one in each] for each in fits]).T
    several = targets.ndim == 2
    shown = (grid, coefs, gaps) if several else (grid, coefs[0], gaps[:, 0])
    return (*shown, [len(one.history) for one in fits[0]]) if return_n_iter else shown


def lasso_path(X: Any, y: Any, **parameters: Any) -> tuple[Any, ...]:
    """The weights of the Lasso for each of `alphas`; see `enet_path`, of which it is the case `l1_ratio=1`."""
    return enet_path(X, y, **{**parameters, "l1_ratio": 1.0})


def _grid(rows: Rows, columns: Table, alphas: Any, ratio: float, eps: float, *, positive: bool) -> Table:
    """The given alphas, the largest first; or as many, evenly on a logarithmic scale."""
    if not isinstance(alphas, int | np.integer):
        given = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1]
        if not len(given) or not (given > 0).all() or not np.isfinite(given).all():
            raise RecipeError("alphas must be positive numbers")
        return given
    if alphas < 1 or not 0 < eps < 1:
        raise RecipeError("alphas must be numbers, or how many (1 or more), and eps between 0 and 1")
    slopes = rows.matrix().T @ columns.T
    largest = float((slopes if positive else np.abs(slopes)).max(initial=0.0)) / (len(columns[0]) * ratio)
    largest = largest if largest > 0 else float(np.finfo(np.float64).resolution)
    return np.geomspace(largest, largest * eps, int(alphas))


def _gap(trained: Trained) -> float:
    certificate: Any = trained.certificate
    return float("nan") if certificate.reason else max(0.0, certificate.primal - certificate.dual)
