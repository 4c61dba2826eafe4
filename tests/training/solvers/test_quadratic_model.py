"""Sweeps over the columns of a quadratic model, extrapolated, beside its minimum by all pairs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csc_array, csr_array

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.objective import Objective
from linnet.training.solvers import quadratic_model
from linnet.training.solvers.working_columns import NO_STARTS, ByColumn
from tests.conftest import sparse_table


def _model(rng, *, sparse, free, n=60, d=15):
    X = np.abs(sparse_table(rng, n, d)) if sparse else rng.normal(size=(n, d)) + 3.0
    rows = Rows.of(csr_array(X)) if sparse else Rows.of(X)
    problem = Objective(
        Examples(rows, rng.normal(size=n), None), Loss.SQUARED, Penalty(), 1, intercept=free, regression=True
    )
    counts = np.diff(csc_array(X).indptr) if sparse else NO_STARTS
    return X, ByColumn(problem, np.arange(d), counts)


def _value(X, r, h, w, u, shift, penalty):
    along = X @ (u - w) + shift
    return r @ along + 0.5 * h @ along**2 + penalty.l1 * np.abs(u).sum() + 0.5 * penalty.l2 * u @ u


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("penalty", [Penalty(l1=0.05), Penalty(l1=0.05, l2=0.02), Penalty(l1=0.05, positive=True)])
def test_extrapolated_sweeps_end_at_the_minimum(sparse, free, penalty, rng):
    X, columns = _model(rng, sparse=sparse, free=free)
    n, d = X.shape
    r, h, w = rng.normal(size=n) / n, rng.uniform(0.1, 1.0, size=n) / n, np.zeros(d)
    found = quadratic_model.by_columns(columns, r, h, w, penalty, 1e-10, free=free)
    X = X - columns.means  # dense columns are about their means, which changes the intercept alone
    best = _value(X, r, h, w, found.weights, found.shift, penalty)
    slopes = X.T @ (r + h * (X @ found.weights + found.shift)) + penalty.l2 * found.weights
    used = found.weights != 0
    assert used.any()
    assert_allclose(slopes[used], -penalty.l1 * np.sign(found.weights[used]), atol=1e-8)
    assert (-slopes[~used] <= penalty.l1 + 1e-8).all()
    assert penalty.positive or (slopes[~used] <= penalty.l1 + 1e-8).all()
    for _ in range(20):
        other = found.weights + 0.01 * rng.normal(size=d) * (1 - penalty.positive)
        assert best <= _value(X, r, h, w, other, found.shift, penalty) + 1e-12


@pytest.mark.parametrize("free", [False, True])
def test_an_extrapolation_never_raises_the_model_and_keeps_its_slopes(free, rng):
    X, columns = _model(rng, sparse=True, free=free)
    n, d = X.shape
    r, h, w, penalty = rng.normal(size=n) / n, rng.uniform(0.1, 1.0, size=n) / n, rng.normal(size=d), Penalty(l1=0.01)
    model = quadratic_model._ByColumn(columns, r, h, w, penalty, free=free)
    active, moved = np.arange(d), 0
    for _ in range(10):
        met = [model.u.copy()]
        for _ in range(quadratic_model.EXTRAPOLATED):
            model.sweep(active)
            met.append(model.u.copy())
        before = _value(X, r, h, w, model.u, model.shift, penalty)
        model.extrapolate(active, np.array(met))
        moved += not np.array_equal(model.u, met[-1])
        assert _value(X, r, h, w, model.u, model.shift, penalty) <= before + 1e-15
        assert_allclose(model.p, r + h * (X @ (model.u - w)), atol=1e-12)
        if free:
            assert_allclose((r + h * (X @ (model.u - w) + model.shift)).sum(), 0.0, atol=1e-12)
    assert moved


def test_columns_with_much_in_common_take_fewer_sweeps(rng, monkeypatch):
    _, columns = _model(rng, sparse=False, free=False, n=200, d=40)
    r, h, w = rng.normal(size=200) / 200, np.full(200, 0.25 / 200), np.zeros(40)
    sweeps, before = [], quadratic_model._ByColumn.sweep
    monkeypatch.setattr(quadratic_model._ByColumn, "sweep", lambda self, order: sweeps.append(1) or before(self, order))
    quadratic_model.by_columns(columns, r, h, w, Penalty(l1=1e-2), 1e-4, free=False)
    extrapolated = len(sweeps)
    sweeps.clear()
    monkeypatch.setattr(quadratic_model._ByColumn, "extrapolate", lambda *_: None)
    quadratic_model.by_columns(columns, r, h, w, Penalty(l1=1e-2), 1e-4, free=False)
    assert extrapolated < 0.9 * len(sweeps)
