from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq, minimize_scalar
from scipy.sparse import csr_array
from scipy.special import expit

from linnet.data.rows import Rows
from linnet.kernels import dual_logistic as dual
from tests.conftest import both_forms, sparse_table


def state(n, d):
    return np.zeros(d), np.zeros(n), np.full(n, np.inf), np.zeros((n, 1))


def run(X, order, signs, costs, w, alphas, last_margins, scores, b=0.0, rho=0.0):
    rows = Rows.of(X)
    lengths = np.empty(len(signs))
    dual.squared_lengths(rows.values, rows.starts, rows.shape[1], rows.dense, lengths)
    return dual.epoch(
        rows.values, rows.ids, rows.starts, rows.shape[1], rows.dense, order, signs, costs, lengths,
        w, alphas, last_margins, scores, b, rho,
    )  # fmt: skip


def twin(X, order, signs, costs, w, alphas, b, rho):
    """The paper's step: the root of Q (a' - a) + m + log(a' / (C - a')) in (0, C), by bisection on log-odds."""
    w, alphas = w.copy(), alphas.copy()
    for i in order:
        Q, C, m = X[i] @ X[i] + rho, costs[i], signs[i] * (X[i] @ w + b)
        odds = brentq(lambda z, Q=Q, C=C, m=m, a=alphas[i]: Q * (C * expit(z) - a) + m + z, -1e4, 1e4, xtol=1e-14)
        change = C * expit(odds) - alphas[i]
        alphas[i] += change
        w, b = w + change * signs[i] * X[i], b + rho * change * signs[i]
    return w, alphas, b


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_an_epoch_equals_its_twin(rho, dtype, rng):
    table = sparse_table(rng, 40, 13).astype(dtype)
    signs, costs = rng.choice([-1.0, 1.0], size=40), rng.uniform(0.1, 20, size=40)
    orders = [rng.permutation(40) for _ in range(3)]
    w, alphas, b = np.zeros(13), np.zeros(40), 0.2
    for order in orders:
        w, alphas, b = twin(table.astype(float), order, signs, costs, w, alphas, b, rho)
    for X in both_forms(table):
        mine, got_b = state(40, 13), 0.2
        for order in orders:
            got_b, balance, *_, lost = run(X, order, signs, costs, *mine, got_b, rho)
        assert lost == -1
        assert_allclose(mine[0], w, rtol=1e-9, atol=1e-11)
        assert_allclose(mine[1], alphas, rtol=1e-9)
        assert got_b == pytest.approx(b, rel=1e-9)
        assert balance == pytest.approx(alphas @ signs, abs=1e-9)
        assert_allclose(mine[2], np.log((costs - alphas) / alphas), rtol=1e-7, atol=1e-9)


def test_what_an_epoch_reports_are_the_rows_as_they_were_met():
    """With weights that cannot move (rows of zeros) that is the loss at the intercept, and its distance to the dual."""
    signs, costs = np.array([1.0, -1.0, 1.0]), np.array([1.0, 2.0, 3.0])
    mine = state(3, 2)
    b, _, loss, gap, mistakes, _ = run(np.zeros((3, 2)), np.arange(3), signs, costs, *mine, 0.5)
    assert b == 0.5
    assert mistakes == 1
    assert loss == gap == pytest.approx(costs @ np.log1p(np.exp(-signs * 0.5)))
    assert run(np.zeros((3, 2)), np.arange(3), signs, costs, *mine, 0.5)[3] == 0.0
    assert_allclose(mine[1], costs * expit(-signs * 0.5), rtol=1e-14)


@given(
    st.floats(-700, 700),
    st.floats(1e-6, 1e12),
    st.floats(0, 1e12),
    st.floats(0, 1),
)
def test_a_step_ends_at_its_root(margin, cost, length, fraction):
    alpha = fraction * cost
    t = dual.margin_after_step(margin, expit(-margin), np.inf, alpha, cost, length)
    slope = 1 + length * cost * expit(t) * expit(-t)
    left = t - margin - length * (cost * expit(-t) - alpha)
    # as near as the rounding of its own terms lets one see
    assert abs(left / slope) <= 1e-9 * (1 + abs(t)) + 1e-14 * (abs(margin) + length * cost) / slope


