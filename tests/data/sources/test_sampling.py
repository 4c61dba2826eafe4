"""Format, columns, types and task are inferred from the same rows, however they are cut and wherever from."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import threading
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.sources.opening import open_data, open_source
from linnet.data.sources.sampling import BYTES, ROWS
from linnet.data.task import Task
from linnet.errors import InputError
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import features_of


@dataclass(frozen=True)
class Rows:
    """Lines, and the header that each file of them begins with, if any."""

    lines: list[str]
    header: str = ""
    target: str | None = None

    def text(self, first=0, last=None, *, end="\n", bom="", final=True):
        lines = [self.header] * bool(self.header) + self.lines[first:last]
        return (bom + end.join(lines) + end * (final and bool(lines))).encode()


def kinds():
    """Rows whose beginning alone would be taken for something else."""
    rng = np.random.default_rng(3)
    rings = [7 + i // 20 for i in range(500)]  # 25 values, the first of them in the first rows only
    shown = ["7", "8.5", "2"] * 50 + ["seven"] * 350  # numbers at first
    noisy = [f"{x:.3f}" for x in rng.normal(size=500)]
    yield "csv", Rows([f"{a},{b},{c}" for a, b, c in zip(noisy, shown, rings, strict=True)], "x,grade,rings", "rings")
    yield "semicolons", Rows([f"{a};{c}" for a, c in zip(noisy, rings, strict=True)], "x;rings", "rings")
    yield "no header", Rows([f"{a},{b},{c}" for a, b, c in zip(noisy, shown, rings, strict=True)], target="c3")
    yield "tsv", Rows([f"{a}\t{c}" for a, c in zip(shown, rings, strict=True)], "grade\trings", "rings")
    yield (
        "quoted newlines",
        Rows([f'"{c % 5}\n\n""b""",{c}' for c in rings], "x,rings", "rings"),
    )
    yield "labelled text", Rows([f"{'spam' if i % 3 else 'ham'}\tword{i} more words" for i in range(300)])
    yield "svmlight", Rows([f"{c} 1:{a}" for a, c in zip(noisy, rings, strict=True)])
    yield (
        "jsonl",
        Rows(
            [
                f'{{"x": {a}, "rings": {c}{", " + chr(34) + "late" + chr(34) + ": 1" if c > 9 else ""}}}'
                for a, c in zip(noisy, rings, strict=True)
            ],
            target="rings",
        ),
    )


KINDS = dict(kinds())
FORMATS = {"semicolons": "csv", "no header": "csv", "quoted newlines": "csv", "labelled text": "labelled-text"}


def decided(data, target=None, **options):
    """All that is inferred."""
    source = open_data(data, **options)
    features, why = features_of(source, TrainOptions(target=target))
    roles = {name: str(role) for name, role in features.schema.roles.items()}
    return source.format, roles, dict(features.schema.reasons), features.task, why


def write(folder, name, content):
    (folder / name).write_bytes(content)
    return str(folder / name)


def in_parts(folder, rows, cuts, **how):
    edges = [0, *sorted(cuts), len(rows.lines)]
    texts = [rows.text(a, b, **how) for a, b in pairwise(edges)]
    return [write(folder, f"part-{number:03d}", text) for number, text in enumerate(texts)]


@pytest.mark.parametrize("kind", KINDS)
def test_one_file_and_many_give_the_same_decision(kind, tmp_path):
    rows = KINDS[kind]
    wanted = decided(write(tmp_path, "whole", rows.text()), rows.target)
    assert wanted[0] == FORMATS.get(kind, kind)
    if kind != "labelled text":
        assert wanted[3] is Task.REGRESSION
    n = len(rows.lines)
    for parts in (2, 7, 50):
        paths = in_parts(tmp_path, rows, np.linspace(0, n, parts + 1).astype(int)[1:-1].tolist())
        assert decided(paths, rows.target) == wanted, parts
    # an empty first file, or one with a header only; one row a file at first
    assert decided(in_parts(tmp_path, rows, [0, 0, 1, 2, 3, n]), rows.target) == wanted
    paths = in_parts(tmp_path, rows, [1, 40, 333])
    assert decided([write(tmp_path, "empty", b""), write(tmp_path, "blank", b"\n\n"), *paths], rows.target) == wanted
    for how in ({"end": "\r\n"}, {"bom": "\ufeff"}, {"final": False}):
        assert decided(in_parts(tmp_path, rows, [1, 40, 333], **how), rows.target) == wanted, how


@pytest.mark.parametrize("kind", KINDS)
def test_pipes_and_compressed_files_give_the_same_decision(kind, tmp_path, monkeypatch):
    rows = KINDS[kind]
    content = rows.text()
    wanted = decided(write(tmp_path, "whole", content), rows.target)
    for packed in (gzip.compress, bz2.compress, lzma.compress, lambda raw: pa.compress(raw, "zstd", asbytes=True)):
        assert decided(write(tmp_path, "packed", packed(content)), rows.target) == wanted
    read, to_write = os.pipe()

    def deliver():
        with os.fdopen(to_write, "wb", buffering=0) as pipe:
            for at in range(0, len(content), 501):
                pipe.write(content[at : at + 501])

    feeder = threading.Thread(target=deliver)
    feeder.start()
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert decided("-", rows.target) == wanted
        feeder.join()


