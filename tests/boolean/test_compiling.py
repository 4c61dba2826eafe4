"""Functions to units: the smallest, by exhaustion; witnesses, by an exact check that shares nothing with the code."""

from __future__ import annotations

import doctest
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from linnet import RecipeError, boolean
from linnet.boolean import compiling, counting, rules
from linnet.boolean.deciding import decide
from linnet.boolean.witnesses import by_programme, pairs_with_one_sum


def cube(n):
    return np.array(list(product((0, 1), repeat=n))).reshape(2**n, n)


def proves(witness, table):
    """Σ m x and Σ m of the true points are those of the false points, the points being true and false as stated."""
    n = len(table).bit_length() - 1
    at = {point: bool(value) for point, value in zip(product((0, 1), repeat=n), table, strict=True)}
    sides = []
    for truth, points, multipliers in (
        (True, witness.true, witness.true_multipliers), (False, witness.false, witness.false_multipliers)
    ):  # fmt: skip
        assert all(at[point] is truth for point in points)
        assert len(points) == len(multipliers) == len(set(points))
        assert all(type(m) is int and m > 0 for m in multipliers)
        weighed = [[m * x for x in (*point, 1)] for point, m in zip(points, multipliers, strict=True)]
        sides.append([sum(column) for column in zip(*weighed, strict=True)])
    return sides[0] == sides[1]


def separable(columns, table):
    """By a linear programme of its own: is there a plane with every point a distance off?"""
    signed = np.column_stack([columns, np.ones(len(table))]) * np.where(table, 1, -1)[:, np.newaxis]
    found = linprog(np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(table)), bounds=(None, None))
    return found.status == 0


def smallest_by_exhaustion(n, most):
    """For each function that weights with Σ|w| of at most this say: the least Σ|w|, then literals' least threshold."""
    best = {}
    points = cube(n)
    for w in product(range(-most, most + 1), repeat=n):
        if sum(map(abs, w)) > most:
            continue
        sums = points @ np.array(w, dtype=int)
        down = -sum(min(0, each) for each in w)
        for t in range(sums.min(), sums.max() + 2):
            key = tuple((sums >= t).tolist())
            size = (sum(map(abs, w)), t + down)
            best[key] = min(best.get(key, size), size)
    return best


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_smaller_weights_say_the_same(n):
    best = smallest_by_exhaustion(n, 6)
    for table in product((False, True), repeat=2**n):
        found = decide(boolean.BooleanFunction.of(table))
        assert isinstance(found, boolean.Unit) == (table in best)
        if table in best:
            assert found.holds(cube(n), np.array(table))
            size = sum(map(abs, found.weights))
            assert (size, found.threshold - sum(min(0, w) for w in found.weights)) == best[table]
        else:
            assert proves(found, table)


def test_of_four_variables_every_function_has_a_proof_that_stands_an_independent_check():
    census = boolean.classify(4)
    numbers = np.arange(2**16)
    tables = (numbers[:, np.newaxis] >> np.arange(15, -1, -1) & 1).astype(bool)
    points = cube(4)
    assert census.count == 1882
    said = census.weights @ points.T >= census.thresholds[:, np.newaxis]
    assert (said == tables)[census.linear].all()
    witnesses = census.witnesses[~census.linear]
    truths = np.take_along_axis(tables[~census.linear], witnesses, axis=1)
    assert (truths == [True, True, False, False]).all()
    assert (points[witnesses[:, :2]].sum(axis=1) == points[witnesses[:, 2:]].sum(axis=1)).all()
    for number in (0, 0b0110100110010110, 2**16 - 1, 12345):
        proof = census.proof(number)
        assert proof.holds(points, tables[number]) if census.linear[number] else proves(proof, tables[number])


def test_of_four_variables_every_unit_is_the_smallest():
    census = boolean.classify(4)
    best = smallest_by_exhaustion(4, 9)
    assert len(best) == census.count
    for number in np.flatnonzero(census.linear).tolist():
        w = census.weights[number].tolist()
        size = (sum(map(abs, w)), int(census.thresholds[number]) - sum(min(0, each) for each in w))
        assert size == best[tuple(census.table(number).tolist())]


