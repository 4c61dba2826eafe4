"""Ridge from squares in single precision: its digits are those of double precision, or there is no result."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose

from linnet import Ridge
from linnet.data.rows import Examples, Rows
from linnet.training.solvers import refined_ridge, ridge
from linnet.training.solvers.refined_ridge import SIDE_AT_LEAST, WORK_AT_LEAST, refined

NARROW, WIDE = (2000, SIDE_AT_LEAST + 3), (SIDE_AT_LEAST + 3, 2000)


def correlated(rng, shape):
    """Columns with three factors in common, far longer than what is their own."""
    return rng.normal(size=shape) + 10 * rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1]))


@pytest.mark.parametrize("shape", [NARROW, WIDE])
@pytest.mark.parametrize("far", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_weights_have_the_digits_of_double_precision(shape, far, weighted, intercept, rng):
    X = correlated(rng, shape) + far * rng.normal(size=shape[1]) * intercept
    y, c = X[:, :5].sum(axis=1) + rng.normal(size=shape[0]) + 7, rng.uniform(0.1, 3, size=shape[0])
    weights = c if weighted else None
    w, b = refined(Examples(Rows.of(X), y, weights), 2.0, intercept=intercept)
    theirs = sklearn.linear_model.Ridge(alpha=2.0, fit_intercept=intercept, solver="svd").fit(X, y, weights)
    assert_allclose(w, theirs.coef_, rtol=1e-9, atol=1e-10 * np.abs(theirs.coef_).max())
    assert b == pytest.approx(theirs.intercept_, rel=1e-8, abs=1e-9 * max(1.0, far))


@pytest.mark.parametrize("shape", [NARROW, WIDE])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_estimator_takes_it_and_proves_as_much(shape, kind, rng, monkeypatch):
    X, y = correlated(rng, shape).astype(kind), rng.normal(size=shape[0])
    model = Ridge().fit(X, y)
    w, _ = refined(Examples(Rows.of(X), y, None), 1.0, intercept=True)
    assert_allclose(model.coef_, w, rtol=1e-6)
    monkeypatch.setattr(ridge, "refined", lambda *_, **__: None)
    double = Ridge().fit(X, y)
    assert_allclose(model.coef_, double.coef_, rtol=1e-6 if kind == np.float32 else 1e-9, atol=1e-10)
    assert model.certificate_.primal == pytest.approx(double.certificate_.primal, rel=1e-12)
    assert model.certificate_.gap < 1e-8


@pytest.mark.parametrize("shape", [NARROW, WIDE])
@pytest.mark.parametrize("size", [1e-25, 1e25])
def test_sizes_beyond_single_precision_are_left_to_double(shape, size, rng):
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    theirs = sklearn.linear_model.Ridge(alpha=3.0, solver="svd").fit(X, y)
    with np.errstate(over="ignore", invalid="ignore"):
        assert refined(Examples(Rows.of(size * X), y, None), 3.0 * size**2, intercept=True) is None
    model = Ridge(alpha=3.0 * size**2).fit(size * X, y)
    assert_allclose(model.coef_ * size, theirs.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shape", [NARROW, WIDE])
def test_columns_too_near_to_collinear_are_left_to_double(shape, rng):
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    X[:, 1:] *= 1e-4
    X += X[:, :1]
    assert refined(Examples(Rows.of(X), y, None), 1e-9, intercept=True) is None
    theirs = sklearn.linear_model.Ridge(alpha=1e-9, solver="svd").fit(X, y)
    assert_allclose(Ridge(alpha=1e-9).fit(X, y).predict(X), theirs.predict(X), atol=1e-5)


def test_few_rows_or_columns_are_squared_in_double_precision(rng):
    for n, d in ((5000, SIDE_AT_LEAST - 1), (SIDE_AT_LEAST - 1, 5000), (SIDE_AT_LEAST, SIDE_AT_LEAST)):
        assert min(n, d) < SIDE_AT_LEAST or n * d * d < WORK_AT_LEAST
        assert refined(Examples(Rows.of(rng.normal(size=(n, d))), np.ones(n), None), 1.0, intercept=True) is None


def test_a_constant_target_has_no_weights(rng):
    w, b = refined(Examples(Rows.of(rng.normal(size=NARROW)), np.full(NARROW[0], 4.0), None), 1.0, intercept=True)
    assert not w.any()
    assert b == 4.0


@pytest.mark.parametrize("shape", [NARROW, WIDE])
def test_bits_are_the_same_for_any_number_of_threads(shape, rng, monkeypatch):
    monkeypatch.setattr(refined_ridge, "NUMBERS_AT_ONCE", 1 << 12)
    X, y = correlated(rng, shape), rng.normal(size=shape[0])
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr("linnet.training.threads.cores", lambda cores=cores: cores)
        found.append(Ridge().fit(X, y).coef_)
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()
