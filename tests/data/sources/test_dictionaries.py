"""Rows given as dictionaries mean what they would mean in a file or a frame."""

from __future__ import annotations

import datetime
import json
import math
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.column_types import PLAIN_NUMBER, ReadAs, Reading
from linnet.data.features.feature_map import FeatureOptions, Features
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.sources.block import Position
from linnet.data.sources.dictionaries import block_of, numbered_block_of
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.frame import Frame
from linnet.data.sources.jsonlines import JsonLines
from linnet.errors import InputError
from tests.data.sources.tools import opened, plain, wanted, written

SCHEMA = Schema(
    {
        "age": Role.NUMBER,
        "job": Role.CATEGORY,
        "note": Role.TEXT,
        "y": Role.TARGET,
        "code": Role.CATEGORY,
        "id": Role.ID,
    }
)
TRAINED_ON = [
    {"age": 31.0, "job": "nurse", "note": "a b a", "code": 7, "id": "r1"},
    {"age": None, "job": "cook", "note": "b c", "code": 1.5, "id": "r2"},
    {"age": -2.5, "job": None, "note": "", "code": True, "id": "r3"},
]
WANTED = {name: SCHEMA.columns_to_read(Task.CLASSIFICATION)[name] for name in ("age", "job", "note", "code")}


def features():
    made = Features.of(SCHEMA, Task.CLASSIFICATION, FeatureOptions(crosses=(("job", "age"),), conjunctions=2))
    block = made.block_of(TRAINED_ON)
    made.number(block, made.prepare(block), frozen=False)
    return made


FEATURES = features()
TEXTS = st.text("ab NA?1.", max_size=5) | st.sampled_from(["nurse", "cook", " nurse ", "True", "7.0", "é", "😀"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(2**40), 2**40)
COLUMNS = {
    "age": st.none() | NUMBERS,
    "job": st.none() | TEXTS,
    "note": st.none() | TEXTS,
    "code": st.none() | st.integers(-9, 2**60),
}
ROWS = st.lists(st.fixed_dictionaries({}, optional=COLUMNS), min_size=1, max_size=8)


def same_rows(a, b):
    assert a.shape == b.shape
    assert a.starts.tolist() == b.starts.tolist()
    assert a.ids.tolist() == b.ids.tolist()
    assert a.values.tobytes() == b.values.tobytes()


@given(rows=ROWS)
@settings(max_examples=150)
def test_rows_are_those_of_a_frame(rows):
    table = pa.table({name: pa.array([row.get(name) for row in rows]) for name in COLUMNS})
    frame = Frame(table)
    frame.select_columns(WANTED)
    (block,) = [frame.parse(chunk) for chunk in frame.chunks(Position())]
    same_rows(FEATURES.rows(FEATURES.block_of(rows)), FEATURES.rows(block))


@given(rows=ROWS.filter(any))
@settings(max_examples=50)
def test_rows_are_those_of_json_lines(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    rows = [{**row, "age": None if row.get("age") is None else float(row["age"])} for row in rows]
    paths = written(folder, "".join(json.dumps(row) + "\n" for row in rows).encode(), suffix=".jsonl")
    source = JsonLines(ByteFiles(paths))
    source.select_columns(WANTED)
    (block,) = [source.parse(chunk) for chunk in source.chunks(Position())]
    same_rows(FEATURES.rows(FEATURES.block_of(rows)), FEATURES.rows(block))


TIME = datetime.datetime(2024, 2, 3, 4, 5, 6, 7)
TIMES = [TIME, TIME.date(), TIME.time(), np.datetime64("2024-01-02T03", "s"), datetime.timedelta(hours=2)]
SPECIAL = {
    "age": [True, np.float32(1.5), np.int8(3), np.bool_(False), math.nan, Decimal("2.25"), " 1e3 ", "NA", "", *TIMES],
    "code": [False, 2.0, 2.5, math.nan, np.float32(0.1), np.str_("x"), 10**15, 1e15, Decimal("2.25"), *TIMES[:2]],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in SPECIAL for value in SPECIAL[name]], ids=str)
def test_values_of_other_types_mean_what_they_do_in_a_frame(name, value):
    frame = Frame(pa.table({name: pa.array([value, None])}))
    frame.select_columns({name: WANTED[name]})
    (expected,) = [frame.parse(chunk) for chunk in frame.chunks(Position())]
    found = block_of([{name: value}, {}], {name: WANTED[name]})
    assert plain(found.columns[name]) == plain(expected.columns[name])


def test_types_may_be_mixed_in_a_column():
    block = block_of([{"a": 1, "b": 1}, {"a": "2.5", "b": "x"}, {"a": True, "b": 1.5}], wanted(a=True, b=False))
    assert plain(block.columns["a"]) == [1.0, 2.5, 1.0]
    assert plain(block.columns["b"]) == ["1", "x", "1.5"]


def test_one_dictionary_is_one_row_and_an_empty_list_none():
    one, none = FEATURES.block_of(TRAINED_ON[0]), FEATURES.block_of([])
    same_rows(FEATURES.rows(one), FEATURES.rows(FEATURES.block_of(TRAINED_ON[:1])))
    assert FEATURES.rows(none).shape == (0, len(FEATURES))
    assert one.columns["id"].strings() == ["r1"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": [1]}, r"row 2: age should be text or a number but is \[1\]"),
        ({"age": b"1"}, "row 2: age should be text or a number but is b'1'"),
        ({"job": {"a": 1}}, "row 2: job should be text or a number but is {'a': 1}"),
        ({"note": b"text"}, "row 2: note should be text or a number but is b'text'"),
        ({"note": "half \ud800"}, "row 2: note should be text or a number"),
        (["nurse"], r"row 2 is not a dictionary of columns but \['nurse'\]"),
    ],
)
def test_a_bad_value_is_an_error_with_its_row_and_column(row, message):
    with pytest.raises(InputError, match=f"^{message}"):
        FEATURES.block_of([{}, row])


