"""Objects within objects are columns, lists are sets: in JSON, Arrow, pandas and dictionaries alike."""

from __future__ import annotations

import json

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.data.role import Role
from linnet.data.sources.formats import Format
from linnet.data.sources.nesting import flat_row, flat_table, leaves, nested_schema
from linnet.data.sources.opening import open_source
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import features_of
from linnet.pipeline.train import train
from tests.data.sources.tools import bad, opened, values, written

ROWS = [
    {
        "y": "no" if i % 3 else "yes",
        "user": {"name": "ab"[i % 2], "place": {"zip": i % 5}},
        "tags": ["x", f"t{i % 4}"] * (i % 3),
    }
    for i in range(60)
]


def lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def roles(source, target="y"):
    return dict(features_of(source, TrainOptions(target=target))[0].schema.roles)


def test_keys_of_objects_are_columns_and_lists_are_sets(tmp_path):
    source = open_source(written(tmp_path, lines(ROWS)))
    assert roles(source) == {
        "y": Role.TARGET,
        "user.name": Role.CATEGORY,
        "user.place.zip": Role.NUMBER,
        "tags": Role.SET,
    }
    model = train(written(tmp_path, lines(ROWS)), TrainOptions(target="y"))
    names = model.features.names()
    assert {"user.name=a", "user.place.zip", "tags=x", "tags=t3"} <= set(names)


def test_every_format_of_lists_gives_the_same_model(tmp_path):
    rows = [{"y": row["y"], "n": i * 0.5 % 7, "tags": row["tags"], "ids": [i % 3, 7]} for i, row in enumerate(ROWS)]
    table = pa.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    options = TrainOptions(target="y")
    expected = train(written(tmp_path, lines(rows)), options)
    for data in (
        str(tmp_path / "a.parquet"),
        table,
        pandas.DataFrame(rows),
        written(tmp_path, json.dumps(rows).encode()),
    ):
        model = train(data, options)
        assert model.features.names() == expected.features.names()
        assert model.linear.weights.tobytes() == expected.linear.weights.tobytes()
    assert [name for name in expected.features.names() if name.startswith("ids")] == [
        "ids=0",
        "ids=7",
        "ids=1",
        "ids=2",
    ]
    assert list(expected.predict(rows)) == list(expected.predict(table))
    expected_one = expected.predict_proba([{"n": 1.0, "tags": ["x", "new"], "ids": (7,)}])
    assert (
        expected_one.tolist()
        == expected.predict_proba(table.slice(0, 0).from_pylist([{"n": 1.0, "tags": ["x"], "ids": [7]}])).tolist()
    )


def test_every_format_of_objects_gives_the_same_model(tmp_path):
    rows = [
        {
            "y": row["y"],
            "user": None if i % 11 == 5 else row["user"],
            "m": {"when": f"2024-0{i % 9 + 1}-05", "x": i * 0.25},
        }
        for i, row in enumerate(ROWS)
    ]
    table = pa.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=17)
    expected = train(written(tmp_path, lines(rows)), TrainOptions(target="y"))
    assert expected.features.schema.roles["m.when"] is Role.DATE
    assert expected.features.schema.roles["user.place.zip"] is Role.NUMBER
    expected.save(tmp_path / "expected")
    for data in (str(tmp_path / "a.parquet"), table, pandas.DataFrame(rows), polars.DataFrame(rows, strict=False)):
        train(data, TrainOptions(target="y")).save(tmp_path / "other")
        assert (tmp_path / "other").read_bytes() == (tmp_path / "expected").read_bytes()
        assert expected.predict_proba(data).tolist() == expected.predict_proba(rows).tolist()


