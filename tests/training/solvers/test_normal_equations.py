"""Least squares by their normal equations: the weights that singular values give, proven no better than they are."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.objective import Objective
from linnet.training.solvers import least_squares
from linnet.training.solvers.centred_squares import centred_squares
from linnet.training.solvers.normal_equations import by_squares
from tests.training.solvers.test_least_squares import least_squares as without_rounding
from tests.training.solvers.test_least_squares import value


def problem(X, y, c=None, *, intercept=True):
    examples = Examples(Rows.of(X), y, c)
    return Objective(examples, Loss.SQUARED, Penalty(), 1, intercept=intercept, regression=True)


@pytest.mark.parametrize("form", [np.asarray, csr_array, np.float32])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("off", [0.0, 3.0, 1e4])
def test_they_are_those_of_singular_values(form, weighted, intercept, off, rng):
    scales = [1.0, 1e-3, 1e3, 7.0]
    X, y = (rng.normal(size=(300, 4)) + off) * scales, rng.normal(size=300) + off
    if not intercept:
        X *= rng.choice([-1, 1], X.shape)  # or all columns were nearly one
    one = problem(form(X), y, rng.uniform(0.1, 2, 300) if weighted else None, intercept=intercept)
    flat, proof = by_squares(one)
    axes = least_squares.decomposed(least_squares.examples_of(one), intercept=intercept)
    wanted = np.append(*axes.weights())
    assert_allclose(flat, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted[:-1] * scales).max())
    assert proof.gap <= 1e-9
    assert proof.dual <= least_squares.certify(one, wanted).primal


@pytest.mark.parametrize("off", [0.0, 1e3])
@pytest.mark.parametrize("apart", [1.0, 1e-2])
def test_no_gap_is_below_the_truth(off, apart):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 12))
        X = np.column_stack([a, b, a + b + apart * rng.normal(size=12)]) * 10.0 ** rng.uniform(-3, 3, 3)
        X += off * rng.normal(size=3)
        y = X @ rng.normal(size=3) + rng.normal(size=12)
        found = by_squares(problem(X, y))
        if found is None:
            assert apart < 1.0
            continue
        flat, proof = found
        rows = [[Fraction(v) for v in row] + [Fraction(1)] for row in X.tolist()]
        reached = value(rows, [Fraction(v) for v in y.tolist()], [Fraction(v) for v in flat.tolist()])
        best = without_rounding(X, y)
        assert Fraction(proof.dual) <= best
        assert reached - best <= Fraction(proof.primal) - Fraction(proof.dual)
        assert proof.gap < 1e-6


def test_what_squares_cannot_tell_is_left_to_singular_values(rng):
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    collinear = np.column_stack([X, X[:, 0] + X[:, 1]])
    nearly = np.column_stack([X, X[:, 0] + 1e-5 * rng.normal(size=50)])
    constant = np.column_stack([X, np.full(50, 3.7)])
    few_digits = np.column_stack([X, 1e7 + rng.normal(size=50)]).astype(np.float32)
    for table in (collinear, nearly, constant, few_digits, X[:4], np.full((50, 2), 1e200)):
        assert by_squares(problem(table, y[: len(table)])) is None


@pytest.mark.parametrize("mean", [0.0, 2.0, 50.0])
@pytest.mark.parametrize("weighted", [True, False])
def test_squares_are_centred_whether_means_are_small_or_not(mean, weighted, rng):
    X, y, c = rng.normal(size=(3000, 5)) + mean, rng.normal(size=(3000, 2)) - mean, rng.uniform(size=3000)
    c = c if weighted else np.ones(3000)
    found = centred_squares(Examples(Rows.of(X), y, c if weighted else None), intercept=True)
    squares, means, total = found.squares, found.means, found.total
    Z = np.column_stack([X, y])
    Z -= c @ Z / c.sum()
    assert_allclose(squares, (Z.T * c) @ Z, rtol=1e-10, atol=1e-8)
    assert_allclose(means, c @ np.column_stack([X, y]) / c.sum(), rtol=1e-12, atol=1e-14)
    assert total == pytest.approx(c.sum())
