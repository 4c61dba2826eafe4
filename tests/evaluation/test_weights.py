"""Weights that are not whole numbers: figures against scikit-learn and NumPy, and the number of rows they are worth."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linnet.decisions.costs import Rule
from linnet.evaluation import weights as of
from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.regression import RegressionTally
from linnet.evaluation.skewed_means import deficit_interval
from linnet.evaluation.weights import SquaredCounts, WeightCounts, WeightTotal
from linnet.storage.typed_json import from_plain, to_plain

seeds, lengths = st.integers(0, 10**6), st.integers(2, 60)
some = st.one_of(st.just(0.0), st.floats(2**-27, 2**40))


def drawn(seed, n, k=2):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    y = np.where(rng.random(n) < 0.5, p.argmax(axis=1), rng.integers(0, k, n))
    y[:k] = np.arange(k)[:n]
    w = rng.gamma(0.5, 2.0, n) * (rng.random(n) < 0.9)
    w[:k] = 0.7
    return y, p.argmax(axis=1), p, w


def classified(y, z, p, w, rule=None):
    tally = ClassificationTally(range(p.shape[1]), rule)
    tally.add(y, z, p, weights=w)
    return tally.result()


def regressed(y, z, w):
    tally = RegressionTally()
    tally.add(y, z, w)
    return tally.result()


@given(st.lists(some))
def test_totals_are_the_rational_ones(values):
    w = np.array([each for each in values if each], dtype=np.float64)
    total = WeightTotal()
    for block in np.array_split(w, 3):
        total.add(len(block), block)
    assert total.exact() == sum(map(Fraction, w.tolist()))
    assert total.whole == all(each == int(each) for each in w.tolist())


@given(st.lists(st.tuples(st.integers(0, 3), some)), st.integers(0, 20), st.integers(1, 5))
def test_cells_add_up_exactly_and_carry(rows, cut, before_carry):
    cells = np.array([cell for cell, _ in rows], np.int64)
    w = np.array([each for _, each in rows], np.float64)
    counts = WeightCounts(4)
    kept, of.ROWS_BEFORE_CARRY = of.ROWS_BEFORE_CARRY, before_carry
    try:
        for part in (slice(cut, None), slice(0, cut)):
            counts.add(cells[part], len(cells[part]), w[part])
    finally:
        of.ROWS_BEFORE_CARRY = kept
    exact = [sum((Fraction(each) for cell, each in rows if cell == k), Fraction(0)) for k in range(4)]
    assert counts.values().tolist() == pytest.approx([float(each) for each in exact], rel=1e-15)


@given(seeds, lengths, st.integers(2, 4))
def test_figures_of_classes_agree_with_scikit_learn(seed, n, k):
    y, z, p, w = drawn(seed, max(n, k), k)
    result = classified(y, z, p, w)
    kept = {"sample_weight": w}
    assert result.rows == (w > 0).sum()
    assert result.accuracy == pytest.approx(metrics.accuracy_score(y, z, **kept))
    np.testing.assert_allclose(result.confusion, metrics.confusion_matrix(y, z, labels=range(k), **kept))
    assert result.macro_f1 == pytest.approx(
        metrics.f1_score(y[w > 0], z[w > 0], average="macro", sample_weight=w[w > 0])
    )
    assert result.log_loss == pytest.approx(metrics.log_loss(y, p, labels=range(k), **kept))
    assert result.brier == pytest.approx(metrics.brier_score_loss(y, p, labels=range(k), **kept))
    if k == 2:
        assert result.roc_auc == pytest.approx(metrics.roc_auc_score(y, p[:, 1], **kept))
        assert result.average_precision == pytest.approx(metrics.average_precision_score(y, p[:, 1], **kept))


@given(seeds, lengths)
def test_costs_and_bins_agree_with_numpy(seed, n):
    y, _, p, w = drawn(seed, n)
    rule = Rule.of([0, 1], {(0, 1): 3.0})
    chosen = rule.preferred(p)
    result = classified(y, chosen, p, w, rule)
    paid = np.where(y == chosen, 0.0, np.where(y == 0, 3.0, 1.0))
    assert result.costs.realised == pytest.approx(np.average(paid, weights=w))
    assert sum(b.rows for b in result.reliability) == pytest.approx(w.sum())
    assert sum(b.rows * b.predicted for b in result.reliability) == pytest.approx((w * p[:, 1]).sum())
    assert sum(b.rows * b.observed for b in result.reliability) == pytest.approx((w * y).sum())


@given(seeds, lengths)
def test_figures_of_numbers_agree_with_scikit_learn(seed, n):
    rng = np.random.default_rng(seed)
    y, w = rng.normal(size=n), rng.gamma(0.5, 2.0, n) + 1e-6
    z = y + rng.standard_t(4, n)
    result = regressed(y, z, w)
    assert result.rows == n
    assert result.r2 == pytest.approx(metrics.r2_score(y, z, sample_weight=w))
    assert result.rmse == pytest.approx(metrics.root_mean_squared_error(y, z, sample_weight=w))
    assert result.mae == pytest.approx(metrics.mean_absolute_error(y, z, sample_weight=w))
    assert result.bias == pytest.approx(np.average(z - y, weights=w))
    assert result.baseline_prediction == pytest.approx(np.average(y, weights=w))
    order = np.argsort(np.abs(z - y))
    half = np.searchsorted(w[order].cumsum(), w.sum() / 2)
    assert result.median_absolute_error == pytest.approx(np.abs(z - y)[order][half])


@given(seeds, lengths, st.lists(st.integers(0, 60)))
def test_every_cut_and_order_gives_the_same_bits(seed, n, cuts):
    y, z, p, w = drawn(seed, n, 3)
    w[3::3] = np.floor(w[3::3])
    rng = np.random.default_rng(seed)
    parts, numbers = ClassificationTally(range(3)), RegressionTally()
    order = np.append(0, 1 + rng.permutation(n - 1))  # the first row is where numbers are measured from
    for block in np.split(order, sorted(cuts)):
        parts.add(y[block], z[block], p[block], weights=w[block])
        numbers.add(p[block, 0], p[block, 1], w[block])
    assert repr(parts.result()) == repr(classified(y, z, p, w))
    assert repr(numbers.result()) == repr(regressed(p[:, 0], p[:, 1], w))


@given(seeds, lengths)
def test_a_row_of_weight_zero_is_as_if_it_were_not_there(seed, n):
    y, z, p, w = drawn(seed, n, 3)
    w[n // 2] = 0
    kept = w > 0
    assert repr(classified(y, z, p, w)) == repr(classified(y[kept], z[kept], p[kept], w[kept]))
    assert repr(regressed(p[:, 0], p[:, 1], w)) == repr(regressed(p[kept, 0], p[kept, 1], w[kept]))


def test_equal_weights_that_are_not_whole_give_the_intervals_of_as_many_rows(rng):
    """Only the ratios of such weights have a meaning: a scale common to all changes nothing."""
    y, z, p, _ = drawn(3, 200)
    plain, scaled = classified(y, z, p, None).as_dict(), classified(y, z, p, np.full(200, 2.5)).as_dict()
    for name, value in plain.items():
        if name.endswith("interval") or isinstance(value, float):
            assert scaled[name] == pytest.approx(value), name
    of_bins = [[each["observed_interval"] for each in result["reliability"]] for result in (plain, scaled)]
    np.testing.assert_allclose(*of_bins)
    truth, said = rng.normal(size=200), rng.normal(size=200)
    one, other = regressed(truth, said, None).as_dict(), regressed(truth, said, np.full(200, 0.3)).as_dict()
    assert list(one) == list(other)
    residuals, fewer = one.pop("residuals"), other.pop("residuals")
    assert fewer["counts"] == pytest.approx([0.3 * rows for rows in residuals["counts"]])
    assert one.pop("sample") == other.pop("sample")
    for name, value in one.items():
        assert other[name] == pytest.approx(value), name


def test_unequal_weights_are_worth_fewer_rows():
    """Kish: the square of the sum over the sum of squares."""
    w = np.repeat([0.5, 4.5], [90, 10])
    total = WeightTotal()
    total.add(100, w)
    assert total.worth() == pytest.approx(w.sum() ** 2 / (w**2).sum())
    copies = WeightTotal()
    copies.add(2, np.array([3.0, 4.0]))
    assert (copies.worth(), copies.counted()) == (7, 7)
    assert math.isclose(copies.worth(whole=False), 49 / 25)


def test_what_weights_cost_depends_on_which_rows_have_the_large_ones(rng):
    """Cochran: the variance of the weighted mean is Σ w² (x - m)² / (Σ w)²; Kish's rows hold if w and x go apart."""
    x = rng.exponential(size=400)
    w = np.where(x > 1, 0.1, 2.5)
    moments = Moments()
    for block in np.split(np.arange(400), [100, 399]):
        moments.add(x[block], w[block])
    m = np.average(x, weights=w)
    variance = (w**2 * (x - m) ** 2).sum() / w.sum() ** 2
    assert moments.worth(0.0) == pytest.approx(np.average((x - m) ** 2, weights=w) / variance)
    ones = Moments()
    ones.add(x[:200])
    ones.add(x[200:], np.ones(200))
    assert ones.worth(0.0) == pytest.approx(400)


