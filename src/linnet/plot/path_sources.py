"""The path of a cross-validated estimator, linnet's or scikit-learn's, as linnet's own record has it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError
from linnet.model.record import CoefficientPath, StrengthChoice

Table = NDArray[np.float64]


def path_of_estimator(estimator: Any) -> StrengthChoice:
    """By the attributes that scikit-learn gave these classes: Cs_, scores_, coefs_paths_; or alphas_, mse_path_."""
    if hasattr(estimator, "Cs_") and hasattr(estimator, "scores_"):
        return _by_c(estimator)
    if hasattr(estimator, "mse_path_"):
        return _by_alpha(estimator)
    raise RecipeError(
        f"{type(estimator).__name__} has no path: pass a tuned model, or a fitted estimator such as "
        "LogisticRegressionCV or LassoCV"
    )


def _by_c(estimator: Any) -> StrengthChoice:
    scores = _one(estimator.scores_)
    strengths = np.asarray(estimator.Cs_, dtype=np.float64)
    if scores.ndim == 3:  # folds, Cs, l1_ratios: at each C the best of these
        scores = scores.max(axis=2)
    value = float(np.ravel(estimator.C_)[0])
    scoring = getattr(estimator, "scoring", None)
    paths: tuple[CoefficientPath, ...] = ()
    if hasattr(estimator, "coefs_paths_"):
        paths = _weights(estimator, _one(estimator.coefs_paths_), strengths)
    metric = scoring if isinstance(scoring, str) and scoring != "warn" else "score"
    return _choice("C", value, strengths, scores.T, metric, paths)


def _by_alpha(estimator: Any) -> StrengthChoice:
    errors = np.asarray(estimator.mse_path_, dtype=np.float64)  # (l1_ratios,) alphas, folds
    alphas = np.asarray(estimator.alphas_, dtype=np.float64)
    if errors.ndim == 3:
        ratios = np.atleast_1d(estimator.l1_ratio)
        chosen = int(np.flatnonzero(ratios == estimator.l1_ratio_)[0])
        errors, alphas = errors[chosen], alphas[chosen] if alphas.ndim == 2 else alphas
    return _choice("alpha", float(estimator.alpha_), alphas, errors, "mean squared error", ())


def _choice(
    name: str, value: float, strengths: Table, scores: Table, metric: str, paths: tuple[CoefficientPath, ...]
) -> StrengthChoice:
    """`scores` are points x folds."""
    folds = scores.shape[1]
    off = scores.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(scores))
    return StrengthChoice(
        name, value, "cross-validation", 0, tuple(strengths.tolist()), (), metric, tuple(scores.mean(axis=1).tolist()),
        tuple(off.tolist()), folds=folds, points=len(strengths), paths=paths,
    )  # fmt: skip


def _one(tables: Any) -> Table:
    """Of a dictionary by class the last: of two classes the only one, of a joint fit all are equal."""
    return np.asarray(list(tables.values())[-1] if isinstance(tables, dict) else tables, dtype=np.float64)


def _weights(estimator: Any, table: Table, strengths: Table) -> tuple[CoefficientPath, ...]:
    """The weights of (folds, Cs, ..., columns), with the intercept last, if there is one: the mean over the folds."""
    means = table.mean(axis=0).reshape(len(strengths), -1, table.shape[-1])[:, 0, : estimator.n_features_in_]
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(means.shape[1])])
    return tuple(CoefficientPath(str(names[j]), "", tuple(column)) for j, column in enumerate(means.T.tolist()))
