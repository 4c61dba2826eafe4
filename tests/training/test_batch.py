from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import random_array

from linnet import (
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    NumericalError,
    Perceptron,
    RecipeError,
)
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty, Recipe
from linnet.learners.schedule import inverse_sqrt
from linnet.training.objective import Objective
from linnet.training.solvers.gradient import safe_step
from linnet.training.solvers.least_squares import decomposed
from tests import twins
from tests.conftest import both_forms, sparse_table

SMOOTH = [Loss.SQUARED_HINGE, Loss.LOGISTIC, Loss.SQUARED]


def objective(X, targets, loss, outputs, weights=None, penalty=None, regression=False):
    examples = Examples(Rows.of(X), targets, weights)
    return Objective(examples, loss, penalty or Penalty(l2=0.3), outputs, intercept=True, regression=regression)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("loss", SMOOTH)
def test_gradients_agree_with_finite_differences(loss, outputs, weighted, rng):
    table = sparse_table(rng, 30, 5)
    targets = rng.integers(outputs, size=30).astype(float) if outputs > 1 else rng.choice([-1.0, 1.0], size=30)
    weights = rng.integers(0, 3, size=30).astype(float) if weighted else None
    at = rng.normal(size=6 * outputs)
    for X in both_forms(table):
        problem = objective(X, targets, loss, outputs, weights)
        slopes = approx_fprime(at, lambda w, problem=problem: problem.smooth(w)[0], 1e-7)
        assert_allclose(problem.smooth(at)[1], slopes, rtol=1e-4, atol=1e-5)


def test_the_objective_is_the_formula(rng):
    X, y, c = rng.normal(size=(20, 4)), rng.choice([-1.0, 1.0], size=20), rng.uniform(size=20)
    w, b = rng.normal(size=4), 0.7
    expected = (c * np.logaddexp(0, -y * (X @ w + b))).sum() / c.sum() + 0.5 * 0.3 * w @ w
    assert objective(X, y, Loss.LOGISTIC, 1, c).smooth(np.append(w, b))[0] == pytest.approx(expected)


@pytest.mark.parametrize("solver", ["lbfgs", "gradient"])
def test_logistic_regression_reaches_the_optimum_of_an_independent_solver(solver, rng):
    X, y = rng.normal(size=(80, 4)) * [1, 10, 0.1, 1], rng.integers(2, size=80)
    signs, C = 2.0 * y - 1, 0.7

    def value(v):
        return 0.5 * v[:4] @ v[:4] + C * np.logaddexp(0, -signs * (X @ v[:4] + v[4])).sum()

    best = minimize(value, np.zeros(5), method="BFGS", options={"gtol": 1e-9, "maxiter": 2000}).fun
    model = LogisticRegression(solver=solver, C=C, max_iter=200_000, tol=1e-8).fit(X, y)
    assert value(np.append(model.coef_[0], model.intercept_)) == pytest.approx(best, rel=1e-9)


def test_l1_solutions_meet_the_optimality_conditions(rng):
    X, y = rng.normal(size=(100, 8)), rng.integers(2, size=100)
    C = 0.2
    model = LogisticRegression(penalty="l1", C=C, max_iter=100_000, tol=1e-10).fit(X, y)
    w, signs = model.coef_[0], 2.0 * y - 1
    slope = C * X.T @ (-signs / (1 + np.exp(signs * (X @ w + model.intercept_[0]))))
    assert 0 < (w == 0).sum() < 8
    assert_allclose(slope[w != 0], -np.sign(w[w != 0]), atol=1e-6)
    assert (np.abs(slope[w == 0]) <= 1 + 1e-9).all()


def test_batch_least_squares_reaches_the_analytic_solution(rng):
    X, y = rng.normal(size=(60, 5)), rng.normal(size=60)
    analytic = LinearRegression(solver="analytic").fit(X, y)
    gradient = LinearRegression(solver="gradient", max_iter=50_000, tol=1e-13).fit(X, y)
    assert_allclose(gradient.coef_, analytic.coef_, rtol=1e-9)
    assert gradient.intercept_ == pytest.approx(analytic.intercept_, rel=1e-9)


@pytest.mark.parametrize("rows", [3, 40])
def test_the_analytic_solution_is_the_shortest_least_squares_solution(rows, rng):
    X, y = rng.normal(size=(rows, 6)), rng.normal(size=rows)
    X[:, 5] = X[:, 4]
    for form in both_forms(X):
        model = LinearRegression(fit_intercept=False).fit(form, y)
        assert_allclose(model.coef_, np.linalg.pinv(X) @ y, rtol=1e-8, atol=1e-12)


def test_least_squares_block_by_block_equal_those_of_all_rows_at_once(rng):
    X, y, c = rng.normal(size=(300, 6)) + 5, rng.normal(size=300), rng.uniform(size=300)
    X[:, 5] = X[:, 4]
    for form in both_forms(X):
        whole = LinearRegression().fit(form, y, c)
        w, b = decomposed(Examples(Rows.of(form), y, c), intercept=True, rows_at_once=17).weights()
        assert_allclose(w, whole.coef_, rtol=1e-7)
        assert b == pytest.approx(whole.intercept_)


def test_least_squares_too_wide_for_a_table_are_left_to_the_gradient(rng):
    X, y = random_array((900, 20_000), density=1e-3, rng=rng, format="csr"), rng.normal(size=900)
    with pytest.raises(RecipeError, match="solver='analytic' needs fewer columns: take solver='auto'"):
        LinearRegression(solver="analytic").fit(X, y)
    model = LinearRegression(tol=1e-3).fit(X, y)
    assert model.solver_ == "gradient"
    assert np.mean((model.predict(X) - y) ** 2) < 0.1 * np.var(y)


