from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linnet.errors import InputError
from linnet.evaluation.intervals import Interval
from linnet.evaluation.regression import RegressionTally
from linnet.evaluation.skewed_means import Skew, ratio_factors


def table(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n) * 3 + 5
    return y, y + rng.standard_t(4, size=n) + 0.2, rng.integers(0, 4, n)


def tallied(*block):
    tally = RegressionTally()
    tally.add(*block)
    return tally.result()


seeds, lengths = st.integers(0, 10**6), st.integers(2, 60)


@given(seeds, lengths, st.booleans())
def test_figures_agree_with_scikit_learn(seed, n, weighted):
    y, z, w = table(seed, n)
    w[:2] = 1
    copies = {"sample_weight": w if weighted else None}
    result = tallied(y, z, w if weighted else None)
    assert result.r2 == pytest.approx(metrics.r2_score(y, z, **copies), rel=1e-9)
    assert result.rmse == pytest.approx(metrics.root_mean_squared_error(y, z, **copies))
    assert result.mae == pytest.approx(metrics.mean_absolute_error(y, z, **copies))
    assert result.bias == pytest.approx(np.average(z - y, weights=w if weighted else None))
    rows = np.repeat(np.arange(n), w if weighted else 1)
    assert result.median_absolute_error == pytest.approx(metrics.median_absolute_error(y[rows], z[rows]), rel=1e-15)
    assert result.rows == len(rows)
    assert result.baseline_prediction == pytest.approx(y[rows].mean())
    assert result.baseline_rmse == pytest.approx(y[rows].std())


@given(seeds, lengths, st.lists(st.integers(0, 60)), st.booleans())
def test_every_cut_into_blocks_gives_the_same_bits(seed, n, cuts, weighted):
    y, z, w = table(seed, n)
    cut = RegressionTally()
    for index in np.split(np.arange(n), sorted(cuts)):
        cut.add(y[index], z[index], w[index] if weighted else None)
    assert repr(cut.result()) == repr(tallied(y, z, w if weighted else None))


@given(seeds, lengths)
def test_a_weight_is_as_many_copies_to_the_bit(seed, n):
    y, z, w = table(seed, n)
    copies = np.repeat(np.arange(n), w)
    assert repr(tallied(y, z, w)) == repr(tallied(y[copies], z[copies]))


def test_r2_holds_far_from_zero(rng):
    """Around 10^9 the textbook formula Σy² - n mean² has no digit left."""
    y = rng.normal(size=1000) + 1e9
    z = y + rng.normal(size=1000) / 2
    assert tallied(y, z).r2 == pytest.approx(metrics.r2_score(y, z), rel=1e-9)


def test_intervals_are_those_of_gamma_distributions_also_when_the_first_row_is_far_out():
    y, z, _ = table(5, 400)
    y[0], z[0] = 1e5, 1e5 + 1
    result = tallied(y, z)
    e2, v = (z - y) ** 2, (y - y.mean()) ** 2
    rising = np.sort(np.abs(z - y))
    tail = np.log(rising[320:] / rising[319]).mean()  # Hill's, of the largest fifth
    of_errors = Skew(400 * e2.mean() ** 2 / e2.var(ddof=1), ((3 + 150 / 400) ** (2 * tail) - 1) * e2.max() / e2.sum())
    low, high = of_errors.factors(0.95)
    assert tuple(result.rmse_interval) == pytest.approx((result.rmse * low**0.5, result.rmse * high**0.5), rel=1e-9)
    beside = [  # one value of the targets is all: its fourth moment is beyond the limit
        Skew(400 * each.mean() ** 2 / each.var(ddof=1), (1 + 75 / 400) * further * each.max() / each.sum())
        for each, further in ((e2, e2.var() / e2.mean() ** 2 / 3.5), (v, 1.25))
    ]
    low, high = ratio_factors(*beside, np.corrcoef(e2, v)[0, 1], 0.95)
    rest = 1 - result.r2
    assert tuple(result.r2_interval) == pytest.approx((1 - rest * high, 1 - rest * low), rel=1e-9)


