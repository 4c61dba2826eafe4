"""Least squares: the rank that the digits of the rows allow, and gaps that hold in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from linnet import LinearRegression
from linnet.errors import InputError


def least_squares(X, y):
    """The least mean of half squares of these numbers, with an intercept, without any rounding."""
    rows = [[Fraction(v) for v in row] + [Fraction(1)] for row in X.tolist()]
    targets = [Fraction(v) for v in y.tolist()]
    d = len(rows[0])
    table = [[sum(r[i] * r[j] for r in rows) for j in range(d)] for i in range(d)]
    right = [sum(r[i] * t for r, t in zip(rows, targets, strict=True)) for i in range(d)]
    for i in range(d):  # elimination; the table is positive definite
        for k in range(i + 1, d):
            factor = table[k][i] / table[i][i]
            table[k] = [a - factor * b for a, b in zip(table[k], table[i], strict=True)]
            right[k] -= factor * right[i]
    w = [Fraction(0)] * d
    for i in reversed(range(d)):
        w[i] = (right[i] - sum(table[i][j] * w[j] for j in range(i + 1, d))) / table[i][i]
    return value(rows, targets, w)


def value(rows, targets, w):
    squares = sum((sum(a * b for a, b in zip(r, w, strict=True)) - t) ** 2 for r, t in zip(rows, targets, strict=True))
    return squares / (2 * len(rows))


@pytest.mark.parametrize("off", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-6, 1e-8, 1e-10, 1e-12])
def test_no_gap_of_nearly_collinear_columns_is_below_the_truth(off, apart):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 14))
        a, b = rng.normal(size=(2, n))
        X = np.column_stack([a, b, a + b + apart * rng.normal(size=n)]) * 10.0 ** rng.uniform(-3, 3, 3)
        X += off * rng.normal(size=3)
        y = X @ rng.normal(size=3) + rng.normal(size=n)
        found = LinearRegression().fit(X, y)
        proof = found.certificate_
        rows = [[Fraction(v) for v in row] + [Fraction(1)] for row in X.tolist()]
        w = [*(Fraction(v) for v in found.coef_.tolist()), Fraction(found.intercept_)]
        reached = value(rows, [Fraction(v) for v in y.tolist()], w)
        if proof.reason:
            assert apart < 1e-6
            continue
        best = least_squares(X, y)
        assert Fraction(proof.dual) <= best
        assert reached - best <= Fraction(proof.primal) - Fraction(proof.dual)
        assert proof.gap < 1e-6 or apart < 1e-3


@pytest.mark.parametrize("mean", [0.0, 1e2, 1e5, 1e7])
@pytest.mark.parametrize("form", [np.float64, np.float32])
def test_a_summary_refuses_columns_that_are_collinear_to_the_digits_they_have(mean, form):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, b = (rng.normal(size=(2, 60)) * 10 + mean).astype(form)
        y = a + rng.normal(size=60)
        for third in (a + b, form(1.8) * a + form(32), 3 * b - a):
            X = np.column_stack([a, b, third])
            if form is np.float32 and mean > 1e5:
                continue  # a tenth of the digits of the deviations: nothing is left
            with pytest.raises(InputError, match="collinear"):
                LinearRegression().fit(X, y).summary(X, y)


@pytest.mark.parametrize("mean", [0.0, 1e2, 1e5, 1e7])
def test_columns_that_differ_by_more_than_their_last_digits_have_standard_errors(mean):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 60)) * 10 + mean
        X = np.column_stack([a, b, a + b + 1e-4 * rng.normal(size=60)])
        y = a + rng.normal(size=60)
        errors = LinearRegression().fit(X, y).summary(X, y).standard_errors
        # of the same columns less their means, in extended precision; the differences of the numbers are exact there
        Z = X.astype(np.longdouble) - X.astype(np.longdouble).mean(axis=0)
        t = y - y.mean()
        table = (Z.T @ Z).astype(np.longdouble)
        inverse = inverted(table)
        w = inverse @ (Z.T @ t)
        s2 = ((t - Z @ w) ** 2).sum() / (60 - 4)
        assert np.allclose(errors[:3], np.sqrt(s2 * inverse.diagonal()).astype(float), rtol=1e-4)


def inverted(table):
    """By Gauss and Jordan, in the precision of the table."""
    d = len(table)
    both = np.concatenate([table, np.eye(d, dtype=table.dtype)], axis=1)
    for i in range(d):
        both[i] /= both[i, i]
        for k in range(d):
            if k != i:
                both[k] -= both[k, i] * both[i]
    return both[:, d:]


def test_scales_of_columns_do_not_decide_the_rank():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(80, 4))
    y = Z @ [1.0, -2.0, 3.0, 0.5] + 0.1 * rng.normal(size=80)
    plain = LinearRegression().fit(Z, y)
    scales = np.array([1e-12, 1.0, 1e12, 1e3])
    scaled = LinearRegression().fit(Z * scales, y)
    assert np.allclose(scaled.coef_ * scales, plain.coef_, rtol=1e-9)
    assert scaled.certificate_.gap < 1e-9
