"""Confidence intervals of metrics: of proportions, means and medians; those of losses are in `skewed_means`.

All assume that the rows are independent, and that those to come are like them.  How often they hold what they should
is measured by benchmarks/coverage.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from linnet.errors import InputError
from linnet.evaluation.distributions import betainc, betaincinv, binomial_at_most, normal_quantile, student_quantile
from linnet.evaluation.exact_sums import Moments, root

# The most that one end may miss, over what it misses where the other misses as much: of 5 % in all, 3.5 %.
MOST_MISSED = 1.4


@dataclass(frozen=True)
class Interval:
    """A confidence interval; where the rows do not give one, both ends are NaN, and there is a reason."""

    low: float
    high: float
    reason: str = ""

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


def none(reason: str) -> Interval:
    return Interval(math.nan, math.nan, reason)


def proportion_interval(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Of a proportion, given `successes` in n rows, by the mid-P of the binomial distribution.

    The ends are the p at which k successes or more have the probability that an end may miss (`missed`), k itself
    counted half, and the same for k or fewer (Lancaster 1961, Significance tests in discrete distributions).  The exact
    interval, which does not halve, covers far more than it says for few rows; Wilson's far less near 0 and 1.

    No success, or nothing else, is counted for 1 / MOST_MISSED.  By half, the interval for no success would miss rates
    at which that has a probability of 5 %, and as the other end also misses some, they were covered with 91.7 %.
    """
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes in {n} rows: pass counts, with no more successes than rows")
    if n == 0:
        return none("no rows")
    low = 0.0 if successes == 0 else _mid_p(successes, n, confidence)
    return Interval(low, 1.0 if successes == n else 1 - _mid_p(n - successes, n, confidence))


def missed(none_seen: float, confidence: float) -> float:
    """How often the lower end may be above the truth: as often as the upper end below it, or more where that is rare.

    `none_seen` is the probability of rows that have none of what is counted: where it is large, even their interval
    holds the truth, and no upper end misses it.  Blaker's intervals (2000, Confidence curves and improved exact
    confidence intervals for discrete distributions) give all that the upper end cannot use to the lower.  By mid-P that
    is too much: an end that may miss a covers as little as 1 - 2a of the counts of a rare event.  Hence the limit.
    """
    beside = 1 - upper_tail(confidence)
    return min(max(none_seen / 2, beside), MOST_MISSED * beside)


def _mid_p(successes: float, n: float, confidence: float) -> float:
    """The lower end: the p at which P(K > successes) + P(K = successes) / 2 is what it may miss; see
    `proportion_interval` for all of n."""
    # of fractional counts, the nearer to all of n, the less of the last is left out
    parts = 2.0 - (2.0 - MOST_MISSED) * max(0.0, 1.0 - (n - successes))

    def excess(p: float) -> float:
        at_least = sum(betainc(*end, p) for end in ends) if len(ends) > 1 else p**n
        return at_least / parts - missed((1 - p) ** n, confidence)

    ends = [(successes, n - successes + 1)]
    if successes < n:
        ends.append((successes + 1, n - successes))
    beside = 1 - upper_tail(confidence)
    low = betaincinv(*ends[0], beside)
    high = betaincinv(*ends[-1], min(2 * MOST_MISSED * beside, 1.0))
    return crossing(excess, low, high)


def crossing(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function is 0, between `low` and `high`: by regula falsi, which halves the value at an end that
    stays twice (Illinois method)."""
    below, above = rising(low), rising(high)
    if below >= 0 or above <= 0:
        return low if below >= 0 else high
    found, side = low, 0
    for _ in range(100):
        before, found = found, low - below * (high - low) / (above - below)
        value = rising(found)
        if value == 0 or abs(found - before) <= 1e-14 * found:
            break
        if value < 0:
            low, below, above = found, value, above / 2 if side < 0 else above
        else:
            high, above, below = found, value, below / 2 if side > 0 else below
        side = -1 if value < 0 else 1
    return found


def share_interval(part: float, total: float, n: float, confidence: float = 0.95) -> Interval:
    """Of a proportion, given the weights of a part and of all rows, which are worth n rows."""
    return proportion_interval(part if n == total else n * (part / total), n, confidence)


def mean_interval(moments: Moments, n: float, confidence: float = 0.95) -> Interval:
    """Of the mean of what is worth n rows, by Student's t: mean ± t s / sqrt(n)."""
    if n < 2 or not moments.total():
        return none("fewer than 2 rows")
    t = student_quantile(n - 1, upper_tail(confidence))
    half = t * root(moments.scatter() / (moments.total() * Fraction(n - 1)))
    mean = moments.mean()
    return Interval(mean - half, mean + half)


def median_ranks(n: int, confidence: float = 0.95) -> tuple[int, int] | None:
    """Ranks (from 0) of the two order statistics that enclose the median of any distribution; None for few rows.

    The number of values below the median is binomial (n, 1/2): the ranks are the innermost that leave at most
    (1 - confidence)/2 on either side.
    """
    beside = 1 - upper_tail(confidence)
    near = n / 2 - _normal(confidence) * math.sqrt(n) / 2  # by the normal approximation, slightly too far inside
    rank = min(int(near) + 2, (n - 1) // 2)
    while rank >= 0 and binomial_at_most(rank, n, 0.5) > beside:
        rank -= 1
    return (rank, n - 1 - rank) if rank >= 0 else None


def upper_tail(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}: pass a number between 0 and 1, such as 0.95")
    return (1 + confidence) / 2


def _normal(confidence: float) -> float:
    return normal_quantile(upper_tail(confidence))
