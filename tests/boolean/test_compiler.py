"""Expressions and truth tables compiled to units."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from linnet import RecipeError, boolean
from linnet.boolean import census, compiler, rule_reading


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


@pytest.mark.parametrize("module", [compiler, census, rule_reading])
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
    with pytest.raises(RecipeError, match="expected an expression"):
        boolean.compile(given)


def test_a_function_is_renamed_by_the_variables_given_or_they_are_refused():
    function = boolean.parse("a & ~b")
    assert boolean.compile(function, ["rain", "sun"]).formula == "rain - sun >= 1"
    with pytest.raises(RecipeError, match="3 are named"):
        boolean.compile(function, ["x", "y", "z"])
