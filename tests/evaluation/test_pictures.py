"""What pictures are drawn from: curves, histograms and samples beside scikit-learn and NumPy, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linnet.evaluation.classification import ClassificationTally
from linnet.evaluation.pictures import BINS, MOST_POINTS, MOST_THRESHOLDS
from linnet.evaluation.regression import RegressionTally

seeds = st.integers(0, 2**32 - 1)


def scored(seed, n=1000, digits=8):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return y, np.round(rng.normal(size=n) + y, digits)


def classified(y, scores, weights=None, cuts=()):
    tally = ClassificationTally(["no", "yes"])
    for block in np.split(np.arange(len(y)), sorted(cuts)):
        given_weights = None if weights is None else weights[block]
        tally.add(y[block], (scores[block] > 0).astype(int), scores=scores[block], weights=given_weights)
    return tally.result()


@given(seeds, st.sampled_from([1, 8]))
def test_the_curve_has_points_of_scikit_learns_roc_curve_from_end_to_end(seed, digits):
    y, scores = scored(seed, digits=digits)
    curve = classified(y, scores).curve
    assert len(curve.thresholds) <= MOST_THRESHOLDS
    false, true, _ = metrics.roc_curve(y, scores, drop_intermediate=False)
    known = set(zip(np.round(false * (y == 0).sum()), np.round(true * (y == 1).sum()), strict=True))
    assert set(zip(curve.negatives, curve.positives, strict=True)) <= known
    assert (curve.negatives[0], curve.positives[0]) == (0, 0)
    assert (curve.negatives[-1], curve.positives[-1]) == ((y == 0).sum(), (y == 1).sum())
    for threshold, a, b in list(zip(curve.thresholds, curve.negatives, curve.positives, strict=True))[1:]:
        above = scores >= threshold - 1e-5 * abs(threshold)
        assert abs((above & (y == 0)).sum() - a) <= 1  # thresholds are rounded to six digits
        assert abs((above & (y == 1)).sum() - b) <= 1


@given(seeds)
def test_the_area_under_the_few_points_is_nearly_that_under_all(seed):
    y, scores = scored(seed)
    curve = classified(y, scores).curve
    recall, false = np.array(curve.positives) / (y == 1).sum(), np.array(curve.negatives) / (y == 0).sum()
    area = (np.diff(false) * (recall[1:] + recall[:-1])).sum() / 2
    assert area == pytest.approx(metrics.roc_auc_score(y, scores), abs=1e-3)


@given(seeds)
def test_the_margins_are_counted_as_numpy_counts_them(seed):
    y, scores = scored(seed)
    found = classified(y, scores).margins
    margins = np.where(y == 1, scores, -scores)
    assert len(found.counts) <= BINS + 1
    counts = [
        ((margins >= low) & (margins < high)).sum() for low, high in zip(found.edges, found.edges[1:], strict=False)
    ]
    assert list(found.counts) == counts
    assert (found.below, found.above) == ((margins < found.edges[0]).sum(), (margins >= found.edges[-1]).sum())
    assert found.below + found.above <= 0.02 * len(y)
    assert any(edge == 0 for edge in found.edges) or found.edges[0] > 0 or found.edges[-1] < 0


@given(seeds, st.lists(st.integers(0, 300), max_size=4))
def test_blocks_order_and_copies_change_nothing(seed, cuts):
    y, scores = scored(seed, 300, 2)
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, len(y))
    order = rng.permutation(len(y))
    whole = classified(np.repeat(y, times), np.repeat(scores, times))
    parts = classified(y[order], scores[order], times[order].astype(float), cuts)
    assert parts.curve == whole.curve
    assert parts.margins == whole.margins
    tally, other = RegressionTally(), RegressionTally()
    tally.add(np.repeat(scores, times), np.repeat(scores * 0.9, times))
    for block in np.split(order, sorted(cuts)):
        other.add(scores[block], scores[block] * 0.9, times[block].astype(float))
    assert other.result().sample == tally.result().sample
    assert other.result().residuals == tally.result().residuals


def test_of_many_pairs_a_sample_is_kept_that_is_spread_over_all(rng):
    truth = rng.normal(size=20_000)
    tally = RegressionTally()
    tally.add(truth, truth + 1)
    sample = tally.result().sample
    assert len(sample.truth) == MOST_POINTS
    np.testing.assert_allclose(np.array(sample.predicted) - np.array(sample.truth), 1, atol=1e-4)
    assert np.mean(sample.truth) == pytest.approx(0, abs=4 / np.sqrt(MOST_POINTS))
    assert np.std(sample.truth) == pytest.approx(1, abs=0.2)


def test_margins_of_several_classes_are_leads_over_the_best_rival():
    tally = ClassificationTally(range(3))
    tally.add([0, 1, 2], [0, 1, 1], margins=[2.0, 1.0, -0.5])
    found = tally.result().margins
    assert sum(found.counts) + found.below + found.above == 3
    wrong = sum(rows for left, rows in zip(found.edges, found.counts, strict=False) if left < 0) + found.below
    assert wrong == 1


@pytest.mark.parametrize("value", [0.0, 1e-300, 1e300, -5.0])
def test_equal_and_extreme_values_have_a_histogram(value):
    tally = RegressionTally()
    tally.add([0.0] * 5, [value] * 5)
    found = tally.result().residuals
    assert sum(found.counts) + found.below + found.above == 5
