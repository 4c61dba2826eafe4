"""Margins beside closed forms, a quadratic programme of SciPy's, and scikit-learn's SVM at a very large C."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from linnet import LinearSVC, Perceptron
from linnet.errors import InputError, NumericalError, RecipeError
from linnet.theory import distance_from_origin, margin, margins, max_margin, separability
from linnet.theory.hard_margin import at_most
from linnet.theory.signed_points import Points, read


def best_by_programme(X, y):
    """min 1/2 |w|^2 with y (w . x + b) >= 1, by sequential quadratic programming: the margin is 1 / |w|."""
    signs = np.where(y == max(y), 1.0, -1.0)
    Z = signs[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])
    start = separability(X, y)
    v = np.append(start.weights, start.bias)
    v /= (Z @ v).min()
    found = minimize(
        lambda v: 0.5 * v[:-1] @ v[:-1],
        v,
        jac=lambda v: np.append(v[:-1], 0.0),
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda _: Z},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert (Z @ found.x).min() > 1 - 1e-6
    return 1 / np.linalg.norm(found.x[:-1])


def clouds(seed, n=60, d=3, apart=6.0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    return X + apart * y[:, np.newaxis] / np.sqrt(d), y


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_the_best_margin_is_that_of_a_quadratic_programme(seed, form):
    X, y = clouds(seed, d=1 + seed % 5)
    found = max_margin(form(X), y, tol=1e-6)
    assert found.margin == pytest.approx(best_by_programme(X, y), rel=1e-5)
    assert found.margin <= found.most
    assert found.gap <= 1e-6
    assert np.linalg.norm(found.weights) == pytest.approx(1)
    assert found.check(form(X), y)
    assert margin(found, X, y) == pytest.approx(found.margin)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("free", [False, True])
def test_what_no_plane_exceeds_is_not_rounded_below_the_length_of_the_combination(seed, free):
    """Beside the same sum in fractions, of points far away whose difference is small."""
    rng = np.random.default_rng(seed)
    X = 10.0 ** rng.integers(2, 10) + rng.normal(size=(7, 2))
    signs = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
    points = Points(read(X, np.zeros(7))[0], signs, (0, 1))
    convex = rng.random(7)
    for side in (signs > 0, signs < 0) if free else (signs != 0,):
        convex[side] /= convex[side].sum()
    up, down = (sum(Fraction(coefficient) for coefficient in convex[signs == sign].tolist()) for sign in (1, -1))
    of_sides = {1: up, -1: down} if free else {1: up + down, -1: up + down}
    Z = X if free else np.column_stack([X, np.ones(7)])
    combination = [
        sum(
            Fraction(coefficient) / of_sides[int(sign)] * int(sign) * Fraction(x)
            for coefficient, sign, x in zip(convex.tolist(), signs.tolist(), column.tolist(), strict=True)
        )
        for column in Z.T
    ]
    length = (Fraction(1, 2) if free else 1) ** 2 * sum(each**2 for each in combination)
    found = at_most(points, convex, free=free)
    assert Fraction(found) ** 2 >= length
    assert found == pytest.approx(float(length) ** 0.5, rel=1e-11, abs=1e-13 * float(np.abs(X).max()))


def test_a_long_row_of_a_small_multiplier_adds_no_more_rounding_error_than_its_weight():
    """-(3e38, 1) and (1, 1): the combination nearest to the origin is (0, 1) but for 1 / 3e38."""
    answer = separability([[3e38], [1]], [0, 1])
    assert answer.margin <= 1 <= answer.most == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_margin_of_a_triangle_far_from_the_origin_is_within_the_two_values(seed):
    """Its nearest side is parallel to an axis, so the margin is half of a difference of two numbers."""
    below, above = np.random.default_rng(seed).uniform(0.5, 2, size=2)
    X, y = np.array([[1e4, 0.0], [1e4 + 2.0**-6, -below], [1e4 + 2.0**-6, above]]), [0, 1, 1]
    found = max_margin(X, y)
    assert found.margin <= 2.0**-7 <= found.most
    assert found.check(X, y)


def test_a_margin_that_is_not_found_is_not_reported_as_none():
    least = np.finfo(float).smallest_subnormal
    with pytest.raises(NumericalError, match="unknown: undecided: a plane separates"):
        max_margin([[least], [2 * least]], [0, 1])


def test_the_best_margin_is_that_of_an_svm_that_allows_no_mistake():
    from sklearn.svm import SVC

    X, y = clouds(3, n=200, d=6)
    theirs = SVC(C=1e8, kernel="linear", tol=1e-8).fit(X, y)
    ours = max_margin(X, y, tol=1e-7)
    assert ours.margin == pytest.approx(1 / np.linalg.norm(theirs.coef_), rel=1e-6)
    assert set(theirs.support_) <= set(ours.support.tolist())


def test_primal_and_dual_value_are_within_tol_by_default_and_each_holds_by_itself():
    X, y = clouds(4, n=500, d=20, apart=12)
    found = max_margin(X, y)
    assert 0 <= found.most - found.margin <= 1e-3 * found.most
    signs = np.where(y == 1, 1.0, -1.0)
    assert (signs * (X @ found.weights + found.bias)).min() == pytest.approx(found.margin)
    inside = [found.multipliers[signs[found.support] == side] for side in (1, -1)]
    hulls = [part @ X[found.support[signs[found.support] == side]] for part, side in zip(inside, (1, -1), strict=True)]
    assert [part.sum() for part in inside] == pytest.approx([1, 1])
    assert np.linalg.norm(hulls[0] - hulls[1]) / 2 == pytest.approx(found.most)


def test_two_points_have_the_plane_midway_between_them():
    found = max_margin([[0.0, 0.0], [6.0, 8.0]], ["a", "b"])
    assert found.margin == pytest.approx(5.0)
    assert found.weights == pytest.approx([0.6, 0.8])
    assert found.bias == pytest.approx(-5.0)
    assert distance_from_origin(found) == pytest.approx(5.0)
    assert found.support.tolist() == [0, 1]


def test_moving_all_points_moves_the_plane_and_changes_no_margin():
    X, y = clouds(7)
    moved, found = (max_margin(each, y, tol=1e-7).margin for each in (X + 1000.0, X))
    assert moved == pytest.approx(found, rel=1e-6)


def test_columns_of_very_different_scales():
    X, y = clouds(8, n=300, d=6)
    X = X * 10.0 ** np.array([-4, -2, 0, 1, 3, 5])
    found = max_margin(X, y)
    assert found.gap <= 1e-3
    assert found.check(X, y)


def test_the_margin_of_a_point_is_its_distance_on_its_own_side():
    """The line 3 x + 4 y = 5; the lecture's definition takes w of length 1."""
    plane = (np.array([3.0, 4.0]), -5.0)
    X, y = [[3.0, 4.0], [0.0, 0.0], [1.0, 0.5]], [1, 0, 0]
    assert margins(plane, X, y) == pytest.approx([4.0, 1.0, 0.0])
    assert margin(plane, X, y) == pytest.approx(0.0)
    assert margins(plane, X, [0, 1, 1]) == pytest.approx([-4.0, -1.0, 0.0])
    assert distance_from_origin(plane) == pytest.approx(1.0)


