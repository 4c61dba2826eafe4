"""RegressionTally: metrics of predicted numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linnet.errors import InputError
from linnet.evaluation import validation
from linnet.evaluation.exact_sums import ExactSum, Floats, Moments, as_float, root
from linnet.evaluation.intervals import Interval, mean_interval, median_ranks, none
from linnet.evaluation.json_values import plain
from linnet.evaluation.skewed_means import TOO_FEW, Skew, loss_interval, ratio_factors
from linnet.evaluation.sorted_counts import SortedCounts
from linnet.evaluation.weights import WeightTotal

# How much further from the mean, in squares, a target may be that was not seen.
FURTHER = 2.0


@dataclass(frozen=True)
class RegressionResult:
    """The metrics over all rows added.  NaN, with NaN ends, where a metric is not defined.

    With weights that are not whole numbers, `rows` is the number of rows that have one above 0.
    """

    rows: int
    r2: float  # 1 - Σ e² / Σ (y - mean)²; not defined where all y are equal
    r2_interval: Interval
    rmse: float
    rmse_interval: Interval
    mae: float
    mae_interval: Interval
    median_absolute_error: float  # to about five digits beyond a million distinct errors
    median_absolute_error_interval: Interval
    bias: float  # mean of prediction - truth
    bias_interval: Interval
    baseline_rmse: float  # of always predicting the mean of these rows
    baseline_prediction: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with None where a metric is not defined."""
        result: dict[str, Any] = plain(self)
        return result


