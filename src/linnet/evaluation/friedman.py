"""Several learners over several data sets, by their ranks: Friedman's test.

A table has a row for each of k learners and a column for each of N data sets.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.distributions import f_above
from linnet.evaluation.signed_ranks import mean_ranks

Table = NDArray[np.float64]

# With more data sets the F distribution is near enough; with fewer it is not (5 learners, 3 data sets: level 7 %).
FEW = 30
DRAWS = 9_999
SEED = 1937


def ranks(scores: Table) -> Table:
    """1 for the best learner on a data set, the one with the largest score; equal scores have their mean rank."""
    return np.column_stack([mean_ranks(-column) for column in scores.T])


def friedman_statistic(table: Table) -> float:
    """χ² of a table of ranks: (k - 1) N² Σ_j (R_j - (k+1)/2)² / Σ_ij (r_ij - (k+1)/2)², with mean ranks R_j.

    Without ties that is 12 N / (k (k+1)) Σ_j (R_j - (k+1)/2)² (Friedman 1937); this form is right with ties, too.
    """
    k, number = table.shape
    middle = (k + 1) / 2
    scatter = float(((table - middle) ** 2).sum())
    between = float(((table.mean(axis=1) - middle) ** 2).sum())
    return (k - 1) * number**2 * between / scatter if scatter else 0.0


def iman_davenport_p_value(chi_square: float, k: int, number: int) -> float:
    """F = (N - 1) χ² / (N (k - 1) - χ²), with k - 1 and (k - 1)(N - 1) degrees of freedom (Iman, Davenport 1980)."""
    left = number * (k - 1) - chi_square
    if left <= 1e-12 * number * k:
        return 0.0
    return f_above(k - 1, (k - 1) * (number - 1), (number - 1) * chi_square / left)


def friedman_p_value(table: Table) -> float:
    """Of a table of ranks: that all learners are equally good on every data set.

    Given equally good learners, every order of the ranks within a data set is as probable as any other.  Of up to
    `FEW` data sets p is therefore counted: among random orders and the one that was seen, how many have a χ² as large.
    Of more it is that of Iman and Davenport.
    """
    k, number = table.shape
    if k < 2 or number < 2:
        return math.nan
    seen = friedman_statistic(table)
    if number > FEW:
        return iman_davenport_p_value(seen, k, number)
    scatter = ((table - (k + 1) / 2) ** 2).sum()
    if not scatter:
        return 1.0
    spread = ((shuffled_mean_ranks(table) - (k + 1) / 2) ** 2).sum(axis=1)
    drawn = (k - 1) * number**2 * spread / scatter
    return float(1 + np.count_nonzero(drawn >= seen - 1e-9 * k * number)) / (1 + DRAWS)


def shuffled_mean_ranks(table: Table) -> Table:
    """The mean ranks of the learners (columns) in random orders of the ranks within each data set, the same in every
    call."""
    k, number = table.shape
    random = np.random.default_rng([SEED, k, number])
    total: Table = np.zeros((DRAWS, k))
    for column in table.T:
        total += random.permuted(np.broadcast_to(np.sort(column), (DRAWS, k)), axis=1)
    total /= number
    return total
