"""Means of losses: against the gamma distributions they are made of, and by how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from linnet.evaluation.classification import ClassificationTally
from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.regression import RegressionTally
from linnet.evaluation.skewed_means import Skew, deficit_interval, loss_interval, ratio_factors


def _interval(values, worst=0.0, **more):
    moments = Moments()
    moments.add(np.asarray(values, np.float64))
    return loss_interval(moments, len(values), worst, **more)


def test_the_ends_are_quantiles_of_gamma_distributions(rng):
    values = rng.exponential(size=40) ** 2
    low, high = _interval(values, worst=100.0)
    mean, variance, unseen = values.mean(), values.var(ddof=1) / 40, 100.0 / 40
    without = stats.gamma(mean**2 / variance, scale=variance / mean)
    sum_, spread = mean + unseen, variance + unseen**2
    with_it = stats.gamma(sum_**2 / spread, scale=spread / sum_)
    assert (without.cdf(high) + with_it.cdf(high)) / 2 == pytest.approx(0.975)
    none_seen = math.exp(-low / unseen)
    assert (without.cdf(low) + with_it.cdf(low)) / 2 == pytest.approx(min(max(none_seen / 2, 0.025), 0.035))


def test_no_loss_at_all_bounds_the_mean_by_what_may_have_been_missed():
    """As for a rare event of cost 10 that did not happen in 50 rows: its expected number is below 3.0, by mid-P."""
    assert tuple(_interval(np.zeros(50), worst=10.0)) == pytest.approx((0.0, -math.log(0.05) * 10 / 50))
    assert _interval(np.zeros(50), worst=10.0, most=0.5).high == 0.5


def test_the_scale_of_the_values_does_not_matter(rng):
    values = rng.exponential(size=30)
    for scale in (1e-300, 1e-3, 1e300):
        assert tuple(_interval(scale * values)) == pytest.approx(tuple(scale * end for end in _interval(values)))


def test_many_alike_rows_give_the_normal_interval(rng):
    values = rng.random(100_000) + 1
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert tuple(_interval(values)) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-4)


def test_one_row_has_no_interval_and_says_why():
    assert _interval([1.0]).reason == "fewer than 2 rows"


def test_what_a_metric_lacks_to_either_end_is_treated_alike():
    low, high = deficit_interval(0.9, 0.001, 0.01)
    assert tuple(deficit_interval(0.1, 0.001, 0.01)) == pytest.approx((1 - high, 1 - low))
    assert tuple(deficit_interval(0.999, 1.0, 1.0)) == pytest.approx((0.0, 1.0), abs=1e-3)


def test_the_interval_of_a_ratio_is_that_of_one_mean_where_the_other_is_certain():
    skew = Skew(9.0, 0.2)
    assert ratio_factors(skew, Skew(math.inf, 0.0), 0.3, 0.95) == pytest.approx(skew.factors(0.95))


def test_the_intervals_of_losses_cover_where_mistakes_are_rare_and_costly(rng):
    """A confident classifier, wrong in 2 % of rows: Student's intervals of log loss and Brier score cover 64 %."""
    held = []
    for _ in range(600):
        y = rng.integers(0, 2, 50)
        right = rng.random(50) > 0.02
        sure = np.where(right, 0.99, 0.98)
        p = np.where(right == (y == 1), sure, 1 - sure)
        tally = ClassificationTally([0, 1])
        tally.add(y, (p > 0.5).astype(int), np.column_stack([1 - p, p]))
        result = tally.result()
        log_loss = -0.98 * math.log(0.99) - 0.02 * math.log(0.02)
        brier = 0.98 * 0.01**2 + 0.02 * 0.98**2
        held.append([low <= value <= high for (low, high), value in (
            (result.log_loss_interval, log_loss), (result.brier_interval, brier),
        )])  # fmt: skip
    assert (np.mean(held, axis=0) > 0.93).all()


def test_the_intervals_of_rmse_and_r2_cover_where_few_errors_make_most_of_it(rng):
    """Errors of Student's t with 4 degrees of freedom, E e² = 2: by the delta method RMSE's covers 85 %."""
    held = []
    for _ in range(600):
        y = 2 * rng.normal(size=60)
        tally = RegressionTally()
        tally.add(y, y + rng.standard_t(4, 60))
        result = tally.result()
        (low, high), (least, most) = result.rmse_interval, result.r2_interval
        held.append((low <= math.sqrt(2) <= high, least <= 1 - 2 / 4 <= most))
    assert (np.mean(held, axis=0) > 0.93).all()
