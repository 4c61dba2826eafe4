"""How many labels are wrong, estimated from out-of-fold probabilities.

Confident disagreement (confident learning: Northcutt, Jiang, Chuang 2021).  Row i with the label k is confident of
class j if p_ij is at least the mean of p_.j over the rows that have the label j.  Of the confident rows with the label
k, the fraction that is confident of another class is taken for all rows with that label.  Where classes overlap, rows
that are right but untypical are counted, too: then this is far above the fraction of wrong labels.

Noise among the surest rows.  If labels are flipped at random, whatever the features are, then a class is mislabelled as
often among the rows that most clearly belong to it as elsewhere, and there classes overlap least.  With r_j the
fraction of other labels among the tenth of the rows predicted as j of which the model is surest, and q_j the fraction
of rows predicted as j, the estimate is sum_j q_j r_j.  It has the overlap of these rows in it, so it is too high rather
than too low.  Whether a row is among the surest does not depend on its own label, as its probabilities are out of fold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import Fact
from linnet.comparison.wording import percent, percents
from linnet.evaluation.intervals import Interval, none, proportion_interval

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

# The rows predicted as a class of which the model is surest: this fraction, but at least so many.
SUREST, FEWEST = 0.1, 100
# The confident disagreement from which on it is worth while to look at the rows.
WORTH_A_LOOK = 0.01


@dataclass(frozen=True)
class Rate:
    """A rate, its interval, and the number of rows that it was counted in."""

    rate: float
    interval: Interval
    rows: int


def confident_disagreement(probabilities: Flat, codes: Numbers, confidence: float = 0.95) -> Rate:
    """The fraction of rows whose label the model contradicts with confidence, label by label."""
    n, classes = probabilities.shape
    of_label = np.bincount(codes, minlength=classes)
    own = probabilities[np.arange(n), codes]
    thresholds = np.bincount(codes, own, classes) / np.maximum(of_label, 1)
    thresholds[of_label == 0] = np.inf
    reached = np.where(probabilities >= thresholds, probabilities, -1.0)
    best = reached.argmax(axis=1)
    confident = reached[np.arange(n), best] >= 0
    counted = np.bincount(codes[confident], minlength=classes)
    against = np.bincount(codes[confident & (best != codes)], minlength=classes)
    return _stratified(against, counted, of_label, confidence)


def noise_among_surest(probabilities: Flat, codes: Numbers, confidence: float = 0.95) -> Rate:
    """The fraction of other labels among the rows of which the model is surest, class by class."""
    n, classes = probabilities.shape
    predicted = probabilities.argmax(axis=1)
    sure = probabilities[np.arange(n), predicted]
    counted, against = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    of_class = np.bincount(predicted, minlength=classes)
    for code in np.flatnonzero(of_class).tolist():
        rows = np.flatnonzero(predicted == code)
        surest = rows[np.argsort(-sure[rows], kind="stable")[: max(FEWEST, int(SUREST * len(rows)))]]
        counted[code], against[code] = len(surest), int((codes[surest] != code).sum())
    return _stratified(against, counted, of_class, confidence)


def _stratified(against: Numbers, counted: Numbers, rows: Numbers, confidence: float) -> Rate:
    """The mean over strata of so many rows each of the rates `against / counted`.

    Its interval is that of a proportion of as many rows as give it this variance; a stratum without any counts as if it
    had half a row, so that its variance is not 0.
    """
    there = (counted > 0) & (rows > 0)
    against, counted = against[there].astype(np.float64), counted[there].astype(np.float64)
    if not len(counted):
        return Rate(float("nan"), none("no row is confident"), 0)
    parts = rows[there] / rows[there].sum()
    rate = float((parts * against / counted).sum())
    shrunk = (against + 0.5) / (counted + 1.0)
    variance = float((parts**2 * shrunk * (1.0 - shrunk) / counted).sum())
    middle = float((parts * shrunk).sum())
    worth = min(middle * (1.0 - middle) / variance, float(counted.sum()))
    return Rate(rate, proportion_interval(min(rate * worth, worth), worth, confidence), int(counted.sum()))


def noise_facts(name: str, probabilities: Flat, codes: Numbers) -> list[Fact]:
    """Both rates, by the out-of-fold probabilities of the contender of this name."""
    noise, against = noise_among_surest(probabilities, codes), confident_disagreement(probabilities, codes)
    if not noise.rows or not against.rows:
        return []
    text = (
        f"{percent(noise.rate)} {percents(noise.interval)} of the labels are wrong, as far as the {noise.rows:,} rows "
    )
    text += f"show of which {name} is surest"
    meaning = f"if labels were flipped at random, no learner could be right on more than {percent(1 - noise.rate)}"
    facts = [Fact("label noise", noise.rate, text, meaning if noise.rate >= WORTH_A_LOOK else "", noise.interval)]
    text = f"{percent(against.rate)} {percents(against.interval)} of the rows look like another class to {name}"
    meaning = ""
    if against.rate >= WORTH_A_LOOK:
        more = against.interval.low > noise.interval.high
        meaning = "mislabelled, or classes that overlap in these features"
        if more:
            meaning += ", and mostly the latter, as there is less among the surest rows"
    facts.append(Fact("confident disagreement", against.rate, text, meaning, against.interval))
    return facts