@pytest.mark.parametrize("mode", ["batch", "fixed-increment"])
def test_the_batch_perceptron_adds_all_mistaken_rows_at_once(mode, rng):
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    w, signs = np.zeros(4), 2.0 * y - 1
    Z = np.hstack([X, np.ones((40, 1))])
    for _ in range(7):
        delta = (signs[:, np.newaxis] * Z)[signs * (Z @ w) <= 0].sum(axis=0)
        w += 0.5 * (delta / 40 if mode == "batch" else delta)
    model = Perceptron(mode=mode, eta0=0.5, max_iter=7, tol=None).fit(X, y)
    assert_allclose(np.append(model.coef_[0], model.intercept_), w, rtol=1e-12)


def test_the_batch_perceptron_stops_when_its_step_is_short_enough(rng):
    y = rng.integers(2, size=60)
    X = rng.normal(size=(60, 2)) + 6 * y[:, np.newaxis]
    model = Perceptron(mode="batch").fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_iter_ < 1000
    assert model.history_[-1].mistakes == 0


def test_the_hinge_subgradient_comes_close_to_the_optimum(rng):
    y = rng.integers(2, size=200)
    X, signs = rng.normal(size=(200, 3)) + y[:, np.newaxis], 2.0 * y - 1
    C = 0.1

    def value(v):
        return 0.5 * v[:3] @ v[:3] + C * np.maximum(0, 1 - signs * (X @ v[:3] + v[3])).sum()

    best = min(
        minimize(value, start, method="Nelder-Mead", options={"maxiter": 20_000, "xatol": 1e-8, "fatol": 1e-10}).fun
        for start in rng.normal(size=(5, 4))
    )
    model = LinearSVC(loss="hinge", C=C, max_iter=5000, tol=None, solver="gradient").fit(X, y)
    assert best <= value(np.append(model.coef_[0], model.intercept_)) <= 1.01 * best


def test_a_step_too_long_is_a_clear_error_not_a_nan(rng):
    X, y = 1e3 * rng.normal(size=(30, 3)), rng.normal(size=30)
    with pytest.raises(NumericalError, match="eta0"):
        LinearRegression(solver="gradient", eta0=1.0, max_iter=1000).fit(X, y)
    with pytest.raises(NumericalError, match="eta0"):
        LinearRegression(solver="online", eta0=1.0, max_iter=1000).fit(X, y)


@pytest.mark.parametrize("make", [LogisticRegression, LinearSVC])
def test_C_means_the_same_for_a_pair_alone_and_among_other_classes(make, rng):
    X, y = rng.normal(size=(120, 3)), rng.integers(3, size=120)
    together = make(multiclass="pairwise", C=0.3, tol=1e-10).fit(X, y)
    for row, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        members = np.isin(y, pair)
        alone = make(C=0.3, tol=1e-10).fit(X[members], y[members])
        # a gap of 1e-10 tells the weights up to its root
        assert_allclose(together.coef_[row], alone.coef_[0], rtol=1e-5, atol=2e-5)


def test_C_means_the_same_online(rng):
    X, y = rng.normal(size=(120, 3)), rng.integers(3, size=120)
    online = {"solver": "online", "C": 0.3, "shuffle": False, "tol": None, "max_iter": 3}
    together = LogisticRegression(multiclass="pairwise", **online).fit(X, y)
    for row, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        members = np.isin(y, pair)
        alone = LogisticRegression(**online).fit(X[members], y[members])
        assert_allclose(together.coef_[row], alone.coef_[0], rtol=1e-12)


def test_joint_squared_hinge_is_refused_with_the_remedy(rng):
    with pytest.raises(RecipeError, match="one-vs-rest"):
        LinearSVC(multiclass="joint").fit(rng.normal(size=(30, 2)), rng.integers(3, size=30))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED])
def test_the_safe_step_is_safe_and_not_timid(loss, outputs, rng):
    """1 / L for the Hessian's bound, bend * Z'Z / N + l2 on the weights, in the columns' units."""
    X = rng.normal(size=(50, 4)) * [1, 10, 0.1, 1]
    targets = rng.integers(outputs, size=50).astype(float) if outputs > 1 else rng.choice([-1.0, 1.0], size=50)
    problem = objective(X, targets, loss, outputs)
    units = problem.units()
    Z = np.column_stack([X, np.ones(50)]) / units[::outputs]
    bend = {Loss.LOGISTIC: 0.25, Loss.SQUARED: 1.0}[loss] * (2 if outputs > 1 and loss is Loss.LOGISTIC else 1)
    hessian = bend * Z.T @ Z / 50 + np.diag(0.3 * np.array([1, 1, 1, 1, 0]) / units[::outputs] ** 2)
    largest = np.linalg.eigvalsh(hessian)[-1]
    assert 1 / (1.1 * largest) <= safe_step(problem, units) <= 1 / largest


def test_many_rows_keep_all_their_digits(rng):
    X = rng.normal(size=(1000, 5)) * [1, 1e8, 1, 1e-2, 1]
    w = np.array([1.0, 2e-8, -3.0, 4e2, 0.5])
    found, _ = decomposed(Examples(Rows.of(X), X @ w + 7), intercept=True, rows_at_once=64).weights()
    assert_allclose(found, w, rtol=1e-6)


def test_a_penalty_in_total_is_spread_over_all_rows_of_a_fit(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    model = LogisticRegression(solver="online", C=0.3, eta0=0.4, shuffle=False, tol=None, max_iter=4).fit(X, y)
    recipe = Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.4), penalty=Penalty(l2=1 / 0.3, total=True))
    met, _ = twins.run(X, 2.0 * y - 1, recipe, passes=4, population=60.0)
    assert_allclose(model.coef_[0], met[-1][0][:, 0], rtol=1e-10)
