"""Confidence intervals of metrics: of proportions, means and medians; those of losses are in `skewed_means`.

All assume that the rows are independent, and that those to come are like them.  How often they hold what they should
is measured by benchmarks/coverage.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from linnet.errors import InputError
from linnet.evaluation.exact_sums import Moments, root


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

    The ends are the p at which k successes or more have the probability (1 - confidence)/2, k itself counted half, and
    the same for k or fewer (Lancaster 1961, Significance tests in discrete distributions).  The exact
    interval, which does not halve, covers far more than it says for few rows; Wilson's far less near 0 and 1.
    """
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes in {n} rows: pass counts, with no more successes than rows")
    if n == 0:
        return none("no rows")
    upper = upper_tail(confidence)
    low = 0.0 if successes == 0 else _mid_p(successes, n, 1 - upper)
    return Interval(low, 1.0 if successes == n else 1 - _mid_p(n - successes, n, 1 - upper))


def _mid_p(successes: float, n: float, beside: float) -> float:
    """The p at which P(K > successes) + P(K = successes) / 2 is `beside`."""
    special = _special()
    if successes == n:
        return float((2 * beside) ** (1 / n))
    ends = [(successes, n - successes + 1), (successes + 1, n - successes)]
    low, high = (float(special.betaincinv(*end, beside)) for end in ends)
    return crossing(lambda p: sum(float(special.betainc(*end, p)) for end in ends) / 2 - beside, low, high)


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
    t = float(_special().stdtrit(n - 1, upper_tail(confidence)))
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
    while rank >= 0 and _special().bdtr(float(rank), n, 0.5) > beside:
        rank -= 1
    return (rank, n - 1 - rank) if rank >= 0 else None


def upper_tail(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}: pass a number between 0 and 1, such as 0.95")
    return (1 + confidence) / 2


def _normal(confidence: float) -> float:
    return float(_special().ndtri(upper_tail(confidence)))


def _special() -> Any:
    """SciPy's special functions, imported when first needed, since the import is slow."""
    from scipy import special

    return special