@given(
    cuts=st.lists(st.integers(0, 300), max_size=12),
    kind=st.sampled_from(sorted(KINDS)),
    chunk=st.sampled_from([None, 1, 64, 5000]),
)
def test_any_cut_and_any_chunk_gives_the_same_decision(cuts, kind, chunk, tmp_path):
    rows = KINDS[kind]
    wanted = decided(write(tmp_path, "whole", rows.text()), rows.target)
    assert decided(in_parts(tmp_path, rows, cuts), rows.target, chunk_size=chunk) == wanted


@pytest.mark.parametrize("parts", [1, 3, 60])
def test_the_row_after_the_sample_decides_nothing_and_the_last_of_it_does(parts, tmp_path):
    def kinds_of(odd):
        rows = Rows([f"{i % 7},{'1' if i != odd else 'word'},{i % 2}" for i in range(ROWS + 50)], "a,b,y")
        n = len(rows.lines)
        paths = in_parts(tmp_path, rows, np.linspace(0, n, parts + 1).astype(int)[1:-1].tolist())
        assert open_source(paths).sample().rows == ROWS
        return decided(paths, "y")[2]["b"]

    assert kinds_of(ROWS) == "1 to 1 in the first rows"
    assert kinds_of(ROWS - 1) == "1 to 1 in the first rows; 1 value does not fit"


@pytest.mark.parametrize("parts", [1, 9])
def test_long_rows_end_the_sample_by_their_bytes(parts, tmp_path):
    line = "x" * 20_000 + ",1"
    rows = Rows([line] * 400, "text,y")
    paths = in_parts(tmp_path, rows, np.linspace(0, 400, parts + 1).astype(int)[1:-1].tolist())
    assert open_source(paths).sample().rows == BYTES // (len(line) + 1)


def test_a_row_longer_than_the_sample_is_a_sample(tmp_path):
    path = write(tmp_path, "long.csv", Rows(["x" * (3 * BYTES) + ",1", "y,2"], "text,y").text())
    assert open_source([path]).sample().rows == 1
    path = write(tmp_path, "long.jsonl", Rows([f'{{"text": "{"x" * (3 * BYTES)}"}}', '{"text": "a"}']).text())
    assert open_source([path]).sample().rows == 1


def test_tables_of_arrow_are_sampled_like_text(tmp_path):
    n = ROWS + 500
    table = pa.table(
        {"x": [float(i) for i in range(n)], "y": [1 if i < ROWS else 1.5 for i in range(n)], "c": ["a"] * n}
    )
    pyarrow.parquet.write_table(table, tmp_path / "whole.parquet", row_group_size=300)
    lines = [f"{i}.0,{1 if i < ROWS else 1.5},a" for i in range(n)]
    wanted = decided(write(tmp_path, "whole.csv", Rows(lines, "x,y,c").text()), "y")
    assert wanted[3] is Task.CLASSIFICATION
    for chunk in (None, 7, 4000):
        for data in (str(tmp_path / "whole.parquet"), table):
            assert decided(data, "y", chunk_size=chunk)[1:] == wanted[1:]
    parts = []
    for number, (a, b) in enumerate([(0, 0), (0, 3), (3, 1700), (1700, n)]):
        parts.append(str(tmp_path / f"{number}.parquet"))
        pyarrow.parquet.write_table(table.slice(a, b - a), parts[-1])
    assert decided(parts, "y")[1:] == wanted[1:]


def test_a_column_without_values_in_the_first_parquet_file_has_the_type_of_a_later_one(tmp_path):
    first, second = {"c": pa.nulls(5), "y": [0, 1, 0, 1, 0]}, {"c": ["a", "b"] * 5, "y": [0, 1] * 5}
    for name, columns in (("0", first), ("1", second)):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    whole = pa.table({"c": pa.array([None] * 5 + ["a", "b"] * 5), "y": first["y"] + second["y"]})
    paths = [str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet")]
    assert decided(paths, "y")[1:] == decided(whole, "y")[1:]


def test_files_with_none_of_the_columns_are_refused(tmp_path):
    first = write(tmp_path, "a.csv", b"x,y\n1,2\n")
    other = write(tmp_path, "b.csv", b"z,u\n2,1\n")
    for order in ([first, other], [write(tmp_path, "c.csv", b""), first, other]):
        with pytest.raises(InputError, match=r"b\.csv:1: has none of the columns of .*a\.csv: they are x, y, and here"):
            open_source(order)


def test_files_that_are_all_empty_have_no_rows(tmp_path):
    for content in (b"", b"\n\n", b"\xef\xbb\xbf", b"a,b\n"):
        paths = [write(tmp_path, name, content) for name in ("a.csv", "b.csv")]
        with pytest.raises(InputError, match=r"a\.csv: there are no rows in it"):
            open_source(paths)