def test_weighted_f1_has_the_variance_of_the_delta_method(rng):
    """Numerically: how macro F1 changes with the weight of each row, times the weight, squared and added."""
    y = rng.integers(0, 2, 60)
    z = np.where(rng.random(60) < 0.8, y, 1 - y)
    w = np.where(y == z, 0.3, 1.7) + rng.random(60)
    p = np.eye(2)[z]

    def f1(y, z, w):
        return metrics.f1_score(y, z, average="macro", sample_weight=w)

    def slope(true, predicted):
        return (f1(np.append(y, true), np.append(z, predicted), np.append(w, 1e-6)) - f1(y, z, w)) / 1e-6

    variance = sum((w[row] * slope(y[row], z[row])) ** 2 for row in range(60))
    unseen = -min(slope(0, 1), slope(1, 0)) * (w**2).sum() / w.sum()
    tally = ClassificationTally(range(2))
    for block in (slice(0, 1), slice(1, 60)):
        tally.add(y[block], z[block], p[block], weights=w[block])
    expected = deficit_interval(f1(y, z, w), variance, unseen)
    assert tuple(tally.result().macro_f1_interval) == pytest.approx(tuple(expected), rel=1e-4)


def test_squares_of_weights_are_added_also_where_some_rows_have_none(rng):
    cells, w = rng.integers(0, 4, 90), rng.gamma(0.5, 2.0, 90) + 0.01
    squared = SquaredCounts(np.bincount(cells[:30], minlength=4))
    squared.add(cells[30:60], 30, None)
    squared.add(cells[60:], 30, w[60:])
    w[:60] = 1
    assert squared.values() == pytest.approx(np.bincount(cells, w * w, 4), rel=1e-6)


def test_a_record_with_fractions_of_rows_survives_storage():
    y, z, p, w = drawn(3, 40, 3)
    result = classified(y, z, p, w, Rule.of(range(3), {}))
    stored = json.loads(json.dumps(to_plain(result)))
    assert repr(from_plain(ClassificationResult, stored)) == repr(result)
