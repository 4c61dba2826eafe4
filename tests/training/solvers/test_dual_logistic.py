from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from linnet import InputError, LogisticRegression, NumericalError, RecipeError
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.solvers.dual_ascent import ascend
from linnet.training.solvers.dual_logistic import DualLogistic
from tests.conftest import both_forms, sparse_table


def dual_of(X, signs, weights=None, *, C=1.0, intercept=True, seed=0):
    penalty = Penalty(l2=1.0 / C, total=True)
    examples = Examples(Rows.of(X), np.asarray(signs, dtype=float), weights)
    objective = Objective(examples, Loss.LOGISTIC, penalty, 1, intercept=intercept, regression=False)
    return DualLogistic(objective, seed)


@dataclass
class Solved:
    weights: np.ndarray
    intercept: float
    primal: float
    dual: float
    epochs: int
    converged: bool


def solve(X, signs, weights=None, *, tol, most, watch=ignore, **how):
    found = ascend(dual_of(X, signs, weights, **how), tol=tol, most=most, watch=watch)
    proven = found.certificate
    return Solved(
        found.weights[:-1], found.weights[-1], proven.primal, proven.dual, len(found.history), found.converged
    )


def value(X, signs, w, b, C=1.0, weights=None):
    c = np.ones(len(signs)) if weights is None else weights
    return 0.5 * w @ w + C * c @ np.logaddexp(0, -signs * (X @ w + b))


def optimum(X, signs, C=1.0, weights=None, intercept=True):
    """The least value there is, by SciPy."""
    c = np.ones(len(signs)) if weights is None else weights

    def value_and_slope(v):
        w, b = v[:-1], v[-1] * intercept
        pull = C * c * signs * expit(-signs * (X @ w + b))
        return value(X, signs, w, b, C, c), np.append(w - pull @ X, -pull.sum() * intercept)

    how = {"ftol": 0.0, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 20_000}
    return minimize(value_and_slope, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=how).fun


def problem(rng, n=80, d=6, *, odds=0.3):
    X = sparse_table(rng, n, d)
    return X, np.where(rng.normal(size=n) + X @ rng.normal(size=d) > odds, 1.0, -1.0)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("shape", [(80, 6), (30, 200)])
def test_it_ends_at_the_optimum_of_an_independent_solver(shape, C, intercept, rng):
    table, signs = problem(rng, *shape, odds=1.0)
    weights = rng.uniform(0.2, 3, size=len(signs))
    best = optimum(table, signs, C, weights, intercept)
    for X in both_forms(table):
        found = solve(X, signs, weights, intercept=intercept, C=C, tol=1e-8, most=2000)
        assert found.converged
        assert intercept or found.intercept == 0.0
        assert found.primal == pytest.approx(value(table, signs, found.weights, found.intercept, C, weights), rel=1e-12)
        assert found.primal == pytest.approx(best, rel=1e-7)
        assert found.dual == pytest.approx(best, rel=1e-7)


def test_it_agrees_with_newtons_method_to_the_weights(rng):
    X, signs = problem(rng)
    batch = LogisticRegression(C=2.0, tol=1e-13, solver="newton-cholesky").fit(X, signs)
    dual = LogisticRegression(C=2.0, tol=1e-13, solver="dual", max_iter=5000).fit(csr_array(X), signs)
    assert_allclose(dual.coef_, batch.coef_, rtol=1e-5, atol=1e-6)
    assert_allclose(dual.intercept_, batch.intercept_, rtol=1e-5)


@hypothesis_settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 30.0]), st.integers(1, 4), st.booleans())
def test_the_optimum_lies_between_dual_and_primal_however_early_it_stops(seed, C, most, intercept):
    rng = np.random.default_rng(seed)
    X, signs = problem(rng, 25, 4)
    signs[:2] = 1.0, -1.0
    X += rng.normal()
    best = optimum(X, signs, C, intercept=intercept)
    found = solve(X, signs, intercept=intercept, C=C, tol=None, most=most)
    assert found.epochs == most
    assert found.dual <= best * (1 + 1e-9)
    assert found.primal >= best * (1 - 1e-9)


def test_the_gap_asked_for_is_the_gap_that_is_left(rng):
    X, signs = problem(rng, 200, 30)
    for tol in (1e-1, 1e-3, 1e-6):
        found = solve(X, signs, C=3.0, tol=tol, most=1000)
        assert found.converged
        assert 0 <= found.primal - found.dual <= tol * found.primal
    assert not solve(X, signs, C=3.0, tol=1e-6, most=2).converged


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_the_gap_is_measured_only_when_it_is_about_to_be_met(tol, rng, monkeypatch):
    X, signs = problem(rng, 300, 40)
    measured = []
    measure = DualLogistic.measured
    monkeypatch.setattr(DualLogistic, "measured", lambda self: measured.append(1) or measure(self))
    assert solve(X, signs, C=1.0, tol=tol, most=1000).epochs > 3
    assert len(measured) <= 2


