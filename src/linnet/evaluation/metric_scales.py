"""What scores of a metric can be, and which differences of them matter: the region of practical equivalence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

# One point of a hundred: Benavoli, Corani, Demšar, Zaffalon (2017, Time for a change) for the accuracy of classifiers.
# Losses in nats and R² move in about the same steps where learners are worth comparing.
ONE_POINT = 0.01
# Of errors in the units of the target, one part in a hundred of the least.
IN_UNITS = frozenset({"rmse", "mae", "mse", "median_absolute_error", "poisson_deviance", "pinball_loss"})
FRACTIONS = frozenset({"accuracy", "balanced_accuracy", "f1", "macro_f1", "micro_f1", "precision", "recall", "roc_auc"})
NON_NEGATIVE = IN_UNITS | {"log_loss"}


def default_rope(metric: str, scores: ArrayLike) -> float:
    """By the metric and all contenders' scores (a row each): 0.01; for errors in units of the target, 1 % of the least
    mean error."""
    if _name(metric) not in IN_UNITS:
        return ONE_POINT
    table = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    means = [float(np.abs(row[np.isfinite(row)]).mean()) for row in table if np.isfinite(row).any()]
    return ONE_POINT * min(means, default=0.0)


def possible_range(metric: str) -> tuple[float, float]:
    """The least and the largest score that there can be; infinite where nothing bounds it."""
    name = _name(metric)
    if name in FRACTIONS:
        return 0.0, 1.0
    if name == "brier":
        return 0.0, 2.0
    if name in NON_NEGATIVE:
        return 0.0, math.inf
    return (-math.inf, 1.0) if name == "r2" else (-math.inf, math.inf)


def _name(metric: str) -> str:
    """Without the label, as in f1:LABEL."""
    return metric.split(":")[0].replace("-", "_")
