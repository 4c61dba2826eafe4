"""Newton's method ends at the optimum that others find, and what it proves of its distance is true."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning

from linnet import LinearSVC, LogisticRegression, RecipeError, catalogue
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.duality_gap import certify
from linnet.training.fit import Settings, fit
from linnet.training.objective import Objective
from linnet.training.solvers import newton, small_tables
from linnet.training.solvers.softmax_point import point_at
from linnet.training.solvers.summed_squares import BLOCKING
from tests.conftest import both_forms, sparse_table

BOTH = pytest.mark.parametrize("solver", ["newton-cholesky", "newton-cg"])


def objective(X, y, table, C=1.0, c=1.0):
    """1/2 |w|^2 + C sum_i c_i loss_i, of weights (d + 1) x K, and its gradient; of one column for two classes."""
    scores = X @ table[:-1] + table[-1]
    if table.shape[1] == 1:
        signs = 2.0 * y - 1
        losses, g = np.logaddexp(0, -signs * scores[:, 0]), (-signs * expit(-signs * scores[:, 0]))[:, np.newaxis]
    else:
        own = np.eye(table.shape[1])[y]
        losses, g = logsumexp(scores, axis=1) - (own * scores).sum(axis=1), softmax(scores, axis=1) - own
    g = C * g * np.broadcast_to(c, len(y))[:, np.newaxis]
    value = 0.5 * (table[:-1] ** 2).sum() + C * float((c * losses).sum())
    return value, np.vstack([table[:-1] + X.T @ g, g.sum(axis=0)])


def optimum(X, y, outputs, C=1.0, c=1.0, *, intercept=True):
    """The least value there is, by SciPy, in units that make columns alike."""
    units = np.append(np.sqrt(1.0 + 0.25 * C * np.mean(c) * (X * X).sum(axis=0)), np.sqrt(len(y)))[:, np.newaxis]

    def both(flat):
        table = flat.reshape(-1, outputs) / units
        table[-1] *= intercept
        value, gradient = objective(X, y, table, C, c)
        gradient[-1] *= intercept
        return value, (gradient / units).reshape(-1)

    how = {"ftol": 0.0, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 40_000, "maxcor": 30}
    return minimize(both, np.zeros(units.size * outputs), jac=True, method="L-BFGS-B", options=how).fun


def reached(model, X, y, C=1.0, c=1.0):
    fitted = model.model_  # with all digits, where coef_ has those of X
    return objective(X, y, np.vstack([fitted.weights, fitted.intercepts]), C, c)[0]


def labels(rng, X, outputs):
    truth = X @ rng.normal(size=(X.shape[1], max(2, outputs))) / (1 + np.abs(X).max())
    y = (truth + 0.5 * rng.normal(size=truth.shape)).argmax(axis=1)
    y[: max(2, outputs)] = np.arange(max(2, outputs))
    return y


@hypothesis_settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    solver=st.sampled_from(["newton-cholesky", "newton-cg"]),
    outputs=st.sampled_from([1, 3]),
    C=st.sampled_from([1e-2, 1.0, 30.0]),
    scales=st.sampled_from([0.0, 2.0]),
    odd=st.sampled_from(["", "collinear", "constant"]),
    weighted=st.booleans(),
    intercept=st.booleans(),
    rows_in_one_call=st.sampled_from([0, small_tables.ROWS]),
)
def test_it_ends_at_the_optimum_and_proves_no_more_than_is_true(
    seed, solver, outputs, C, scales, odd, weighted, intercept, rows_in_one_call
):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(10, 80)), int(rng.integers(2, 12))
    X = sparse_table(rng, n, d) * 10 ** rng.uniform(-scales, scales / 2, size=d)
    if odd == "collinear":
        X[:, -1] = 2 * X[:, 0]
    if odd == "constant":
        X[:, -1] = 3.0
    y = labels(rng, X, outputs)
    c = rng.integers(0, 4, size=n) + 0.5 if weighted else np.ones(n)
    if solver == "newton-cholesky" and outputs > 1:
        y, outputs = (y > 0).astype(int), 1
    best = optimum(X, y, outputs, C, c, intercept=intercept)
    for form in both_forms(X):
        model = LogisticRegression(solver=solver, C=C, tol=1e-8, fit_intercept=intercept)
        with patch.object(small_tables, "ROWS", rows_in_one_call):
            model.fit(form, y, c if weighted else None)
        value, proven = reached(model, X, y, C, c), model.certificate_
        assert proven.gap <= 1e-8
        assert value == pytest.approx(best, rel=1e-6)
        assert value - best <= proven.gap * value + 1e-11 * value
        assert intercept or not model.intercept_.any()


@BOTH
def test_separable_data_have_an_optimum_with_a_penalty(solver, rng):
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression(solver=solver, C=1e4, tol=1e-9).fit(X, y)
    assert model.score(X, y) == 1.0
    assert reached(model, X, y, 1e4) == pytest.approx(optimum(X, y, 1, 1e4), rel=1e-6)


@BOTH
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_rows_begin_with_few_and_end_at_the_optimum_of_all(solver, dtype, rng):
    X = rng.normal(size=(40_000, 3)).astype(dtype)
    y = (X @ [1.0, -2.0, 0.5] + rng.logistic(size=40_000) > 0.3).astype(int)
    best = optimum(X.astype(np.float64), y, 1)
    for form in (X, csr_array(X)):
        model = LogisticRegression(solver=solver, tol=1e-10).fit(form, y)
        assert model.certificate_.gap <= 1e-10
        assert reached(model, X.astype(np.float64), y) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("positives", [[1], [8, 16, 17], [3, 11]])
def test_a_class_of_which_few_rows_show_nothing_is_no_trouble(positives, rng):
    X, y, c = rng.normal(size=(40_000, 2)), np.zeros(40_000, dtype=int), np.ones(40_000)
    y[positives], c[8] = 1, 0.0
    model = LogisticRegression(solver="newton-cholesky", tol=1e-6).fit(X, y, c)
    assert model.n_iter_ < 30
    assert reached(model, X, y, 1.0, c) == pytest.approx(optimum(X, y, 1, 1.0, c), rel=1e-7)


SMALL = newton.Blocking(numbers=50, rows=20, tables=0)


def two_classes(X, y, loss=Loss.LOGISTIC, **more):
    examples, penalty = Examples(Rows.of(X), y.astype(float)), Penalty(l2=1.0, total=True)
    return Objective(examples, loss, penalty, 1, intercept=True, regression=False, **more)


def test_blocks_of_rows_add_up_to_the_whole(rng):
    X, y = rng.normal(size=(500, 6)), rng.integers(2, size=500)
    for form in both_forms(X):
        problem = two_classes(form, y)
        whole = newton.cholesky(problem, Descent(100, 1e-12))
        in_blocks = newton.cholesky(problem, Descent(100, 1e-12), blocking=SMALL)
        assert_allclose(in_blocks.weights, whole.weights, rtol=1e-9)


def test_the_bits_do_not_depend_on_the_number_of_threads(monkeypatch, rng):
    X = rng.normal(size=(600, 5))
    y = (X @ rng.normal(size=5) + rng.logistic(size=600) > 0).astype(int)
    for loss in (Loss.LOGISTIC, Loss.SQUARED_HINGE):
        for form in both_forms(X):
            problem, found = two_classes(form, y, loss, part=200), []
            assert problem.rows_a_part < 100
            for cores in (1, 3):
                monkeypatch.setattr("linnet.training.threads.cores", lambda cores=cores: cores)
                found.append(newton.cholesky(problem, Descent(100, 1e-6), blocking=SMALL))
            assert_array_equal(found[0].weights, found[1].weights)
            assert found[0].certificate == found[1].certificate
            assert found[0].converged


@hypothesis_settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    C=st.sampled_from([1e-2, 1.0, 30.0]),
    scales=st.sampled_from([0.0, 2.0]),
    weighted=st.booleans(),
    intercept=st.booleans(),
)
def test_on_the_squared_hinge_it_ends_at_the_optimum_itself(seed, C, scales, weighted, intercept):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(10, 80)), int(rng.integers(2, 12))
    X = sparse_table(rng, n, d) * 10 ** rng.uniform(-scales, scales / 2, size=d)
    y = labels(rng, X, 1)
    c, signs = rng.integers(0, 4, size=n) + 0.5 if weighted else np.ones(n), 2.0 * y - 1
    for form in both_forms(X):
        model = LinearSVC(solver="newton", C=C, tol=1e-9, fit_intercept=intercept)
        model.fit(form, y, c if weighted else None)
        short = np.maximum(0, 1 - signs * (X @ model.coef_[0] + model.intercept_[0]))
        pulls = 2 * C * c * signs * short
        value = 0.5 * model.coef_[0] @ model.coef_[0] + C * float(c @ short**2)
        assert model.certificate_.gap <= 1e-9
        assert model.certificate_.primal == pytest.approx(value / (C * c.sum()), rel=1e-9)
        # w = sum of pulls times rows, and no pull on a free intercept: the gradient is 0
        units = np.sqrt(C * c @ X**2) + 1
        assert_allclose((model.coef_[0] - X.T @ pulls) / units / np.sqrt(value), 0, atol=1e-4)
        assert not intercept or abs(pulls.sum()) <= 1e-4 * np.sqrt(C * c.sum() * value)


@BOTH
def test_a_gap_that_rounding_forbids_is_told_with_the_one_reached(solver, rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = LogisticRegression(solver=solver, tol=1e-18, max_iter=1).fit(X, y)
    assert 1e-18 < model.certificate_.gap < 1


@BOTH
def test_without_tol_it_goes_on_to_rounding(solver, rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    assert LogisticRegression(solver=solver, tol=None).fit(X, y).certificate_.gap < 1e-12


@BOTH
def test_an_l1_penalty_is_refused_with_the_remedy(solver, rng):
    with pytest.raises(RecipeError, match="penalty"):
        LogisticRegression(solver=solver, penalty="l1").fit(rng.normal(size=(20, 2)), [0, 1] * 10)


@BOTH
def test_without_a_penalty_another_solver_is_taken_and_stated(solver, rng):
    X, y = rng.normal(size=(20, 2)), [0, 1] * 10
    found = LogisticRegression(solver=solver, penalty=None).fit(X, y)
    assert found.solver_ == "lbfgs"
    assert solver in found.solver_reason_
    assert_allclose(found.coef_, LogisticRegression(solver="lbfgs", penalty=None).fit(X, y).coef_, rtol=1e-3)


def test_cholesky_takes_classes_one_by_one(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    jointly = LogisticRegression(solver="newton-cholesky").fit(X, y)
    assert jointly.solver_ == "newton-cg"
    assert "newton-cholesky" in jointly.solver_reason_
    together = LogisticRegression(solver="newton-cholesky", multiclass="one-vs-rest", tol=1e-12, n_jobs=2).fit(X, y)
    for k in range(3):
        alone = LogisticRegression(solver="newton-cg", tol=1e-12).fit(X, y == k)
        assert_allclose(together.coef_[k], alone.coef_[0], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("method", [newton.conjugate_gradients, newton.cholesky], ids=["cg", "cholesky"])
@pytest.mark.parametrize("off", [1e6, 1e9])
def test_the_objective_stated_is_that_of_the_weights(outputs, method, off):
    # far from 0 the scores that are summed up over the steps drift from those of the weights
    if method is newton.cholesky and outputs > 1:
        pytest.skip("two classes only")
    rng = np.random.default_rng(3)
    X = np.column_stack([off + rng.normal(size=400), rng.normal(size=(400, 3))])
    y = labels(rng, X[:, 1:], outputs).astype(float)
    problem = Objective(
        Examples(Rows.of(X), y), Loss.LOGISTIC, Penalty(l2=1.0, total=True), outputs, intercept=True, regression=False
    )
    found = method(problem, Descent(100, 1e-6))
    assert found.certificate.primal == certify(problem, found.weights).primal


def test_the_entries_of_a_sparse_row_may_come_in_any_order(rng):
    X, y = sparse_table(rng, 60, 8), rng.integers(2, size=60).astype(float)
    rows = Rows.of(csr_array(X))
    order = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(rows.starts.tolist())])
    turned = replace(rows, values=rows.values[order], ids=rows.ids[order])
    row = catalogue.find("logistic-regression")
    found = [
        fit(row, Examples(each, y), Labels([0, 1]), Settings(solver="newton-cholesky", tol=1e-10))
        for each in (rows, turned)
    ]
    assert_allclose(found[1].model.weights, found[0].model.weights, rtol=1e-9)
    assert len(found[1].history) == len(found[0].history)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_gap_is_estimated_as_it_is_certified_also_where_slopes_leave_their_bounds(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40).astype(float)
    penalty = Penalty(l2=float(10 ** rng.uniform(-2, 2)), total=True)
    examples = Examples(Rows.of(X), y)
    problem = Objective(examples, Loss.SQUARED_HINGE, penalty, 1, intercept=False, regression=False)
    before = point_at(problem, np.append(rng.normal(size=3), 0.0))
    step = newton._Cholesky(BLOCKING)(before, 1e-4)
    slopes = before.slopes.copy()
    bends = before.own_bends()
    after = before.moved(step.change, 1.0)
    slopes += bends * after.along
    proven = certify(problem, after.weights, slopes)
    if proven.dual > 0:  # where the slopes prove less, 0 is proven
        estimate = newton._estimated_gap(after, slopes, step)
        assert estimate == pytest.approx(proven.primal - proven.dual, rel=1e-6, abs=1e-9)