@pytest.mark.parametrize(
    ("value", "shown"), [("old", "'old'"), ("1_0", "'1_0'"), (math.inf, "inf"), (10**400, "1000"), (TIME, "datetime")]
)
def test_a_value_that_does_not_fit_is_missing_and_counted(value, shown):
    block = FEATURES.block_of([{"age": 1}, {"age": value}, {"age": value}])
    assert plain(block.columns["age"]) == [1, None, None]
    (misfits,) = block.misfits
    assert (misfits.column, misfits.count) == ("age", 2)
    assert misfits.first[0].startswith(f"row 2: age is {shown}")
    strict = {"age": Reading(PLAIN_NUMBER, ReadAs.NUMBER, strict=True)}
    with pytest.raises(InputError, match=r"^row 1: age should be a number but is"):
        block_of([{"age": value}], strict)


def test_an_infinite_product_names_its_row():
    crossed = Features.of(Schema({"a": Role.NUMBER, "y": Role.TARGET}), Task.REGRESSION, FeatureOptions(polynomial=2))
    with pytest.raises(InputError, match=r"^row 2: the product of a, a is infinite"):
        crossed.rows(crossed.block_of([{"a": 1}, {"a": 1e200}]))


@given(rows=st.lists(st.dictionaries(st.integers(0, 12), NUMBERS.map(float), max_size=6), min_size=1, max_size=6))
@settings(max_examples=50)
def test_numbered_columns_are_those_of_svmlight(rows, tmp_path_factory):
    lines = [" ".join(["0", *(f"{j}:{value!r}" for j, value in row.items())]) + "\n" for row in rows]
    paths = written(tmp_path_factory.mktemp("svm"), "".join(lines).encode(), suffix=".svm")
    source = opened(paths)
    (block,) = [source.parse(chunk) for chunk in source.chunks(Position())]
    model = Features.numbered(Task.CLASSIFICATION, 10, FeatureOptions(conjunctions=2))
    texts = [{str(j): value for j, value in row.items()} for row in rows]
    for given_rows in (rows, texts):
        same_rows(model.rows(model.block_of(given_rows)), model.rows(block))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"x": 1}, "row 1: 'x' is not the id of a column"),
        ({-1: 1}, "row 1: -1 is not the id of a column"),
        ({True: 1}, "row 1: True is not the id of a column"),
        ({2**31: 1}, "row 1: 2147483648 is not the id of a column"),
        ({1: 1, "1": 2}, "row 1: the id 1 is there twice"),
        ({3: "x"}, "row 1: the value of id 3 should be a finite number but is 'x'"),
        ({3: math.nan}, "row 1: the value of id 3 is NaN"),
    ],
)
def test_a_bad_entry_of_numbered_columns_is_an_error_with_its_row_and_id(row, message):
    with pytest.raises(InputError, match=f"^{message}"):
        numbered_block_of(row)


def test_an_entry_that_is_none_is_left_out():
    assert numbered_block_of([{1: None, 2: 3.0}]).sparse.ids.tolist() == [2]


def test_a_row_needs_neither_arrow_nor_threads():
    code = """
import sys, threading
from linnet.data.column_types import PLAIN_NUMBER, ReadAs, Reading
from linnet.data.features.feature_map import FeatureOptions, Features
from linnet.data.features.schema import Role, Schema, Task
schema = Schema({"age": Role.NUMBER, "job": Role.CATEGORY, "note": Role.TEXT, "y": Role.TARGET})
features = Features.of(schema, Task.CLASSIFICATION, FeatureOptions())
threading.Thread.start = None
rows = features.rows(features.block_of({"age": 3, "job": 7, "note": "a b"}))
assert rows.shape == (1, 2)
assert "pyarrow" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