def test_the_intervals_cover_95_percent(rng):
    """Truth and noise normal: R² = 1 - 1/4, RMSE = 1/2, MAE = sqrt(2/π)/2, median 0.67449/2, bias 0."""
    truth = {"rmse": 0.5, "r2": 0.75, "mae": math.sqrt(2 / math.pi) / 2, "median_absolute_error": 0.337245, "bias": 0.0}
    held = dict.fromkeys(truth, 0)
    for _ in range(800):
        y = rng.normal(size=200)
        result = tallied(y, y + rng.normal(size=200) / 2)
        for name, value in truth.items():
            low, high = getattr(result, f"{name}_interval")
            held[name] += low <= value <= high
    for name, count in held.items():
        assert 0.93 < count / 800 < 0.99, name


@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_of_r2_from_50_rows_is_not_too_wide(rng, weighted):
    """With one unseen row as far out as the mean square alone needs, it covered 98 %."""
    held = []
    for _ in range(1500):
        y, noise = rng.normal(size=(2, 50))
        w = 4.0 ** rng.uniform(-1, 1, 50) if weighted else None  # apart from the errors: R² is what it was
        low, high = tallied(y, y + noise / 2, w).r2_interval
        held.append(low <= 0.75 <= high)
    assert 0.94 < np.mean(held) < 0.97


def test_a_constant_target_has_no_r2():
    plain = tallied(np.full(5, 0.1), [0.1, 0.2, 0.3, 0.1, 0.1]).as_dict()
    assert plain["r2"] is None
    assert plain["r2_interval"] == [None, None]
    assert plain["rmse"] == pytest.approx(0.1)
    assert plain["baseline_rmse"] == 0


def test_a_perfect_prediction():
    y = np.arange(10.0)
    result = tallied(y, y)
    assert (result.r2, result.rmse, result.mae, result.median_absolute_error, result.bias) == (1, 0, 0, 0, 0)
    assert result.r2_interval == Interval(1, 1)
    assert result.rmse_interval == result.mae_interval == Interval(0, 0)


def test_nothing_and_one_row():
    tally = RegressionTally()
    tally.add([], [])
    plain = tally.result().as_dict()
    assert {v for k, v in plain.items() if not k.endswith(("interval", "reason"))} == {0, None}
    assert plain["mae_interval_reason"] == "fewer than 2 rows"
    tally.add([2.0], [3.0])
    plain = tally.result().as_dict()
    assert (plain["rows"], plain["rmse"], plain["mae"], plain["bias"], plain["r2"]) == (1, 1, 1, 1, None)
    assert all(v == [None, None] for k, v in plain.items() if k.endswith("interval"))
    tally.add([5.0, 1.0], [5.0, 1.0], [0, 0])
    assert tally.result().rows == 1


def test_the_smallest_and_the_largest_numbers():
    for scale in (1e-300, 1e300):
        y = np.array([1.0, 2.0, 3.0, 5.0]) * scale
        result = tallied(y, y + np.array([1.0, -1.0, 1.0, 1.0]) * scale)
        assert result.r2 == pytest.approx(1 - 4 / 8.75)
        assert result.rmse == pytest.approx(scale)
        json.dumps(result.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (([1.0, 2.0], [1.0]), "2 true values, but 1 predicted"),
        (([1.0, math.nan], [1.0, 2.0]), "true values must be finite: see row 3"),
        (([1.0, 2.0], [math.inf, 2.0]), "predicted values must be finite: see row 2"),
        (([1.0, 1.7e308], [1.0, -1.7e308]), "differences between values must be finite: see row 3"),
        (([1.0], [1.0], [-0.5]), "row 2 has the weight -0.5"),
        (([[1.0, 2.0]], [1.0, 2.0]), "shape"),
    ],
)
def test_a_wrong_block_is_named_and_leaves_the_tally_as_it_was(block, message):
    tally = RegressionTally()
    tally.add([1.0, 2.0], [1.5, 2.0])
    before = repr(tally.result())
    with pytest.raises(InputError, match=message):
        tally.add(*block)
    assert repr(tally.result()) == before
