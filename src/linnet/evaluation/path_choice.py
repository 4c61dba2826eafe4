"""Which point of a cross-validated path is chosen, where the path may end, and where between its points it is best.

Scores are a table, points x folds, from the strongest penalty on, turned so that more is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.tuning_metrics import TuneRule

Table = NDArray[np.float64]

# A path ends after this many points in a row that are worse than its best.
IN_VAIN = 2
# Between points the best is looked for to such a part of a step: the rounding of losses decides nothing.
PARTS_OF_A_STEP = 4
# A probability of 0 has no logarithm.
LEAST_PROBABILITY = 1e-15


class PathChoice(NamedTuple):
    """The number of the chosen point; the mean score of every point, and its standard error over the folds."""

    at: int
    means: NDArray[np.float64]
    errors: NDArray[np.float64]


def chosen(scores: Table, rule: TuneRule, losses: Table | None = None, own: int | None = None) -> PathChoice:
    """The point that the rule takes; of equal ones the strongest penalty.  A fold without a score spoils its point.

    `losses`, turned as the scores are, decide among points whose scores are alike: the number of right answers says
    less of a point than the probabilities that it gave.  `own` is the point that would have been taken without tuning:
    it is left only for one that is better by more than the folds differ.
    """
    means, errors = scores.mean(axis=1), standard_errors(scores)
    ranked = np.where(np.isnan(means), -np.inf, means)
    at = int(np.argmax(ranked))
    if rule is TuneRule.ONE_STANDARD_ERROR:  # Breiman et al. 1984
        return PathChoice(int(np.flatnonzero(ranked >= ranked[at] - errors[at])[0]), means, errors)
    alike = _like(scores, at)
    if losses is not None:
        at = int(np.argmax(np.where(alike, np.nan_to_num(losses.mean(axis=1), nan=-np.inf), -np.inf)))
        alike &= _like(losses, at)
    return PathChoice(own if own is not None and alike[own] else at, means, errors)


def _like(scores: Table, best: int) -> NDArray[np.bool_]:
    """The points that are worse than the best by at most one standard error of the difference on the same folds."""
    lost = scores[best] - scores
    with np.errstate(invalid="ignore"):
        return np.asarray(lost.mean(axis=1) <= standard_errors(lost))


def standard_errors(scores: Table) -> NDArray[np.float64]:
    """Of the mean over the folds, taken as independent; 0 for a single fold."""
    folds = scores.shape[1]
    return scores.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(scores))


def is_over(scores: Table) -> bool:
    """Whether weaker penalties can be left out: the last IN_VAIN points are each worse than the best by more than one
    standard error of the difference on the same folds, or could not be fitted."""
    means = np.where(np.isnan(scores).any(axis=1), -np.inf, scores.mean(axis=1))
    best = int(np.argmax(means))
    last = scores[-IN_VAIN:]
    if len(scores) - 1 - best < IN_VAIN:
        return False
    lost = scores[best] - last
    with np.errstate(invalid="ignore"):
        worse = lost.mean(axis=1) > standard_errors(lost)
    return bool((worse | np.isnan(last).any(axis=1)).all())


def lowest(found: dict[int, float]) -> float:
    """Where the parabola through the lowest loss and its neighbours is lowest, to a part of a step; an end of the
    search is taken as it is."""
    best = min(found, key=lambda power: (found[power], abs(power)))
    before, at, after = found.get(best - 1, np.inf), found[best], found.get(best + 1, np.inf)
    bend = before - 2.0 * at + after
    if not 0 < bend < np.inf:
        return float(best)
    return round(PARTS_OF_A_STEP * (best + 0.5 * (before - after) / bend)) / PARTS_OF_A_STEP


def smoothed(losses: NDArray[np.float64], weights: NDArray[np.float64] | None, rows: float | None = None) -> float:
    """The mean log loss, if now and then a row had another label than it has; these may be some of all `rows`."""
    if rows is None:
        rows = float(len(losses) if weights is None else weights.sum())
    other = 0.5 / (rows + 1.0)
    # a loss of -log(p) is one of -log(1 - p) for all other labels together
    of_others = -np.log(np.maximum(-np.expm1(-losses), LEAST_PROBABILITY))
    return float(np.average((1.0 - other) * losses + other * of_others, weights=weights))
