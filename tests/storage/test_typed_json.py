"""Dataclasses survive JSON by their declared types, and nothing else is believed."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluation import json_values
from linnet.storage import typed_json
from linnet.storage.typed_json import from_plain, to_plain


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0


@dataclass(frozen=True)
class Circle:
    centre: Point
    radius: float


@dataclass(frozen=True)
class Box:
    corners: tuple[Point, Point]


@dataclass(frozen=True)
class Drawing:
    name: str
    copies: int
    visible: bool
    colour: Colour
    shape: Circle | Box | None = None
    weights: dict[str, float] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    label: str | int | float = ""


POINTS = st.builds(Point, st.floats(), st.floats())
DRAWINGS = st.builds(
    Drawing,
    st.text(),
    st.integers(),
    st.booleans(),
    st.sampled_from(Colour),
    st.none() | st.builds(Circle, POINTS, st.floats()) | st.builds(Box, st.tuples(POINTS, POINTS)),
    st.dictionaries(st.text(), st.floats()),
    st.lists(st.integers()).map(tuple),
    st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)


@given(DRAWINGS)
def test_what_is_written_comes_back_with_its_types(drawing):
    text = json.dumps(to_plain(drawing), allow_nan=False)
    again = from_plain(Drawing, json.loads(text))
    assert repr(again) == repr(drawing)  # which tells 1 from 1.0 and calls NaN NaN


GOOD = to_plain(Drawing("a", 1, True, Colour.RED, Circle(Point(1.0), math.nan), {"w": math.inf}, (1, 2)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 3),
        ("name", None),
        ("copies", True),
        ("copies", 1.0),
        ("copies", "1"),
        ("visible", 1),
        ("colour", "GREEN"),
        ("colour", 1),
        ("shape", {"kind": "Point", "x": 1.0, "y": 2.0}),
        ("shape", {"kind": "os.system", "centre": 1}),
        ("shape", {"kind": "Circle", "centre": {"x": 1.0}}),
        ("shape", {"kind": "Circle", "centre": {"x": "much"}, "radius": 1.0}),
        ("shape", {"kind": "Box", "corners": []}),
        ("shape", []),
        ("weights", {"w": "heavy"}),
        ("weights", [1.0]),
        ("numbers", [1, 2.5]),
        ("numbers", {"0": 1}),
        ("label", [1]),
        ("extra", 1),
    ],
)
def test_anything_else_is_refused_with_the_name_of_the_field(field, value):
    with pytest.raises((TypeError, ValueError), match=field if field != "extra" else "extra"):
        from_plain(Drawing, GOOD | {field: value})


@pytest.mark.parametrize("missing", ["name", "copies", "visible", "colour"])
def test_a_field_without_a_default_must_be_there(missing):
    with pytest.raises(TypeError, match=missing):
        from_plain(Drawing, {name: value for name, value in GOOD.items() if name != missing})


def test_objects_that_json_cannot_hold_are_refused():
    with pytest.raises(TypeError, match="object"):
        to_plain({"a": object()})


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_would_be_read_as_text_is_not_written(value):
    with pytest.raises(ValueError, match=r"label is .*, which would be read as text"):
        to_plain(Drawing("a", 1, True, Colour.RED, label=value))


@pytest.mark.parametrize("module", [typed_json, json_values])
def test_a_matrix_of_counts_is_stored_by_its_rows_not_by_its_cells(module, monkeypatch):
    name = "to_plain" if module is typed_json else "plain"
    whole, calls = getattr(module, name), []
    monkeypatch.setattr(module, name, lambda value: calls.append(1) or whole(value))
    matrix = tuple(tuple(range(i, i + 50)) for i in range(50))

    assert getattr(module, name)(matrix) == [list(row) for row in matrix]
    assert len(calls) <= 1 + 50
