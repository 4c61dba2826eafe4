"""Two learners over several data sets, by the ranks of their differences: Wilcoxon's test, and its Bayesian form."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.cores import one_thread
from linnet.evaluation.bayesian_t import check_rope
from linnet.evaluation.paired_comparison import Posterior

DRAWS = 50_000
SEED = 2014
# The prior: an observation of no difference, with this weight; a data set has the weight 1.
PRIOR = 0.5


def wilcoxon_p_value(differences: ArrayLike) -> float:
    """Two-sided and exact, whatever the ties: the signs are what chance decides, the sizes are taken as they are.

    The absolute differences are ranked, equal ones by their mean rank.  Data sets without a difference are ranked, too,
    and belong to neither side (Pratt 1959): left out before ranking, as Wilcoxon (1945) has it, they would make the
    rest look more certain.  Given the ranks each has either sign with probability 1/2, and the distribution of the sum
    of the positive ranks follows by adding one rank after the other.  Of fewer than 6 data sets none has p < 0.05.
    """
    d = _finite(differences)
    twice = np.rint(2 * mean_ranks(np.abs(d))).astype(np.int64)  # whole numbers, of mean ranks too
    given = twice[d != 0]
    if not len(given):
        return 1.0 if len(d) else math.nan
    chances = np.ones(1)
    for rank in given:
        without, with_it = np.zeros(len(chances) + rank), np.zeros(len(chances) + rank)
        without[: len(chances)] = chances
        with_it[rank:] = chances
        chances = (without + with_it) / 2
    positive = int(twice[d > 0].sum())
    fewer = min(positive, int(given.sum()) - positive)
    return min(1.0, 2 * float(chances[: fewer + 1].sum()))


def bayesian_signed_ranks(differences: ArrayLike, rope: float) -> Posterior:
    """The posterior probabilities that one learner is better on the next data set more often than not.

    The distribution of differences has a Dirichlet process as its prior, whose base is a difference of 0 with the
    weight `PRIOR`: so its posterior weighs that 0 and the differences by w ~ Dirichlet(PRIOR, 1, ..., 1).  Each draw of
    w gives probabilities that the mean of two differences drawn by w is above rope, below -rope, or between; that
    of the three counts which is largest (Benavoli et al. 2014, A Bayesian Wilcoxon signed-rank test based on the
    Dirichlet process).  The draws are the same in every call, so the answer is; its error is 0.2 % or less.
    """
    check_rope(rope)
    d = _finite(differences)
    if not len(d):
        return Posterior(math.nan, math.nan, math.nan, rope)
    if not d.any():
        return Posterior(0.0, 1.0, 0.0, rope)
    # whichever learner is first and in whatever order the data sets come, the same draws answer for them
    d, turned = np.sort(d), np.sort(-d)
    mirrored = d.tolist() < turned.tolist()
    found = _probabilities(turned, rope)[::-1] if mirrored else _probabilities(d, rope)
    better, equivalent, worse = found if (d != turned).any() else (found + found[::-1]) / 2
    return Posterior(float(better), float(equivalent), float(worse), rope)


def _probabilities(d: NDArray[np.float64], rope: float) -> NDArray[np.float64]:
    """That the first learner is better, that they are equivalent, and that the second is better."""
    z = np.concatenate([[0.0], d])
    sums = z[:, np.newaxis] + z[np.newaxis, :]
    with one_thread():
        weights = _weights(len(z))
        above, below = _mass(weights, _over(sums, 2 * rope)), _mass(weights, _over(-sums, 2 * rope))
    between = 1 - above - below if rope > 0 else np.full(DRAWS, -1.0)  # with no rope it is never the largest
    masses = np.stack([above, between, below])
    largest = masses >= masses.max(axis=0) - 1e-12
    counted: NDArray[np.float64] = (largest / largest.sum(axis=0)).mean(axis=1)
    return counted


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the smallest; equal values have the mean of their ranks."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: NDArray[np.float64] = (last - (sizes - 1) / 2)[group]
    return ranks


def _finite(differences: ArrayLike) -> NDArray[np.float64]:
    """Without data sets that one of the learners has no score on."""
    d = np.asarray(differences, dtype=np.float64).reshape(-1)
    return d[~np.isnan(d)]


@lru_cache(maxsize=1)  # all pairs of learners have the same number of data sets
def _weights(number: int) -> NDArray[np.float64]:
    random = np.random.default_rng(SEED)
    weights = np.column_stack([random.standard_gamma(PRIOR, DRAWS), random.standard_exponential((DRAWS, number - 1))])
    normed: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return normed


def _over(sums: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    over: NDArray[np.float64] = (sums > limit) + 0.5 * (sums == limit)
    return over


def _mass(weights: NDArray[np.float64], pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of these pairs, by each draw of the weights."""
    found: NDArray[np.float64] = np.einsum("ij,ij->i", weights @ pairs, weights)
    return found
