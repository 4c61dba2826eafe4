"""The confidence interval of macro F1."""

from __future__ import annotations

import numpy as np

from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.intervals import Interval, none
from linnet.evaluation.skewed_means import deficit_interval

FEWEST = 5  # rows of a label


def macro_f1_interval(
    confusion: Counts | Floats,
    f1: Floats,
    sizes: Counts | Floats,
    n: float,
    confidence: float = 0.95,
    squared: Floats | None = None,
) -> Interval:
    """Of the mean F1 over the classes that occur, by the delta method on the multinomial confusion counts C.

    F1_k = 2 C_kk / s_k with s_k the row's sum and the column's, so
    ∂F1_k/∂C_ij = (2 [i=j=k] - F1_k ([i=k] + [j=k])) / s_k;
    F1 does not change with the scale of C, so the variance is Σ C_ij (∂/∂C_ij)² (Takahashi, Yamamoto, Kuchiba,
    Koyama 2022, Confidence interval for micro-averaged F1 and macro-averaged F1 scores).  What it lacks to 1 is taken
    for a mean loss, the row that was not seen for the mistake, or the hit, that changes it most.  A further row of C,
    of labels unknown to the model, counts in the columns only.  The rows are worth n.  Where weights are not whole, C
    in the variance is the sum of their squares, `squared`.

    F1 of few rows is biased, by about 1 / n_k for a class of n_k rows.  That is not small beside the standard error of
    the mean, about 1 / sqrt(n), unless n exceeds the square of the number of classes: below there is no interval.
    """
    k = confusion.shape[1]
    if n < k * k:
        return none("fewer rows than the square of the number of labels")
    if confusion[:k].sum(axis=1).min() * n < FEWEST * confusion.sum():
        return none(f"fewer than {FEWEST} rows of a label")
    occurring = sizes > 0
    safe = np.where(occurring, sizes, 1)
    slope = np.where(occurring, f1, 0.0) / safe
    gradient = np.zeros(confusion.shape)
    gradient[:k] -= slope[:, np.newaxis]
    gradient -= slope
    gradient[np.arange(k), np.arange(k)] += np.where(occurring, 2.0, 0.0) / safe
    gradient /= max(int(occurring.sum()), 1)
    value = float(f1[occurring].mean())
    copies = float(confusion.sum()) / n
    variance = float((confusion * gradient**2).sum()) * copies
    if squared is not None and squared.any():
        variance = float((squared * gradient**2).sum())
    missed = -float(gradient[:k][~np.eye(k, dtype=bool)].min(initial=0.0))
    unseen = (missed if value >= 0.5 else float(gradient.max())) * copies
    return deficit_interval(value, variance, unseen, confidence)
