"""The quick way to read plain tables gives the very blocks of the general way."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data.sources import delimited
from linnet.data.sources.block import Numbers, Position, Strings
from linnet.data.sources.formats import Format
from tests.data.sources.tools import opened, wanted, written


def blocks(source):
    return [source.parse(chunk) for chunk in source.chunks(Position())]


def content(block):
    columns = {}
    for name, column in block.columns.items():
        if isinstance(column, Numbers):
            columns[name] = np.asarray(column.values).tobytes()
        else:
            assert isinstance(column, Strings)
            missing = np.zeros(len(column), bool) if column.missing is None else column.missing
            columns[name] = (column.strings(), missing.tolist())
    raw = [block.raw(row) for row in range(block.rows)]
    return block.path, block.rows, block.after, block.read, block.lines.tolist(), block.bad, columns, raw


TABLES = {
    "numbers": "a,b\n" + "1.5,-2\n0.25,3e2\n,NA\n" * 50,
    "beside strings": "a,b,c\n" + "1,x,0\n2.5, y ,1\nNA,?,0\n" * 50,
    "CR LF": "a,b\r\n" + "1,2\r\n3,4\r\n" * 50,
    "some quoted": "a,b\n" + "1,x\n" * 60 + '2,"x, y"\n' * 3 + "1,x\n" * 60,
    "some wrong": "a,b\n" + "1,x\n" * 150 + "one,x\n1,x,2\n" + "1,x\n" * 150,
    "blank lines": "a,b\n" + "1,2\n\n3,4\n\n\n" * 40,
    "without an end": "a,b\n" + "1,2\n" * 40 + "5,6",
    "not ASCII": "a,b\n" + "1,é\n" * 50,
    "dates and money": "a,b,c\n" + "2024-04-05,$5.50,yes\n?,$12,no\n2024-04-06 10:00,,NA\n" * 50,
    "misfits": "a,b\n" + "1,2024-04-05\n" * 60 + "one,soon\n" + "1,2024-04-05\n" * 60,
    "a quoted header": '\n\r\n"a","b, c"\r\n' + "1,2\r\n" * 40,
    "a header of two lines": '"a","b\nc"\n' + "1,2\n" * 40,
    "nothing but a header": "a,b\n1,2\n",
    "blank lines that end in CR before the header": "\r\n\r\n\r\r\na,b\n" + "1,2\n" * 40,
    "lines end in CR": "a,b\r" + "1,2\r" * 40,
    "strings that look missing": "a,b\n" + "1,none\nNA,NA\n-,unknown\n,\n3,-\n" * 30,
    "a BOM within": "a,b\n" + "1,\ufeff\n" * 20,
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("size", [64, 100, None])
def test_plain_chunks_give_the_blocks_of_the_general_way(tmp_path, monkeypatch, name, size):
    path = written(tmp_path, TABLES[name].encode(), suffix=".csv")
    quick = blocks(opened(path, Format.CSV, size=size))
    monkeypatch.setattr(delimited.PlainTable, "block", lambda *_, **__: None)
    general = blocks(opened(path, Format.CSV, size=size))
    assert list(map(content, quick)) == list(map(content, general))


def test_a_plain_table_is_read_the_quick_way(tmp_path, monkeypatch):
    path = written(tmp_path, TABLES["beside strings"].encode(), suffix=".csv")
    source = opened(path, Format.CSV, size=100)
    chunks = list(source.chunks(Position()))
    monkeypatch.setattr(source, "_records", None)
    assert sum(source.parse(chunk).rows for chunk in chunks) == 150


def test_only_columns_that_are_wanted_are_read(tmp_path):
    path = written(tmp_path, b"a,b,c\n" + b"1,x,2\n" * 50, suffix=".csv")
    source = opened(path, Format.CSV, size=100)
    source.select_columns(wanted(c=True, a=False))
    for block in blocks(source):
        assert list(block.columns) == ["c", "a"]
        assert block.columns["c"].values.tolist() == [2.0] * block.rows
        assert block.columns["a"].strings() == ["1"] * block.rows