def test_a_weight_is_so_many_copies_of_the_row(rng):
    X, signs = problem(rng)
    times = rng.integers(0, 4, size=len(signs))
    weighted = solve(X, signs, times.astype(float), C=1.0, tol=1e-12, most=5000)
    copied = solve(np.repeat(X, times, axis=0), np.repeat(signs, times), C=1.0, tol=1e-12, most=5000)
    assert_allclose(weighted.weights, copied.weights, rtol=1e-5, atol=1e-6)
    assert weighted.primal == pytest.approx(copied.primal, rel=1e-11)


def test_the_intercept_takes_up_a_shift_of_the_columns(rng):
    """w . (x + s) + b is w . x + (b + w . s): what is not penalised moves, what is penalised stays."""
    X, signs = problem(rng)
    shift = rng.normal(size=X.shape[1])
    here = solve(X, signs, C=1.0, tol=1e-12, most=5000)
    there = solve(X + shift, signs, C=1.0, tol=1e-12, most=5000)
    assert_allclose(there.weights, here.weights, rtol=1e-4, atol=1e-5)
    assert there.intercept == pytest.approx(here.intercept - here.weights @ shift, rel=1e-4)


def test_at_the_optimum_the_pulls_of_both_classes_balance(rng):
    """What tells a free intercept from a penalised one: its slope is zero."""
    X, signs = problem(rng, odds=2.0)
    found = solve(X, signs, C=0.1, tol=1e-10, most=1000)
    pulls = signs * expit(-signs * (X @ found.weights + found.intercept))
    assert pulls.sum() == pytest.approx(0, abs=1e-9)


def test_rows_with_much_in_common_do_not_hold_the_intercept_back(rng):
    """A column of ones is all but another intercept: taking turns between the two would take hundreds of epochs."""
    X, signs = problem(rng, 400, 5, odds=2.0)
    X[:, 0] = 1.0
    found = solve(X, signs, C=1.0, tol=1e-6, most=100)
    assert found.converged
    assert found.primal == pytest.approx(optimum(X, signs), rel=1e-6)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("slopes", [False, True])
def test_a_warm_start_ends_where_a_cold_one_does_and_sooner(C, slopes, rng):
    X, signs = problem(rng, 200, 50)
    before = dual_of(X, signs, C=C)
    ended = ascend(before, tol=1e-6, most=5000)
    solver = dual_of(X, signs, C=1.05 * C)
    solver.begin(ended.weights, ended.slopes if slopes else None)
    warm = ascend(solver, tol=1e-4, most=1000)
    cold = solve(X, signs, C=1.05 * C, tol=1e-4, most=1000)
    assert len(warm.history) < cold.epochs
    assert warm.certificate.primal == pytest.approx(cold.primal, rel=1e-4)


def same(one, other):
    assert_array_equal(one.weights, other.weights)
    assert (one.intercept, one.primal, one.dual, one.epochs) == (
        other.intercept, other.primal, other.dual, other.epochs
    )  # fmt: skip


def test_the_bits_are_the_same_sparse_and_dense_and_in_whatever_order_the_rows_are_stored(rng):
    X, signs = rng.normal(size=(70, 8)) + 0.1, rng.choice([-1.0, 1.0], size=70)
    found = solve(X, signs, seed=3, C=1.0, tol=1e-4, most=100)
    same(found, solve(csr_array(X), signs, seed=3, C=1.0, tol=1e-4, most=100))
    # sums over the rows themselves are added as these are stored, so here only the way is the same
    shuffled = rng.permutation(70)
    other = solve(X[shuffled], signs[shuffled], seed=3, C=1.0, tol=1e-4, most=100)
    assert other.epochs == found.epochs
    assert_allclose(other.weights, found.weights, rtol=1e-10)


def test_threads_do_not_change_the_bits(rng):
    X, y = rng.normal(size=(150, 6)), rng.integers(4, size=150)
    make = {"solver": "dual", "multiclass": "one-vs-rest"}
    alone = LogisticRegression(**make).fit(X, y)
    assert_array_equal(LogisticRegression(n_jobs=3, **make).fit(X, y).coef_, alone.coef_)

    def work(_):
        return solve(X, np.where(y == 0, 1.0, -1.0), C=1.0, tol=1e-5, most=500)

    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(work, range(3))
    for other in others:
        same(first, other)


