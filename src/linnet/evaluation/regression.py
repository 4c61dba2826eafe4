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
from linnet.evaluation.exact_sums import Moments, as_float, root
from linnet.evaluation.intervals import Interval, mean_interval, median_ranks, none
from linnet.evaluation.json_values import plain
from linnet.evaluation.mean_losses import LossResult, LossTally
from linnet.evaluation.pictures import Histogram, PredictionSample, Sampling, few_values, histogram
from linnet.evaluation.result_tables import MetricsShown
from linnet.evaluation.skewed_means import TOO_FEW, Skew, loss_interval, ratio_factors
from linnet.evaluation.sorted_counts import SortedCounts
from linnet.evaluation.squared_errors import NOTHING, SquaredErrors, Uncertain
from linnet.evaluation.weights import WeightTotal
from linnet.learners.losses import Loss

# The unseen row's squared error is by as much above the largest as that of REACH[0] + REACH[1] / n times as many rows,
# for few of n rows show less of their tail; by half of the largest at least.
REACH = (3.0, 150.0)
LEAST_FURTHER = 0.5
# In R², a ratio of two mean squares, either has an unseen row.  Each of them as far out as the mean square alone needs
# is too far for both: 98 % were covered where errors and targets are normal.  So there it is further out by the excess
# of the fourth moment over that of equal squares (2 for normal values) as a multiple of EXCESS, times
# REACH_OF_RATIO[0] + REACH_OF_RATIO[1] / n rows (at least LEAST_ROWS of them); at most by this multiple.
REACH_OF_RATIO, LEAST_ROWS = (1.0, 75.0), 50
EXCESS = 3.5
MOST_OF_ERRORS, MOST_OF_TARGETS = 3.0, 1.25
FEW = "fewer than 3 rows"


@dataclass(frozen=True)
class RegressionResult(MetricsShown):
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
    # of the loss that the model was fitted by, where that is not the square
    loss: LossResult | None = None
    residuals: Histogram | None = None  # prediction - truth
    sample: PredictionSample | None = None

    @property
    def headline(self) -> str:
        """The one figure for a line."""
        return f"R² {self.r2:.3f}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with None where a metric is not defined."""
        result: dict[str, Any] = plain(self)
        return result


