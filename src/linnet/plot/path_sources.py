"""The path of a cross-validated estimator, linnet's or scikit-learn's, as linnet's own record has it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError
from linnet.model.record import CoefficientPath, StrengthChoice

Table = NDArray[np.float64]


def path_of_estimator(estimator: Any) -> StrengthChoice:
    """By the attributes that scikit-learn gave these classes: Cs_, scores_, coefs_paths_; or alphas_, mse_path_; or
    alphas, cv_results_."""
    if hasattr(estimator, "Cs_") and hasattr(estimator, "scores_"):
        return _by_c(estimator)
    if hasattr(estimator, "mse_path_"):
        return _by_alpha(estimator)
    if hasattr(estimator, "alpha_") and hasattr(estimator, "alphas"):
        return _by_left_out_rows(estimator)
    raise RecipeError(
        f"{type(estimator).__name__} has no path: pass a tuned model, or a fitted estimator such as "
        "LogisticRegressionCV or LassoCV"
    )


def _by_c(estimator: Any) -> StrengthChoice:
    """At the chosen L1 ratio, where there are several; of more than two classes the weights of the last."""
    strengths = np.asarray(estimator.Cs_, dtype=np.float64)
    label, scores = _folds_first(estimator, estimator.scores_)
    value = float(np.ravel(estimator.C_)[0])
    scoring = getattr(estimator, "scoring", None)
    metric = scoring if isinstance(scoring, str) and scoring != "warn" else "score"
    paths: tuple[CoefficientPath, ...] = ()
    if hasattr(estimator, "coefs_paths_"):
        _, table = _folds_first(estimator, estimator.coefs_paths_)
        means = table.mean(axis=0).reshape(len(strengths), -1, table.shape[-1])[:, -1, : estimator.n_features_in_]
        names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(means.shape[1])])
        paths = tuple(CoefficientPath(str(names[j]), label, tuple(each)) for j, each in enumerate(means.T.tolist()))
    return _choice("C", value, strengths, scores.T, metric, paths)


def _folds_first(estimator: Any, found: Any) -> tuple[str, Table]:
    """The label, of more than two, and (folds, Cs, ...) of a table of folds, Cs and L1 ratios by label, or of an array
    of folds, L1 ratios and Cs."""
    ratios = [each for each in np.ravel(getattr(estimator, "l1_ratios_", [None])).tolist() if each is not None]
    chosen = np.ravel(getattr(estimator, "l1_ratio_", [None])).tolist()[0]
    at = ratios.index(chosen) if len(ratios) > 1 and chosen in ratios else 0
    label = str(np.asarray(estimator.classes_).tolist()[-1]) if len(estimator.classes_) > 2 else ""
    if not isinstance(found, dict):
        return label, np.take(np.asarray(found, dtype=np.float64), at, axis=1)
    table = np.asarray(list(found.values())[-1], dtype=np.float64)
    return label, np.take(table, at, axis=2) if len(ratios) > 1 else table


def _by_left_out_rows(estimator: Any) -> StrengthChoice:
    errors = np.asarray(getattr(estimator, "cv_results_", ()), dtype=np.float64)  # rows, alphas
    if errors.ndim != 2 or getattr(estimator, "scoring", None) is not None:
        raise RecipeError(
            f"{type(estimator).__name__} keeps a path of one target, without scoring, if it is fitted with "
            "store_cv_results=True"
        )
    alphas = np.asarray(estimator.alphas, dtype=np.float64)
    return replace(_choice("alpha", float(estimator.alpha_), alphas, errors.T, "mean squared error", ()), folds=0)


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
