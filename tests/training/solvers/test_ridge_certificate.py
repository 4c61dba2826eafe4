"""What a table of squares proves of ridge regression, beside the optimum without rounding."""

from fractions import Fraction

import numpy as np
import pytest

from linnet import Ridge
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.duality_gap import certify
from linnet.training.objective import Objective
from linnet.training.solvers.centred_squares import centred_squares
from linnet.training.solvers.ridge_certificate import certificate_of


def exactly(numbers):
    return [exactly(each) for each in numbers] if isinstance(numbers, list) else Fraction(numbers)


def objective(rows, y, c, alpha, w):
    """(sum_i c_i (w . x_i - y_i)^2 + alpha |w|^2) / 2 sum_i c_i of rows with a last 1, whose weight is free."""
    each = (
        k * (sum(a * b for a, b in zip(row, w, strict=True)) - t) ** 2 for row, t, k in zip(rows, y, c, strict=True)
    )
    return (sum(each) + alpha * sum(a * a for a in w[:-1])) / (2 * sum(c))


def optimum(rows, y, c, alpha, *, intercept):
    """Its least value, by Gauss's elimination of fractions."""
    d = len(rows[0]) - (not intercept)
    table = [[sum(k * r[i] * r[j] for r, k in zip(rows, c, strict=True)) for j in range(d)] for i in range(d)]
    right = [sum(k * r[i] * t for r, t, k in zip(rows, y, c, strict=True)) for i in range(d)]
    for i in range(len(rows[0]) - 1):
        table[i][i] += alpha
    for i in range(d):
        for j in range(i + 1, d):
            factor = table[j][i] / table[i][i]
            table[j] = [a - factor * b for a, b in zip(table[j], table[i], strict=True)]
            right[j] -= factor * right[i]
    w = [Fraction(0)] * len(rows[0])
    for i in reversed(range(d)):
        w[i] = (right[i] - sum(table[i][j] * w[j] for j in range(i + 1, d))) / table[i][i]
    return objective(rows, y, c, alpha, w)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("far", [0.0, 1.0, 1e5])
@pytest.mark.parametrize("wrong", [0.0, 1e-9, 1e-3])
def test_the_bound_is_below_the_optimum_and_the_gap_no_less_than_it_is(intercept, weighted, far, wrong):
    proven = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(40, 3)) + far * intercept * rng.normal(size=3)) * 10.0 ** rng.uniform(-2, 2, 3)
        y, alpha = X @ rng.normal(size=3) + rng.normal(size=40), 10.0 ** rng.uniform(-2, 2)
        c = rng.uniform(0.1, 3, size=40)
        found = centred_squares(Examples(Rows.of(X), y, c if weighted else None), intercept=intercept)
        table = found.squares[:3, :3] + alpha * np.eye(3)
        w = np.linalg.solve(table, found.squares[:3, 3]) * (1 + wrong * rng.normal(size=3))
        b = float(found.means[3] - found.means[:3] @ w) if intercept else 0.0
        proof = certificate_of(found, w, alpha)
        if proof is None:
            continue
        rows, counts = exactly([[*row, 1.0] for row in X.tolist()]), exactly((c if weighted else np.ones(40)).tolist())
        targets, strength = exactly(y.tolist()), Fraction(alpha)
        best = optimum(rows, targets, counts, strength, intercept=intercept)
        reached = objective(rows, targets, counts, strength, exactly([*w.tolist(), b]))
        assert Fraction(proof.dual) <= best
        assert reached - best <= Fraction(proof.primal) - Fraction(proof.dual)
        assert abs(Fraction(proof.primal) - reached) <= Fraction(proof.rounding)
        assert proof.gap < (1e-8 if wrong < 1e-3 else 1.0)
        proven += 1
    assert proven > 0


def test_rows_and_squares_prove_the_same(rng):
    X, y = rng.normal(size=(3000, 5)) + 2.0, rng.normal(size=3000)
    examples = Examples(Rows.of(X), y, None)
    found = centred_squares(examples, intercept=True)
    w = np.array([0.1, 0.0, -0.2, 0.0, 0.03])
    flat = np.append(w, found.means[5] - found.means[:5] @ w)
    problem = Objective(examples, Loss.SQUARED, Penalty(l2=0.5), 1, intercept=True, regression=True)
    ours, theirs = certificate_of(found, w, 0.5 * 3000), certify(problem, flat)
    assert ours.primal == pytest.approx(theirs.primal, rel=1e-12)
    assert ours.dual == pytest.approx(theirs.dual, rel=1e-8)


def test_squares_that_rounding_leaves_too_few_digits_of_prove_nothing(rng):
    X = rng.normal(size=(200, 2))
    y = X @ [1e4, -2e4] + 1e-2 * rng.normal(size=200)  # what is left of y is lost in the rounding of its square
    examples = Examples(Rows.of(X), y, None)
    assert certificate_of(centred_squares(examples, intercept=True), np.array([1e4, -2e4]), 1e-12) is None
    assert Ridge(alpha=1e-12).fit(X, y).certificate_.gap < 1e-4  # by the rows
