"""Parquet files: their columns, what later files must have, and what damaged files give."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

from linnet.data.sources.block import Position
from linnet.data.sources.opening import open_source
from linnet.errors import InputError
from tests.data.sources.tools import bad, blocks, rows, typed, values, wanted


def stored(folder, *tables):
    paths = [folder / f"{i}.parquet" for i in range(len(tables))]
    for path, table in zip(paths, tables, strict=True):
        pyarrow.parquet.write_table(pa.table(table), path)
    return paths


def test_rows_are_what_was_stored(tmp_path):
    columns = {"n": [1, None, 3], "t": ["a", "é", None], "l": [[1], [2], None]}
    source = typed(open_source(stored(tmp_path, columns)))
    assert source.names == ("n", "t", "l")
    assert values(source) == [
        {"n": 1.0, "t": "a", "l": "\x1f1"},
        {"n": None, "t": "é", "l": "\x1f2"},
        {"n": 3.0, "t": None, "l": None},
    ]
    assert source.size == (tmp_path / "0.parquet").stat().st_size
    source.select_columns(wanted(n=False))
    assert values(source) == [{"n": "1"}, {"n": None}, {"n": "3"}]


def test_a_later_file_may_have_more_columns_or_fewer_but_not_all_others(tmp_path):
    paths = stored(tmp_path, {"a": [1], "b": [2]}, {"c": [0], "b": [4], "a": [3]}, {"b": [1]}, {"d": [1]})
    assert values(typed(open_source(paths[:3]))) == [
        {"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}, {"a": None, "b": 1.0},
    ]  # fmt: skip
    source = open_source(paths[:3])
    notes = [str(note) for chunk in source.chunks(Position()) for note in source.parse(chunk).notes]
    assert [note.rpartition(", first ")[0] for note in notes] == [
        "the column 'c' is ignored, for the first file has none of that name: 1 row",
        "the column 'a' is missing: 1 row",
    ]
    with pytest.raises(InputError, match=r"3.parquet: has none of the columns of .*0.parquet"):
        rows(open_source(paths))


def test_text_where_numbers_were_is_a_bad_row_with_its_number_in_the_file(tmp_path):
    paths = stored(tmp_path, {"a": [1]}, {"a": ["2", "x", "3"]}, {"a": [4.0, float("inf")]})
    source = open_source(paths)
    source.select_columns(wanted(a=True))
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


CHANGING = """
import os, sys
import numpy as np, pyarrow as pa, pyarrow.parquet
from linnet.data.sources.block import Position
from linnet.data.sources.parquet import Parquet
from linnet.errors import InputError

path, change = sys.argv[1:]
rng = np.random.default_rng(0)
pa.parquet.write_table(pa.table({f"c{i}": rng.normal(size=200_000) for i in range(4)}), path, row_group_size=50_000)
source, rows = Parquet([path]), 0
try:
    for chunk in source.chunks(Position()):
        first, rows = rows == 0, rows + source.parse(chunk).rows
        size = os.path.getsize(path)
        if first and change == "truncated":
            os.truncate(path, 1000)
        if first and change == "halved":
            os.truncate(path, size // 2)
        if first and change == "overwritten":
            with open(path, "r+b") as file:
                file.write(rng.bytes(size))
        if first and change == "replaced":
            with open(path + ".new", "wb") as file:
                file.write(b"another")
            os.replace(path + ".new", path)
    print(rows)
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize("change", ["truncated", "halved", "overwritten", "replaced"])
def test_a_file_that_changes_while_it_is_read_is_an_error_that_names_it(change, tmp_path):
    """In a process of its own: of a file mapped into memory, cutting it short ends the process."""
    path = str(tmp_path / "changing.parquet")
    run = subprocess.run([sys.executable, "-c", CHANGING, path, change], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    if change == "replaced":  # the open file is still the old one, whole
        assert run.stdout.split() == ["200000"]
    else:
        assert run.stdout.startswith(f"{path}: the file was changed while it was read")


EVERY_BYTE_OF_THE_FOOTER = """
import io, sys
import pyarrow as pa
import pyarrow.parquet
from linnet.data.sources.parquet_file import opened
from linnet.data.sources.parquet_pages import refuse_expansion, rows_affordable
from linnet.errors import InputError

table = pa.table({"a": ["x", None, "y"], "b": [1.0, 2.0, None], "c": [1, 2, 3]})
written = io.BytesIO()
pyarrow.parquet.write_table(table, written, row_group_size=2)
content, path = written.getvalue(), sys.argv[1]
size = int.from_bytes(content[-8:-4], "little")
for at in range(len(content) - 8 - size, len(content) - 8):
    for value in (content[at] ^ 1, 0):
        with open(path, "wb") as file:
            file.write(content[:at] + bytes([value]) + content[at + 1 :])
        try:
            with opened(path, ["a", "b", "c"]) as file:
                metadata = file.parquet.metadata
                for number in range(metadata.num_row_groups):
                    refuse_expansion(metadata.row_group(number), path, number)
                    rows_affordable(metadata.row_group(number), {"a", "b", "c"}, path)
        except InputError:
            pass
print("done")
"""


def test_no_byte_of_the_footer_ends_the_process(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", EVERY_BYTE_OF_THE_FOOTER, str(tmp_path / "f")],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (ended.stdout, ended.returncode) == ("done\n", 0), ended.stderr[-2000:]