def test_the_threshold_functions_of_up_to_five_variables_are_as_many_as_is_known():
    assert [boolean.count_threshold_functions(n) for n in range(6)] == [2, 4, 14, 104, 1882, 94572]
    assert [boolean.classify(n).count for n in range(5)] == [2, 4, 14, 104, 1882]


@pytest.mark.slow
def test_the_threshold_functions_of_six_variables_are_as_many_as_is_known():
    assert boolean.count_threshold_functions(6) == 15_028_134


@pytest.mark.slow
def test_weights_to_five_make_every_threshold_function_of_five_variables():
    """The count again, by trying: 94,572 different functions, so at least as many, come of these weights."""
    points, found = cube(5), set()
    ones = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for w in product(range(-5, 6), repeat=5):
        sums = points @ np.array(w)
        levels = np.append(np.unique(sums), sums.max() + 1)
        found.update(((sums >= levels[:, np.newaxis]) * ones).sum(axis=1).tolist())
    assert len(found) == 94_572


@pytest.mark.parametrize("n", [-1, 7, 2.0, True, "4"])
def test_more_variables_than_can_be_counted_are_refused(n):
    with pytest.raises(RecipeError, match="n must be a whole number from 0 to 6"):
        boolean.count_threshold_functions(n)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("x1 & x2 & x3", "x1 + x2 + x3 >= 3"),
        ("x1 & x2 & ~x3", "x1 + x2 - x3 >= 2"),
        ("x1 | x2 | x3", "x1 + x2 + x3 >= 1"),
        ("x1 | x2 | ~x3", "x1 + x2 - x3 >= 0"),
        ("atleast(2, x1, x2, x3)", "x1 + x2 + x3 >= 2"),
        ("~x1", "-x1 >= 0"),
        ("a & (b | c)", "2 a + b + c >= 3"),
        ("a & (b | c & (d | e))", "5 a + 3 b + 2 c + d + e >= 8"),
        ("x | ~x", "0 >= 0"),
        ("0", "0 >= 1"),
        ("01", "x1 >= 1"),
    ],
)
def test_the_lectures_rules_compile_to_the_lectures_weights(text, formula):
    compiled = boolean.compile(text)
    assert compiled.linear
    assert compiled.formula == str(compiled) == formula
    assert compiled.check()


def test_a_rule_ignores_variables_it_does_not_name():
    compiled = boolean.compile("atleast(2, x1, x2, x3)", [f"x{j}" for j in range(1, 6)])
    assert compiled.weights == {"x1": 1, "x2": 1, "x3": 1, "x4": 0, "x5": 0}


def test_xor_is_refuted_by_its_four_points_and_made_linear_by_their_product():
    compiled = boolean.compile("x1 ^ x2")
    assert not compiled.linear
    assert set(compiled.witness.true) == {(0, 1), (1, 0)}
    assert set(compiled.witness.false) == {(0, 0), (1, 1)}
    assert compiled.witness.smallest
    assert [str(each) for each in compiled.witness.meeting_point] == ["1/2", "1/2"]
    assert compiled.lifted.conjunctions == ((0, 1),)
    assert compiled.formula == "x1 + x2 - 2 x1·x2 >= 1"
    assert compiled.weights == {"x1": 1, "x2": 1, "x1·x2": -2}
    assert compiled.check()
    told = compiled.as_dict()
    assert told["witness"]["true"][0]["lambda"] == "1/4"
    assert told["conjunctions"] == [["x1", "x2"]]
    same = boolean.compile([0, 1, 1, 0])
    assert same.as_dict() == told


def test_a_witness_that_proves_nothing_is_not_accepted():
    xor = boolean.parse("x1 ^ x2")
    good = decide(xor)
    assert good.holds(xor)
    for wrong in (
        boolean.Witness(good.false, good.true, (1, 1), (1, 1)),
        boolean.Witness(good.true, good.false, (1, 2), (1, 1)),
        boolean.Witness(good.true, good.false, (0, 0), (0, 0)),
        boolean.Witness(good.true[:1], good.false[:1], (1,), (1,)),
        boolean.Witness(((0, 2), (2, 0)), good.false, (1, 1), (1, 1)),
    ):
        assert not wrong.holds(xor)
    assert not good.holds(boolean.parse("x1 & x2"))


