"""The area under the ROC curve, with its confidence interval."""

from __future__ import annotations

import math
import operator

import numpy as np

from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.intervals import Interval, none
from linnet.evaluation.skewed_means import deficit_interval


def auc_interval(
    negatives: Counts | Floats,
    positives: Counts | Floats,
    confidence: float = 0.95,
    worth: tuple[float, float] | None = None,
) -> tuple[float, Interval]:
    """The area under the ROC curve, with its interval, from the weight of either class at each distinct score, rising.

    AUC is the mean of the placements: of a positive, the fraction of negatives below it (ties half).  Its variance is
    that of the positives' placements over their number plus that of the negatives' over theirs (DeLong, DeLong,
    Clarke-Pearson 1988, Comparing the areas under two or more correlated ROC curves).  What the AUC lacks to 1 is a
    mean loss, most of it made by a few misplaced rows, so the interval is that of such means.  The row that was not
    seen is placed as the worst that was, or, of the smaller class, half-way: so at an AUC of 1, too, there is an
    interval.  `worth` are the rows that negatives and positives are worth.
    """
    n, p = negatives.sum().item(), positives.sum().item()
    if not n or not p:
        return math.nan, none("all rows have one label")
    of_positives = (2 * negatives.cumsum() - negatives) / (2 * n)
    of_negatives = (2 * (p - positives.cumsum()) + positives) / (2 * p)
    doubled = sum(map(operator.mul, positives.tolist(), (2 * negatives.cumsum() - negatives).tolist()))
    auc = min(doubled / (2 * n * p), 1.0)
    n_worth, p_worth = worth or (n, p)
    if min(n_worth, p_worth) < 2:
        return auc, none("fewer than 2 rows of a label")
    variance = (positives * (of_positives - auc) ** 2).sum() / (p * (p_worth - 1))
    variance += (negatives * (of_negatives - auc) ** 2).sum() / (n * (n_worth - 1))
    separated = not (positives * negatives.cumsum()).any() or not (negatives * positives.cumsum()).any()
    if not variance > 0 and not separated:
        return auc, none("the scores are equal")
    side = 1.0 if auc >= 0.5 else 0.0
    worst = (
        float(np.abs(side - placed[rows > 0]).max())
        for placed, rows in ((of_positives, positives), (of_negatives, negatives))
    )
    unseen = max(
        *(each / size for each, size in zip(worst, (p_worth, n_worth), strict=True)), 0.5 / min(n_worth, p_worth)
    )
    if separated:
        auc, variance = side, 0.0
    return auc, deficit_interval(auc, float(variance), unseen, confidence)
