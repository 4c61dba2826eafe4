"""Coordinate descent for L1 penalties: the optimum of independent solvers, gaps that are true, and hostile columns."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.linear_model import ElasticNet as TheirNet

import linnet
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent
from linnet.training.history import ignore
from linnet.training.objective import Objective
from linnet.training.solvers import coordinate_descent, working_columns
from tests.learners.test_losses import SmoothHinge

LOSSES = [Loss.LOGISTIC, Loss.SQUARED_HINGE, Loss.SQUARED]


def objective(X, y, loss, penalty, weights=None, intercept=True):
    rows = Rows.of(X)
    return Objective(Examples(rows, y, weights), loss, penalty, 1, intercept=intercept, regression=loss is Loss.SQUARED)


def value(problem, flat):
    """f as it is written, in NumPy."""
    X, penalty = problem.rows.matrix(), problem.penalty
    X = X.toarray() if hasattr(X, "toarray") else X
    c = problem.sample_weights if len(problem.sample_weights) else np.ones(len(X))
    losses = problem.loss.value(X @ flat[:-1] + flat[-1], problem.signed)
    w = flat[:-1]
    return float(np.average(losses, weights=c)) + penalty.l1 * np.abs(w).sum() + 0.5 * penalty.l2 * float(w @ w)


def optimum(problem):
    """By SciPy's L-BFGS on w = p - q with p, q >= 0: a smooth problem with bounds."""
    X, penalty, d = problem.rows.matrix(), problem.penalty, problem.columns
    X = X.toarray() if hasattr(X, "toarray") else X
    c = (problem.sample_weights if len(problem.sample_weights) else np.ones(len(X))) / problem.total
    y, loss = problem.signed, problem.loss

    def f(parts):
        p, q, b = parts[:d], parts[d:-1], parts[-1]
        w, z = p - q, X @ (p - q) + b
        slopes = c * loss.slope(z, y)
        by_w = X.T @ slopes + penalty.l2 * w
        found = float(c @ loss.value(z, y)) + penalty.l1 * float((p + q).sum()) + 0.5 * penalty.l2 * float(w @ w)
        return found, np.concatenate([by_w + penalty.l1, penalty.l1 - by_w, [slopes.sum()]])

    free = (None, None) if problem.intercept else (0, 0)
    bounds = [(0, None)] * d + [(0, 0) if penalty.positive else (0, None)] * d + [free]
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-11}
    return minimize(f, np.zeros(2 * d + 1), jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


def drawn(seed):
    """A random problem: sparse or dense, weighted or not, wide or tall, on several scales, with columns alike."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 80)), int(rng.integers(1, 60))
    X = (rng.normal(size=(n, d)) + rng.normal(size=d) * rng.integers(0, 2)) * 10.0 ** rng.uniform(-1, 1, d)
    sparse = rng.random() < 0.5
    if sparse:
        X = np.where(rng.random(X.shape) < 0.7, 0.0, X)
    if d > 4:
        X[:, 1], X[:, 2], X[:, 3] = X[:, 0], 0.0, 7.0
    loss = LOSSES[seed % 3]
    score = X @ (rng.normal(size=d) * (rng.random(d) < 0.3)) + rng.normal(size=n)
    y = score + 5.0 if loss is Loss.SQUARED else (score > np.median(score)).astype(float)
    weights = rng.uniform(0.1, 3.0, n) if rng.random() < 0.5 else None
    ratio = float(rng.choice([1.0, 0.9, 0.3]))
    made = csr_array(X) if sparse else X
    whole = objective(made, y, loss, Penalty(), weights, bool(rng.random() < 0.7))
    start = np.abs(whole.smooth(np.zeros(d + 1))[1][:-1]).max() or 1.0
    alpha = start * 10.0 ** rng.uniform(-2.5, -0.2)
    positive = bool(rng.random() < 0.3)
    return objective(
        made, y, loss, Penalty(alpha * ratio, alpha * (1 - ratio), positive=positive), weights, whole.intercept
    )


# What each of these is by default, made so small that small problems take the ways of large ones.
WAYS = {
    "one set": (coordinate_descent, {}),
    "working sets": (coordinate_descent, {"FEW_COLUMNS": 2, "FEWEST": 3, "AT_HAND": 1}),
    "column by column": (working_columns, {"MOST_PAIRED": 0}),
    "a copy of the steepest": (
        coordinate_descent,
        {"FEW_COLUMNS": 2, "FEWEST": 2, "AT_HAND": 1, "OF_MANY": 8, "FEW_CANDIDATES": 1},
    ),
    "a sample of the rows": (coordinate_descent, {"SAMPLE": 5, "SAMPLE_A_COLUMN": 0, "MANY_SAMPLES": 2}),
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", WAYS)
def test_random_problems_end_at_the_optimum_and_gaps_are_never_below_what_could_be_saved(way, seed, monkeypatch):
    module, smaller = WAYS[way]
    for name, limit in smaller.items():
        monkeypatch.setattr(module, name, limit)
    problem = drawn(seed)
    found = coordinate_descent.descend(problem, Descent(2000, 1e-7), ignore)
    best, at = optimum(problem), value(problem, found.weights)
    assert found.converged
    assert found.certificate.primal == pytest.approx(at, rel=1e-10)
    assert at <= best * (1 + 1e-6)
    assert found.certificate.dual <= best * (1 + 1e-12)
    if problem.penalty.positive:
        assert (found.weights[:-1] >= 0).all()


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_few_rows_of_very_many_dense_columns(ratio, rng):
    """The steepest columns are copied, and sums are taken by column."""
    X = rng.normal(size=(60, 15_000)) + 1.0
    y = X[:, :5].sum(axis=1) + rng.normal(size=60)
    model = linnet.ElasticNet(alpha=0.2, l1_ratio=ratio, tol=1e-7).fit(X, y)
    theirs = TheirNet(alpha=0.2, l1_ratio=ratio, tol=1e-9, max_iter=100_000).fit(X, y)
    problem = objective(X, y, Loss.SQUARED, Penalty(0.2 * ratio, 0.2 * (1 - ratio)))
    ours, best = (value(problem, np.append(each.coef_, each.intercept_)) for each in (model, theirs))
    assert ours <= best * (1 + 1e-7)
    assert model.certificate_.gap <= 1e-7
    assert model.certificate_.dual <= best * (1 + 1e-12)
    assert model.certificate_.primal == pytest.approx(ours, rel=1e-10)


def test_many_rows_some_of_which_do_not_count(rng):
    """A sample of those that count is where the descent begins."""
    X = rng.normal(size=(80_000, 3))
    y = X @ [1.0, 0.0, -2.0] + rng.normal(size=80_000)
    counts = np.where(np.arange(80_000) % 2, 0.0, 1.5)
    model = linnet.Lasso(alpha=0.1).fit(np.where(counts[:, np.newaxis] > 0, X, 1e3), y, sample_weight=counts)
    theirs = TheirNet(alpha=0.1, l1_ratio=1.0, tol=1e-10).fit(X[::2], y[::2])
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_far_from_the_optimum_the_gap_is_true_too(loss, steps, rng):
    X = rng.normal(size=(60, 500))
    score = X[:, :3].sum(axis=1) + rng.normal(size=60)
    y = score if loss is Loss.SQUARED else (score > 0).astype(float)
    problem = objective(X, y, loss, Penalty(0.02))
    found = coordinate_descent.descend(problem, Descent(steps, 1e-9), ignore)
    best = coordinate_descent.descend(problem, Descent(500, 1e-9), ignore)
    assert best.converged
    certificate = found.certificate
    assert certificate.primal - certificate.dual >= certificate.primal - best.certificate.primal - 1e-12


@pytest.mark.parametrize("sparse", [False, True])
def test_many_weights_of_many_columns_are_found_column_by_column(sparse, rng, monkeypatch):
    monkeypatch.setattr(working_columns, "MOST_PAIRED", 30)
    X = np.where(rng.random((150, 800)) < 0.3, rng.normal(size=(150, 800)), 0.0)
    y = X[:, :60].sum(axis=1) + rng.normal(size=150)
    model = linnet.Lasso(alpha=0.02, tol=1e-9).fit(csr_array(X) if sparse else X, y)
    theirs = TheirNet(alpha=0.02, l1_ratio=1.0, tol=1e-10, max_iter=100_000).fit(X, y)
    assert np.count_nonzero(model.coef_) > 60
    assert np.allclose(model.coef_, theirs.coef_, atol=1e-5)


def test_nearly_equal_columns_take_few_steps(rng):
    """Sweeps alone would creep along the valley where one column takes over from another."""
    base = rng.normal(size=(200, 1))
    X = base + 1e-4 * rng.normal(size=(200, 30))
    y = X @ rng.normal(size=30) + 0.1 * rng.normal(size=200)
    problem = objective(X, y, Loss.SQUARED, Penalty(1e-7))
    found = coordinate_descent.descend(problem, Descent(100, 1e-6), ignore)
    assert found.converged
    assert len(found.history) <= 10


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_columns_and_targets_of_any_size(scale, rng):
    X = rng.normal(size=(50, 10))
    y = X[:, 0] + 0.1 * rng.normal(size=50)
    plain = linnet.Lasso(alpha=0.1, tol=1e-8).fit(X, y)
    scaled = linnet.Lasso(alpha=0.1 * scale, tol=1e-8).fit(X * scale, y)
    assert np.allclose(scaled.coef_ * scale, plain.coef_, atol=1e-6)


@pytest.mark.parametrize("X", [[[3.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]])
def test_one_row_and_columns_that_never_vary_have_no_weights(X):
    y = np.arange(len(X)) + 2.0
    model = linnet.Lasso(alpha=0.1).fit(X, y)
    assert (model.coef_ == 0).all()
    assert model.intercept_ == pytest.approx(y.mean())
    assert model.certificate_.gap <= 1e-4


def test_it_is_chosen_and_can_be_asked_for(rng):
    X = rng.normal(size=(40, 5))
    y = X[:, 0] + rng.normal(size=40) > 0
    for estimator in (linnet.LogisticRegression(penalty="l1"), linnet.LinearSVC(penalty="l1")):
        fitted = estimator.fit(X, y)
        assert fitted.solver_ == "coordinate-descent"
        other = fitted.certificate_.primal
        gradient = estimator.set_params(solver="gradient").fit(X, y).certificate_.primal
        assert gradient == pytest.approx(other, rel=1e-4)
    net = linnet.LogisticRegression(penalty="l2", solver="coordinate-descent", tol=1e-8).fit(X, y)
    plain = linnet.LogisticRegression(penalty="l2", tol=1e-8).fit(X, y)
    assert np.allclose(net.coef_, plain.coef_, atol=1e-4)
    with pytest.raises(linnet.RecipeError, match="needs a penalty"):
        linnet.LogisticRegression(penalty=None, solver="coordinate-descent").fit(X, y)
    with pytest.raises(linnet.RecipeError, match="one-vs-rest"):
        linnet.LogisticRegression(penalty="l1", solver="coordinate-descent").fit(X, np.arange(40) % 3)


def test_a_loss_of_ones_own_is_fitted(rng):
    """Modified Huber, of CONTRIBUTING.md: no kernel knows it."""
    X = rng.normal(size=(60, 8))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(float)
    problem = objective(X, y, SmoothHinge(), Penalty(0.02))
    found = coordinate_descent.descend(problem, Descent(500, 1e-7), ignore)
    assert found.converged
    assert value(problem, found.weights) <= optimum(problem) * (1 + 1e-6)


def test_rows_whose_ids_fall_have_the_same_pairs(rng):
    """As rows of text do: words are numbered when they are first seen."""
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.5)
    table = csr_array(X)
    falling = np.concatenate(
        [np.arange(b - 1, a - 1, -1) for a, b in zip(table.indptr, table.indptr[1:], strict=False)]
    )
    ids = table.indices[falling].astype(np.uint32)
    rows = Rows(table.data[falling], ids, table.indptr.astype(np.int64), table.shape)
    problem = Objective(
        Examples(rows, rng.normal(size=40), None), Loss.SQUARED, Penalty(l1=0.1), 1, intercept=False, regression=True
    )
    bends = rng.random(40)
    columns = working_columns.SparseColumns(problem, np.arange(6), np.diff(csr_array(X.T).indptr))
    found = columns.pairs(bends, intercept=False).table
    np.testing.assert_allclose(found, X.T @ (bends[:, np.newaxis] * X), rtol=1e-12, atol=1e-12)