class RegressionTally:
    """Adds up predictions block by block, in memory that does not grow with the number of rows.

    With e = prediction - truth and d = truth - c, c the first true value: exact sums of e, e², |e|, d, d², and sums of
    e⁴, d³, d⁴, e² d, e² d² whose terms are rounded.  The latter are for standard errors only, and c being a true value
    bounds their rounding error: no row is further than sqrt(n - 1) deviations from the mean (Samuelson 1968,
    How deviant can you be?).
    """

    def __init__(self) -> None:
        self._seen = 0
        self._centre = 0.0
        self._weights = WeightTotal()
        self._errors = Moments()
        self._distances = Moments()
        self._truth = Moments()
        self._range = (math.inf, -math.inf)  # of d
        self._products = {powers: ExactSum() for powers in ((4, 0), (0, 3), (0, 4), (2, 1), (2, 2))}  # of e and d
        self._sorted_distances = SortedCounts()

    def add(self, truth: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> None:
        """Add a block of true and predicted numbers; weights are how much each row counts (see
        `linnet.evaluation.weights`)."""
        y = validation.numbers("true values", truth, self._seen)
        z = validation.numbers("predicted values", predicted, self._seen)
        if len(y) != len(z):
            raise InputError(f"there are {len(y)} true values, but {len(z)} predicted ones: pass one of each a row")
        w = validation.row_weights(weights, len(y), self._seen)
        rows = len(y)
        if w is not None:
            y, z, w = y[w > 0], z[w > 0], w[w > 0]
        if not len(y):
            self._seen += rows
            return
        centre = self._centre if self._weights.rows else float(y[0])
        with np.errstate(over="ignore"):
            e, d = z - y, y - centre
        for each in (e, d):
            validation.numbers("differences between values", each, self._seen)

        self._centre = centre
        self._seen += rows
        distance = np.abs(e)
        self._weights.add(len(y), w)
        self._errors.add(e, w)
        self._distances.add(distance, w)
        self._truth.add(d, w)
        self._sorted_distances.add(distance, w=w)
        self._range = (min(self._range[0], float(d.min())), max(self._range[1], float(d.max())))
        self._multiply(e, d, w)

    def result(self, confidence: float = 0.95) -> RegressionResult:
        """The metrics of the rows so far; more may be added afterwards."""
        total, n = self._weights.exact(), self._weights.worth()
        squares, scatter = self._errors.squares(), self._truth.scatter()
        rmse = root(squares / total) if n else math.nan
        return RegressionResult(
            rows=self._weights.counted(),
            r2=as_float(1 - squares / scatter) if scatter else math.nan,
            r2_interval=self._r2_interval(squares, scatter, confidence),
            rmse=rmse,
            rmse_interval=self._rmse_interval(rmse, squares, confidence),
            mae=self._distances.mean(),
            mae_interval=loss_interval(self._distances, n, 0.0, confidence),
            median_absolute_error=self._sorted_distances.middle() if n else math.nan,
            median_absolute_error_interval=self._median_interval(confidence),
            bias=self._errors.mean(),
            bias_interval=mean_interval(self._errors, n, confidence),
            baseline_rmse=root(scatter / total) if n else math.nan,
            baseline_prediction=as_float(Fraction(self._centre) + self._truth.sum() / total) if n else math.nan,
        )

    def _multiply(self, e: Floats, d: Floats, w: Floats | None) -> None:
        """Add products of powers, mantissas and exponents apart, so that none overflows or underflows."""
        (em, ex), (dm, dx) = np.frexp(e), np.frexp(d)
        e2, d2 = em * em, dm * dm
        mantissas = {(4, 0): e2 * e2, (0, 3): d2 * dm, (0, 4): d2 * d2, (2, 1): e2 * dm, (2, 2): e2 * d2}
        for (of_e, of_d), total in self._products.items():
            total.add(mantissas[of_e, of_d], of_e * ex + of_d * dx, w)

    def _rmse_interval(self, rmse: float, squares: Fraction, confidence: float) -> Interval:
        """The root of that of the mean square."""
        if self._weights.worth() < 2 or not squares:
            return none(TOO_FEW) if self._weights.worth() < 2 else Interval(0.0, 0.0)
        low, high = self._skew_of_squares(squares).factors(confidence)
        return Interval(rmse * math.sqrt(low), rmse * math.sqrt(high))

    def _r2_interval(self, squares: Fraction, scatter: Fraction, confidence: float) -> Interval:
        """By 1 - R², the ratio of the means of e² and of (y - mean)²."""
        total, n = self._weights.exact(), self._weights.worth()
        if n < 3 or not scatter or not squares:
            perfect = n > 2 and scatter
            return Interval(1.0, 1.0) if perfect else none("fewer than 3 rows" if n < 3 else "the targets are equal")
        _, d3, d4, e2d, e2d2 = (sums.value() for sums in self._products.values())
        mean = self._truth.sum() / total
        centred_2 = e2d2 - 2 * mean * e2d + mean**2 * squares  # Σ e² (d - mean)²
        centred_4 = d4 - 4 * mean * d3 + 6 * mean**2 * self._truth.squares() - 3 * total * mean**4  # Σ (d - mean)⁴
        furthest = max(abs(Fraction(end) - mean) for end in self._range)
        spread = centred_4 - scatter**2 / total
        of_truth = self._skew(scatter, spread, FURTHER * as_float(furthest**2 * total / scatter))
        covariation = centred_2 - squares * scatter / total
        spreads = spread * self._spread_of_squares(squares)
        correlation = min(root(covariation**2 / spreads), 1.0) if spreads > 0 else 0.0
        correlation = -correlation if covariation < 0 else correlation
        low, high = ratio_factors(self._skew_of_squares(squares), of_truth, correlation, confidence)
        ratio = as_float(squares / scatter)
        return Interval(1 - ratio * high, 1 - ratio * low)

    def _spread_of_squares(self, squares: Fraction) -> Fraction:
        """Σ (e² - MSE)²"""
        return self._products[4, 0].value() - squares**2 / self._weights.exact()

    def _skew_of_squares(self, squares: Fraction) -> Skew:
        """Of the mean of e².

        The unseen row is further out than the largest error by what the tail lets expect of k times as many rows:
        where errors beyond u have the probability (u/e)^(1/ξ), k^ξ times.
        """
        n = self._weights.worth()
        largest = Fraction(self._distances.largest)
        further = (2 + 50 / n) ** (2 * self._sorted_distances.tail_index())
        worst = further * as_float(largest**2 * self._weights.exact() / squares)
        return self._skew(squares, self._spread_of_squares(squares), worst)

    def _skew(self, sum_: Fraction, spread: Fraction, worst: float) -> Skew:
        """Of the mean of values with this sum and sum of squared deviations; the worst is in units of the mean."""
        total, n = self._weights.exact(), self._weights.worth()
        shape = as_float(sum_**2 * Fraction(n - 1) / (total * spread)) if spread > 0 else math.inf
        return Skew(shape, worst / n)

    def _median_interval(self, confidence: float) -> Interval:
        n = self._weights.worth()
        ranks = median_ranks(int(n), confidence)
        if ranks is None:
            return none("fewer than 6 rows" if confidence == 0.95 else "too few rows")
        each = 1 if self._weights.whole else self._weights.exact() / int(n)
        inside = 0 if self._weights.whole else Fraction(1, 2)
        low, high = self._sorted_distances.ranked([(rank + inside) * each for rank in ranks])
        return Interval(low, high)
