"""The lectures' worked examples."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, log2

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linnet import Conjunctions, Halving, LinearRegression, LogisticRegression, Perceptron, Polynomial, boolean

CARS = np.array([[31.5, 6.0], [36.2, 2.0], [43.1, 0.0], [27.6, 2.0]])
MILEAGE = np.array([21.0, 25.0, 18.0, 30.0])


def test_mileage_is_the_solution_of_the_normal_equations():
    """w* = (X X')^-1 X Y with examples as columns, the first row all ones."""
    X = np.vstack([np.ones(4), CARS.T])
    w = np.linalg.inv(X @ X.T) @ X @ MILEAGE
    model = LinearRegression(solver="analytic").fit(CARS, MILEAGE)
    assert_allclose([model.intercept_, *model.coef_], w, rtol=1e-9)


def test_batch_gradient_descent_walks_to_the_same_mileage():
    """J is a sum, not a mean."""
    scaled = (CARS - CARS.mean(axis=0)) / CARS.std(axis=0)
    Z, w, r = np.column_stack([scaled, np.ones(4)]), np.zeros(3), 0.05
    for _ in range(50):
        w += r * Z.T @ (MILEAGE - Z @ w)
    walked = LinearRegression(solver="gradient", eta0=r, max_iter=50, tol=None).fit(scaled, MILEAGE)
    assert_allclose([*walked.coef_, walked.intercept_], w, rtol=1e-12)
    exact = LinearRegression().fit(scaled, MILEAGE)
    arrived = LinearRegression(solver="gradient", max_iter=10_000, tol=1e-12).fit(scaled, MILEAGE)
    assert_allclose(arrived.coef_, exact.coef_, rtol=1e-9)


def test_the_widrow_hoff_rule_adds_r_times_error_times_input():
    w, r = np.zeros(3), 0.0005
    for _ in range(3):
        for x, y in zip(np.column_stack([CARS, np.ones(4)]), MILEAGE, strict=True):
            w += r * (y - w @ x) * x
    model = LinearRegression(solver="online", eta0=r, max_iter=3, tol=None, shuffle=False).fit(CARS, MILEAGE)
    assert_allclose([*model.coef_, model.intercept_], w, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:without a penalty")  # four cars in the plane can be told apart
def test_batch_gradient_ascent_on_the_likelihood_climbs():
    """g = sum (y - p(x)) x, w += eta g: plus, or it would be descent."""
    X, y = CARS - CARS.mean(axis=0), np.array([0, 1, 0, 1])
    Z, w, eta = np.column_stack([X, np.ones(4)]), np.zeros(3), 0.003
    for _ in range(40):
        w += eta * Z.T @ (y - 1 / (1 + np.exp(-Z @ w)))
    model = LogisticRegression(solver="gradient", penalty=None, eta0=eta, max_iter=40, tol=None).fit(X, y)
    assert_allclose([*model.coef_[0], *model.intercept_], w, rtol=1e-12)
    losses = [each.loss for each in model.history_]
    assert losses == sorted(losses, reverse=True)


def test_on_the_unit_circle_every_mistake_adds_the_point():
    angles = np.radians(np.arange(0, 360, 10))
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    y = np.where(X @ [-1, 1] > 0, 1, -1)
    w, updates = np.zeros(2), 0
    while True:
        before = updates
        for x, target in zip(X, y, strict=True):
            if target * (x @ w) <= 0:
                w, updates = w + target * x, updates + 1
        if updates == before:
            break
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    assert_allclose(model.coef_[0], w, atol=1e-12)
    assert model.updates_ == updates
    gamma = (y * (X @ [-1, 1]) / np.sqrt(2)).min()
    assert model.updates_ <= 1 / gamma**2


@pytest.mark.parametrize(
    ("rule", "weights", "threshold"),
    [
        (lambda a, b, c: a and b and c, [1, 1, 1], 3),
        (lambda a, b, c: a and b and not c, [1, 1, -1], 2),
        (lambda a, b, c: a or b or c, [1, 1, 1], 1),
        (lambda a, b, c: a or b or not c, [1, 1, -1], 0),
        (lambda a, b, c: a + b + c >= 2, [1, 1, 1], 2),
    ],
)
def test_conjunctions_disjunctions_and_m_of_n_rules_are_lines(rule, weights, threshold):
    table = np.array(list(product([0, 1], repeat=3)))
    truth = np.array([bool(rule(*row)) for row in table])
    assert_array_equal(table @ weights >= threshold, truth)
    assert_array_equal(Perceptron().fit(table, truth).predict(table), truth)


def test_parity_is_not_linear_but_with_its_conjunction_it_is():
    square = np.array(list(product([0, 1], repeat=2)))
    parity = square.sum(axis=1) % 2
    assert Perceptron(tol=None).fit(square, parity).score(square, parity) < 1
    wider = np.column_stack([square, square.prod(axis=1)])
    assert Perceptron().fit(wider, parity).score(wider, parity) == 1


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("x1 & x2 & x3", "x1 + x2 + x3 >= 3"),
        ("x1 & x2 & ~x3", "x1 + x2 - x3 >= 2"),
        ("x1 | x2 | x3", "x1 + x2 + x3 >= 1"),
        ("atleast(2, x1, x2, x3)", "x1 + x2 + x3 >= 2"),
    ],
)
def test_the_units_that_the_lecture_finds_by_thinking_are_the_smallest(text, formula):
    assert boolean.compile(text, [f"x{j}" for j in range(1, 4)]).formula == formula


