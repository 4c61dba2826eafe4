"""`auto` says what it takes and why."""

import numpy as np
import pytest
from scipy.sparse import random_array

from linnet import LogisticRegression


@pytest.mark.parametrize(
    ("columns", "sparse", "classes", "settings", "solver"),
    [
        (5, False, 2, {}, "newton-cholesky"),
        (5, True, 2, {}, "newton-cholesky"),
        (5, True, 3, {"multiclass": "one-vs-rest"}, "newton-cholesky"),
        (5, False, 3, {}, "lbfgs"),
        (400, False, 3, {}, "newton-cg"),
        (400, True, 3, {}, "newton-cg"),
        (1200, True, 3, {}, "lbfgs"),
        (60, False, 3, {}, "newton-cg"),
        (1200, False, 2, {}, "newton-cg"),
        (1200, True, 2, {}, "dual"),
        (200, True, 2, {}, "newton-cholesky"),
        (400, True, 2, {}, "dual"),  # few columns, but many beside 60 rows
        (5, False, 2, {"penalty": "l1"}, "coordinate-descent"),
        (5, False, 3, {"penalty": "l1"}, "gradient"),
        (5, False, 2, {"penalty": None}, "lbfgs"),
        (5, False, 2, {"eta0": 0.01}, "gradient"),
        (5, False, 2, {"solver": "lbfgs"}, "lbfgs"),
        (5, False, 2, {"solver": "online"}, "online"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_solver_follows_from_the_shape_of_the_problem(columns, sparse, classes, settings, solver, rng):
    X = random_array((60, columns), density=0.1, rng=rng, format="csr")
    y = np.arange(60) % classes
    model = LogisticRegression(**settings).fit(X if sparse else X.toarray(), y)
    assert model.solver_ == solver
    assert model.solver_reason_


def test_sparse_rows_that_are_nearly_full_are_solved_as_dense_ones(rng):
    X = random_array((400, 1200), density=0.5, rng=rng, format="csr")
    model = LogisticRegression().fit(X, np.arange(400) % 2)
    assert model.solver_ == "newton-cg"
    assert model.certificate_.gap <= 1e-4