@pytest.mark.parametrize("n", [5, 6, 7])
def test_random_functions_and_random_units_are_told_apart(n, rng):
    for _ in range(10):
        table = rng.integers(0, 2, 2**n).astype(bool)
        assert proves(decide(boolean.BooleanFunction.of(table)), table)
        w = rng.integers(-9, 10, n)
        table = cube(n) @ w >= rng.integers(-5, 10)
        found = decide(boolean.BooleanFunction.of(table))
        assert found.holds(cube(n), table)
        assert sum(map(abs, found.weights)) <= abs(w).sum()


def test_a_unit_with_one_point_turned_is_decided_as_a_linear_programme_does(rng):
    """Nearly linear functions: most are unate, and many pass every test but the last."""
    kinds = set()
    for _ in range(60):
        table = cube(5) @ rng.integers(1, 6, 5) >= rng.integers(3, 12)
        table[rng.integers(0, 32)] ^= True
        found = decide(boolean.BooleanFunction.of(table))
        assert isinstance(found, boolean.Unit) == separable(cube(5), table)
        kinds.add(type(found))
    assert len(kinds) == 2


def magic():
    """Of nine variables in a square: true are sums above 15, and the square's rows; false its columns.

    8 1 6 / 3 5 7 / 4 9 2 is magic: every row and column has 15, so only sets with 15 can refute it, and the others of
    these are told apart by a plane through all rows and columns: no four points do, but three rows and three columns.
    """
    points = cube(9)
    sums = points @ [8, 1, 6, 3, 5, 7, 4, 9, 2]
    tie = points @ [-36, -20, 56, -15, -37, 52, 51, 57, -108]
    table = (sums > 15) | ((sums == 15) & (tie > 0))
    for k in range(3):
        table[(points.reshape(-1, 3, 3) == (np.arange(3) == k)[:, np.newaxis]).all(axis=(1, 2))] = True
        table[(points.reshape(-1, 3, 3) == (np.arange(3) == k)).all(axis=(1, 2))] = False
    return table


def test_where_four_points_are_not_enough_six_are_found():
    table = magic()
    assert pairs_with_one_sum(table) is None
    witness = decide(boolean.BooleanFunction.of(table))
    assert proves(witness, table)
    assert not witness.smallest
    assert len(witness.true) + len(witness.false) <= 9 + 2


def test_a_linear_programme_proves_what_pairs_of_points_prove(rng):
    for n in (2, 3, 4, 5, 6):
        for _ in range(8):
            table = rng.integers(0, 2, 2**n).astype(bool)
            by_pairs, by_points = pairs_with_one_sum(table), by_programme(table)
            assert (by_pairs is None) == (by_points is None) == separable(cube(n), table)
            if by_pairs is not None:
                assert proves(by_pairs, table)
                assert proves(by_points, table)
                assert len(by_points.true) + len(by_points.false) <= n + 2


def fewest_by_exhaustion(table):
    """The least number of conjunctions, and the least sum of their degrees, that make it linear."""
    n = len(table).bit_length() - 1
    points = cube(n)
    all_of_them = [each for size in range(2, n + 1) for each in combinations(range(n), size)]
    for count in range(len(all_of_them) + 1):
        sets = sorted(combinations(all_of_them, count), key=lambda chosen: sum(map(len, chosen)))
        for chosen in sets:
            columns = np.column_stack([points, *(points[:, each].prod(axis=1) for each in chosen)])
            if separable(columns, table):
                return count, sum(map(len, chosen))
    raise AssertionError


def test_no_fewer_conjunctions_make_a_function_linear(rng):
    tables = [np.array([number >> row & 1 for row in range(8)], dtype=bool) for number in range(0, 256, 5)]
    tables += [rng.integers(0, 2, 16).astype(bool) for _ in range(3)]
    for table in tables:
        compiled = boolean.compile(table)
        assert compiled.check()
        if not compiled.linear:
            assert compiled.lifted.smallest
            found = compiled.lifted.conjunctions
            assert (len(found), sum(map(len, found))) == fewest_by_exhaustion(table)


