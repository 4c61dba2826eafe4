"""Verdicts beside an exact linear programme in fractions, and proofs beside Gordan's theorem, written out."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_array, csr_array, csr_matrix, lil_array, random_array

import linnet.theory
from linnet.errors import InputError, RecipeError
from linnet.theory import Answers, Inseparable, Separable, Undecided, separability
from linnet.theory.exact_solver import exact_simplex, independent, vanishing, whole_points
from linnet.theory.linear_separability import decide
from linnet.theory.separability_proofs import sides
from linnet.theory.signed_points import Points, read


def signed(X, y):
    """y (x, 1) in fractions; the greater label is the positive one."""
    top = max(y)
    return [
        [(1 if label == top else -1) * Fraction(value) for value in [*map(float, row), 1.0]]
        for row, label in zip(np.asarray(X).tolist(), np.asarray(y).tolist(), strict=True)
    ]


def separable_by_elimination(points):
    """Is there v with z . v > 0 for all?  Fourier and Motzkin: one coordinate after the other is got rid of."""
    left = {_normal(point) for point in points}
    for at in range(len(points[0])):
        zero = {point for point in left if not point[at]}
        up, down = ([point for point in left if point[at] * sign > 0] for sign in (1, -1))
        left = zero | {
            _normal([a * -low[at] + b * high[at] for a, b in zip(high, low, strict=True)])
            for high in up
            for low in down
        }
        if any(not any(point) for point in left):  # 0 > 0
            return False
    return not left


def _normal(point):
    """With the first number that is not 0 being 1 or -1, so that equal conditions are met once."""
    first = next((abs(number) for number in point if number), Fraction(1))
    return tuple(number / first for number in point)


def separable_by_programme(points):
    """The same by the simplex in fractions: maximise t, t <= 1, t <= z . v for v = p - q, p, q, t >= 0.

    All right sides but the last are 0, so the origin is a corner to start from; the least number first, so it ends.
    """
    n, width = len(points), len(points[0])
    lines = [[-x for x in z] + list(z) + [Fraction(1)] for z in points] + [[Fraction(0)] * (2 * width) + [Fraction(1)]]
    rights = [Fraction(0)] * n + [Fraction(1)]
    profit, value = [Fraction(0)] * (2 * width) + [Fraction(1)], Fraction(0)
    inside, outside = list(range(2 * width + 1, 2 * width + 1 + len(lines))), list(range(2 * width + 1))
    while any(p > 0 for p in profit):
        column = min((k for k, p in enumerate(profit) if p > 0), key=lambda k: outside[k])
        line = min(
            (k for k in range(len(lines)) if lines[k][column] > 0),
            key=lambda k: (rights[k] / lines[k][column], inside[k]),
        )
        pivot = lines[line][column]
        lines[line][column] = Fraction(1)
        lines[line] = [x / pivot for x in lines[line]]
        rights[line] /= pivot
        for k in range(len(lines)):
            factor = lines[k][column]
            if k != line and factor:
                lines[k][column] = Fraction(0)
                lines[k] = [a - factor * b for a, b in zip(lines[k], lines[line], strict=True)]
                rights[k] -= factor * rights[line]
        factor, profit[column] = profit[column], Fraction(0)
        profit = [a - factor * b for a, b in zip(profit, lines[line], strict=True)]
        value += factor * rights[line]
        inside[line], outside[column] = outside[column], inside[line]
    return value > 0


def assert_proven(answer, X, y):
    """The proof holds in fractions, by Gordan's theorem."""
    points = signed(X, y)
    d = len(points[0]) - 1
    if answer.separable:
        v = [*map(Fraction, answer.weights.tolist()), Fraction(answer.bias)]
        reached = [sum(a * b for a, b in zip(v, z, strict=True)) for z in points]
        assert min(reached) > 0
        margin, length = Fraction(answer.margin), sum(a * a for a in v)
        assert 0 < margin**2 * length <= min(reached) ** 2
        assert max(sum(a * a for a in z) for z in points) <= Fraction(answer.radius) ** 2
        assert answer.radius == pytest.approx(float(max(sum(a * a for a in z) for z in points)) ** 0.5)
        # the stated margin is a lower bound: below the true one by the rounding error of a sum of d + 1 products
        error = 2.0**-52 * (d + 5) ** 2 * answer.radius
        assert answer.margin == pytest.approx(float(min(reached)) / float(length) ** 0.5, rel=1e-9, abs=error)
        assert answer.bound == pytest.approx((answer.radius / answer.margin) ** 2)
        assert answer.most >= answer.margin
    else:
        assert answer.exact
        assert len(answer.rows) <= d + 2
        assert len(set(answer.rows.tolist())) == len(answer.rows) == len(answer.whole) == len(answer.labels)
        assert min(answer.whole) > 0
        total = [
            sum(many * points[row][j] for many, row in zip(answer.whole, answer.rows.tolist(), strict=True))
            for j in range(d + 1)
        ]
        assert total == [0] * (d + 1)
        assert answer.multipliers.sum() == pytest.approx(1)
        assert answer.multipliers == pytest.approx([many / sum(answer.whole) for many in answer.whole])
        assert list(answer.labels) == [np.asarray(y).tolist()[row] for row in answer.rows]
    assert answer.check(X, y)


