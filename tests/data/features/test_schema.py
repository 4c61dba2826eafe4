"""Roles: what is guessed, why, and what the user may say instead."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data.column_types import ReadAs
from linnet.data.features import schema_inference
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.schema_inference import GivenTypes
from linnet.data.sources.block import Block, Position, Strings
from linnet.errors import InputError, RecipeError

N = 60


def block(**columns):
    """A sample of these columns, beside a target y."""
    rows = len(next(iter(columns.values())))
    held = {}
    for name, values in {"y": [0.0] * rows, **columns}.items():
        held[name] = Strings.of([str(value) for value in values])
    return Block("data.csv", rows, Position(), columns=held)


def infer_schema(sample, names, target, given):
    return schema_inference.infer_schema(sample, names, target, GivenTypes(given))


def guess(name, values):
    """The role and reason of one column beside a target."""
    schema = infer_schema(block(**{name: values}, other=[0.0] * len(values)), (name, "other", "y"), "y", {})
    return schema.roles[name], schema.reasons[name]


@pytest.mark.parametrize(
    ("name", "values", "role", "reason"),
    [
        ("size", [1.0, 2.5] * 30, Role.NUMBER, "1 to 2.5 in the first rows"),
        ("size", [1.0, np.nan] * 30, Role.NUMBER, "1 to 1 in the first rows"),
        ("row", list(range(N)), Role.ID, "it counts the rows"),
        ("c1", list(range(1000, 0, -10)), Role.ID, "it counts the rows"),
        ("id", list(range(N)), Role.ID, "it counts the rows"),
        ("Unnamed: 0", list(range(1, N + 1)), Role.ID, "it counts the rows"),
        ("ID", [7.0, 3.0, 5.0], Role.ID, "every row has a different whole number"),
        ("ref", [(7 * n) % 61 for n in range(1, N + 1)], Role.ID, "every row has a different whole number"),
        ("price", [97 * n * n for n in range(1, N + 1)], Role.NUMBER, "97 to 349,200 in the first rows"),
        (
            "at",
            [f"{n // 60:02d}:{n % 60:02d}" for n in range(N)],
            Role.NUMBER,
            "time of day, in seconds; 0 to 3,540 in the first rows",
        ),
        ("mass", [f"{n} kg" for n in range(N)], Role.NUMBER, "1,219.01 kg; 0 to 59 in the first rows"),
        ("x", [n / 7 for n in range(N)], Role.NUMBER, "0 to 8.429 in the first rows"),
        ("id", [1.0, 1.0, 2.0], Role.NUMBER, "1 to 2 in the first rows"),
        ("empty", [np.nan] * N, Role.IGNORE, "it is empty in the first rows"),
        ("empty", ["x"] * 0 + [""] * 5 + ["", ""], Role.IGNORE, "it is empty in the first rows"),
        ("colour", ["red", "blue"] * 30, Role.CATEGORY, "2 different values"),
        ("colour", ["red", "", "blue"] * 20, Role.CATEGORY, "2 different values"),
        ("code", [f"A{n}" for n in range(N)], Role.ID, "most rows have a different value"),
        ("code", [f"A{n}" for n in range(10)], Role.CATEGORY, "10 different values"),
        ("title", [f"Film {n}" for n in range(N)], Role.TEXT, "2.0 words a row, most rows different"),
        ("key", [f"key {n}" for n in range(N)], Role.ID, "most rows have a different value"),
        ("body", [f"some words of row {n}" for n in range(N)], Role.TEXT, "5 words a row"),
        ("answer", ["not at all likely", "very likely by now"] * 30, Role.CATEGORY, "2 different values"),
    ],
)
def test_roles_are_guessed_with_a_reason(name, values, role, reason):
    assert guess(name, values) == (role, reason)


def test_a_column_that_cannot_be_read_is_ignored():
    schema = infer_schema(block(a=[1.0]), ("a", "nested", "y"), "y", {})
    assert (schema.roles["nested"], schema.reasons["nested"]) == (Role.IGNORE, "its values are lists or objects")


def test_what_the_user_says_holds():
    sample = block(a=[1.0] * N, b=["x"] * N, c=[2.0] * N, d=["few"] * N)
    given = {"a": Role.WEIGHT, "b": Role.TEXT, "c": Role.CATEGORY, "d": Role.IGNORE}
    schema = infer_schema(sample, ("a", "b", "c", "d", "y"), "y", given)
    assert schema.roles == {**given, "y": Role.TARGET}
    assert set(schema.reasons.values()) == {"given"}
    assert schema.having(Role.TEXT) == ["b"]
    assert schema.target == "y"
    assert list(schema.roles) == ["a", "b", "c", "d", "y"]


def test_the_target_may_be_given_as_a_role():
    assert infer_schema(block(a=[1.0]), ("a", "y"), None, {"y": Role.TARGET}).target == "y"


@pytest.mark.parametrize(
    ("target", "given", "error", "message"),
    [
        ("colur", {}, RecipeError, "there is no column 'colur': did you mean 'colour'?"),
        ("y", {"sise": Role.NUMBER}, RecipeError, "did you mean 'size'?"),
        ("qqqqqq", {}, RecipeError, "the columns are colour, size, y"),
        (None, {}, RecipeError, "which column is the target.*one of colour, size, y"),
        ("y", {"size": Role.TARGET}, RecipeError, "2 columns have the role target"),
        ("y", {"size": Role.WEIGHT, "colour": Role.WEIGHT}, RecipeError, "2 columns have the role weight"),
        ("y", {"size": Role.IGNORE, "colour": Role.ID}, InputError, "there is no column to train on"),
    ],
)
def test_wrong_roles_are_answered_with_a_remedy(target, given, error, message):
    sample = block(colour=["red"], size=[1.0], y=["a"])
    with pytest.raises(error, match=message):
        infer_schema(sample, ("colour", "size", "y"), target, given)


def test_a_schema_says_which_columns_to_read_and_which_are_numbers():
    roles = {"y": Role.TARGET, "w": Role.WEIGHT, "i": Role.ID, "n": Role.NUMBER, "c": Role.CATEGORY, "t": Role.TEXT,
             "x": Role.IGNORE}  # fmt: skip
    schema = Schema(roles)
    others = {"w": ReadAs.NUMBER, "i": ReadAs.TEXT, "n": ReadAs.NUMBER, "c": ReadAs.CATEGORY, "t": ReadAs.TEXT}

    def read(task, **how):
        return {name: each.read_as for name, each in schema.columns_to_read(task, **how).items()}

    assert read(Task.CLASSIFICATION) == {"y": ReadAs.LABEL, **others}
    assert read(Task.REGRESSION) == {"y": ReadAs.NUMBER, **others}
    assert read(Task.REGRESSION, with_target=False) == others
    assert [name for name, each in schema.columns_to_read(Task.REGRESSION).items() if each.strict] == ["y", "w"]
    assert all(each.strict for each in schema.columns_to_read(Task.REGRESSION, strict=True).values())


def test_a_name_makes_text_of_few_different_sentences():
    assert guess("text", ["a good film", "so bad"] * 30) == (Role.TEXT, "2.5 words a row, and its name")
    assert guess("kind", ["a good film", "so bad"] * 30)[0] is Role.CATEGORY
