"""The SVM of very many classes: its optimum, its certificate, and that nothing depends on how weights are kept."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.kernels.sparse_weights import combined
from linnet.learners import catalogue, sparse_weights
from linnet.learners.sparse_weights import SparseWeights
from linnet.training.fit import Settings, fit
from linnet.training.solvers.sparse_classes import solve

ENTRY = catalogue.of_many_classes()


def objective(X, y, w, C, weights):
    """The problem as it is stated, in NumPy."""
    scores = X @ w
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = 0.0
    losses = np.maximum(0.0, 1.0 - own + np.maximum(0.0, scores.max(axis=1)))
    return (0.5 * (w**2).sum() + C * weights @ losses) / (C * weights.sum())


def texts(rng, n=60, d=30, classes=6):
    X = (rng.random((n, d)) < 0.15) * rng.uniform(0.5, 1.5, (n, d))
    y = np.append(np.arange(classes), rng.integers(classes, size=n - classes))
    X[np.arange(n), y] += 1.0
    return X, y


def solved(X, y, C=1.0, tol=1e-4, weights=None):
    examples = Examples(Rows.of(X), y.astype(float), weights)
    return solve(examples, int(y.max()) + 1, C, tol=tol, most=3000, watch=lambda _: None)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_is_of_the_problem_as_stated(C, weighted, rng):
    X, y = texts(rng)
    weights = rng.uniform(0.1, 3.0, len(y)) if weighted else None
    found = solved(X, y, C, weights=weights)
    assert found.converged
    value = objective(X, y, found.weights.table(), C, np.ones(len(y)) if weights is None else weights)
    assert value == pytest.approx(found.certificate.primal, rel=1e-12)
    assert found.certificate.dual <= value * (1 + 1e-12)
    assert value - found.certificate.dual <= 1e-4 * value * 1.01


def test_the_optimum_is_that_of_a_quadratic_program(rng):
    X, y = texts(rng, n=10, d=4, classes=3)
    n, d, k, C = *X.shape, 3, 2.0
    constraints = []
    for i in range(n):
        for rival in [*(set(range(k)) - {y[i]}), None]:
            row = np.zeros((d, k))
            row[:, y[i]] += X[i]
            if rival is not None:
                row[:, rival] -= X[i]
            line = np.append(row.ravel(), np.eye(n)[i])
            constraints.append(
                {"type": "ineq", "fun": lambda v, line=line: line @ v - 1.0, "jac": lambda _, line=line: line}
            )
    size = d * k
    program = minimize(
        lambda v: 0.5 * v[:size] @ v[:size] + C * v[size:].sum(),
        np.append(np.zeros(size), np.ones(n)),
        jac=lambda v: np.append(v[:size], np.full(n, C)),
        bounds=[(None, None)] * size + [(0, None)] * n,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert program.success
    assert solved(X, y, C).certificate.primal * C * n == pytest.approx(program.fun, rel=2e-4)


def test_a_fit_ends_where_single_precision_has_no_step_left(rng):
    X, y = texts(rng)
    found = solved(X, y, tol=1e-12)
    assert not found.converged
    assert len(found.history) < 3000
    assert found.certificate.gap < 1e-4


def test_what_is_not_proven_is_near_the_optimum_all_the_same(rng):
    X, y = texts(rng, n=300, classes=40, d=60)
    examples = Examples(Rows.of(X), y.astype(float), None)
    trial = solve(examples, 40, 1.0, tol=1e-3, most=3000, watch=lambda _: None, proven=False)
    assert trial.certificate is None
    best = solved(X, y).certificate.dual
    assert objective(X, y, trial.weights.table(), 1.0, np.ones(300)) <= best * (1 + 2e-3)


@pytest.mark.parametrize("classes", [3, 200])
def test_weights_are_the_product_of_rows_and_parts(classes, rng):
    """Few classes of a feature are sorted, many are found in their order."""
    from scipy.sparse import csc_array, csr_array

    X = csc_array(np.where(rng.random((90, 20)) < 0.7, rng.normal(size=(90, 20)), 0.0))
    parts = csr_array(np.where(rng.random((90, classes)) < 0.4, rng.normal(size=(90, classes)), 0.0))
    parts.data[:5] = 0.0
    starts, outputs, values = combined(
        X.data, X.indices.astype(np.uint32), X.indptr.astype(np.int64),
        parts.data, parts.indices.astype(np.uint32), parts.indptr.astype(np.int64), classes, 20 * classes,
    )  # fmt: skip
    weights = SparseWeights(starts, outputs, values, (20, classes))
    np.testing.assert_allclose(weights.table(), X.T.toarray() @ parts.toarray(), atol=1e-12)
    assert (values != 0).all()
    assert all((np.diff(outputs[a:b].astype(int)) > 0).all() for a, b in pairwise(starts))


def test_weights_are_zero_for_classes_that_never_met_a_feature(rng):
    X = np.zeros((40, 8))
    y = np.arange(40) % 4
    X[np.arange(40), 2 * y + rng.integers(2, size=40)] = 1.0  # every class has two features of its own
    weights = solved(X, y).weights
    assert len(weights.values) == 8
    assert (weights.table()[np.arange(8), np.arange(8) // 2] > 0).all()


def test_a_crowded_feature_changes_nothing_but_the_layout(rng):
    """A feature that all rows have is kept for every class; the optimum is the same as without such lists."""
    X, y = texts(rng, n=200, classes=40, d=60)
    X[:, -1] = 0.3
    found = solved(X, y)
    assert found.converged
    assert objective(X, y, found.weights.table(), 1.0, np.ones(len(y))) - found.certificate.dual <= 2e-4


def test_dense_rows_and_sparse_rows_give_the_same_bits(rng):
    from scipy.sparse import csr_array

    X, y = texts(rng)
    first, second = solved(X, y), solved(csr_array(X), y)
    np.testing.assert_array_equal(first.weights.table(), second.weights.table())


def test_rows_without_entries_cost_their_loss_and_nothing_else(rng):
    X, y = texts(rng)
    X[:5] = 0.0
    found = solved(X, y)
    assert found.converged


def test_large_tables_stay_sparse_and_predict_the_same(rng, monkeypatch):
    X, y = texts(rng)
    labels, codes = Labels.of(np.array([f"label {k}" for k in y]))
    examples = Examples(Rows.of(X), codes)
    as_table = fit(ENTRY, examples, labels, Settings())
    monkeypatch.setattr(sparse_weights, "DENSE_AT_MOST", 0)
    sparse = fit(ENTRY, examples, labels, Settings())
    assert isinstance(as_table.model.weights, np.ndarray)
    assert isinstance(sparse.model.weights, SparseWeights)
    np.testing.assert_array_equal(sparse.model.weights.table(), as_table.model.weights)
    np.testing.assert_allclose(sparse.model.scores(examples.rows), as_table.model.scores(examples.rows), atol=1e-12)
    assert (sparse.model.predict(examples.rows) == as_table.model.predict(examples.rows)).all()


def test_sparse_weights_answer_as_their_table_does(rng):
    table = np.where(rng.random((7, 5)) < 0.4, rng.normal(size=(7, 5)), 0.0)
    weights = SparseWeights.of_table(table)
    np.testing.assert_array_equal(weights.table(), table)
    np.testing.assert_array_equal(weights.matrix().toarray(), table)
    np.testing.assert_allclose(weights.mean_of_outputs(), table.mean(axis=1), atol=1e-15)
    np.testing.assert_array_equal(weights.scaled(np.arange(7.0)).table(), table * np.arange(7.0)[:, np.newaxis])
    for k in range(5):
        np.testing.assert_array_equal(weights.output(k), table[:, k])
