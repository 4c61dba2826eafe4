"""The conjunctions that make a function linear: the fewest, by exhaustion."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from linnet import boolean
from tests.boolean.independent import cube, separable


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


def test_without_time_for_a_proof_the_result_holds_and_is_not_called_smallest():
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


def test_a_function_may_need_thousands_of_conjunctions(rng):
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
