from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from linnet.data.rows import Rows
from linnet.kernels import fingerprints
from tests.conftest import sparse_table


def of(X, targets, sample_weights=()):
    rows = Rows.of(X)
    into = np.empty(rows.shape[0], dtype=np.uint64)
    fingerprints.fingerprints(
        rows.values,
        rows.ids,
        rows.starts,
        rows.shape[1],
        rows.dense,
        targets,
        np.asarray(sample_weights, dtype=float),
        into,
    )
    return into


def test_equal_content_has_equal_fingerprints_in_every_form(rng):
    X, targets = np.round(sparse_table(rng, 50, 12), 1).astype(np.float32), rng.normal(size=50)
    expected = of(X, targets)
    explicit_zeros = csr_array(X)
    explicit_zeros.data[::3] = 0
    cleared = explicit_zeros.toarray()
    for form in (X.astype(np.float64), csr_array(X), csr_array(X.astype(np.float64)), np.asfortranarray(X)):
        assert_array_equal(of(form, targets), expected)
    assert_array_equal(of(explicit_zeros, targets), of(cleared, targets))
    assert_array_equal(of(X, targets, np.ones(50)), expected)


def test_different_content_has_different_fingerprints():
    X = np.vstack([np.eye(40), -np.eye(40), 2 * np.eye(40), np.eye(40) + 3 * np.eye(40)[::-1], np.zeros((1, 40))])
    same, other = np.zeros(len(X)), np.ones(len(X))
    prints = np.concatenate([of(X, same), of(X, other), of(X, same, np.full(len(X), 0.5))])
    assert len(np.unique(prints)) == len(prints)