@pytest.mark.parametrize("text", ["(x1 | x2) & (~x1 | ~x2)", "(x1 & x2) | (x3 & ~x4)", "~(x1 ^ x2 ^ x3)"])
def test_functions_that_are_not_linear_are_made_linear_by_conjunctions(text):
    function = boolean.parse(text)
    compiled = boolean.compile(text)
    assert not compiled.linear
    assert Perceptron(tol=None).fit(function.points, function.table).score(function.points, function.table) < 1
    wider = compiled.lifted.columns(function.n)
    assert Perceptron().fit(wider, function.table).score(wider, function.table) == 1
    crossed = Conjunctions(degree=function.n).fit_transform(function.points)  # all there are do it, too
    assert Perceptron().fit(crossed, function.table).score(crossed, function.table) == 1


def test_a_circle_is_a_line_in_the_squares():
    angles = np.radians(np.arange(0, 360, 10))
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.vstack([0.5 * circle, 0.9 * circle, 1.1 * circle, 2 * circle])
    inside = np.repeat([True, True, False, False], len(angles))
    assert Perceptron(tol=None).fit(points, inside).score(points, inside) < 1
    curved = Polynomial(degree=2, include_bias=False).fit_transform(points)
    model = Perceptron(max_iter=10_000).fit(curved, inside)
    assert model.score(curved, inside) == 1


def test_points_between_two_others_are_separated_by_x_and_x_squared():
    x = np.linspace(-3, 3, 13)
    inside = np.abs(x) < 1.2
    assert Perceptron(tol=None).fit(x[:, np.newaxis], inside).score(x[:, np.newaxis], inside) < 1
    curve = np.column_stack([x, x**2])
    assert Perceptron().fit(curve, inside).score(curve, inside) == 1


def test_halving_over_monotone_disjunctions_counts_concepts_and_mistakes_as_the_lecture_does():
    """|C| = C(d, k) + ... + C(d, 0); vote 1 where at least half do; at most log2 |C| mistakes."""
    d, k, rng = 12, 3, np.random.default_rng(6)
    X = rng.integers(2, size=(80, d))
    y = X[:, [1, 4, 10]].any(axis=1).astype(int)
    V = [set(c) for j in range(k + 1) for c in combinations(range(d), j)]
    assert len(V) == comb(12, 3) + comb(12, 2) + comb(12, 1) + comb(12, 0)
    bound, sizes, mistakes = log2(len(V)), [], 0
    for x, truth in zip(X, y, strict=True):
        ones = [c for c in V if any(x[j] for j in c)]
        zeros = [c for c in V if not any(x[j] for j in c)]
        mistakes += (len(ones) >= len(zeros)) != truth
        V = ones if truth else zeros
        sizes.append(len(V))
    model = Halving("disjunctions", k=k).fit(X, y)
    assert model.bound_ == bound
    assert_array_equal(model.sizes_, sizes)
    assert model.mistakes_ == mistakes <= bound
    assert model.concepts_ == [" or ".join(f"x{j}" for j in sorted(c)) for c in V] == ["x1 or x4 or x10"]


def test_a_monotone_disjunction_is_the_plane_of_its_variables_at_one_half():
    """x_i1 + ... + x_ik = 1/2 has the points that the disjunction calls 1 on one side, all others on the other."""
    table = np.array(list(product([0, 1], repeat=5)))
    truth = table[:, [0, 2, 3]].any(axis=1)
    assert_array_equal(table @ [1, 0, 1, 1, 0] > 0.5, truth)
    planes = np.array([[j in c for j in range(5)] for c in combinations(range(5), 3)], dtype=float)
    assert Halving((planes, 0.5)).fit(table, truth).concepts_ == ["+1 x0 +1 x2 +1 x3 >= 0.5"]
