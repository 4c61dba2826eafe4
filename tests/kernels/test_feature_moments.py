"""The sums behind means and deviations are those of NumPy, in whatever cut of the rows, stored dense or sparse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Task
from linnet.data.rows import Rows
from linnet.kernels.feature_moments import add_rows
from linnet.pipeline.feature_moments import MomentSums


def twin(X, weights):
    """Row after row, as the kernel states it."""
    sums = np.zeros((X.shape[1], 4))
    for row, weight in zip(X.astype(float), weights, strict=True):
        for j, x in enumerate(row):
            if x:
                sums[j, 1] = sums[j, 1] if sums[j, 0] else x
                off = x - sums[j, 1]
                sums[j, 0] += weight
                sums[j, 2] += weight * off
                sums[j, 3] += weight * off * off
    return sums


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_have_the_bits_of_a_loop(dense, kind, weighted, rng):
    X = (rng.normal(size=(70, 5)) * (rng.random((70, 5)) < 0.5)).astype(kind)
    weights = rng.random(70) if weighted else np.empty(0)
    rows, sums = Rows.of(X if dense else csr_matrix(X)), np.zeros((5, 4))
    add_rows(*rows.layout, 70, weights, sums)
    assert (sums == twin(X, weights if weighted else np.ones(70))).all()


def test_moments_do_not_depend_on_blocks_and_keep_their_digits(rng):
    X = rng.normal(size=(500, 4)) * [1.0, 1e-3, 1e5, 1.0] + [0.0, 1e9, -1e8, 0.0]
    X[:, 3] *= rng.random(500) < 0.1
    weights = rng.random(500)
    features = Features.numbered(Task.REGRESSION, 4)
    found = []
    for cuts in ([0, 500], [0, 1, 2, 333, 500]):
        sums = MomentSums()
        for a, b in pairwise(cuts):
            sums.add(Rows.of(csr_matrix(X[a:b]) if a else X[a:b]), weights[a:b])
        found.append(sums.moments(features))
    mean = np.average(X, axis=0, weights=weights)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    for each in found:
        np.testing.assert_allclose(each.means, mean, rtol=1e-13)
        np.testing.assert_allclose(each.deviations, deviation, rtol=1e-6)
        assert (each.means == found[0].means).all()
        assert (each.deviations == found[0].deviations).all()


def test_of_a_long_stream_every_seventeenth_later_row_counts(rng):
    X, weights = rng.normal(size=(1000, 3)), rng.random(1000)
    numbers = np.arange(1000)
    counted = np.where(numbers < 100, 1.0, np.where(numbers % 17 == 0, 17.0, 0.0))
    for w, given in ((counted, None), (counted * weights, weights)):
        found = []
        for cuts in ([0, 1000], [0, 90, 101, 119, 120, 700, 1000]):
            sums = MomentSums(all_of=100)
            for a, b in pairwise(cuts):
                sums.add_of_stream(Rows.of(csr_matrix(X[a:b])), None if given is None else given[a:b], a)
            found.append(sums.moments(Features.numbered(Task.REGRESSION, 3)))
        mean = np.average(X, axis=0, weights=w)
        np.testing.assert_allclose(found[0].means, mean, rtol=1e-12)
        np.testing.assert_allclose(
            found[0].deviations, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w)), rtol=1e-12
        )
        assert (found[0].means == found[1].means).all()
        assert (found[0].deviations == found[1].deviations).all()


def test_values_at_the_end_of_the_range_give_numbers():
    sums = MomentSums()
    sums.add(Rows.of(np.array([[1.7e308, 1e200], [-1.7e308, -1e200], [1.7e308, 0.0]])))
    found = sums.moments(Features.numbered(Task.REGRESSION, 2))
    assert np.isfinite(found.means).all()
    assert np.isfinite(found.deviations).all()
    assert (found.deviations >= 0).all()


def test_moments_beyond_what_a_file_stores_are_the_largest_that_it_does():
    X = np.tile([[1e200, 1e-3], [-1e200, 1.0]], (5, 1))
    sums = MomentSums()
    sums.add(Rows.of(csr_matrix(X)))
    features = Features.numbered(Task.REGRESSION, 2)
    found = sums.moments(features)
    stored = found.deviations[features.text_features()].astype(np.float32)
    assert np.isfinite(found.deviations).all()
    assert np.isfinite(stored).all()
