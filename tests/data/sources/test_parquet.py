"""Parquet files: their columns, what later files must have, and what damaged files give."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet
import pytest

from linnet.data.sources.opening import open_source
from linnet.errors import InputError
from tests.data.sources.tools import bad, blocks, rows, values


def stored(folder, *tables):
    paths = [folder / f"{i}.parquet" for i in range(len(tables))]
    for path, table in zip(paths, tables, strict=True):
        pyarrow.parquet.write_table(pa.table(table), path)
    return paths


def test_rows_are_what_was_stored(tmp_path):
    columns = {"n": [1, None, 3], "t": ["a", "é", None], "l": [[1], [2], None]}
    source = open_source(stored(tmp_path, columns))
    assert source.names == ("n", "t", "l")
    assert values(source) == [{"n": 1.0, "t": "a"}, {"n": None, "t": "é"}, {"n": 3.0, "t": None}]
    assert source.size == (tmp_path / "0.parquet").stat().st_size
    source.select_columns({"n": False})
    assert values(source) == [{"n": "1"}, {"n": None}, {"n": "3"}]


def test_a_later_file_may_have_more_columns_but_not_fewer(tmp_path):
    paths = stored(tmp_path, {"a": [1], "b": [2]}, {"c": [0], "b": [4], "a": [3]}, {"b": [1]})
    assert values(open_source(paths[:2])) == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    with pytest.raises(InputError, match=r"2.parquet: has no column 'a', which .*0.parquet has"):
        rows(open_source(paths))


def test_text_where_numbers_were_is_a_bad_row_with_its_number_in_the_file(tmp_path):
    paths = stored(tmp_path, {"a": [1]}, {"a": ["2", "x", "3"]}, {"a": [4.0, float("inf")]})
    source = open_source(paths)
    assert [value["a"] for value in values(source)] == [1.0, 2.0, 3.0, 4.0]
    assert [(path[-9:], line) for path, line, *_ in bad(source)] == [("1.parquet", 2), ("2.parquet", 2)]


def test_files_that_are_none_are_refused_by_name(tmp_path):
    (good,) = stored(tmp_path, {"a": [1, 2, 3]})
    data = good.read_bytes()
    for content in (b"", b"PAR1", b"PAR1PAR1", data[:-1], data[: len(data) // 2], b"a,b\n1,2\n"):
        (tmp_path / "bad.parquet").write_bytes(content)
        with pytest.raises(InputError, match=r"bad.parquet: is not a Parquet file"):
            open_source([tmp_path / "bad.parquet"])
    pyarrow.parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), good)
    with pytest.raises(InputError, match="the column 'a' is there twice"):
        open_source([good])
    stored(tmp_path, {"a": pa.array([], pa.int64())})
    with pytest.raises(InputError, match="there are no rows"):
        open_source([good]).sample()
    assert blocks(open_source([good])) == []


def test_bytes_that_are_no_utf8_are_refused(tmp_path):
    wrong = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers())
    source = open_source(stored(tmp_path, {"t": wrong}))
    with pytest.raises(InputError, match=r"0.parquet: rows 1 to 1 cannot be read"):
        rows(source)
