"""A mistake bound that is asked for after the fit is of the rows as they were, or says why there is none."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import linnet
from linnet.estimators import lazy_bound
from tests.conftest import both_forms

# One pass over more values than are copied.
LARGE = {"max_iter": 1, "tol": None}


def problem(rng, n=3000, d=60):
    X = np.round(rng.random((n, d)), 2) * (rng.random((n, d)) < 0.9)
    assert np.count_nonzero(X) > lazy_bound.VALUES_A_SHUFFLED_PASS
    return X, (X @ rng.normal(size=d) > 0).astype(int)


def parts(X):
    return (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)


def test_a_large_x_that_is_still_there_and_unchanged_gives_the_bound(rng):
    table, y = problem(rng)
    for X in both_forms(table):
        model = linnet.Perceptron(**LARGE).fit(X, y)
        proven = model.certificate_
        assert not proven.reason
        longest = np.sqrt((table**2).sum(axis=1).max() + 1)
        assert proven.facts["radius"] == pytest.approx(longest)
        assert proven == linnet.Perceptron(**LARGE).fit(X, y).certify(X, y)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_changed_x_has_no_bound_and_says_so(which, rng):
    table, y = problem(rng)
    for X in both_forms(table):
        model = linnet.Perceptron(**LARGE).fit(X, y)
        part = parts(X)[min(which, len(parts(X)) - 1)]
        part[len(part) // 2] = part[len(part) // 2] * 0.5 if part.dtype.kind == "f" else 10**9
        assert "X has changed" in model.certificate_.reason


def test_values_that_changed_rows_are_a_change(rng):
    X, y = problem(rng)
    model = linnet.Perceptron(**LARGE).fit(X, y)
    X[:, 3] = X[::-1, 3].copy()  # the same numbers in the same column
    assert "X has changed" in model.certificate_.reason


def test_ids_far_out_after_the_fit_are_not_followed():
    code = """
import numpy as np, linnet
from scipy.sparse import csr_matrix
rng = np.random.default_rng(0)
for n in (30, 3000):
    S = csr_matrix(np.round(rng.random((n, 40)), 2))
    y = np.arange(n) % 2
    model = linnet.Perceptron(max_iter=2, tol=None).fit(S, y)
    S.indices[:] = 10**9
    print(model.certificate_.made)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.split()) == 2


def test_a_small_x_is_proven_as_it_was(rng):
    table, y = problem(rng)
    for X in both_forms(table[:200]):
        expected = linnet.Perceptron(max_iter=50, tol=None).fit(X.copy(), y[:200]).certificate_
        model = linnet.Perceptron(max_iter=50, tol=None).fit(X, y[:200])
        for part in parts(X):
            part[:] = part // 2
        assert model.certificate_ == expected
        assert not expected.reason


@pytest.mark.parametrize("rows", [100, 3000])
@pytest.mark.parametrize("estimator", [linnet.Perceptron(**LARGE), linnet.Winnow(**LARGE)], ids=repr)
def test_x_is_not_kept_alive(estimator, rows, rng):
    table, y = problem(rng)
    for form in (np.array, csr_matrix):
        X = form(table[:rows])
        owners = [weakref.ref(X), *(weakref.ref(part) for part in parts(X))]
        model = estimator.fit(X, y[:rows])
        del X
        gc.collect()
        assert [owner() for owner in owners] == [None] * len(owners)
        if rows == 3000:
            assert "X is gone" in model.certificate_.reason


def test_an_unshuffled_pass_does_not_read_the_rows_twice_and_certify_proves_it(rng):
    X, y = problem(rng)
    model = linnet.Perceptron(**LARGE, shuffle=False).fit(X, y)
    assert "certify()" in model.certificate_.reason
    proven = model.certify(X, y)
    assert proven is model.certificate_
    assert proven.made == model.updates_ <= proven.bound
    with pytest.raises(linnet.CertificateError, match="not the rows of this fit"):
        model.certify(2 * X, y)
    assert model.certificate_ is proven


def test_weights_given_are_those_of_the_fit(rng):
    X, y = problem(rng)
    weights = rng.integers(1, 3, size=len(y)).astype(float)
    expected = linnet.Perceptron(**LARGE).fit(X, y, weights.copy()).certificate_
    model = linnet.Perceptron(**LARGE).fit(X, y, weights)
    weights[:] = 50.0
    assert model.certificate_ == expected


def test_a_pickled_estimator_carries_its_bound_or_the_reason(rng):
    X, y = problem(rng)
    model = linnet.Perceptron(**LARGE).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).certificate_ == model.certificate_
    assert not model.certificate_.reason
    gone = linnet.Perceptron(**LARGE).fit(X.copy(), y)
    assert "X is gone" in pickle.loads(pickle.dumps(gone)).certificate_.reason


def test_only_learners_with_a_bound_offer_to_certify():
    assert hasattr(linnet.Winnow(), "certify")
    assert not hasattr(linnet.LogisticRegression(), "certify")