def problem(seed):
    """Small whole numbers, often degenerate: duplicates, constant columns, empty rows, points on one line."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 15)), int(rng.integers(1, 5))
    X = rng.integers(-3, 4, size=(n, d))
    kind = seed % 8
    if kind == 1:
        X = rng.integers(0, 2, size=(n, d))
    elif kind == 2:
        X[:, 0] = 2
    elif kind == 3:
        X = X[rng.integers(0, n, size=n)]
    elif kind == 4:
        X[rng.random(n) < 0.4] = 0
    elif kind == 5:
        X = rng.integers(-4, 5, size=(n, 1)) * rng.integers(-2, 3, size=d)
    elif kind == 6:
        X = 10 ** rng.integers(0, 7, size=d) * X
    w = rng.integers(-2, 3, size=d)
    scores = X @ w + int(rng.integers(-2, 3))
    y = (scores > 0).astype(int) if rng.random() < 0.5 else np.where(scores == 0, rng.integers(0, 2, n), scores > 0)
    if rng.random() < 0.3:
        y = rng.integers(0, 2, n)
    return X, y


@pytest.mark.parametrize("tens", range(100))
def test_a_thousand_random_problems_agree_with_an_exact_programme(tens):
    """Of fewer dimensions by elimination too, so that the twins vouch for each other."""
    for seed in range(10 * tens, 10 * tens + 10):
        X, y = problem(seed)
        truth = separable_by_programme(signed(X, y))
        if X.shape[1] <= 2:
            assert separable_by_elimination(signed(X, y)) is truth
        answer = separability(X, y)
        assert answer.separable is truth, seed
        assert_proven(answer, X, y)


def test_the_random_problems_are_of_both_kinds():
    found = [separability(*problem(seed)).separable for seed in range(0, 1000, 10)]
    assert 20 < sum(found) < 80


def tables(elements):
    return st.integers(1, 6).flatmap(lambda d: arrays(np.float64, (6, d), elements=elements))


@given(tables(st.floats(-1e6, 1e6, width=32)))
@settings(max_examples=100, deadline=None)
def test_a_verdict_on_any_floating_point_numbers_is_never_wrong(X):
    """Where weights would need more digits than there are the answer may be None, but not the other one."""
    y = [0, 1, 0, 1, 0, 1]
    answer = separability(X, y)
    assert answer.separable in (separable_by_programme(signed(X, y)), None)
    if answer.separable is not None:
        assert_proven(answer, X, y)


@given(tables(st.integers(-(2**20), 2**20).map(lambda whole: whole / 1024)))
@settings(max_examples=100, deadline=None)
def test_numbers_with_a_few_digits_are_exact_simplex(X):
    y = [0, 1, 0, 1, 0, 1]
    answer = separability(X, y)
    assert answer.separable is separable_by_programme(signed(X, y))
    assert_proven(answer, X, y)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_numbers_of_any_size(scale):
    X = np.array([[1.0], [2.0], [3.0], [4.0]]) * scale
    assert separability(X, [0, 0, 1, 1]).separable is not False
    found = separability(X, [0, 1, 0, 1])
    assert found.separable is False
    assert_proven(found, X, [0, 1, 0, 1])


def test_a_gap_of_the_last_bit_is_seen_and_none_is_not_imagined():
    """1 and the next number: one plane goes between them, and none where they are equal."""
    X = np.array([[0.0], [1.0], [np.nextafter(1.0, 2.0)], [2.0]])
    y = [0, 0, 1, 1]
    answer = separability(X, y)
    assert answer.separable is not False
    X[2] = 1.0
    answer = separability(X, y)
    assert answer.separable is False
    assert answer.rows.tolist() == [1, 2]


def test_points_on_the_boundary_are_not_separated():
    """A touches the segment between two of B: no plane is strictly between, though one has none on the wrong side."""
    X, y = [[0, 0], [2, 2], [1, 1], [5, 0]], ["b", "b", "a", "a"]
    answer = separability(X, y)
    assert isinstance(answer, Inseparable)
    assert sorted(answer.rows.tolist()) == [0, 1, 2]
    assert dict(zip(answer.rows.tolist(), answer.multipliers.tolist(), strict=True)) == {0: 0.25, 1: 0.25, 2: 0.5}


def test_the_intercept_is_free():
    """Without it, x > 5 could not be told by one weight."""
    assert separability([[4], [5], [6], [7]], [0, 0, 1, 1]).separable
    assert separability([[-7], [-6], [-5], [-4]], [0, 0, 1, 1]).separable


def test_xor_is_proven_by_its_four_points_and_a_product_makes_it_separable():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    answer = separability(X, y)
    assert answer.separable is False
    assert answer.rows.tolist() == [0, 1, 2, 3]
    assert answer.whole == (1, 1, 1, 1)
    assert separability(np.column_stack([X, X[:, 0] * X[:, 1]]), y).separable


def test_equal_rows_of_different_labels_are_the_proof():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 9, size=(200, 6)), rng.integers(0, 2, size=200)
    X[[7, 150, 160]], y[[7, 150, 160]] = X[40], [1, 1, 0]
    y[40] = 0
    for form in (np.asarray, csr_array, csr_matrix, coo_array):
        answer = separability(form(X), y)
        assert answer.rows.tolist() == [7, 40]
        assert answer.labels == (1, 0)
        assert answer.twins == 4
        assert_proven(answer, X, y)
    assert "rows 7 (1) and 40 (0) are equal; 4 rows have an equal row of the other class" in str(answer)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_equal_rows_are_all_counted_beside_a_number_that_hides_the_others(form, rng):
    """1e17 and a small whole number: whatever the sum of a row is, all rows have the same."""
    X, y = np.column_stack([np.full(500, 1e17), rng.integers(0, 30, size=500)]), rng.integers(0, 2, size=500)
    sides_of = {}
    for value, label in zip(X[:, 1].tolist(), y.tolist(), strict=True):
        sides_of.setdefault(value, []).append(label)
    answer = separability(form(X), y)
    assert answer.twins == sum(len(labels) for labels in sides_of.values() if len(set(labels)) == 2)
    assert_proven(answer, X, y)


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.float64])
def test_every_kind_of_sparse_matrix(form, dtype):
    X = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=dtype)
    for y in ([0, 0, 1, 1], [0, 1, 0, 1]):
        assert_proven(separability(csr_array(X).asformat(form), y), X, y)


def test_large_numbers_that_floating_point_represents_are_accepted():
    answer = separability([[2.0**60, 1], [2.0**61, 1]], [0, 1])
    assert answer.separable
    assert separability(np.array([[1], [2]], dtype=object), [0, 1]).separable


def test_stored_zeros_are_zeros():
    X = csr_array((np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert separability(X, [0, 1]).rows.tolist() == [0, 1]


def test_one_class_only_is_separable_and_so_are_rows_without_columns_only_then():
    answer = separability([[1, 2], [3, 4]], ["a", "a"])
    assert isinstance(answer, Separable)
    assert answer.check([[1, 2], [3, 4]], ["a", "a"])
    assert "every row is a, with" in str(answer)
    assert "the rest" not in str(answer)
    assert separability(np.empty((3, 0)), [1, 1, 1]).separable
    assert separability(np.empty((3, 0)), [1, 1, 0]).separable is False


def test_frames_and_labels_of_any_kind():
    values = {"a": [0, 1, 2, 3], "b": [1.5, 0.5, 0.25, 0]}
    for X in (pd.DataFrame(values), pl.DataFrame(values)):
        for y in (["n", "n", "y", "y"], pd.Series(["n", "n", "y", "y"]), np.array([False, False, True, True]),
                  pl.Series([1, 1, 2, 2]), [0.5, 0.5, 1.5, 1.5]):  # fmt: skip
            answer = separability(X, y)
            assert answer.separable
            assert answer.check(X, y)
    assert_proven(answer, np.array(list(values.values())).T, y)


def test_several_classes_are_tested_each_against_the_rest():
    X, y = [[0], [1], [2], [3], [4], [5]], ["low", "low", "mid", "mid", "top", "top"]
    answer = separability(X, y)
    assert isinstance(answer, Answers)
    assert answer.separable is False
    assert answer.inseparable == ["mid"]
    assert answer["low"].separable
    assert answer["top"].separable
    assert answer.check(X, y)
    assert answer["mid"].check(X, y)
    assert str(answer).splitlines()[1].startswith("mid against the rest: not linearly separable")
    assert not answer.check(X, ["low", "low", "mid", "mid", "mid", "top"])
    triangle = separability([[0, 0], [4, 0], [0, 4]], [1, 2, 3])
    assert triangle.separable is True
    assert len(triangle.as_dict()["each_against_the_rest"]) == 3


def test_a_proof_of_other_data_does_not_hold():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 2.0]]), [0, 0, 1, 1]
    answer = separability(X, y)
    assert answer.check(X, y)
    moved = X.copy()
    moved[2] = 0.0
    assert "row 2 is on the wrong side" in answer.why_not(moved, y)
    moved[2] = 3.0
    moved[3] = [400.0, 200.0]
    assert "longest point" in answer.why_not(moved, y)
    assert "columns" in answer.why_not(X[:, :1], y)
    assert "labels" in answer.why_not(X, [0, 0, 2, 2])
    nearer = X.copy()
    nearer[2] = 0.75 * X[2] + 0.25 * X[0]
    assert "less than the stated" in answer.why_not(nearer, y)


def test_a_proof_that_none_separates_is_checked_in_every_part():
    from dataclasses import replace

    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    answer = separability(X, y)
    assert "not 0 in" in answer.why_not([[0, 0], [0, 1], [1, 0], [1, 2]], y)
    assert "label" in answer.why_not(X, [0, 1, 1, 1])
    assert "not 0 in" in replace(answer, whole=(1, 1, 1, 2)).why_not(X, y)
    assert "negative" in replace(answer, whole=(1, -1, 1, 1)).why_not(X, y)
    assert "names" in replace(answer, rows=np.array([0, 1, 2, 9])).why_not(X, y)
    assert "names" in replace(answer, rows=np.array([0, 1, 2, 2])).why_not(X, y)
    loose = replace(answer, whole=(), residual=1e-12)
    assert loose.check(X, y)
    assert "length" in replace(loose, multipliers=np.array([0.3, 0.2, 0.25, 0.25])).why_not(X, y)
    assert "sum" in replace(loose, multipliers=np.array([0.3, 0.3, 0.3, 0.3])).why_not(X, y)
    far = replace(loose, multipliers=np.array([0.3, 0.2, 0.25, 0.25]), residual=1.0)
    assert "not 0 to a tolerance" in far.why_not(X, y)
    assert "tolerance" in str(loose)


def test_what_is_undecided_is_reported_with_the_reason(rng):
    """No time at all: neither True nor False, and nothing that could be taken for a proof."""
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, size=300)
    answer = separability(X, y, max_seconds=1e-9)
    assert isinstance(answer, Undecided)
    assert answer.separable is None
    assert "time limit" in str(answer)
    assert not answer.check(X, y)
    assert answer.as_dict()["separable"] is None


def test_overlapping_clouds_need_no_more_examples_than_columns_and_two(rng):
    """Too many rows for one programme: points join it as they are found on the wrong side."""
    X, y = rng.normal(size=(6000, 12)), rng.integers(0, 2, size=6000)
    X[:, 0] += 2.5 * y
    for form in (np.asarray, csr_array):
        assert_proven(separability(form(X), y), X, y)


def test_wide_sparse_rows_are_separated_with_the_margin_bracketed(rng):
    X = csr_array(rng.random((60, 400)) * (rng.random((60, 400)) < 0.05))
    y = rng.integers(0, 2, size=60)
    answer = separability(X, y)
    assert answer.separable
    assert answer.margin >= 0.9 * answer.most
    assert_proven(answer, X.toarray(), y)


def test_wide_rows_that_no_plane_separates(rng):
    """A row that is the mean of two of the other class, among rows that are otherwise easy."""
    X = np.round(rng.normal(size=(60, 200)), 3)
    y = rng.integers(0, 2, size=60)
    y[:3] = 0, 1, 1
    X = np.round(X * 256)
    X[1] += X[2] % 2 - X[1] % 2
    X[0] = (X[1] + X[2]) / 2
    answer = separability(X, y)
    assert answer.separable is False
    assert answer.rows.tolist() == [0, 1, 2]
    assert_proven(answer, X, y)


@pytest.mark.parametrize("seed", range(20))
def test_the_simplex_in_fractions_decides_alone(seed):
    X, y = problem(8 * seed + 7)
    rows, labels, codes = read(X, y)
    points = sides(rows, labels, codes, labels.classes.tolist()[-1])
    whole, plane = exact_simplex(points)
    table = np.array(signed(X, y), dtype=object)
    if plane:
        assert not whole
        assert separable_by_programme(signed(X, y))
        assert min(table @ np.array(plane, dtype=object)) > 0
    else:
        assert min(whole) >= 0
        assert sum(whole) > 0
        assert not (np.array(whole, dtype=object) @ table).any()


def test_elimination_finds_the_only_combination_or_proves_that_there_is_none():
    def table(*points):
        X = np.array(points, dtype=float)
        all_points = Points(read(X[:, 1:], np.arange(len(X)))[0], X[:, 0], (0, 1))
        return whole_points(all_points, np.arange(len(X)))

    assert vanishing(table((1, 0.5), (1, 0.25), (-1, 0.375))) == [1, 1, 2]
    assert vanishing(table((1, 1), (-1, 1), (1, 2), (-1, 2))) is None
    assert vanishing(table((1, 0), (1, 1))) == []
    assert vanishing(table((1, 0), (1, 1), (-1, 2))) == []


def test_a_table_too_large_to_be_eliminated_is_not_made():
    """Of 300 points with 40,000 coordinates it would have 12 million entries, 8 bytes each: 96 MB."""
    X = csr_array(random_array((300, 40_000), density=0.01, rng=np.random.default_rng(1)))
    all_points = Points(read(X, np.zeros(300))[0], np.where(np.arange(300) % 2, 1.0, -1.0), (0, 1))
    tracemalloc.start()
    assert whole_points(all_points, np.arange(300)) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 90e6


@pytest.mark.parametrize("large", [2**40, 2**45])
def test_integers_that_differ_by_one_are_not_equal(large):
    """Too many columns for the simplex in fractions: what whole numbers disprove no tolerance proves."""
    X = np.zeros((2, 2500), dtype=np.int64)
    X[:, 0] = large, large + 1
    answer = separability(X, [0, 1])
    assert answer.separable is not False
    X[:, 0] = large
    X[1, 7] = 1
    assert separability(X, [0, 1]).separable is not False
    X[1, 7] = 0
    assert_proven(separability(X, [0, 1]), X, [0, 1])


def independent_in_fractions(points):
    """Whether no point is a combination of the others, by elimination."""
    left = [list(point) for point in points]
    while left:
        line = left.pop()
        at = next((j for j, number in enumerate(line) if number), None)
        if at is None:
            return False
        left = [[a - b * other[at] / line[at] for a, b in zip(other, line, strict=True)] for other in left]
    return True


def independent_modulo(prime, points):
    """The same modulo a prime: what is independent then is so in whole numbers."""
    left = [[int(number) % prime for number in point] for point in points]
    while left:
        line = left.pop()
        at = next((j for j, number in enumerate(line) if number), None)
        if at is None:
            return False
        line = [number * pow(line[at], -1, prime) for number in line]
        left = [[(a - b * other[at]) % prime for a, b in zip(other, line, strict=True)] for other in left]
    return True


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_independent_points_are_known_by_their_remainders(form, rng):
    proven = 0
    for _ in range(60):
        n, d = int(rng.integers(1, 6)), int(rng.integers(1, 30))
        X = rng.integers(-2, 3, size=(n, d)) * 0.1 * 2.0 ** rng.integers(-1040, 900)
        y = np.arange(n) % 2
        if n > 2 and rng.random() < 0.5:
            X[0] = X[1] if rng.random() < 0.5 else (X[1] + X[2]) / 2
        all_points = Points(read(form(X), y)[0], np.where(y, 1.0, -1.0), (0, 1))
        truth = independent_in_fractions(signed(X, y))
        assert independent(all_points, np.arange(n)) is truth
        proven += truth
    assert 10 < proven < 50


def decided_without_elimination(X, y):
    return decide(sides(*read(X, y), positive=1.0), elimination_seconds=1e-9)


def test_a_short_combination_of_independent_whole_numbers_is_not_a_proof():
    """The last row is the rounded mean of all others: separable, if only just.  The elimination is made too dear."""
    rng = np.random.default_rng(0)
    X = rng.integers(-(2**20), 2**20, size=(80, 79)) * 2**24
    X[-1] = np.round(X[:-1].mean(axis=0))
    y = np.append(np.ones(79), 0)
    assert independent_modulo(998_244_353, signed(X, y))
    assert decided_without_elimination(X, y).separable is not False
    X[:-1] *= 79
    X[-1] = X[:-1].sum(axis=0) // 79
    answer = decided_without_elimination(X, y)
    assert answer.separable is False
    assert not answer.exact
    assert answer.check(X, y)


def test_a_plane_that_floating_point_cannot_hold_does_not_prove_that_there_is_none():
    """Between the least two numbers there is no number for the intercept; the simplex in fractions knows the plane."""
    least = np.finfo(float).smallest_subnormal
    answer = separability([[least], [2 * least]], [0, 1])
    assert isinstance(answer, Undecided)
    assert "a plane separates" in str(answer)


@pytest.mark.parametrize(
    ("X", "y", "what"),
    [
        ([[1.0, np.nan]], [1], "NaN at row 0, column 1"),
        ([[1.0], [np.inf]], [1, 0], "inf at row 1"),
        ([["a"], ["b"]], [1, 0], "not numbers"),
        ([[1.0], [2.0]], [1], "one label for each of the 2 rows"),
        (np.empty((0, 2)), [], "no rows"),
        ([[1.0], [2.0]], [1.0, np.nan], "missing"),
        ([[2**60], [2**60 + 1]], [0, 1], "2\\*\\*53"),
        ([[2**70], [2**70 + 1]], [0, 1], "2\\*\\*53"),
        ([[2**60, 0.5], [2**60 + 1, 0.5]], [0, 1], "2\\*\\*53"),
        ([[2**63], [-1], [2**63 + 1]], [0, 0, 1], "2\\*\\*53"),
        (pd.DataFrame({"a": [2**53, 2**53 + 1], "b": 0.5}), [0, 1], "2\\*\\*53"),
        (pl.DataFrame({"a": [2**53, 2**53 + 1], "b": [0.5, 0.5]}), [0, 1], "2\\*\\*53"),
        (lil_array(np.array([[2**53], [2**53 + 1]])), [0, 1], "2\\*\\*53"),
        ([[1 + 1j], [2]], [0, 1], "not numbers"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2021-01-01"])}), [0, 1], "not numbers"),
        ([[1.0], [2.0]], ["a", None], "missing"),
        ([[1.0], [2.0]], ["a", np.nan], "missing"),
        ([[1.0], [2.0]], pd.Series(["a", None]), "missing"),
        ([[1.0], [2.0]], ["1", 1], "mix text"),
        ([[1.0], [2.0]], np.array(["1", 1], dtype=object), "mix text"),
    ],
)
def test_bad_input_is_one_clear_line(X, y, what):
    with pytest.raises(InputError, match=what) as error:
        separability(X, y)
    assert "\n" not in str(error.value)


def test_max_seconds_must_be_positive():
    with pytest.raises(RecipeError, match="max_seconds"):
        separability([[0], [1]], [0, 1], max_seconds=0)


def test_the_names_are_functions_and_not_the_modules_they_live_in():
    assert callable(linnet.theory.separability)
    assert callable(linnet.theory.margins)
