"""What is known of two learners after they were measured on the same folds, or on the same data sets."""

from __future__ import annotations

from dataclasses import dataclass

from linnet.evaluation.intervals import Interval


@dataclass(frozen=True)
class Posterior:
    """The probabilities that the first learner is better, that both are equivalent, and that the second is better.

    Equivalent means that they differ by at most `rope`, the region of practical equivalence.
    """

    better: float
    equivalent: float
    worse: float
    rope: float


@dataclass(frozen=True)
class PairedComparison:
    """Two learners by the differences of their scores, first minus second; larger scores are better.

    `p_value` is of the corrected resampled t-test, two-sided; `adjusted_p_value` is after Holm's correction over all
    pairs that were compared with one another.  `effect_size` is the mean difference in standard deviations of the
    differences.  Wins, ties and losses are numbers of folds.  By `variance_factor` the variance of the
    mean difference was multiplied, since the learners vary more with their training rows than the test assumes.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    adjusted_p_value: float
    effect_size: float
    posterior: Posterior
    wins: int
    ties: int
    losses: int
    variance_factor: float = 1.0


@dataclass(frozen=True)
class McNemar:
    """Two classifiers on one held-out set: rows that only one of them has right, and the exact two-sided test."""

    first: str
    second: str
    rows: int
    only_first_right: int
    only_second_right: int
    p_value: float
    adjusted_p_value: float


@dataclass(frozen=True)
class SignedRanks:
    """Two learners over several data sets: Wilcoxon's signed-rank test, and its Bayesian form."""

    first: str
    second: str
    p_value: float
    adjusted_p_value: float
    posterior: Posterior


@dataclass(frozen=True)
class RankComparison:
    """Learners over several data sets: mean ranks (1 is best), Friedman's test, and Nemenyi's critical difference.

    Mean ranks that differ by less than `critical_difference` cannot be distinguished; `groups` are the largest sets of
    such learners, which the picture joins by a bar.
    """

    learners: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    data_sets: int
    friedman_p_value: float
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    pairs: tuple[SignedRanks, ...]
