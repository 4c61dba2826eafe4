"""Confidence intervals of means of losses: values from 0 with a long tail, most of it made by a few rows.

Student's interval fails for them.  It is symmetric, and a sample may miss the rows that weigh most: a classifier with
2 % mistakes makes none in 50 rows in a third of the samples, and their mean log loss is far too low.  So the mean is
taken for gamma distributed, with and without one further row that was not seen, the worst that is plausible (Fay,
Feuer 1997, Confidence intervals for directly standardized rates: a method based on the gamma distribution), and
the two count half each, as in mid-P intervals (Fay, Kim 2017, Confidence intervals for directly standardized rates
using mid-p gamma intervals).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from linnet.evaluation.distributions import gammainc, gammaincinv
from linnet.evaluation.exact_sums import Moments, as_float
from linnet.evaluation.intervals import Interval, crossing, missed, none, upper_tail

TOO_FEW = "fewer than 2 rows"


@dataclass(frozen=True)
class Skew:
    """A mean relative to its own size: `shape` is its square over its variance, `unseen` what one unseen row adds."""

    shape: float
    unseen: float

    def factors(self, confidence: float) -> tuple[float, float]:
        """What the ends of the interval are, times the mean."""
        beside = 1 - upper_tail(confidence)
        with_it = 1 + self.unseen
        variance = (1 / self.shape + self.unseen**2) / with_it**2
        shape = 1 / variance if variance else math.inf

        def below(end: float) -> float:
            return (_below(self.shape, end) + _below(shape, end / with_it)) / 2

        def bracket(probability: float) -> list[float]:
            return sorted((_quantile(self.shape, probability), with_it * _quantile(shape, probability)))

        high = crossing(lambda end: below(end) - (1 - beside), *bracket(1 - beside))
        most = missed(1.0, confidence)

        def none_seen(mean: float) -> float:
            """How probable rows without any loss would be, were this the mean and every loss the worst."""
            return math.exp(-mean / self.unseen) if self.unseen else 0.0

        low = crossing(
            lambda end: below(end) - missed(none_seen(end), confidence), bracket(beside)[0], bracket(most)[1]
        )
        return low, high


def loss_interval(
    moments: Moments, n: float, worst: float, confidence: float = 0.95, most: float = math.inf
) -> Interval:
    """Of the mean of values from 0 to `most`, which is worth n rows; `worst` is the largest plausible one, unless a
    larger one was seen."""
    if n < 2 or not moments.total():
        return none(TOO_FEW)
    mean, worst = moments.sum() / moments.total(), max(worst, moments.largest)
    if mean * Fraction(n) * 10**12 <= worst:  # nothing beside one unseen row
        return Interval(0.0, min(_of_none_seen(confidence) * worst / n, most))
    scatter = moments.scatter()
    skew = Skew(
        as_float(mean**2 * moments.total() * Fraction(n - 1) / scatter) if scatter else math.inf,
        as_float(Fraction(worst) / mean / Fraction(n)),
    )
    low, high = skew.factors(confidence)
    return Interval(as_float(mean * Fraction(low)), min(as_float(mean * Fraction(high)), most))


def _of_none_seen(confidence: float) -> float:
    """The upper end of the expected number of rare events where none was seen, by mid-P."""
    return -math.log(2 * (1 - upper_tail(confidence)))


def deficit_interval(value: float, variance: float, unseen: float, confidence: float = 0.95) -> Interval:
    """Of a metric between 0 and 1, by what it lacks to the nearer end; `unseen` is how much one row may change it."""
    lacking = min(value, 1 - value)
    if lacking <= 0:
        low, high = 0.0, _of_none_seen(confidence) * unseen
    else:
        factors = Skew(lacking**2 / variance if variance > 0 else math.inf, unseen / lacking).factors(confidence)
        low, high = (lacking * factor for factor in factors)
    low, high = min(low, 1.0), min(high, 1.0)
    return Interval(low, high) if value < 0.5 else Interval(1 - high, 1 - low)


def ratio_factors(above: Skew, below: Skew, correlation: float, confidence: float) -> tuple[float, float]:
    """What the ends of the interval of a ratio of two means are, times the ratio.

    By logarithms, from the intervals of the two (Donner, Zou 2012, Closed-form confidence intervals for functions of
    the normal mean and standard deviation).
    """
    (a, b), (c, d) = (
        tuple(abs(math.log(max(factor, 1e-300))) for factor in each.factors(confidence)) for each in (above, below)
    )
    down = math.sqrt(max(a * a + d * d - 2 * correlation * a * d, 0.0))
    up = math.sqrt(max(b * b + c * c - 2 * correlation * b * c, 0.0))
    return math.exp(-min(down, 700.0)), math.exp(min(up, 700.0))


def _quantile(shape: float, probability: float) -> float:
    """Of the gamma distribution of mean 1 with this shape."""
    return 1.0 if shape == math.inf else gammaincinv(shape, probability) / shape


def _below(shape: float, value: float) -> float:
    """The probability that the gamma distribution of mean 1 gives to smaller values."""
    return float(value >= 1) if shape == math.inf else gammainc(shape, shape * value)
