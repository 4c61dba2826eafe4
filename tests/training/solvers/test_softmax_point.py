"""Looks at dense rows in single precision lead to the optimum, and are given up where the rows need more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.objective import Objective
from linnet.training.solvers import softmax_point
from linnet.training.solvers.newton import conjugate_gradients
from linnet.training.solvers.softmax_point import DenseSums, point_at
from tests.training.solvers.test_newton import labels, optimum


def problem(X, y, C=1.0):
    penalty = Penalty(l2=1.0 / C, total=True)
    return Objective(
        Examples(Rows.of(X), y.astype(float), None), Loss.LOGISTIC, penalty, y.max() + 1, intercept=True,
        regression=False,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
def test_rows_in_either_precision_end_at_the_optimum_with_a_true_gap(dtype, C, rng):
    X = rng.normal(size=(300, 12)).astype(dtype)
    y = labels(rng, X.astype(float), 4)
    found = conjugate_gradients(problem(X, y, C), Descent(200, 1e-7))
    best = optimum(X.astype(float), y, 4, C)
    assert found.converged
    assert C * 300 * found.certificate.primal == pytest.approx(best, rel=1e-6)
    assert C * 300 * found.certificate.dual <= best * (1 + 1e-9)
    loose = conjugate_gradients(problem(X, y, C), Descent(200, 1e-2)).certificate
    assert C * 300 * loose.dual <= best * (1 + 1e-9)
    assert C * 300 * loose.primal >= best * (1 - 1e-9)


@pytest.mark.parametrize("offset", [1e3, 1e5])
def test_rows_that_single_precision_cannot_tell_apart_are_looked_at_in_double(offset, rng, monkeypatch):
    X = rng.normal(size=(400, 6))
    y = labels(rng, X, 3)
    best, far = optimum(X, y, 3), problem(X + offset, y)
    assert not DenseSums(far, single=True).refine()
    found = conjugate_gradients(far, Descent(300, 1e-6))
    assert found.converged
    assert 400 * found.certificate.primal == pytest.approx(best, rel=1e-4)
    # where that is seen only on the way, double precision takes over
    monkeypatch.setattr(softmax_point, "FARTHEST", np.inf)
    refined, before = [], DenseSums.refine
    monkeypatch.setattr(DenseSums, "refine", lambda self: refined.append(before(self)) or refined[-1])
    found = conjugate_gradients(far, Descent(60, 1e-5))
    assert found.converged
    assert any(refined)
    assert 400 * found.certificate.primal == pytest.approx(best, rel=1e-4)


def test_a_point_after_a_change_is_the_point_there(rng):
    X = rng.normal(size=(90, 5))
    y, start, change = labels(rng, X, 3), rng.normal(size=18), rng.normal(size=18)
    one = problem(X, y)
    for sums, close in ((DenseSums(one), 1e-12), (DenseSums(one, single=True), 1e-5)):
        after, there = point_at(one, start, sums).moved(change, 0.5), point_at(one, start + 0.5 * change)
        assert after.value == pytest.approx(there.value, rel=close)
        assert after.mistakes == there.mistakes
        assert_allclose(after.gradient(), there.gradient(), atol=close)
        assert_allclose(after.along, 0.5 * one.scores(change), atol=10 * close)
        assert_allclose(after.product(change), there.product(change), atol=close)
        assert_allclose(after.diagonal(), there.diagonal(), atol=close)


def test_a_product_beyond_single_precision_is_one_in_double(rng):
    X = rng.normal(size=(50, 4))
    one = problem(X, labels(rng, X, 3))
    v = 1e39 * rng.normal(size=15)
    single = point_at(one, np.zeros(15), DenseSums(one, single=True))
    assert_allclose(single.product(v), point_at(one, np.zeros(15)).product(v), rtol=1e-12)


def test_large_tables_and_large_numbers_are_not_copied(rng, monkeypatch):
    X = rng.normal(size=(50, 4))
    y = labels(rng, X, 3)
    assert not DenseSums(problem(1e9 * X, y), single=True).refine()
    monkeypatch.setattr(softmax_point, "MOST_COPIED", 100)
    assert not DenseSums(problem(X, y), single=True).refine()
    assert DenseSums(problem(X.astype(np.float32), y), single=True).refine()