def test_a_key_and_a_column_of_one_name_are_refused(tmp_path):
    table = pa.table({"a.b": [1, 2], "a": [{"b": 3}, {"b": 4}], "y": ["u", "v"]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    for data in (table, str(tmp_path / "a.parquet")):
        with pytest.raises(linnet.InputError, match=r"the column 'a\.b' is there twice"):
            linnet.train(data, target="y")


def test_a_model_of_sets_is_read_back(tmp_path):
    model = linnet.train(written(tmp_path, lines(ROWS)), target="y")
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    expected = model.predict_proba(written(tmp_path, lines(ROWS[:9])))
    assert again.predict_proba(ROWS[:9]).tolist() == expected.tolist()  # as dictionaries, too


@pytest.mark.parametrize("size", [60, None])
def test_mixed_values_are_read_one_by_one(size, tmp_path):
    rows = [
        {"t": "a", "o": {"p": 1}},
        {"t": ["b", 2, None, True]},
        {"t": ["c"], "o": None},
        {"t": 5, "o": None},
        {"t": ["a", "c"]},
        {"t": None, "o": {"p": None, "q": "z"}},
    ]
    source = opened(written(tmp_path, lines(rows)), Format.JSONL, size=size)
    assert [row["t"] for row in values(source)] == ["\x1fa", "\x1fb\x1f2\x1ftrue", "\x1fc", "\x1f5", "\x1fa\x1fc", None]
    assert [row.get("o.p") for row in values(source)] == [1.0, None, None, None, None, None]
    assert not bad(source)


VECTORS = [
    {"y": "uv"[i % 2], "v": [i * 0.25, None if i % 7 == 3 else 1.5 * (i % 5)], "o": {"w": [0.5 * (i % 3)]}}
    for i in range(60)
]


def test_lists_of_one_length_with_fractions_are_columns_in_every_format(tmp_path):
    table = pa.Table.from_pylist(VECTORS)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=17)
    expected = train(written(tmp_path, lines(VECTORS)), TrainOptions(target="y"))
    assert dict(expected.features.schema.roles) == {
        "y": Role.TARGET, "v.0": Role.NUMBER, "v.1": Role.NUMBER, "o.w.0": Role.NUMBER,
    }  # fmt: skip
    expected.save(tmp_path / "expected")
    fixed = table.set_column(1, "v", table.column("v").cast(pa.list_(pa.float64(), 2)))
    by_line = lines([*VECTORS[:59], VECTORS[59] | {"z": [1, "a"]}])  # which Arrow refuses
    for data in (
        str(tmp_path / "a.parquet"),
        table,
        fixed,
        pandas.DataFrame(VECTORS),
        polars.DataFrame(VECTORS),
        written(tmp_path, json.dumps(VECTORS).encode()),
    ):
        train(data, TrainOptions(target="y")).save(tmp_path / "other")
        assert (tmp_path / "other").read_bytes() == (tmp_path / "expected").read_bytes()
        assert expected.predict_proba(data).tolist() == expected.predict_proba(VECTORS).tolist()
    mixed = written(tmp_path, by_line)
    assert expected.predict_proba(mixed).tolist() == expected.predict_proba(VECTORS).tolist()
    flat = [{"v.0": row["v"][0], "v.1": row["v"][1], "o.w.0": row["o"]["w"][0]} for row in VECTORS]
    assert expected.predict_proba(flat).tolist() == expected.predict_proba(VECTORS).tolist()


@pytest.mark.parametrize("form", ["jsonl", "by line", "parquet", "arrow", "dictionaries"])
def test_a_list_of_another_length_does_not_fit(tmp_path, form):
    model = train(VECTORS, TrainOptions(target="y"))
    rows = [VECTORS[0], VECTORS[1] | {"v": [1.0, 2.0, 3.0]}, VECTORS[2] | {"v": None}, VECTORS[4]]
    table = pa.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    data = {
        "jsonl": lambda: written(tmp_path, lines(rows)),
        "by line": lambda: written(tmp_path, lines([*rows[:3], rows[3] | {"z": [1, "a"]}])),
        "parquet": lambda: str(tmp_path / "a.parquet"),
        "arrow": lambda: table,
        "dictionaries": lambda: rows,
    }[form]()
    found = model.check(data)
    assert found.misfits == {"v.0": 1}
    assert "v.0 is '[1.0, 2.0, 3.0]'" in found.first_misfits[0]


def test_lists_that_are_no_sets_are_left_out(tmp_path):
    rows = [{"y": i % 2, "x": i % 7, "v": [0.5] * (1 + i % 3), "m": [{"a": 1}], "e": []} for i in range(40)]
    source = open_source(written(tmp_path, lines(rows)))
    found = roles(source)
    assert (found["v"], found["m"], found["x"]) == (Role.IGNORE, Role.IGNORE, Role.NUMBER)


nested = st.recursive(
    st.integers(-5, 5) | st.text(st.sampled_from("ab"), max_size=2),
    lambda each: st.dictionaries(st.sampled_from(["k", "l", "m"]), each, min_size=1, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(["a", "b"]), nested, min_size=1))
def test_a_flat_row_has_the_leaves_that_arrow_has(row):
    table = pa.Table.from_pylist([row])
    assert flat_table(table).to_pylist() == [flat_row(row)]
    found = leaves(table.schema)
    assert [name for name, _, _ in found] == list(flat_row(row))
    assert nested_schema((keys, kind) for _, keys, kind in found) == table.schema.remove_metadata()
