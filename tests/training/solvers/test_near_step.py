"""A single certified Newton step for many dense rows, beside scikit-learn and the longer way."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import linnet
from linnet.data.rows import Examples, Rows
from linnet.learners.glm_losses import Tweedie
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.duality_gap import certify
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.solvers import near_step, newton

L2 = 1e-2
HOW = Descent(100, 1e-6)


def problem(power, rng, *, n=3000, d=4, weighted=False, intercept=True, kind=np.float64):
    X = rng.normal(size=(n, d)).astype(kind)
    means = np.exp(0.4 * X[:, 0] - 0.2 * X[:, -1] + 0.3)
    y = rng.poisson(means) * 1.0 if power < 2 else rng.gamma(2.0, means / 2.0)
    examples = Examples(Rows.of(X), y, rng.uniform(0.1, 2, size=n) if weighted else None)
    return Objective(examples, Tweedie(power), Penalty(l2=L2), 1, intercept=intercept, regression=True)


def optimum(one):
    """By scikit-learn, as precisely as it can."""
    X, y, c = one.rows.matrix().astype(np.float64), one.targets, one.sample_weights
    peer = sklearn.linear_model.TweedieRegressor(
        power=one.loss.power, link="log", alpha=L2, fit_intercept=one.intercept, solver="newton-cholesky", tol=1e-12
    ).fit(X, y, c if len(c) else None)
    return np.append(peer.coef_, peer.intercept_)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_it_ends_at_the_optimum_and_proves_it(power, weighted, intercept, kind, rng):
    one = problem(power, rng, weighted=weighted, intercept=intercept, kind=kind)
    best = optimum(one)
    start = best + 1e-3 * rng.normal(size=5) * np.append(np.ones(4), intercept)
    found = near_step.near_step(one, start, 0.5, HOW, ignore)
    assert_allclose(found.weights, best, atol=1e-5)
    proof, least = found.certificate, certify(one, best).primal
    assert proof.dual <= least <= proof.primal * (1 + 1e-12)
    assert proof.gap <= 1e-6
    assert proof.primal == pytest.approx(certify(one, found.weights).primal, rel=1e-12)


def test_a_dual_point_may_be_asked_for_part_by_part(rng):
    one = problem(1.0, rng)
    weights, slopes = optimum(one) + 1e-3, 0.1 * rng.normal(size=(3000, 1))
    assert certify(one, weights, lambda _, __, at: slopes[at]) == certify(one, weights, slopes)


@pytest.mark.parametrize("far", [1.0, 30.0])
def test_a_start_that_is_far_is_left_to_more_steps(far, rng):
    one = problem(1.0, rng)
    assert near_step.near_step(one, optimum(one) + far, 0.5, HOW, ignore) is None


def test_a_gap_that_is_not_reached_is_left_to_more_steps(rng):
    one = problem(1.0, rng)
    assert near_step.near_step(one, optimum(one) + 1e-2, 1e3, Descent(100, 1e-10), ignore) is None


def test_only_what_can_be_proven_of_dense_numbers_is_solved_so(rng):
    one = problem(1.0, rng)
    assert near_step.suits(one, HOW)
    assert not near_step.suits(one, Descent(100, None))
    assert not near_step.suits(one, Descent(100, 1e-6, proven=False))
    sparse = Rows.of(csr_array(one.rows.matrix()))
    for rows, loss, l2 in (
        (sparse, Tweedie(1.0), L2),
        (one.rows, Tweedie(1.0), 0.0),
        (one.rows, Tweedie(3.0), L2),
        (one.rows, Loss.LOGISTIC, L2),
    ):
        examples, regression = Examples(rows, one.targets + 1, None), loss is not Loss.LOGISTIC
        other = Objective(examples, loss, Penalty(l2=l2), 1, intercept=True, regression=regression)
        assert not near_step.suits(other, HOW)


@pytest.mark.parametrize("name", ["PoissonRegressor", "GammaRegressor"])
def test_many_rows_take_one_step_that_ends_where_all_steps_do(name, rng, monkeypatch):
    one = problem(1.0 if name == "PoissonRegressor" else 2.0, rng, n=100_000)
    X, y, kind = one.rows.matrix(), one.targets, getattr(linnet, name)
    taken = []
    monkeypatch.setattr(near_step, "certify", lambda *all_of: taken.append(1) or certify(*all_of))
    ours = kind(alpha=L2).fit(X, y)
    assert taken == [1]
    assert ours.n_iter_ == 1
    monkeypatch.setattr(newton.near_step, "suits", lambda *_: False)
    more = kind(alpha=L2, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, more.coef_, atol=1e-4)
    assert ours.certificate_.dual <= more.certificate_.primal
    assert ours.certificate_.gap <= 1e-6


def test_bits_are_the_same_for_any_number_of_threads(rng, monkeypatch):
    one = problem(1.0, rng, n=100_000)
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr("linnet.training.threads.cores", lambda cores=cores: cores)
        model = linnet.PoissonRegressor(alpha=L2).fit(one.rows.matrix(), one.targets)
        found.append((model.coef_.tobytes(), model.certificate_))
    assert found[0] == found[1] == found[2]
