"""What is measured of the target: the balance of classes, or the spread of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import Fact
from linnet.comparison.wording import percent, short
from linnet.data.labels import Labels

Flat = NDArray[np.float64]

# More classes than this are not all named.
NAMED = 4
# From here on, the largest class hides how the smallest does.
UNBALANCED = 10.0
# Fewer rows say nothing of their order; and so many standard errors from random are not by chance.
FEWEST_ROWS, FAR = 20, 4.0
# A target that so many rows have at its largest or smallest value was probably cut off there.
CUT_OFF = 0.01


def balance_fact(labels: Labels, targets: Flat, weights: Flat) -> Fact:
    """The fraction of the most frequent class, by the weights of rows; of sets of labels, of each label."""
    codes = targets.astype(np.int64)
    if labels.sets is not None:
        return _of_sets(labels, codes, weights)
    totals = np.bincount(codes, weights, len(labels)) / weights.sum()
    order = np.argsort(-totals, kind="stable")
    named = [f"{labels.classes[code]} ({percent(float(totals[code]))})" for code in order.tolist()]
    if len(named) > NAMED:
        named = [f"most are {named[0]}", f"fewest {named[-1]}"]
    most, least = float(totals[order[0]]), float(totals[order[-1]])
    meaning = f"always predicting {labels.classes[order[0]]} is right on {percent(most)}: accuracy begins there"
    if most > UNBALANCED * least:
        meaning += "; it hardly shows how rare classes do, so look at F1 and recall, or weight the classes"
    return Fact("class balance", most, f"{len(labels):,} classes: {', '.join(named)}", meaning)


def order_fact(labels: Labels, targets: Flat) -> Fact | None:
    """How many rows have the label of the row before them, beside how many would in a random order."""
    if labels.sets is not None or len(targets) < FEWEST_ROWS:
        return None
    same = float((targets[1:] == targets[:-1]).mean())
    fractions = np.bincount(targets.astype(np.int64)) / len(targets)
    usual = float((fractions**2).sum())
    off = (same - usual) / max(np.sqrt(usual * (1 - usual) / len(targets)), 1e-12)
    text = f"{percent(same)} of the rows have the label of the row before, and {percent(usual)} would in a random order"
    meaning = ""
    if off > FAR and same - usual > 0.1 * (1 - usual):
        meaning = (
            "the rows are sorted by label, or nearly: online learners that take them in this order remember the last"
        )
    return Fact("order of labels", same, text, meaning)


def _of_sets(labels: Labels, codes: NDArray[np.int64], weights: Flat) -> Fact:
    assert labels.sets is not None
    by_set = np.bincount(codes, weights, len(labels.sets))
    totals = np.array([by_set[labels.sets.having(code)].sum() for code in range(len(labels))]) / weights.sum()
    order = np.argsort(-totals, kind="stable")
    most, least = (f"{labels.classes[code]} ({percent(float(totals[code]))})" for code in (order[0], order[-1]))
    text = f"{len(labels):,} labels: most rows have {most}, fewest {least}"
    return Fact("class balance", float(totals[order[0]]), text)


def spread_fact(targets: Flat, weights: Flat) -> Fact:
    """The standard deviation of the target, and whether it is cut off."""
    total = float(weights.sum())
    mean = float((weights * targets).sum() / total)
    deviation = float(np.sqrt((weights * (targets - mean) ** 2).sum() / total))
    text = f"mean {short(mean)}, standard deviation {short(deviation)}, from {short(float(targets.min()))} to "
    text += short(float(targets.max()))
    meaning = f"always predicting the mean has an RMSE of {short(deviation)}, and R² = 0"
    for end, what in ((float(targets.max()), "largest"), (float(targets.min()), "smallest")):
        there = float(weights[targets == end].sum()) / total
        if there >= CUT_OFF and len(np.unique(targets)) > 100:
            text += f"; {percent(there)} of the rows have the {what} value"
            meaning += "; it seems to be cut off, which no linear learner of the mean can follow"
    return Fact("target", deviation, text, meaning)
