"""The format is guessed from a file's name, or from its first lines."""

from __future__ import annotations

import io
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from linnet.data.sources.block import Position
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import format_by_content, format_by_name, open_data, open_source
from linnet.errors import InputError
from tests.data.sources.tools import compressed, typed, values

LABELLED = "".join(f"{'spam' if i % 3 else 'ham'}\tsome words number {i}\n" for i in range(30))
EXAMPLES = [
    ("a,b\n1,2\n", Format.CSV),
    ("1,2\n3,4\n", Format.CSV),
    ("a;b\n1;2\n", Format.CSV),
    ("a|b\n1|2\n", Format.CSV),
    ("a,b\r\n1,2\r\n", Format.CSV),
    ("a,b\r1,2\r", Format.CSV),
    ("\ufeffa,b\n1,2\n", Format.CSV),
    ("just\none\ncolumn\n", Format.CSV),
    ("# a,b\n1,2\n", Format.CSV),
    ("1\n2\n", Format.CSV),
    ("12:30,5\n12:40,6\n", Format.CSV),
    ("a\tb\n1\t2\n3\t4\n", Format.TSV),
    ("a\tb\tc\n1\t2\t3\n", Format.TSV),
    ("1\t2\n3\t4\n5\t6\n", Format.TSV),
    ("label\ttext\nspam\tbuy this now\nham\tsee you\n", Format.TSV),
    ("sentiment\treview\n" + LABELLED, Format.TSV),
    (LABELLED, Format.LABELLED_TEXT),
    (LABELLED.replace("\n", "\r\n"), Format.LABELLED_TEXT),
    ("\ufeff" + LABELLED, Format.LABELLED_TEXT),
    ("spam\tbuy\tthis now\nham\tsee you\nspam\tagain\n", Format.LABELLED_TEXT),
    ("__label__a some text\n__label__b\n", Format.LABELS),
    ("\ufeff__label__a some text\n", Format.LABELS),
    ("1 1:2 3:4\n-1 2:1\n", Format.SVMLIGHT),
    ("+1 qid:3 1:2 # note\n", Format.SVMLIGHT),
    ("# a note: with, commas\n\n1 1:2\n0\n", Format.SVMLIGHT),
    ("0.5\t1:.5\t2:1e-3\r\n", Format.SVMLIGHT),
    ("\ufeff1 1:1\n", Format.SVMLIGHT),
    ('{"a": 1}\n{"a": 2}\n', Format.JSONL),
    ('\n  {"a": 1}', Format.JSONL),
    ('\ufeff{"a": 1}\r\n', Format.JSONL),
]


@pytest.mark.parametrize(("text", "form"), EXAMPLES)
@pytest.mark.parametrize("how", ["", "gz", "zst"])
def test_content_tells_the_format(text, form, how, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(compressed(text.encode(), how))
    assert format_by_content(ByteFiles([str(path)])) is form
    assert open_source([path]).format == form
    assert open_source([path]).parse(next(open_source([path]).chunks(Position()))).rows >= 1


def test_a_long_file_is_told_by_its_whole_lines(tmp_path):
    (tmp_path / "data").write_text("".join(f"1 1:{i}\n" for i in range(50_000)) + "not svmlight\n")
    assert format_by_content(ByteFiles([str(tmp_path / "data")])) is Format.SVMLIGHT


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", Format.CSV), ("a.CSV.GZ", Format.CSV), ("a.tsv", None), ("a.jsonl.zst", Format.JSONL),
        ("a.ndjson", Format.JSONL), ("a.json", Format.JSONL), ("a.parquet", Format.PARQUET), ("a.pq", Format.PARQUET),
        ("a.svm.xz", Format.SVMLIGHT), ("a.libsvm.bz2", Format.SVMLIGHT), ("a.txt", None), ("a", None), ("-", None),
    ],
)  # fmt: skip
def test_a_name_tells_the_format(name, form):
    assert format_by_name(name) is form


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there are no rows"),
        (b"\n\r\n \t\n", "there are no rows"),
    ],
)
def test_what_cannot_be_read_is_told_with_a_remedy(content, said, tmp_path):
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(InputError, match=said) as told:
        open_source([tmp_path / "data"])
    assert str(tmp_path / "data") in str(told.value)


