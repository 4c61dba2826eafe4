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
from linnet.evaluation.intervals import UNKNOWN, Interval, mean_interval, median_ranks, ratio_interval
from linnet.evaluation.json_values import plain
from linnet.evaluation.sorted_counts import SortedCounts
from linnet.evaluation.weights import WeightTotal


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
            mae_interval=_from_zero(mean_interval(self._distances, n, confidence)),
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
        """By log MSE: its standard error is sqrt(Σ (e² - MSE)²) / Σ e², and that of log RMSE half of it."""
        total, n = self._weights.exact(), self._weights.worth()
        if n < 2 or not squares:
            return UNKNOWN if n < 2 else Interval(0.0, 0.0)
        spread = self._products[4, 0].value() - squares**2 / total
        return ratio_interval(rmse, root(spread / squares**2 * total / Fraction(n - 1)) / 2, n, confidence)

    def _r2_interval(self, squares: Fraction, scatter: Fraction, confidence: float) -> Interval:
        """By log(1 - R²), with the delta method.

        1 - R² is the ratio of the sums of e² and of (y - mean)²; a row moves its logarithm by
        e²/Σe² - (y - mean)²/Σ(y - mean)², whose squares add up to the variance.
        """
        total, n = self._weights.exact(), self._weights.worth()
        if n < 3 or not scatter or not squares:
            return Interval(1.0, 1.0) if n > 2 and scatter else UNKNOWN
        e4, d3, d4, e2d, e2d2 = (total.value() for total in self._products.values())
        mean = self._truth.sum() / total
        centred_2 = e2d2 - 2 * mean * e2d + mean**2 * squares  # Σ e² (d - mean)²
        centred_4 = d4 - 4 * mean * d3 + 6 * mean**2 * self._truth.squares() - 3 * total * mean**4  # Σ (d - mean)⁴
        variance = e4 / squares**2 - 2 * centred_2 / (squares * scatter) + centred_4 / scatter**2
        low, high = ratio_interval(as_float(squares / scatter), root(variance * total / Fraction(n - 1)), n, confidence)
        return Interval(1 - high, 1 - low)

    def _median_interval(self, confidence: float) -> Interval:
        n = self._weights.worth()
        ranks = median_ranks(int(n), confidence)
        if ranks is None:
            return UNKNOWN
        if self._weights.whole:
            return Interval(*self._sorted_distances.ranked(list(ranks)))
        each = self._weights.exact() / int(n)
        return Interval(*self._sorted_distances.ranked([(rank + Fraction(1, 2)) * each for rank in ranks]))


def _from_zero(interval: Interval) -> Interval:
    return Interval(max(interval.low, 0.0), interval.high) if interval.low < 0 else interval
