"""Every learner beside every other: from scores to verdicts.

On the folds of one data set, on one held-out set, and over several data sets.  For comparing, larger scores are better:
losses are passed negated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import InputError
from linnet.evaluation.bayesian_t import correlated_t
from linnet.evaluation.corrected_t import differences, resampled
from linnet.evaluation.friedman import friedman_p_value, ranks
from linnet.evaluation.holm import holm
from linnet.evaluation.intervals import Interval
from linnet.evaluation.mcnemar import mcnemar_p_value
from linnet.evaluation.metric_scales import default_rope, possible_range
from linnet.evaluation.nemenyi import critical_difference, indistinguishable
from linnet.evaluation.paired_comparison import McNemar, PairedComparison, Posterior, RankComparison, SignedRanks
from linnet.evaluation.signed_ranks import bayesian_signed_ranks, wilcoxon_p_value

# Of fewer, differences have the same sign by chance too often, and the Bayesian test is then too sure: of 5 data sets
# it gives equally good learners probabilities over 97.5 % in 15 % of cases.  Wilcoxon's test is exact, and silent.
LEAST_DATA_SETS = 10


def score_interval(
    scores: ArrayLike, metric: str, test_fraction: float, confidence: float = 0.95, variance_factor: float = 1.0
) -> Interval:
    """Of the expected score of one learner, given its scores on all folds of all repeats, losses as they are."""
    return resampled(scores, test_fraction, variance_factor).interval(confidence, *possible_range(metric))


def compare_on_folds(
    names: Sequence[str],
    scores: ArrayLike,
    *,
    metric: str,
    test_fraction: float,
    rope: float | None = None,
    confidence: float = 0.95,
    variance_factors: ArrayLike | None = None,
) -> tuple[PairedComparison, ...]:
    """All pairs, given a row of scores for each learner, a score for each fold of each repeat.

    `rope` is that of the metric (`default_rope`) if it is None.  A fold without a score (NaN) is left out of the pairs
    of its learner.  `variance_factors` are those of each pair (training_variance.py), a table of learners by learners;
    without them the tests are the classical ones.
    """
    table = _table(names, scores, "fold")
    region = default_rope(metric, table) if rope is None else rope
    factors = np.ones((len(names), len(names))) if variance_factors is None else np.asarray(variance_factors)
    found = []
    for first, second in combinations(range(len(names)), 2):
        d = differences(table[first], table[second])
        summary = resampled(d, test_fraction, float(factors[first, second]))
        p = summary.p_value()
        wins, losses = int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0))
        found.append(
            PairedComparison(
                names[first],
                names[second],
                summary.mean,
                summary.interval(confidence),
                p,
                p,
                summary.effect_size,
                correlated_t(summary, region),
                wins,
                int(np.count_nonzero(d == 0)),
                losses,
                float(factors[first, second]),
            )
        )
    adjusted = holm([each.p_value for each in found])
    return tuple(replace(each, adjusted_p_value=p) for each, p in zip(found, adjusted, strict=True))


def compare_on_rows(names: Sequence[str], right: ArrayLike) -> tuple[McNemar, ...]:
    """All pairs of classifiers, given for each whether it has each row of a held-out set right."""
    table = np.asarray(right)
    if table.ndim != 2 or len(table) != len(names) or table.dtype != np.bool_:
        raise InputError(
            f"right has the shape {table.shape}: pass True or False for each learner (row) and held-out row"
        )
    found = []
    for first, second in combinations(range(len(names)), 2):
        one = int(np.count_nonzero(table[first] & ~table[second]))
        other = int(np.count_nonzero(table[second] & ~table[first]))
        p = mcnemar_p_value(one, other)
        found.append(McNemar(names[first], names[second], table.shape[1], one, other, p, p))
    adjusted = holm([each.p_value for each in found])
    return tuple(replace(each, adjusted_p_value=p) for each, p in zip(found, adjusted, strict=True))


def compare_on_data_sets(
    names: Sequence[str], scores: ArrayLike, *, metric: str, rope: float | None = None, confidence: float = 0.95
) -> RankComparison:
    """Given a row of scores for each learner, a score for each data set: its mean over all folds.

    Data sets on which a learner has no finite score are left out.  Posteriors of fewer than `LEAST_DATA_SETS` are NaN.
    """
    table = _table(names, scores, "data set")
    if len(names) < 2:
        raise InputError("one learner: pass the scores of two or more to compare them")
    table = table[:, np.isfinite(table).all(axis=0)]
    number = table.shape[1]
    region = default_rope(metric, table) if rope is None else rope
    pairs = []
    for first, second in combinations(range(len(names)), 2):
        d = differences(table[first], table[second])
        p = wilcoxon_p_value(d)
        posterior = bayesian_signed_ranks(d, region) if number >= LEAST_DATA_SETS else _unknown(region)
        pairs.append(SignedRanks(names[first], names[second], p, p, posterior))
    adjusted = holm([each.p_value for each in pairs])
    ranked = ranks(_without_rounding(table)) if number else np.full((len(names), 0), math.nan)
    means = tuple(float(row.mean()) if number else math.nan for row in ranked)
    apart = critical_difference(len(names), number, confidence) if number else math.nan
    return RankComparison(
        tuple(names),
        means,
        number,
        friedman_p_value(ranked),
        apart,
        indistinguishable(names, means, apart),
        tuple(replace(each, adjusted_p_value=p) for each, p in zip(pairs, adjusted, strict=True)),
    )


def _unknown(rope: float) -> Posterior:
    return Posterior(math.nan, math.nan, math.nan, rope)


def _table(names: Sequence[str], scores: ArrayLike, of: str) -> NDArray[np.float64]:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(names):
        raise InputError(
            f"scores of the shape {table.shape}: pass a row for each of {len(names)} learners, a score a {of}"
        )
    return table


def _without_rounding(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each data set's scores as differences from its first learner: equal but for rounding errors is equal."""
    return np.stack([differences(row, table[0]) for row in table])
