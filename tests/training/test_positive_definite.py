"""Positive definite systems, beside NumPy's general solver."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.training.positive_definite import Factored, mirrored


@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_solutions_and_inverses_are_those_of_the_general_solver(rng, n):
    X = rng.normal(size=(2 * n, n)) * rng.uniform(0.5, 2.0, n)
    table, right = X.T @ X + np.eye(n), rng.normal(size=n)
    factored = Factored(table)
    assert np.allclose(factored.solve(right), np.linalg.solve(table, right), rtol=1e-10)
    several = rng.normal(size=(n, 3))
    assert np.allclose(factored.solve(several), np.linalg.solve(table, several), rtol=1e-10)
    assert np.allclose(factored.inverse(), np.linalg.inv(table), rtol=1e-9, atol=1e-12)


def test_a_solution_is_corrected_where_columns_are_nearly_collinear(rng):
    x = rng.normal(size=(50, 1))
    X = np.hstack([x, x + 1e-5 * rng.normal(size=(50, 1)), rng.normal(size=(50, 3))])
    table, right = X.T @ X, X.T @ rng.normal(size=50)
    left, usual = (
        np.abs(table @ found - right).max() for found in (Factored(table).solve(right), np.linalg.solve(table, right))
    )
    assert left <= 10 * usual + 1e-14


@pytest.mark.parametrize(
    "table", [np.diag([1.0, -1.0]), np.zeros((2, 2)), np.full((2, 2), np.nan), np.diag([1.0, np.inf])]
)
def test_what_is_not_positive_definite_is_refused(table):
    with pytest.raises(np.linalg.LinAlgError):
        Factored(table)


def test_a_table_is_mirrored_at_its_diagonal():
    assert mirrored(np.array([[1.0, 9.0], [2.0, 3.0]])).tolist() == [[1.0, 2.0], [2.0, 3.0]]
