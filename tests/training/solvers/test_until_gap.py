"""`tol` is a relative gap, whatever the solver's own criterion is."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from linnet import LogisticRegression
from tests.conftest import sparse_table


@pytest.mark.parametrize("tol", [1e-1, 1e-4, 1e-7])
@pytest.mark.parametrize(
    ("solver", "penalty"), [("lbfgs", "l2"), ("gradient", "l2"), ("gradient", "l1"), ("dual", "l2")]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_batch_solver_goes_on_to_the_gap_asked_for(classes, solver, penalty, tol, rng):
    X, y = sparse_table(rng, 90, 5) * [1, 10, 0.1, 1, 1], rng.integers(classes, size=90)
    multiclass = "one-vs-rest" if solver == "dual" else "joint"
    model = LogisticRegression(
        solver=solver, penalty=penalty, C=3.0, tol=tol, max_iter=20_000, multiclass=multiclass
    ).fit(X, y)
    assert model.certificate_.gap <= tol


@pytest.mark.parametrize("solver", ["lbfgs", "gradient"])
def test_steps_that_run_out_leave_a_warning_with_the_gap(solver, rng):
    X, y = rng.normal(size=(200, 10)) * 10.0 ** np.arange(-5, 5), rng.integers(2, size=200)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = LogisticRegression(solver=solver, C=100, tol=1e-9, max_iter=4).fit(X, y)
    assert model.n_iter_ == 4