def test_parity_takes_every_conjunction_there_is():
    """Its polynomial's signs leave no choice: x1 ^ ... ^ xn needs all 2^n - n - 1 products."""
    for n in (2, 3, 4, 5):
        compiled = boolean.compile("^".join(f"x{j}" for j in range(n)))
        assert len(compiled.lifted.conjunctions) == 2**n - n - 1
        assert compiled.lifted.smallest
        assert compiled.check()


def test_the_lectures_function_of_four_variables_takes_one_conjunction():
    compiled = boolean.compile("(x1 & x2) | (x3 & ~x4)")
    assert not compiled.linear
    assert len(compiled.lifted.conjunctions) == 1
    assert compiled.check()


def test_without_time_to_prove_it_the_answer_holds_and_says_that_it_may_not_be_the_smallest():
    table = np.random.default_rng(3).integers(0, 2, 32)
    hurried = boolean.compile(table, seconds=0.0)
    assert hurried.check()
    assert not hurried.lifted.smallest
    assert 1 <= hurried.lifted.at_least <= len(hurried.lifted.conjunctions)


def test_more_variables_than_are_searched_are_made_linear_without_a_proof_that_it_is_the_smallest():
    compiled = boolean.compile("|".join(f"a{j} & b{j}" for j in range(5)))
    assert compiled.check()
    assert not compiled.lifted.smallest
    assert len(compiled.lifted.conjunctions) <= 5


@pytest.mark.parametrize("module", [compiling, counting, rules])
def test_the_examples_in_docstrings_are_true(module):
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_sixteen_variables_compile():
    names = [f"x{j}" for j in range(16)]
    compiled = boolean.compile(f"atleast(9, {', '.join(names)})")
    assert set(compiled.weights.values()) == {1}
    assert compiled.threshold == 9


def test_tables_too_large_or_of_a_wrong_length_are_refused():
    with pytest.raises(RecipeError, match="17 variables are too many"):
        boolean.compile(np.zeros(2**17, dtype=int))
    with pytest.raises(RecipeError, match="has 3"):
        boolean.compile("011")


@pytest.mark.parametrize("given", [None, 5, iter([0, 1])])
def test_what_is_neither_text_nor_a_table_is_one_clear_line(given):
    with pytest.raises(RecipeError, match="give an expression"):
        boolean.compile(given)


def test_a_function_is_renamed_by_the_variables_given_or_they_are_refused():
    function = boolean.parse("a & ~b")
    assert boolean.compile(function, ["rain", "sun"]).formula == "rain - sun >= 1"
    with pytest.raises(RecipeError, match="3 are named"):
        boolean.compile(function, ["x", "y", "z"])


def test_what_takes_thousands_of_conjunctions_is_told_with_them_all(rng):
    table = rng.integers(0, 2, 2**14)
    compiled = boolean.compile(table, seconds=0.0)
    assert not compiled.linear
    assert compiled.check()
    assert not compiled.lifted.smallest
    # written out at some points: the weights of all sets of variables that are 1 there
    sets = [frozenset((j,)) for j in range(14)] + [frozenset(each) for each in compiled.lifted.conjunctions]
    weights = list(compiled.weights.values())
    for at in rng.integers(2**14, size=40).tolist():
        on = {j for j in range(14) if at >> (13 - j) & 1}
        total = sum(weight for each, weight in zip(sets, weights, strict=True) if each <= on)
        assert (total >= compiled.threshold) == bool(table[at])
        assert total == compiled.lifted.sums(14)[at]


def test_the_parity_of_thirteen_takes_all_conjunctions():
    names = [f"x{j}" for j in range(13)]
    compiled = boolean.compile(" ^ ".join(names), seconds=0.0)
    assert len(compiled.lifted.conjunctions) == 2**13 - 13 - 1
    assert {abs(weight) for weight in compiled.weights.values()} == {2**k for k in range(13)}
    assert compiled.check()


def test_without_time_for_anything_else_a_functions_own_polynomial_makes_it_linear(rng):
    compiled = boolean.compile(rng.integers(0, 2, 2**11), seconds=0.0)
    assert compiled.check()
    assert not compiled.lifted.smallest
    assert not compiled.lifted.unit.smallest
