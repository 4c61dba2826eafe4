"""The SVM by its dual: at the optimum of independent solvers, with a gap that is never below the truth."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.svm import LinearSVC as Liblinear

from linnet import LinearSVC, NumericalError, RecipeError
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.duality_gap import certify
from linnet.training.objective import Objective
from linnet.training.solvers import dual_svm as svm
from linnet.training.solvers.crammer_singer import CrammerSinger
from linnet.training.solvers.dual_svm import best_intercept, descend
from tests.conftest import both_forms, sparse_table

BOTH = ["hinge", "squared_hinge"]


def value(X, signs, w, b, loss, C=1.0, weights=None):
    c = np.ones(len(signs)) if weights is None else weights
    short = np.maximum(0, 1 - signs * (X @ w + b))
    return 0.5 * w @ w + C * c @ (short if loss == "hinge" else short**2)


def joint_value(X, y, W, b, C=1.0, weights=None):
    c = np.ones(len(y)) if weights is None else weights
    z = X @ W + b
    own = np.eye(W.shape[1])[y]
    return 0.5 * (W**2).sum() + C * c @ ((z + 1 - own).max(axis=1) - (z * own).sum(axis=1))


def problem(rng, n=80, d=6, *, odds=0.3):
    X = sparse_table(rng, n, d)
    signs = np.where(rng.normal(size=n) + X @ rng.normal(size=d) > odds, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return X, signs


def objective(X, targets, loss, C, *, weights=None, outputs=1, intercept=True):
    examples = Examples(Rows.of(X), np.asarray(targets, dtype=np.float64), weights)
    penalty = Penalty(l2=1.0 / C, total=True)
    return Objective(examples, loss, penalty, outputs, intercept=intercept, regression=False)


def least(X, signs, loss, C, weights, intercept):
    """The optimum, by solvers of others: of the hinge libsvm's, of the squared one SciPy's L-BFGS."""
    if loss == "hinge" and intercept:
        found = SVC(kernel="linear", C=C, tol=1e-10).fit(X, signs, weights)
        return value(X, signs, found.coef_[0], found.intercept_[0], loss, C, weights)
    if loss == "hinge":
        found = Liblinear(loss="hinge", C=C, tol=1e-10, fit_intercept=False, max_iter=10**6).fit(X, signs, weights)
        return value(X, signs, found.coef_[0], 0.0, loss, C, weights)

    def value_and_slope(v):
        w, b = v[:-1], v[-1] * intercept
        pull = 2 * C * weights * signs * np.maximum(0, 1 - signs * (X @ w + b))
        return value(X, signs, w, b, loss, C, weights), np.append(w - pull @ X, -pull.sum() * intercept)

    how = {"ftol": 0.0, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 20_000}
    return minimize(value_and_slope, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=how).fun


@pytest.mark.parametrize("loss", BOTH)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("shape", [(80, 6), (30, 200)])
def test_it_ends_at_the_optimum_of_an_independent_solver(shape, C, intercept, loss, rng):
    table, signs = problem(rng, *shape, odds=1.0)
    weights = rng.uniform(0.2, 3, size=len(signs))
    best = least(table, signs, loss, C, weights, intercept)
    for X in (*both_forms(table), table.astype(np.float32)):
        model = LinearSVC(loss=loss, C=C, tol=1e-7, fit_intercept=intercept, max_iter=20_000).fit(X, signs, weights)
        exactly = table.astype(X.dtype).astype(np.float64)
        w, b = model.model_.weights[:, 0], model.model_.intercepts[0]  # all digits, where coef_ has those of X
        ours = value(exactly, signs, w, b, loss, C, weights)
        assert best * (1 - 1e-4) <= ours <= best * (1 + 1e-5)  # libsvm itself is not nearer to the optimum
        assert model.certificate_.gap <= 1e-7
        assert model.certificate_.primal * weights.sum() * C == pytest.approx(ours, rel=1e-12)


@hypothesis_settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-4, 1e-2, 1.0, 30.0]),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([Loss.HINGE, Loss.SQUARED_HINGE]),
)
def test_the_optimum_lies_between_dual_and_primal_however_early_it_stops(seed, C, most, intercept, loss):
    rng = np.random.default_rng(seed)
    X, signs = problem(rng, 25, 4)
    X = X + rng.normal()
    made = objective(X, signs > 0, loss, C, intercept=intercept)
    early, late = descend(made, Descent(most, None)), descend(made, Descent(3000, 1e-6))
    again = certify(made, early.weights)
    assert early.certificate.primal == pytest.approx(again.primal, rel=1e-12)
    assert early.certificate.dual <= late.certificate.primal * (1 + 1e-12)
    assert late.certificate.dual <= early.certificate.primal * (1 + 1e-12)
    assert again.dual <= late.certificate.primal * (1 + 1e-12)


@pytest.mark.parametrize("loss", BOTH)
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize(
    "table",
    {
        "collinear": lambda x: np.column_stack([x, 2 * x, -x]),
        "constant": lambda x: np.ones((len(x), 2)),
        "zeros": lambda x: np.zeros((len(x), 2)),
        "some zero rows": lambda x: np.column_stack([x, x**2]) * (np.arange(len(x)) % 3 > 0)[:, np.newaxis],
        "duplicates of both classes": lambda x: np.repeat(x[: len(x) // 2], 2)[:, np.newaxis],
        "huge": lambda x: 1e6 * x[:, np.newaxis],
        "tiny": lambda x: 1e-6 * x[:, np.newaxis],
        "far from zero": lambda x: 1e3 + x[:, np.newaxis],
    }.items(),
    ids=lambda item: item[0],
)
@pytest.mark.parametrize("intercept", [True, False])
def test_no_hard_case_gets_stuck(table, C, loss, intercept, rng):
    X = table[1](rng.normal(size=40))
    y = np.arange(40) % 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = LinearSVC(loss=loss, C=C, tol=1e-3, fit_intercept=intercept, max_iter=200).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.dual <= model.certificate_.primal * (1 + 1e-12)
    if model.certificate_.gap > 1e-3:
        assert any("relative gap" in str(warning.message) for warning in told)
    else:
        assert not told


def test_rows_of_no_weight_are_as_if_they_were_not_there(rng):
    X, signs = problem(rng)
    weights = np.where(rng.random(len(signs)) < 0.3, 0.0, 1.5)
    weights[:2] = 1.0
    there = weights > 0
    for loss in BOTH:
        all_rows = LinearSVC(loss=loss, tol=1e-9, max_iter=5000).fit(X, signs, weights)
        some = LinearSVC(loss=loss, tol=1e-9, max_iter=5000).fit(X[there], signs[there], weights[there])
        assert all_rows.certificate_.primal == pytest.approx(some.certificate_.primal, rel=1e-8)


@pytest.mark.parametrize("squared", [False, True])
def test_the_intercept_is_the_best_for_the_scores(squared, rng):
    for _ in range(50):
        n = int(rng.integers(2, 12))
        scores, signs, costs = rng.normal(size=n), np.resize([1.0, -1.0], n), rng.integers(0, 3, n) + 0.0
        costs[:2] = 1.0
        b = best_intercept(scores, signs, costs, squared=squared)
        short = np.maximum(0, 1 - signs * (scores + np.append(b, np.linspace(-5, 5, 4001))[:, np.newaxis]))
        values = (short**2 if squared else short) @ costs
        assert values[0] <= values[1:].min() + 1e-12


# -- many classes ------------------------------------------------------------------------------------------------------


def classes(rng, n=60, d=4, k=3):
    X = sparse_table(rng, n, d)
    y = (X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)
    y[:k] = np.arange(k)
    return X, y


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_crammer_singer_ends_where_liblinear_does(C, rng):
    X, y = classes(rng)
    theirs = Liblinear(multi_class="crammer_singer", C=C, tol=1e-9, fit_intercept=False, max_iter=10**6).fit(X, y)
    best = joint_value(X, y, theirs.coef_.T, 0.0, C)
    for table in (*both_forms(X), X.astype(np.float32)):
        ours = LinearSVC(loss="hinge", multiclass="joint", C=C, tol=1e-7, fit_intercept=False, max_iter=20_000)
        ours.fit(table, y)
        assert joint_value(X, y, ours.coef_.T, 0.0, C) == pytest.approx(best, rel=1e-6)
        assert ours.certificate_.gap <= 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_crammer_singer_with_free_intercepts_proves_its_gap(seed):
    rng = np.random.default_rng(seed)
    X, y = classes(rng)
    weights = rng.integers(0, 3, len(y)) + 0.5 * (seed % 2)
    weights[:3] = 1.0
    ours = LinearSVC(loss="hinge", multiclass="joint", tol=1e-6, max_iter=20_000).fit(X + 1.0, y, weights)
    W, b = ours.coef_.T, ours.intercept_
    reached = joint_value(X + 1.0, y, W, b, 1.0, weights)
    assert ours.certificate_.gap <= 1e-6
    assert ours.certificate_.primal * weights.sum() == pytest.approx(reached, rel=1e-12)
    lower = ours.certificate_.dual * weights.sum()
    for scale in (1e-3, 1e-2, 0.1):
        moved = joint_value(
            X + 1.0, y, W + scale * rng.normal(size=W.shape), b + scale * rng.normal(size=b.shape), 1.0, weights
        )
        assert moved >= lower


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_steps_in_few_of_many_classes_end_where_liblinear_does(C, rng):
    X, y = classes(rng, n=240, d=12, k=80)
    theirs = Liblinear(multi_class="crammer_singer", C=C, tol=1e-9, fit_intercept=False, max_iter=10**6).fit(X, y)
    best = joint_value(X, y, theirs.coef_.T, 0.0, C)
    for table in both_forms(X):
        problem = objective(table, y, Loss.HINGE, C, intercept=False, outputs=80)
        one = CrammerSinger(problem)
        found = svm.ascend(one, tol=1e-7, most=20_000)
        assert one.counts.max() > 0  # some rows had their classes listed
        assert joint_value(X, y, found.weights[:-80].reshape(-1, 80), 0.0, C) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "pairwise"])
@pytest.mark.parametrize("loss", BOTH)
def test_the_bits_do_not_depend_on_threads(multiclass, loss, rng):
    X, y = classes(rng, k=5)
    one, two = (LinearSVC(loss=loss, multiclass=multiclass, n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    assert_array_equal(one.coef_, two.coef_)
    assert_array_equal(one.intercept_, two.intercept_)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", BOTH)
def test_common_columns_side_by_side_change_nothing(loss, intercept, rng):
    X = csr_array((rng.random((400, 30)) < np.linspace(0.05, 0.6, 30)) * rng.normal(size=(400, 30)))
    y = X @ rng.normal(size=30) + rng.normal(size=400) > 0
    one = objective(X, y, getattr(Loss, loss.upper()), 1.0, intercept=intercept)
    plain, renumbered = (svm.ascend(svm.DualSVM(one, near=near), tol=1e-4, most=1000) for near in (30, 10))
    assert_array_equal(renumbered.weights, plain.weights)
    assert renumbered.certificate.gap == pytest.approx(plain.certificate.gap, abs=1e-12)
    assert plain.converged


# -- the estimator -----------------------------------------------------------------------------------------------------


def test_the_solver_and_the_reason_are_told(rng):
    X, signs = problem(rng)
    assert LinearSVC().fit(X, signs).solver_ == "newton"
    assert LinearSVC(loss="hinge").fit(X, signs).solver_ == "newton"
    wide = np.column_stack([X] + [np.zeros_like(X)] * 60)
    assert LinearSVC().fit(wide, signs).solver_ == "dual"
    assert LinearSVC().fit(csr_array(wide), signs).solver_ == "newton"
    assert LinearSVC(loss="hinge").fit(csr_array(wide), signs).solver_ == "dual"
    with pytest.raises(RecipeError, match="l2"):
        LinearSVC(solver="newton", penalty="l1").fit(X, signs)
    assert LinearSVC(solver="lbfgs").fit(X, signs).solver_ == "lbfgs"
    sparse = LinearSVC(penalty="l1").fit(X, signs)
    assert sparse.solver_ == "coordinate-descent"
    assert "L1" in sparse.solver_reason_
    with pytest.raises(RecipeError, match="l2"):
        LinearSVC(solver="dual", penalty="l1").fit(X, signs)


def test_too_few_passes_are_told_with_the_gap(rng):
    X, signs = problem(rng)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        LinearSVC(loss="hinge", C=100.0, tol=1e-12, max_iter=2).fit(X, signs)


def test_rows_too_long_to_square_are_told(rng):
    X, signs = problem(rng)
    with pytest.raises(NumericalError, match="scale the features"):
        LinearSVC().fit(1e200 * X, signs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
def test_copies_of_a_huge_row_with_other_labels_are_no_copies(multiclass):
    """Beside numbers like nanoseconds since 1970 the label once vanished from the sum that copies are found by."""
    X, y = np.full((9, 1), 1.7e18), np.array([0, 1, 2, 0, 0, 0, 1, 2, 0])
    y = y if multiclass == "joint" else np.minimum(y, 1)
    found = LinearSVC(loss="hinge", solver="dual", multiclass=multiclass, fit_intercept=False).fit(X, y)
    W = found.coef_.T
    true = joint_value(X, y, W, 0.0) if multiclass == "joint" else value(X, 2.0 * y - 1, W[:, 0], 0.0, "hinge")
    assert found.certificate_.primal == pytest.approx(true / len(y), rel=1e-9)
