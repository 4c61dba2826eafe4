"""The corrected resampled t-test, and confidence intervals by the same variance.

Cross-validation repeated gives J scores d_1, ..., d_J whose training sets overlap, so they are not independent and the
variance of their mean is more than s² / J.  Were any two of them correlated by ρ, it would be

    s² (1/J + ρ / (1 - ρ)),

and with ρ = n_test / (n_train + n_test), which is what Nadeau and Bengio (2003, Inference for the generalization
error, Machine Learning 52) propose, ρ / (1 - ρ) = n_test / n_train.  The mean over its root is compared with Student's
t of J - 1 degrees of freedom.  Where learners vary more with their training rows than that ρ allows for, the variance
is multiplied by a factor (training_variance.py): that is a larger ρ.  benchmarks/comparison_tests.py measures how often
either errs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import InputError
from linnet.evaluation.distributions import student_above, student_quantile
from linnet.evaluation.intervals import Interval, none, upper_tail

# Scores that agree in this many bits are equal: the rest is rounding.
BITS = 40


@dataclass(frozen=True)
class Resampled:
    """J scores, or differences of scores, of one resampling: their mean, standard deviation, and the mean's error.

    `error` is the corrected standard error of the mean, `disjoint` how many test sets fit into the data beside one
    another.  Of fewer than two scores, and of infinite ones, `deviation` and `error` are NaN.
    """

    number: int
    mean: float
    deviation: float
    error: float
    disjoint: int

    @property
    def degrees(self) -> int:
        return self.number - 1

    def p_value(self) -> float:
        """Two-sided, of a mean of 0.

        The same difference in every fold, if it is not 0, has no variance to compare it with.  That all disjoint test
        sets then have the same sign has the probability 2 · 2^-sets, if neither sign is more probable.
        """
        if math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 1.0 if self.mean == 0 else 2.0 ** (1 - self.disjoint)
        return 2 * student_above(self.degrees, abs(self.mean) / self.error)

    def interval(self, confidence: float = 0.95, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Of the expected score of a training set of this size; `low` and `high` are the ends of what is possible."""
        t = upper_tail(confidence)
        if self.number < 2:
            return none("fewer than 2 folds")
        if math.isnan(self.error):
            return none("a score is infinite")
        if self.error == 0:
            return none("the same in every fold")
        half = student_quantile(self.degrees, t) * self.error
        return Interval(max(low, self.mean - half), min(high, self.mean + half))

    @property
    def effect_size(self) -> float:
        """The mean in standard deviations; NaN where it is not 0 and there are none."""
        if self.deviation == 0:
            return 0.0 if self.mean == 0 else math.nan
        return self.mean / self.deviation


def resampled(scores: ArrayLike, test_fraction: float, variance_factor: float = 1.0) -> Resampled:
    """Scores of repeated cross-validation, in any order; those that are NaN are left out.

    `test_fraction` is n_test / (n_train + n_test): 1 / folds.  With a `variance_factor` of 1 this is the test of Nadeau
    and Bengio.
    """
    if not 1 <= variance_factor < math.inf:
        raise InputError(f"variance_factor is {variance_factor}: pass a number of at least 1")
    if not 0 < test_fraction < 1:
        raise InputError(f"test_fraction is {test_fraction}: pass a number between 0 and 1, such as 0.1 for 10 folds")
    values = np.asarray(scores, dtype=np.float64).reshape(-1)
    values = values[~np.isnan(values)]
    number = len(values)
    disjoint = max(1, min(number, math.floor(1 / test_fraction + 1e-9)))
    if not np.isfinite(values).all():
        ends = set(values[np.isinf(values)].tolist())
        return Resampled(number, ends.pop() if len(ends) == 1 else math.nan, math.nan, math.nan, disjoint)
    if number < 2 or values.min() == values.max():
        mean = float(values[0]) if number else math.nan
        spread = 0.0 if number > 1 else math.nan
        return Resampled(number, mean, spread, spread, disjoint)
    deviation = float(values.std(ddof=1))
    error = deviation * math.sqrt(variance_factor * (1 / number + test_fraction / (1 - test_fraction)))
    return Resampled(number, float(values.mean()), deviation, error, disjoint)


def differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """First minus second, without the rounding errors of scores: what is equal but for them has the difference 0."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(f"scores of the shapes {a.shape} and {b.shape}: pass one score a fold of both learners")
    with np.errstate(invalid="ignore"):  # two infinite scores have no difference
        found = a - b
    finite = np.isfinite(found)
    largest = max(np.abs(a[finite]).max(initial=0.0), np.abs(b[finite]).max(initial=0.0))
    if largest > 0:
        unit = math.ldexp(1.0, max(math.frexp(largest)[1] - BITS, -1070))
        found[finite] = np.rint(found[finite] / unit) * unit + 0.0  # no negative zeros
    return found