def test_where_the_search_starts_does_not_matter(rng):
    for _ in range(200):
        margin, cost, length = 5 * rng.normal(), np.exp(3 * rng.normal()), np.exp(3 * rng.normal())
        before = 5 * rng.normal()
        alpha = cost * expit(-before)
        cold = dual.margin_after_step(margin, expit(-margin), np.inf, alpha, cost, length)
        warm = dual.margin_after_step(margin, expit(-margin), before, alpha, cost, length)
        assert warm == pytest.approx(cold, rel=1e-10, abs=1e-10)
        assert min(margin, before) - 1e-9 <= warm <= max(margin, before) + 1e-9


def test_a_full_table_gives_the_same_bits_sparse_and_dense(rng):
    X = rng.normal(size=(60, 9)) + 0.1
    signs, costs, order = rng.choice([-1.0, 1.0], size=60), np.ones(60), rng.permutation(60)
    dense, sparse = state(60, 9), state(60, 9)
    for _ in range(3):
        assert run(X, order, signs, costs, *dense, 0.1, 0.2) == run(
            csr_array(X), order, signs, costs, *sparse, 0.1, 0.2
        )
    for one, other in zip(dense, sparse, strict=True):
        assert_array_equal(one, other)


def test_a_score_out_of_range_ends_the_epoch_and_is_named():
    X = np.array([[1.0], [1e200], [1.0]])
    w = np.array([1e200])
    result = run(X, np.array([0, 1, 2]), np.ones(3), np.ones(3), w, np.zeros(3), np.full(3, np.inf), np.zeros((3, 1)))
    assert result[-1] == 1


@pytest.mark.parametrize("spread", [1e-3, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("start", [-1e3, 0.0, 50.0])
def test_the_best_intercept_is_the_minimum(start, spread, rng):
    scores, signs, costs = spread * rng.normal(size=(50, 1)), rng.choice([-1.0, 1.0], size=50), rng.uniform(size=50)

    def value(b):
        return costs @ np.logaddexp(0, -signs * (scores[:, 0] + b))

    b = dual.best_intercept(scores, signs, costs, start)
    best = minimize_scalar(value, bracket=(b - 1, b + 1), options={"xtol": 1e-12}).fun
    assert value(b) <= best * (1 + 1e-12)


def test_the_best_intercept_of_scores_all_alike_is_the_log_odds():
    signs = np.array([1.0, 1.0, 1.0, -1.0])
    assert dual.best_intercept(np.zeros((4, 1)), signs, np.ones(4), 0.0) == pytest.approx(np.log(3))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_dual_value_is_that_of_a_feasible_point_or_less(seed, free):
    rng = np.random.default_rng(seed)
    X, signs = rng.normal(size=(12, 3)), np.array([1.0, -1.0] * 6)
    costs = rng.uniform(0.1, 3, size=12)
    alphas = costs * rng.uniform(size=12)
    w = (alphas * signs) @ X
    scores, lengths = (X @ w)[:, np.newaxis], (X * X).sum(axis=1)
    loss, value = dual.both_values(scores, signs, costs, lengths, alphas, w @ w, 0.3, free)
    if free:
        up, down = alphas[signs > 0].sum(), alphas[signs < 0].sum()
        alphas = alphas * np.where(signs > 0, min(1, down / up), min(1, up / down))
        assert alphas @ signs == pytest.approx(0, abs=1e-12)
    p, v = alphas / costs, (alphas * signs) @ X
    attained = -costs @ (p * np.log(p) + (1 - p) * np.log(1 - p)) - v @ v / 2
    assert loss == pytest.approx(costs @ np.logaddexp(0, -signs * (scores[:, 0] + 0.3)))
    assert value <= attained + 1e-9 * (1 + abs(attained))
    if not free:
        assert value == pytest.approx(attained)
