"""What is said of a fit that did not converge, and what to do."""

from __future__ import annotations

from typing import Any

from linnet.training.result import Trained

WORSE = (
    "passes no longer reduce the loss, which is larger than in the first: scale the features, or take smaller steps "
    "(eta0, C)"
)
ROUNDED = "rounding lets the objective fall no further: raise tol, or bring columns of very different sizes to one"


def unconverged(estimator: Any, trained: Trained) -> str:
    """The warning: how far it came, and the remedy."""
    history, proven = trained.history, trained.certificate
    if not history:
        return f"{type(estimator).__name__} made no pass, and its weights are those it began with: raise max_iter"
    last = history[-1]
    gap = "" if proven.reason else f"; a relative gap of {proven.gap:.2g} is proven"
    mistakes = f"mistakes {last.mistakes:,}, " if hasattr(estimator, "classes_") else ""
    remedy = "raise max_iter, scale the features, or set tol=None if this many passes are what you want"
    if estimator.max_iter is not None and len(history) < estimator.max_iter:
        remedy = WORSE if trained.online is not None else ROUNDED
    return (
        f"{type(estimator).__name__} stopped unconverged after {len(history)} passes "
        f"({mistakes}mean loss {last.loss:.4g} in the last{gap}): {remedy}"
    )
