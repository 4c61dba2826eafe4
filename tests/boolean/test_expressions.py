"""Expressions: what they mean, by a twin that works them out point by point, and where they are wrong."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import ExpressionError, RecipeError
from linnet.boolean import MOST_VARIABLES, BooleanFunction, parse

NAMES = ("a", "b", "x1")
OPERATORS = {
    "&": (5, lambda p, q: p and q), "and": (5, lambda p, q: p and q), "^": (4, lambda p, q: p != q),
    "|": (3, lambda p, q: p or q), "or": (3, lambda p, q: p or q), "->": (2, lambda p, q: not p or q),
    "<->": (1, lambda p, q: p == q),
}  # fmt: skip
COUNTS = {"atleast": lambda n, k: n >= k, "atmost": lambda n, k: n <= k, "exactly": lambda n, k: n == k}

# An expression is a pair: how it is written, given how tight its surroundings bind, and what it means at a point.
trees = st.recursive(
    st.sampled_from([*NAMES, "0", "1", "true", "false"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["~", "!", "not "]), inner),
        st.tuples(inner, st.sampled_from(sorted(OPERATORS)), inner),
        st.tuples(st.just("count"), st.sampled_from(sorted(COUNTS)), st.integers(0, 4), st.lists(inner, min_size=1)),
        st.tuples(st.just("majority"), st.just(None), st.just(None), st.lists(inner, min_size=1)),
    ),
    max_leaves=12,
)


def written(tree, level=0):
    """With no parenthesis more than it needs: so precedence is tested too."""
    if isinstance(tree, str):
        return tree
    if len(tree) == 2:
        return f"{tree[0]}{written(tree[1], 6)}"
    if len(tree) == 4:
        number = [] if tree[2] is None else [str(tree[2])]
        return f"{tree[1] or 'majority'}({', '.join([*number, *map(written, tree[3])])})"
    own = OPERATORS[tree[1]][0]
    right_first = tree[1] == "->"
    text = f"{written(tree[0], own + right_first)} {tree[1]} {written(tree[2], own + (not right_first))}"
    return f"({text})" if own < level else text


def meant(tree, point):
    if isinstance(tree, str):
        return point.get(tree, tree in ("1", "true"))
    if len(tree) == 2:
        return not meant(tree[1], point)
    if len(tree) == 4:
        true = sum(meant(each, point) for each in tree[3])
        return 2 * true > len(tree[3]) if tree[1] is None else COUNTS[tree[1]](true, tree[2])
    return OPERATORS[tree[1]][1](meant(tree[0], point), meant(tree[2], point))


@settings(max_examples=300, deadline=None)
@given(trees)
def test_an_expression_means_at_every_point_what_its_tree_means(tree):
    function = parse(written(tree), NAMES)
    expected = [meant(tree, dict(zip(NAMES, point, strict=True))) for point in product((False, True), repeat=3)]
    assert function.table.tolist() == [bool(value) for value in expected]


def test_variables_come_as_they_are_met_or_as_they_are_given():
    assert parse("b & a | c").variables == ("b", "a", "c")
    wider = parse("b", ["a", "b"])
    assert wider.variables == ("a", "b")
    assert wider.table.tolist() == [False, True, False, True]
    assert parse("größe & _x").variables == ("größe", "_x")
    assert parse("majority & atleast").variables == ("majority", "atleast")  # no parenthesis: names like any other


def test_an_expression_may_be_as_deep_as_one_likes():
    deep = 20_000
    assert parse("(" * deep + "x" + ")" * deep).table.tolist() == [False, True]
    assert parse("~" * deep + "x").table.tolist() == [False, True]
    assert parse("x -> " * deep + "0").table.tolist() == [True, False]
    with pytest.raises(ExpressionError, match="column 20001: an operand must follow"):
        parse("(" * deep)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("x1 & (x2 | x3", 6, "not closed"),
        ("((a) & b", 1, "not closed"),
        ("x1 ) & x2", 4, "has no matching ("),
        (")", 1, "has no matching ("),
        ("a &", 4, "an operand must follow '&'"),
        ("a & & b", 5, "no operand before it"),
        ("a && b", 4, "one & is enough"),
        ("| a", 1, "no operand before it"),
        ("a b", 3, "operator is missing before 'b'"),
        ("a ~b", 3, "operator is missing before '~'"),
        ("a (b)", 1, "unknown function 'a'"),
        ("(a) (b)", 5, "operator is missing before"),
        ("a + b", 3, "write |"),
        ("a ∧ b", 3, "write &"),
        ("a $ b", 3, "not an operator here"),
        ("$", 1, "not an operator here"),
        ("a & 2", 5, "not a truth value"),
        ("a & 2x", 5, "begins with a letter"),
        ("atlest(2, a, b)", 1, "did you mean atleast?"),
        ("atleast(a, b)", 9, "takes a number first"),
        ("atleast(", 8, "takes a number first"),
        ("atleast(2)", 9, "takes arguments after"),
        ("atleast(2,)", 11, "no operand before it"),
        ("majority()", 10, "no operand before it"),
        ("a, b", 2, "comma"),
        ("majority((a, b))", 12, "comma"),
        ("()", 2, "no operand before it"),
        ("&".join(f"v{j}" for j in range(20)), 55, "20 variables are too many: at most 16"),
    ],
)
def test_a_syntax_error_is_one_line_with_a_caret_at_the_column(text, column, says):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    message, shown, caret = str(caught.value).split("\n")
    assert message.startswith(f"column {column}: ")
    assert says in message
    assert caught.value.column == column
    at = caret.index("^")
    assert shown[at : at + 1] == text[column - 1 : column]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_unknown_variable_is_named_with_the_one_that_was_meant():
    with pytest.raises(ExpressionError, match=r"column 8: unknown variable 'colour2': did you mean 'colour'\?"):
        parse("size & colour2", ["size", "colour"])
    with pytest.raises(ExpressionError, match="unknown variable 'q': there are a, b"):
        parse("q", ["a", "b"])


def test_an_empty_expression_is_one_line():
    with pytest.raises(ExpressionError, match=r"^the expression is empty: [^\n]*$"):
        parse("  ")


@pytest.mark.parametrize("variables", ["ab", ["a", "a"], ["a", "and"], ["a", "1"], [f"x{j}" for j in range(17)]])
def test_variables_must_be_names_each_once_and_not_too_many(variables):
    with pytest.raises(RecipeError, match=r"^[^\n]+$"):
        parse("a", variables)


def test_a_table_must_have_a_power_of_two_of_truth_values():
    assert BooleanFunction.of([0, 1, 1, 0]).variables == ("x1", "x2")
    assert BooleanFunction.of(np.array([True, False])).table.tolist() == [True, False]
    for wrong, says in (([0, 1, 1], "has 3"), ([[0, 1]], "1 x 2"), ([0, 2], "value 2 is 2"), ([], "has 0")):
        with pytest.raises(RecipeError, match=says):
            BooleanFunction.of(wrong)
    with pytest.raises(RecipeError, match="has 2 variables; 1 are named"):
        BooleanFunction.of([0, 1, 1, 0], ["a"])


def test_sixteen_variables_are_not_too_many():
    names = [f"x{j}" for j in range(MOST_VARIABLES)]
    assert parse("&".join(names)).table.sum() == 1