def test_every_epoch_is_watched(rng):
    X, signs = problem(rng)
    seen = []
    found = solve(X, signs, C=1.0, tol=1e-9, most=500, watch=seen.append)
    assert len(seen) == found.epochs
    assert seen[-1].loss == pytest.approx(
        np.logaddexp(0, -signs * (X @ found.weights + found.intercept)).mean(), rel=1e-4
    )


@pytest.mark.parametrize("C", [1e6, 1e12])
def test_separable_rows_at_a_huge_C_stay_finite(C, rng):
    signs = rng.choice([-1.0, 1.0], size=60)
    X = rng.normal(size=(60, 3)) + 5 * signs[:, np.newaxis]
    found = solve(X, signs, C=C, tol=1e-3, most=300)
    assert np.isfinite(found.weights).all()
    assert np.isfinite([found.intercept, found.primal, found.dual]).all()
    assert found.dual <= found.primal
    assert (signs * (X @ found.weights + found.intercept) > 0).all()


def test_rows_of_zeros_leave_the_intercept_at_the_log_odds():
    signs = np.array([1.0, 1.0, 1.0, -1.0])
    for X in both_forms(np.zeros((4, 3))):
        found = solve(X, signs, C=1.0, tol=1e-9, most=10)
        assert found.converged
        assert_array_equal(found.weights, 0.0)
        assert found.intercept == pytest.approx(np.log(3))
    found = solve(np.zeros((4, 0)), signs, C=1.0, tol=1e-9, most=10)
    assert found.converged


@pytest.mark.parametrize("factor", [1e-200, 1e-20, 1e20, 1e100])
def test_rows_of_any_scale_stay_finite(factor, rng):
    X, signs = problem(rng)
    found = solve(factor * X, signs, C=1.0, tol=1e-3, most=50)
    assert np.isfinite(found.weights).all()
    assert np.isfinite([found.primal, found.dual, found.intercept]).all()


@pytest.mark.parametrize(
    ("signs", "weights", "message"),
    [
        ([1.0, 1.0, 1.0], None, "one of the two classes"),
        ([1.0, -1.0, 1.0], [1.0, 0.0, 1.0], "one of the two classes"),
        ([1.0, -1.0, 1.0], [0.0, 0.0, 0.0], "every sample weight is zero"),
        ([1.0, -1.0, 1.0], [1.0], "3 rows but 1 weights"),
        ([1.0, -1.0], None, "3 rows but 2 targets"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_the_reason(signs, weights, message):
    with pytest.raises(InputError, match=message):
        dual_of(np.eye(3), signs, None if weights is None else np.array(weights))


def test_numbers_out_of_range_are_refused_with_the_remedy():
    signs = np.array([1.0, -1.0])
    with pytest.raises(InputError, match="row 1, column 0"):
        LogisticRegression(solver="dual").fit(np.array([[1.0], [np.nan]]), signs)
    with pytest.raises(NumericalError, match="scale the features"):
        dual_of(np.array([[1.0], [1e200]]), signs)
    with pytest.raises(InputError, match="most"):
        solve(np.array([[1.0], [2.0]]), signs, tol=1e-3, most=0)


def test_the_estimator_takes_classes_one_by_one_and_refuses_what_has_no_such_dual(rng):
    X, y = rng.normal(size=(90, 4)), rng.integers(3, size=90)
    for multiclass in ("one-vs-rest", "pairwise"):
        dual = LogisticRegression(solver="dual", multiclass=multiclass, tol=1e-12, max_iter=5000).fit(X, y)
        batch = LogisticRegression(multiclass=multiclass, tol=1e-10).fit(X, y)
        assert_allclose(dual.coef_, batch.coef_, rtol=1e-4, atol=1e-5)
    with pytest.raises(RecipeError, match="one-vs-rest"):
        LogisticRegression(solver="dual").fit(X, y)
    for penalty in ("l1", "elasticnet", None):
        with pytest.raises(RecipeError, match="penalty='l2'"):
            LogisticRegression(solver="dual", penalty=penalty).fit(X, y == 1)


def test_rows_that_have_nearly_all_in_common_take_few_passes():
    X, y = np.ones((600, 800)), np.arange(600) % 2
    X[0, :400] = 0
    model = LogisticRegression(solver="dual").fit(csr_array(X), y)
    assert model.certificate_.gap <= 1e-4
    assert model.n_iter_ < 50  # by the variables alone, a thousand