def test_parquet_needs_no_suffix_but_a_file(tmp_path):
    pyarrow.parquet.write_table(pa.table({"a": [1, 2]}), tmp_path / "data")
    assert values(typed(open_source([tmp_path / "data"]))) == [{"a": 1.0}, {"a": 2.0}]
    (tmp_path / "again").write_bytes(compressed((tmp_path / "data").read_bytes(), "gz"))
    with pytest.raises(InputError, match="again: is not a Parquet file"):
        open_source([tmp_path / "again"])


def test_globs_and_folders_give_their_files_in_order(tmp_path):
    for i in (10, 2, 1):
        (tmp_path / f"{i:02d}.csv").write_text(f"a,b\n{i},x\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.jsonl").write_text("")
    (tmp_path / "README").write_text("about")
    for paths in ([tmp_path], [tmp_path / "*.csv"], [tmp_path / "01.csv", tmp_path / "02.csv", tmp_path / "1*.csv"]):
        assert [row["a"] for row in values(typed(open_source(paths)))] == [1.0, 2.0, 10.0]
    (tmp_path / "x.jsonl").write_text("{}")
    with pytest.raises(InputError, match=r"several formats \(csv, jsonl\)"):
        open_source([tmp_path])


def test_paths_that_are_not_there_are_told_with_one_that_is(tmp_path):
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"trian.csv: there is no such file: did you mean .*train.csv"):
        open_source([tmp_path / "trian.csv"])
    with pytest.raises(InputError, match=r"nor the folder"):
        open_source([tmp_path / "no" / "file"])
    with pytest.raises(InputError, match="no such file"):
        open_source([tmp_path / "*.parquet"])
    with pytest.raises(InputError, match="no file is given"):
        open_source([])
    with pytest.raises(InputError, match="give one folder"):
        open_source([tmp_path, tmp_path])


class Input:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize("how", ["", "gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize(("text", "form"), EXAMPLES[::5])
def test_standard_input_is_guessed_and_then_read_from_its_beginning(text, form, how, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", Input(compressed(text.encode(), how)))
    source = open_source(["-"])
    assert source.format == form
    assert not source.reopenable
    (tmp_path / "data").write_text(text, newline="")
    assert values(source) == values(open_source([tmp_path / "data"]))
    assert not sys.stdin.buffer.closed
    with pytest.raises(InputError, match="only once"):
        open_source(["-", "-"])


def test_data_in_memory_are_a_source_too(tmp_path):
    assert open_data({"a": [1.0]}).format == "frame"
    assert open_data((np.eye(2), [0, 1])).format == "arrays"
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    assert open_data(str(tmp_path / "a.csv")).format == "csv"
    assert open_data([tmp_path / "a.csv"]).format == "csv"
    with pytest.raises(InputError, match="data must be a pandas, polars or Arrow table"):
        open_data(5)


@pytest.mark.parametrize("name", ["table.data", "table.csv", "table.txt"])
@pytest.mark.parametrize("header", ["", "mpg  cyl  weight  name\n"])
def test_a_table_with_blanks_between_columns_is_read(name, header, tmp_path):
    rows = '18.0   8   3504.  "chevrolet chevelle"\n15.0   8   ?      "buick skylark"\n 9.5   4   2130.  "fiat"\n'
    for text in (rows, rows.replace(' "', '\t"')):
        (tmp_path / name).write_text(header + text)
        source = typed(open_source([str(tmp_path / name)]))
        names = header.split() or ["c1", "c2", "c3", "c4"]
        expected = [(18, 8, 3504, "chevrolet chevelle"), (15, 8, None, "buick skylark"), (9.5, 4, 2130, "fiat")]
        assert values(source) == [dict(zip(names, row, strict=True)) for row in expected]


@pytest.mark.parametrize(
    "text",
    ["y,x\n1 2,3\n4 5,6\n", "spam\tcall 5 times\nham\tcall 2 times\n" * 9, "t\n2020-01-01 10:00\n2020-01-02 11:00\n"],
)
def test_blanks_within_fields_are_no_columns(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    open_source([str(tmp_path / "t.csv")])


def test_a_source_is_taken_as_it_is(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n" + "1,x\n" * 50)
    source = open_data(str(tmp_path / "a.csv"), chunk_size=20)
    assert open_data(source) is source
    assert len(list(source.chunks(Position()))) > 5
