"""Arrow's columns, whatever their type, become numbers or strings; frames of all kinds are tables."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.data.column_types import ColumnType, Kind, ReadAs, Reading
from linnet.data.role import Role
from linnet.data.sources.arrays import Arrays
from linnet.data.sources.arrow import float64_values, is_time, plain, readable, strings
from linnet.data.sources.conversion import converted
from linnet.data.sources.frame import Frame
from linnet.errors import InputError
from tests.data.sources import tools

DAY = datetime.date(1970, 1, 3)
MOMENT = datetime.datetime(1970, 1, 1, 0, 1, 0, 500_000)


def numbers(array):
    kind = Kind.NUMBER
    if is_time(array.type) and not pa.types.is_duration(array.type):
        kind = Kind.TIME if pa.types.is_time(array.type) else Kind.DATE
    return converted(array, Reading(ColumnType(kind), ReadAs.NUMBER))


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1, None, -3], pa.int8()), [1, None, -3]),
        (pa.array([2**63, None], pa.uint64()), [2.0**63, None]),
        (pa.array([0.1, None, float("nan")], pa.float64()), [0.1, None, None]),
        (pa.array([np.float16(0.5), None], pa.float16()), [0.5, None]),
        (pa.array([0.1], pa.float32()), [float(np.float32(0.1))]),
        (pa.array([decimal.Decimal("1.25"), None], pa.decimal128(9, 2)), [1.25, None]),
        (pa.array([True, None, False]), [1.0, None, 0.0]),
        (pa.array([DAY, None], pa.date32()), [172800.0, None]),
        (pa.array([DAY], pa.date64()), [172800.0]),
        (pa.array([MOMENT, None], pa.timestamp("us")), [60.5, None]),
        (pa.array([MOMENT], pa.timestamp("ns", "Europe/Berlin")), [60.5]),
        (pa.array([61], pa.time32("s")), [61.0]),
        (pa.array([61_000_000], pa.time64("us")), [61.0]),
        (pa.array([1500], pa.duration("ms")), [1.5]),
        (pa.array([None, None], pa.null()), [None, None]),
        (pa.array(["1.5", " 2", "NA", None]), [1.5, 2.0, None, None]),
        (pa.array(["7", "7"]).dictionary_encode(), [7.0, 7.0]),
        (pa.array([1.0, 2.0, 3.0]).slice(1), [2.0, 3.0]),
        (pa.chunked_array([[1], [], [2]], pa.int64()), [1.0, 2.0]),
        (pa.array([], pa.int64()), []),
    ],
)
def test_every_type_of_number_becomes_the_number(array, expected):
    assert readable(array.type)
    column, wrong = numbers(plain(array))
    assert tools.plain(column) == expected
    assert not len(wrong)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array(["a", None, ""]), ["a", None, ""]),
        (pa.array(["a", "bc", "def"], pa.large_string()).slice(1, 1), ["bc"]),
        (pa.array(["a", None], pa.string_view()), ["a", None]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
        (pa.array([1, None, 9007199254740993]), ["1", None, "9007199254740993"]),
        (pa.array([1.0, 0.1, None, float("nan"), 1e300, float("inf")]), ["1", "0.1", None, None, "1e+300", "inf"]),
        (pa.array([0.1, 2.0], pa.float32()), ["0.1", "2"]),
        (pa.array([decimal.Decimal("1.50")]), ["1.5"]),
        (pa.array([True, None]), ["true", None]),
        (pa.array([DAY]), ["1970-01-03"]),
        (pa.array([None], pa.null()), [None]),
        (pa.array([], pa.string()), []),
        (pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
    ],
)
def test_every_type_becomes_strings(array, expected):
    assert tools.plain(strings(plain(array))) == expected


def test_what_is_no_number_is_told_by_row():
    column, wrong = numbers(pa.array(["1", "x", None, "1_0", "٣", "inf"]))
    assert wrong.tolist() == [1, 3, 4, 5]
    assert tools.plain(column)[0] == 1.0
    assert numbers(pa.array([1.0, float("-inf")]))[1].tolist() == [1]


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.float32()), pa.list_(pa.list_(pa.int8())), pa.struct([]), pa.binary(), pa.month_day_nano_interval()],
)
def test_lists_objects_and_bytes_cannot_be_learnt_from(kind):
    assert not readable(kind)


COLUMNS = {"n": [1.5, None, 3.0], "t": ["a", "é", None], "k": [True, False, True]}


@pytest.mark.parametrize(
    "frame",
    [
        COLUMNS,
        pa.table(COLUMNS),
        pa.RecordBatch.from_pydict(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).astype({"t": "category"}),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS).with_columns(pl.col("t").cast(pl.Categorical)),
    ],
)
def test_frames_of_all_kinds_are_the_same_table(frame):
    source = tools.typed(Frame(frame))
    assert tools.values(source) == [
        {"n": 1.5, "t": "a", "k": "true"},
        {"n": None, "t": "é", "k": "false"},
        {"n": 3.0, "t": None, "k": "true"},
    ]
    assert source.sample().rows == 3


def test_frames_that_cannot_be_read_are_told():
    with pytest.raises(InputError, match="the column 'a' is there twice"):
        Frame(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(InputError, match="there are no rows"):
        Frame({"a": []})
    with pytest.raises(InputError, match="the data frame cannot be read"):
        Frame({"a": [1], "b": [1, 2]})
    with pytest.raises(InputError, match="the column 'a' cannot be read"):
        Frame(pd.DataFrame({"a": [1, "x", object()]}))


def test_rows_of_a_frame_that_do_not_fit_are_bad_and_shown_as_json():
    source = Frame({"n": ["1", "x", "3"], "t": ["a", None, "c"]})
    source.select_columns(tools.wanted(n=True, t=False))
    (block,) = tools.blocks(source)
    assert [value["n"] for _, _, value in tools.rows_in(block)] == [1.0, 3.0]
    (row,) = block.bad
    assert str(row) == "the frame:2: n should be a finite number but is 'x' (or give it the role category with columns)"
    assert row.raw == b'{"n": null, "t": null}'


def test_arrays_must_have_a_finite_number_as_target():
    with pytest.raises(InputError, match="missing or infinite"):
        Arrays.of(np.eye(2), [0, np.nan])
    with pytest.raises(InputError, match="labels of text"):
        Arrays.of(np.eye(2), ["a", "b"])
    with pytest.raises(InputError, match="2 rows but 3 targets"):
        Arrays.of(np.eye(2), [0, 1, 2])


HUGE = [10**30, -(2**63) - 1, None, 7] * 5


@pytest.mark.parametrize("frame", [dict, lambda columns: pd.DataFrame(columns, dtype=object)])
def test_integers_beyond_64_bits_are_read_as_the_nearest_floats(frame):
    source = Frame(frame({"n": HUGE, "y": ["a", "b"] * 10}))

    source.select_columns(tools.wanted(n=True))
    (block,) = tools.blocks(source)
    np.testing.assert_array_equal(block.columns["n"].values, np.array(HUGE, dtype=float))


@pytest.mark.parametrize("cells", [["\ud800", "a"], [1j, 2j], [object(), 1], [b"x", 1], [[1], "a"]])
@pytest.mark.parametrize("frame", [dict, lambda columns: pd.DataFrame(columns, dtype=object)])
def test_a_column_of_something_else_is_an_error_that_names_it(cells, frame):
    with pytest.raises(
        InputError, match=r"the column 'n' cannot be read: .+: make its values all numbers, or all texts"
    ):
        Frame(frame({"m": [1, 2], "n": cells}))


@pytest.mark.parametrize("frame", [dict, lambda columns: pd.DataFrame(columns, dtype=object)])
def test_a_column_of_several_kinds_is_that_of_a_file_of_text(frame):
    cells = [1, "a", 2.5, None, True, 10**30, float("nan"), DAY]
    source = Frame(frame({"n": cells}))
    spelt = ["1", "a", "2.5", None, "true", str(10**30), None, "1970-01-03"]
    assert tools.plain(source.sample().columns["n"]) == spelt


@pytest.mark.parametrize("kind", ["number", "category"])
@pytest.mark.parametrize(
    "cells",
    [
        pa.array([b"12345678", b"87654321"], pa.binary(8)),
        pa.array([b"1", b"2"]),
        pa.array([b"1", b"2"], pa.binary_view()),
        pa.array([b"1", b"2"]).dictionary_encode(),
        pa.array([[1], [2]]),
        pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval()),
        pa.array([b"a" * 16, b"b" * 16], pa.uuid()),
        pa.RunEndEncodedArray.from_arrays([1, 2], [1.5, 2]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_a_model_given_values_that_are_no_numbers_or_texts_names_the_column(cells, kind):
    data = {"n": [1.5, 2.5] * 10, "y": ["a", "b"] * 10}
    model = linnet.train(data, target="y", columns={"n": kind}, learner="adaptive")

    with pytest.raises(InputError, match=r"the column 'n' has values of the type .+: make numbers or strings of them"):
        model.predict(pa.table({"n": cells}))


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=True)), max_size=40), st.integers(0, 20), st.integers(0, 20))
def test_doubles_are_read_from_their_buffers_as_arrow_converts_them(values, first, count):
    array = pa.array(values, pa.float64()).slice(min(first, len(values)), count)
    expected = array.to_numpy(zero_copy_only=False)
    assert np.array_equal(float64_values(array), expected, equal_nan=True)


def test_periods_and_intervals_of_pandas_are_read_by_their_text():
    days = pd.Timestamp("2023-01-15") + pd.to_timedelta(np.arange(60) * 11, unit="D")
    x = np.arange(60) * 0.5
    frame = pd.DataFrame({
        "month": pd.PeriodIndex(days, freq="M"), "band": pd.cut(x, [0, 10, 20, 40]),
        "own": pd.arrays.IntervalArray.from_breaks(range(61)), "x": x, "y": ["a", "b"] * 30,
    })  # fmt: skip
    model = linnet.train(frame, target="y", columns={"own": "category"})
    roles = model.features.schema.roles
    assert (roles["month"], roles["band"], roles["own"]) == (Role.DATE, Role.CATEGORY, Role.CATEGORY)
    bands = [None if at == 0 else "(0, 10]" if at <= 10 else "(10, 20]" if at <= 20 else "(20, 40]" for at in x]
    months, own = [f"{day:%Y-%m}" for day in days], [f"({n}, {n + 1}]" for n in range(60)]
    text = pd.DataFrame({"month": months, "band": bands, "own": own, "x": x})
    assert model.predict_proba(text).tolist() == model.predict_proba(frame).tolist()


def test_columns_of_pandas_that_have_one_name_are_refused_by_name():
    frame = pd.DataFrame([[1.0, 2.0, "a"]] * 9, columns=["x", "x", "y"])
    with pytest.raises(InputError, match="the column 'x' is there twice: rename one of them"):
        linnet.train(frame, target="y")


def test_a_structured_array_is_a_table():
    rows = np.array([(n * 0.5, "ab"[n % 2]) for n in range(40)], dtype=[("x", "f8"), ("y", "U1")])
    expected = linnet.train({"x": rows["x"], "y": rows["y"]}, target="y")
    assert linnet.train(rows, target="y").linear.weights.tolist() == expected.linear.weights.tolist()


def test_a_target_that_is_not_a_name_is_one_line():
    with pytest.raises(
        linnet.RecipeError, match="target is the name of a column of the data, not a Series: put"
    ) as error:
        linnet.train({"x": [1.0, 2.0]}, target=pd.Series(["a", "b"]))
    assert "\n" not in str(error.value)
