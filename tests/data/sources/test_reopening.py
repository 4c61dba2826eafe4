"""A source can be reopened after any block, and its rows do not depend on where blocks and files are cut."""

from __future__ import annotations

import itertools
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from linnet.data.sources.arrays import Arrays
from linnet.data.sources.block import Position
from linnet.data.sources.delimited import CHUNK
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.folder import Folder
from linnet.data.sources.formats import Format
from linnet.data.sources.frame import Frame
from tests.data.sources.tools import bad, blocks, opened, rows, rows_in, values, written

WORDS = ["red", "grün", "a b", "😀", "", "NA", "x" * 30]


def csv_line(rng):
    text = ['"two\nlines"', '"a ""quote"""', '"cr\r\nlf"', "plain", '""', "é", '"a,b"'][rng.integers(7)]
    return f"{rng.normal()!r},{text},{WORDS[rng.integers(len(WORDS))]}"


def json_line(rng):
    return json.dumps({"a": rng.normal(), "b": {"c": [1, "}"]}, "t": WORDS[rng.integers(7)]}, ensure_ascii=False)


LINES = {
    Format.CSV: ("a,t,w\n", csv_line),
    Format.TSV: ("a\tb\n", lambda rng: f"{rng.normal()!r}\t{WORDS[rng.integers(4)]}"),
    Format.JSONL: ("", json_line),
    Format.SVMLIGHT: ("# note\n", lambda rng: f"{rng.integers(3)} 1:{rng.normal()!r} {rng.integers(2, 99)}:1"),
    Format.LABELLED_TEXT: ("", lambda rng: f"l{rng.integers(3)}\tsome {WORDS[rng.integers(4)]}\t text"),
    Format.LABELS: ("", lambda rng: f"__label__l{rng.integers(3)} some {WORDS[rng.integers(4)]} text"),
}
FORMATS = list(LINES)


def contents(form, rng, files=3):
    """Files of some lines each; the last of them without a line end, one of them with CR LF."""
    header, line = LINES[form]
    made = []
    for i in range(files):
        end = "\r\n" if i == 1 else "\n"
        text = header + end.join(line(rng) for _ in range(rng.integers(1, 40)))
        made.append((text + (end if i + 1 < files else "")).encode())
    return made


def assert_can_be_reopened(again):
    whole = blocks(again())
    everything = [row for block in whole for row in rows_in(block)]
    done = 0
    for block in whole:
        done += block.rows
        assert rows(again(), block.after) == everything[done:]
    assert done == len(everything) > 0
    return len(whole)


@pytest.mark.parametrize("how", ["", "gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_block_ends_where_reading_can_go_on(form, how, tmp_path, rng):
    paths = written(tmp_path, *contents(form, rng), how=how)
    assert assert_can_be_reopened(lambda: opened(paths, form, size=100)) > 10


@pytest.mark.parametrize("form", FORMATS)
def test_rows_do_not_depend_on_the_size_of_chunks(form, tmp_path, rng):
    paths = written(tmp_path, *contents(form, rng))
    whole = rows(opened(paths, form))
    assert not bad(opened(paths, form))
    for size in [1, 2, 3, 7, 16, 64, 257, 1000, *map(len, contents(form, rng))]:
        assert rows(opened(paths, form, size=size)) == whole


@pytest.mark.parametrize("form", FORMATS)
def test_a_chunk_that_ends_with_its_file_is_a_chunk_like_another(form, tmp_path, rng):
    content = contents(form, rng, files=2)[0]
    paths = written(tmp_path, content, content)
    whole = rows(opened(paths, form))
    for size in range(len(content) - 2, len(content) + 3):
        assert rows(opened(paths, form, size=size)) == whole
        assert_can_be_reopened(lambda size=size: opened(paths, form, size=size))


@pytest.mark.parametrize("form", FORMATS)
def test_rows_do_not_depend_on_how_they_are_shared_among_files(form, tmp_path, rng):
    header, line = LINES[form]
    lines = [line(rng) + "\n" for _ in range(50)]
    whole = values(opened(written(tmp_path, (header + "".join(lines)).encode()), form))
    for _ in range(5):
        cuts = [0, *np.sort(rng.integers(1, 50, 3)), 50]
        parts = [header + "".join(lines[a:b]) for a, b in itertools.pairwise(cuts)]
        paths = written(tmp_path, *[part.encode() for part in parts])
        assert values(opened(paths, form, size=200)) == whole


def test_parquet_can_be_reopened_within_and_between_row_groups_and_files(tmp_path, rng):
    for i in range(3):
        table = pa.table({"a": rng.normal(size=57), "t": [f"word {j}" for j in range(57)]})
        pyarrow.parquet.write_table(table, tmp_path / f"{i}.parquet", row_group_size=20)
    assert assert_can_be_reopened(lambda: opened([str(tmp_path)], size=7)) == 3 * (3 + 3 + 3)
    found = rows(opened([str(tmp_path / "*.parquet")], size=7))
    assert [line for _, line, _ in found] == [*range(1, 58)] * 3
    assert [value for _, _, value in found] == values(opened([str(tmp_path)]))


def test_a_folder_can_be_reopened_after_any_block(tmp_path):
    for i in range(20):
        file = tmp_path / f"class{i % 3}" / f"{i}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"text {i} " * i)
    assert assert_can_be_reopened(lambda: Folder(str(tmp_path), chunk_size=200)) > 5


def test_frames_and_arrays_can_be_reopened(rng):
    X = rng.normal(size=(50, 3)) * (rng.random((50, 3)) < 0.5)
    assert assert_can_be_reopened(lambda: Frame({"a": X[:, 0], "t": [f"w{i}" for i in range(50)]}, chunk_size=7)) == 8
    assert assert_can_be_reopened(lambda: Arrays.of(X, np.arange(50), chunk_size=7)) == 8


@pytest.mark.parametrize("how", ["", "gz"])
def test_memory_stays_the_same_however_long_the_file(how, tmp_path):
    """A file of 40 MB is read with a few chunks in memory."""
    import tracemalloc

    line = b"1.5,some words here\n"
    paths = written(tmp_path, b"a,t\n" + line * 2_000_000, suffix=".csv", how=how)
    source = opened(paths)
    tracemalloc.start()
    assert sum(source.parse(chunk).rows for chunk in source.chunks(Position())) == 2_000_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * CHUNK


def test_a_pipe_gives_its_rows_once(tmp_path, rng):
    content = contents(Format.CSV, rng)[0]
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    source = opened([f"/dev/fd/{reading}"], Format.CSV, size=100)
    assert not source.reopenable
    assert source.size is None
    got = values(source)
    assert got == values(opened(written(tmp_path, content), Format.CSV))
    with pytest.raises(ValueError, match="only once"):
        blocks(source)
    with pytest.raises(ValueError, match="cannot be read again"):
        source.fingerprint()


def test_bytes_read_add_up_to_the_size_of_the_files(tmp_path, rng):
    for how in ("", "gz", "bz2", "xz", "zst"):
        paths = written(tmp_path, *contents(Format.CSV, rng), how=how)
        source = opened(paths, Format.CSV, size=64)
        assert sum(block.read for block in blocks(source)) == source.size == ByteFiles(paths).size