class RegressionTally:
    """Adds up predictions block by block, in memory that does not grow with the number of rows.

    With e = prediction - truth and d = truth - c, c the first true value: exact sums of e, e², |e|, d, d².
    """

    def __init__(self, loss: Loss | None = None) -> None:
        self._loss = LossTally(loss) if loss is not None and loss.title else None
        self._seen = 0
        self._centre = 0.0
        self._weights = WeightTotal()
        self._errors = Moments()
        self._distances = Moments()
        self._truth = Moments()
        self._range = (math.inf, -math.inf)  # of d
        self._squared = SquaredErrors()
        self._sorted_distances = SortedCounts()
        self._residuals = few_values()
        self._sample = Sampling()

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
        self._residuals.add(e, w=w)
        self._sample.add(y, z)
        self._range = (min(self._range[0], float(d.min())), max(self._range[1], float(d.max())))
        self._squared.add(e, d, w)
        if self._loss is not None:
            self._loss.add(y, z, w)

    def result(self, confidence: float = 0.95) -> RegressionResult:
        """The metrics of the rows so far; more may be added afterwards."""
        total, n, whole = self._weights.exact(), self._weights.worth(), self._weights.whole
        squares, scatter = self._errors.squares(), self._truth.scatter()
        rmse = root(squares / total) if n else math.nan
        uncertain = self._squared.uncertain(self._errors, self._truth, n, whole=whole) if n else NOTHING
        of_distances, of_errors = (n if whole else each.worth(n) for each in (self._distances, self._errors))
        mean = as_float(Fraction(self._centre) + self._truth.sum() / total) if n else math.nan
        loss = None if self._loss is None else self._loss.result(mean, n, whole=whole, confidence=confidence)
        return RegressionResult(
            loss=loss,
            rows=self._weights.counted(),
            r2=as_float(1 - squares / scatter) if scatter else math.nan,
            r2_interval=self._r2_interval(uncertain, confidence),
            rmse=rmse,
            rmse_interval=self._rmse_interval(rmse, uncertain, confidence),
            mae=self._distances.mean(),
            mae_interval=loss_interval(self._distances, of_distances, 0.0, confidence),
            median_absolute_error=self._sorted_distances.middle() if n else math.nan,
            median_absolute_error_interval=self._median_interval(confidence),
            bias=self._errors.mean(),
            bias_interval=mean_interval(self._errors, of_errors, confidence),
            baseline_rmse=root(scatter / total) if n else math.nan,
            baseline_prediction=mean,
            residuals=histogram(self._residuals.values(), self._residuals.counts()[:, 0]),
            sample=self._sample.result(),
        )

    def _rmse_interval(self, rmse: float, uncertain: Uncertain, confidence: float) -> Interval:
        """The root of that of the mean square."""
        if not rmse or math.isnan(rmse) or uncertain.of_errors < 2:
            return Interval(0.0, 0.0) if rmse == 0 and self._weights.worth() >= 2 else none(TOO_FEW)
        low, high = self._skew_of_squares(uncertain).factors(confidence)
        return Interval(rmse * math.sqrt(low), rmse * math.sqrt(high))

    def _r2_interval(self, uncertain: Uncertain, confidence: float) -> Interval:
        """By 1 - R², the ratio of the means of e² and of (y - mean)²."""
        squares, scatter, n = self._errors.squares(), self._truth.scatter(), self._weights.worth()
        if min(n, uncertain.of_errors, uncertain.of_targets) < 3 or not scatter or not squares:
            perfect = n > 2 and scatter and not squares
            return Interval(1.0, 1.0) if perfect else none("the targets are equal" if n > 2 and not scatter else FEW)
        mean = self._truth.sum() / self._weights.exact()
        furthest = max(abs(Fraction(end) - mean) for end in self._range)
        spread, largest = uncertain.spread, Fraction(self._distances.largest)
        of_errors = self._skew_in_ratio(squares, spread.of_errors, uncertain.of_errors, largest, MOST_OF_ERRORS)
        of_truth = self._skew_in_ratio(scatter, spread.of_targets, uncertain.of_targets, furthest, MOST_OF_TARGETS)
        low, high = ratio_factors(of_errors, of_truth, uncertain.correlation, confidence)
        ratio = as_float(squares / scatter)
        return Interval(1 - ratio * high, 1 - ratio * low)

    def _skew_of_squares(self, uncertain: Uncertain) -> Skew:
        """Of the mean of e².

        Where errors beyond u have the probability (u/e)^(1/ξ), the largest of k times as many rows is k^ξ times as far
        out: the unseen row is as much worse than the worst.
        """
        squares, n = self._errors.squares(), uncertain.of_errors
        largest = Fraction(self._distances.largest)
        further = (REACH[0] + REACH[1] / n) ** (2 * self._sorted_distances.tail_index()) - 1
        worst = max(further, LEAST_FURTHER) * as_float(largest**2 * self._weights.exact() / squares)
        return self._skew(squares, uncertain.spread.of_errors, n, worst)

    def _skew_in_ratio(self, squares: Fraction, spread: Fraction, n: float, furthest: Fraction, most: float) -> Skew:
        """Of a mean of squares beside another; `spread` is the sum of squared deviations of the squares."""
        total = self._weights.exact()
        excess = as_float(spread * total / squares**2)
        reach = REACH_OF_RATIO[0] + REACH_OF_RATIO[1] / max(n, LEAST_ROWS)
        further = max(reach * min(excess / EXCESS, most), LEAST_FURTHER)
        return self._skew(squares, spread, n, further * as_float(furthest**2 * total / squares))

    def _skew(self, sum_: Fraction, spread: Fraction, n: float, worst: float) -> Skew:
        """Of the mean of values with this sum and sum of squared deviations; the worst is in units of the mean."""
        total = self._weights.exact()
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