def test_models_of_any_kind_have_margins():
    X, y = clouds(9)
    for model in (Perceptron(max_iter=100).fit(X, y), LinearSVC().fit(X, y), separability(X, y)):
        if hasattr(model, "coef_"):
            w, b = model.coef_[0], model.intercept_[0]
        else:
            w, b = model.weights, model.bias
        wanted = np.where(y == 1, 1, -1) * (X @ w + b) / np.linalg.norm(w)
        assert margins(model, X, y) == pytest.approx(wanted)
        assert distance_from_origin(model) == pytest.approx(abs(b) / np.linalg.norm(w))
        assert margin(model, X, y) <= max_margin(X, y).most


def test_a_perceptron_keeps_the_bound():
    for seed in range(5):
        X, y = clouds(seed, apart=7)
        answer = separability(X, y)
        model = Perceptron(max_iter=1000, tol=None, shuffle=False).fit(X, y)
        assert model.updates_ <= answer.bound


def test_a_changed_proof_does_not_hold():
    from dataclasses import replace

    X, y = clouds(2)
    found = max_margin(X, y)
    assert found.check(X, y)
    assert not replace(found, margin=1.01 * found.margin).check(X, y)
    assert not replace(found, most=0.99 * found.most).check(X, y)
    assert not replace(found, multipliers=0.5 * found.multipliers).check(X, y)
    assert not replace(found, weights=2 * found.weights).check(X, y)
    assert not found.check(X[:, :2], y)


def test_what_has_no_largest_margin_is_an_error():
    with pytest.raises(InputError, match="no margin to maximise: not linearly separable"):
        max_margin([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(InputError, match="same label"):
        max_margin([[0], [1]], [1, 1])
    with pytest.raises(InputError, match="3 labels"):
        max_margin([[0], [1], [2]], [1, 2, 3])
    with pytest.raises(RecipeError, match="tol"):
        max_margin([[0], [1]], [0, 1], tol=0)
    with pytest.raises(InputError, match="all 0"):
        margin(([0.0], 1.0), [[0], [1]], [0, 1])
    with pytest.raises(InputError, match="2 weights, but the rows have 1"):
        margin(([1.0, 2.0], 1.0), [[0], [1]], [0, 1])
    with pytest.raises(InputError, match="the model has 3"):
        margin((np.ones((3, 2)), np.ones(3)), [[0, 1], [1, 2]], [0, 1])
