"""The interior-point method for the hinge: libsvm's and LIBLINEAR's optimum, gaps that hold, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC, LinearSVC

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training import threads
from linnet.training.descent import Descent
from linnet.training.objective import Objective
from linnet.training.solvers.interior_point import descend


def hinge(X, y, C, *, intercept=True, weights=None):
    examples = Examples(Rows.of(X), y, weights)
    return Objective(examples, Loss.HINGE, Penalty(l2=1.0 / C, total=True), 1, intercept=intercept, regression=False)


def value(w, b, X, y, C, weights=None):
    """The objective as a mean over the rows, by NumPy."""
    c = np.ones(len(y)) if weights is None else weights
    losses = c @ np.maximum(0, 1 - np.where(y > 0, 1, -1) * (X @ w + b))
    return (losses + 0.5 * (w @ w) / C) / c.sum()


@pytest.mark.parametrize("seed", range(12))
def test_random_problems_end_at_the_optimum_of_libsvm_within_the_proven_gap(seed):
    rng = np.random.default_rng(seed)
    n, d, C = int(rng.integers(10, 200)), int(rng.integers(1, 12)), 10.0 ** rng.uniform(-2, 1.5)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    y = (X @ rng.standard_normal(d) / 10 + rng.standard_normal(n) > 0).astype(float)
    y[:2] = 0.0, 1.0
    weights = rng.integers(0, 4, n).astype(float) + (np.arange(n) < 2) if seed % 2 else None
    tight = descend(hinge(X, y, C, weights=weights), Descent(200, 1e-9))
    theirs = SVC(kernel="linear", C=C, tol=1e-7).fit(X, y, sample_weight=weights)
    reached = value(theirs.coef_[0], theirs.intercept_[0], X, y, C, weights)
    assert tight.converged
    assert value(tight.weights[:-1], tight.weights[-1], X, y, C, weights) <= reached * (1 + 1e-6)
    assert tight.certificate.dual <= reached
    loose = descend(hinge(X, y, C, weights=weights), Descent(200, 1e-2))
    assert loose.certificate.dual <= tight.certificate.primal
    assert loose.certificate.primal == pytest.approx(
        value(loose.weights[:-1], loose.weights[-1], X, y, C, weights), rel=1e-12
    )


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_without_an_intercept_it_is_the_optimum_of_liblinear(C):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 4)) + 0.5
    y = (X[:, 0] + rng.standard_normal(150) > 0.5).astype(float)
    found = descend(hinge(X, y, C, intercept=False), Descent(200, 1e-9))
    theirs = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-9, max_iter=1_000_000, dual=True).fit(X, y)
    assert found.weights[-1] == 0.0
    np.testing.assert_allclose(found.weights[:-1], theirs.coef_[0], rtol=1e-3, atol=1e-5)


def test_separable_rows_and_one_sided_labels_converge():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 1.0], [6.0, 3.0]])
    for y in (np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4)):
        assert descend(hinge(X, y, 100.0), Descent(200, 1e-6)).converged


def test_the_bits_are_the_same_for_any_number_of_threads_and_for_sparse_rows(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((20_000, 15))
    X[rng.random(X.shape) < 0.5] = 0.0
    y = (X @ rng.standard_normal(15) + rng.standard_normal(20_000) > 0).astype(float)
    found = []
    for number in (1, 2, 4):
        monkeypatch.setattr(threads, "cores", lambda number=number: number)
        found.append(descend(hinge(X, y, 1.0), Descent(50, 1e-5), part=1 << 15).weights.tobytes())
    found.append(descend(hinge(csr_array(X), y, 1.0), Descent(50, 1e-5), part=1 << 15).weights.tobytes())
    assert len(set(found)) == 1
