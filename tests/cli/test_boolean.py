"""linnet boolean, as a user types it."""

from __future__ import annotations

import json

import pytest

from tests.cli.calling import call


def test_a_threshold_function_is_shown_with_its_weights_and_in_words():
    done = call("boolean", "x1 & x2 & ~x3")
    assert done.returncode == 0, done.stderr
    assert "is a linear threshold function" in done.stdout
    assert "x1 + x2 - x3 >= 2" in done.stdout
    assert "x1 and x2 and not x3" in done.stdout
    assert "all 8 points" in done.stdout
    assert "at least 2 of x1, x2, x3" in call("boolean", "atleast(2, x1, x2, x3)").stdout


def test_a_function_that_is_not_linear_is_shown_with_a_proof_and_a_remedy():
    shown = call("boolean", "x1 ^ x2", "--table").stdout
    assert "is not a linear threshold function" in shown
    assert shown.count("½") >= 2
    assert "one conjunction" in shown
    assert "x1 + x2 - 2 x1·x2 >= 1" in shown
    assert shown.splitlines()[-1].split() == ["1", "1", "1", "0", "0"]


def test_json_has_all_that_is_printed():
    told = json.loads(call("boolean", "a ^ b", "--variables", "b,a", "--json").stdout)
    assert told["variables"] == ["b", "a"]
    assert told["table"] == "0110"
    assert told["linear"] is False
    assert {tuple(each["point"]) for each in told["witness"]["true"]} == {(0, 1), (1, 0)}
    assert {each["lambda"] for each in told["witness"]["false"]} == {"1/4"}
    assert told["weights"] == {"b": 1, "a": 1, "b·a": -2}
    assert told["smallest_conjunctions"] is True
    linear = json.loads(call("boolean", "0111", "--json").stdout)
    assert (linear["linear"], linear["formula"]) == (True, "x1 + x2 >= 1")


@pytest.mark.parametrize(("variables", "shown"), [(0, "(100 %)"), (1, "(100 %)"), (2, "(87.5 %)"), (5, "(0.0022 %)")])
def test_a_fraction_is_never_printed_as_a_power(variables, shown):
    assert shown in call("boolean", "--count", str(variables)).stdout


def test_counting():
    shown = call("boolean", "--count", "4").stdout
    assert shown.startswith("1,882 of the 65,536 functions of 4 variables")
    assert "at least 2 of x1, x2, x3" in shown
    told = json.loads(call("boolean", "--count", "3", "--json").stdout)
    assert told["threshold_functions"] == sum(kind["functions"] for kind in told["kinds"]) == 104


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["x1 & (x2"], "column 6: this ( is not closed"),
        (["x1 & x3", "--variables", "x1,x2"], "column 6: unknown variable 'x3'"),
        (["&".join(f"x{j}" for j in range(17))], "17 variables are too many"),
        (["("], "column 2: an operand must follow '('"),
        ([], "give either an expression"),
        (["x", "--count", "2"], "give either"),
        (["--count", "9"], "from 0 to 6"),
        (["011"], "a truth table has 1, 2, 4, 8"),
    ],
)
def test_an_error_is_a_line_with_a_caret_and_exits_with_2(arguments, says):
    done = call("boolean", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    first, *picture = done.stderr.splitlines()
    assert first.startswith("linnet: ")
    assert says in first
    assert len(picture) in (0, 2)
    if picture:
        assert picture[1].strip() == "^"
