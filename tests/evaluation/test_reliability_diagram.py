"""Are probabilities what they say?  The figures against a few lines of NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluation.classification import ClassificationTally
from linnet.evaluation.intervals import proportion_interval
from linnet.evaluation.reliability_diagram import BINS, ROWS_PER_BIN


def drawn(seed, n, k, *, ties=False):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n)
    if ties:
        p = rng.multinomial(3, np.full(k, 1 / k), n) / 3
    return p, np.array([rng.choice(k, p=each) for each in p])


def tallied(y, p, **more):
    tally = ClassificationTally(range(p.shape[1]))
    tally.add(y, p.argmax(axis=1), p, **more)
    return tally.result()


@given(seed=st.integers(0, 10**6), each=st.integers(ROWS_PER_BIN, 30), k=st.integers(2, 4))
def test_bins_of_equal_mass_agree_with_numpy(seed, each, k):
    n = each * BINS
    p, y = drawn(seed, n, k)
    said, true = (p[:, 1], y == 1) if k == 2 else (p.max(axis=1), y == p.argmax(axis=1))
    order = np.argsort(said)
    parts = [(said[rows], true[rows]) for rows in np.split(order, BINS)]
    result = tallied(y, p)
    assert [b.rows for b in result.reliability] == [each] * BINS
    np.testing.assert_allclose([b.predicted for b in result.reliability], [q.mean() for q, _ in parts])
    np.testing.assert_allclose([b.observed for b in result.reliability], [t.mean() for _, t in parts])
    assert [b.observed_interval for b in result.reliability] == [
        proportion_interval(int(t.sum()), each) for _, t in parts
    ]
    error = sum(len(q) / n * abs(t.mean() - q.mean()) for q, t in parts)
    assert result.calibration_error == pytest.approx(error)
    chance = sum(math.sqrt((q * (1 - q)).sum()) for q, _ in parts) / n * math.sqrt(2 / math.pi)
    assert result.calibration_error_by_chance == pytest.approx(chance)


@given(seed=st.integers(0, 10**6), n=st.integers(1, BINS * ROWS_PER_BIN))
def test_few_rows_make_few_bins(seed, n):
    p, y = drawn(seed, n, 2)
    assert len(tallied(y, p).reliability) == max(1, n // ROWS_PER_BIN)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 90), k=st.integers(2, 4), ties=st.booleans())
def test_equal_probabilities_share_a_bin_and_no_bin_is_small(seed, n, k, ties):
    p, y = drawn(seed, n, k, ties=ties)
    said = p[:, 1] if k == 2 else p.max(axis=1)
    bins = tallied(y, p).reliability
    assert sum(b.rows for b in bins) == n
    assert len(bins) <= BINS
    assert all(2 * BINS * b.rows >= n for b in bins)
    ends = np.cumsum([b.rows for b in bins])[:-1]
    rising = np.sort(said)
    assert (rising[ends - 1] < rising[ends]).all()


@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), k=st.integers(2, 4), cut=st.integers(0, 60))
def test_neither_cut_nor_copies_change_a_bit(seed, n, k, cut):
    p, y = drawn(seed, n, k, ties=seed % 2 == 0)
    w = np.random.default_rng(seed).integers(0, 4, n)
    whole = ClassificationTally(range(k))
    whole.add(np.repeat(y, w), np.repeat(p.argmax(axis=1), w), np.repeat(p, w, axis=0))
    parts = ClassificationTally(range(k))
    for part in (slice(cut, None), slice(0, cut)):
        parts.add(y[part], p[part].argmax(axis=1), p[part], weights=w[part])
    assert str(parts.result().reliability) == str(whole.result().reliability)
    assert str(parts.result().calibration_error) == str(whole.result().calibration_error)


def test_the_calibration_error_by_chance_is_that_of_right_probabilities():
    errors, told = [], []
    for seed in range(200):
        p, y = drawn(seed, 500, 2)
        result = tallied(y, p)
        errors.append(result.calibration_error)
        told.append(result.calibration_error_by_chance)
    assert np.mean(errors) == pytest.approx(np.mean(told), rel=0.05)


def test_labels_unknown_to_the_model_are_left_out():
    p, y = drawn(5, 50, 3)
    more = np.concatenate([y, [-1, -1]]), np.concatenate([p, p[:2]])
    assert tallied(*more).reliability == tallied(y, p).reliability


def test_without_rows_or_probabilities_there_are_no_bins():
    tally = ClassificationTally(list("ab"))
    assert tally.result().reliability == ()
    tally.add([0, 1], [0, 0])
    assert math.isnan(tally.result().calibration_error)
    assert tally.result().as_dict()["calibration_error"] is None
