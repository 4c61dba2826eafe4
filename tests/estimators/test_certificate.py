"""When what a fit proves is worked out, and what is kept for it."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from linnet import LogisticRegression, Perceptron, Winnow


@pytest.fixture
def rows(rng):
    X = rng.integers(0, 2, size=(400, 300)).astype(float)
    return X, (X[:, :3].sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize("estimator", [Perceptron(max_iter=3, tol=None), Winnow(max_iter=3, tol=None)])
def test_a_pickle_keeps_the_bound_and_not_the_rows(estimator, rows):
    X, y = rows
    asked = copy.deepcopy(estimator).fit(X, y)
    bound = asked.certificate_
    kept = pickle.dumps(estimator.fit(X, y))
    assert len(kept) < X.nbytes / 4
    assert pickle.loads(kept).certificate_ == bound == copy.deepcopy(estimator).certificate_ == estimator.certificate_
    assert bound.made > 0
    assert pickle.dumps(estimator) == kept


def test_the_bound_is_for_the_mistakes_of_the_fit_whatever_is_learnt_later(rows):
    X, y = rows
    early, late = (Perceptron(max_iter=2, tol=None).fit(X, y) for _ in range(2))
    stated, proven = early.certificate_, late._proven
    late.partial_fit(X, 1 - y)
    assert proven.work_out(late._rows) == stated
    assert "not kept" in late.certificate_.reason
    assert late.certificate_.made > stated.made


@pytest.mark.parametrize("estimator", [Perceptron(), LogisticRegression()])
def test_nothing_is_proven_before_a_fit(estimator, rows):
    assert not hasattr(estimator, "certificate_")
    with pytest.raises(AttributeError, match="call fit first"):
        _ = estimator.certificate_
    assert hasattr(estimator.fit(*rows), "certificate_")
    assert np.isfinite(estimator.coef_).all()
