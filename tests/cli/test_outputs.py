"""Files of predictions are what their names say; a model is not replaced without a word."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.calling import PROGRAM, call

ROWS = 50


@pytest.fixture
def model(tmp_path):
    table = pd.DataFrame({"id": range(60), "x": [-1.0, 1.0] * 30, "y": [3, 12] * 30})
    table.to_csv(tmp_path / "t.csv", index=False)
    call("train", tmp_path / "t.csv", "--target", "y", "--column", "id:id", "-o", tmp_path / "m")
    rows = [str(i) if i == 7 else f"{i},{(-1) ** (i + 1)}" for i in range(ROWS)]
    (tmp_path / "new.csv").write_text("id,x\n" + "\n".join(rows) + "\n")
    return tmp_path


EXPECTED = [None if i == 7 else (3, 12)[i % 2] for i in range(ROWS)]


def zstd(raw):
    return pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read()


def from_csv(text, delimiter=","):
    rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
    assert [row["id"] for row in rows] == ["" if i == 7 else str(i) for i in range(ROWS)]
    return [int(row["prediction"]) if row["prediction"] else None for row in rows]


def from_json(rows):
    assert [row["id"] for row in rows] == [None if i == 7 else i for i in range(ROWS)]
    assert [row["probabilities"] is None for row in rows] == [i == 7 for i in range(ROWS)]
    return [row["prediction"] for row in rows]


READERS = {
    "p.csv": lambda raw: from_csv(raw.decode()),
    "p": lambda raw: from_csv(raw.decode()),
    "p.tsv": lambda raw: from_csv(raw.decode(), "\t"),
    "p.jsonl": lambda raw: from_json([json.loads(line) for line in raw.decode().splitlines()]),
    "p.NDJSON": lambda raw: from_json([json.loads(line) for line in raw.decode().splitlines()]),
    "p.json": lambda raw: from_json(json.loads(raw)),
    "p.csv.gz": lambda raw: from_csv(gzip.decompress(raw).decode()),
    "p.csv.bz2": lambda raw: from_csv(bz2.decompress(raw).decode()),
    "p.jsonl.xz": lambda raw: from_json([json.loads(line) for line in lzma.decompress(raw).decode().splitlines()]),
    "p.jsonl.zst": lambda raw: from_json([json.loads(line) for line in zstd(raw).decode().splitlines()]),
    "p.json.gz": lambda raw: from_json(json.loads(gzip.decompress(raw))),
}


@pytest.mark.parametrize("name", READERS)
def test_a_file_is_what_its_name_says(model, name):
    arguments = ("predict", model / "m", model / "new.csv", "--on-error", "skip", "-o", model / name)
    assert call(*arguments).returncode == 0
    first = (model / name).read_bytes()
    assert READERS[name](first) == EXPECTED
    call(*arguments)
    assert (model / name).read_bytes() == first


def test_parquet_has_columns_of_their_types(model):
    call("predict", model / "m", model / "new.csv", "--on-error", "skip", "-o", model / "p.parquet")
    table = pq.read_table(model / "p.parquet")
    assert table.column_names == ["id", "prediction", "probability:3", "probability:12"]
    assert table.schema.field("prediction").type == pa.int64()
    assert table.column("prediction").to_pylist() == EXPECTED
    assert table.column("probability:3").null_count == 1
    new = pd.read_csv(model / "new.csv").drop(index=7).astype({"x": float})
    new.to_parquet(model / "new.parquet")
    call("predict", model / "m", model / "new.parquet", "-o", model / "p.pq")
    assert pq.read_table(model / "p.pq").column("id").to_pylist() == [i for i in range(ROWS) if i != 7]


@pytest.mark.parametrize("name", ["p.csv", "p.json", "p.jsonl", "p.parquet", "p.tsv.gz"])
def test_a_file_that_begins_with_an_unreadable_row_is_still_what_it_says(model, name):
    (model / "few.jsonl").write_text('{"id": 1, "x": [\n{"id": 2, "x": 1}\n')
    call("predict", model / "m", model / "few.jsonl", "--on-error", "skip", "-o", model / name, "--format", "jsonl")
    readers = {"p.csv": pd.read_csv, "p.json": pd.read_json, "p.jsonl": lambda p: pd.read_json(p, lines=True),
               "p.parquet": pd.read_parquet, "p.tsv.gz": lambda p: pd.read_csv(p, sep="\t")}  # fmt: skip
    found = readers[name](model / name)
    assert found["prediction"].isna().tolist() == [True, False]
    assert found["id"].tolist()[1] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "p.xlsx"), "p.xlsx: predictions are written as .csv, .tsv"),
        (("-o", "p.parquet.gz"), "Parquet is compressed inside"),
        (("--as", "parquet"), "Parquet is not for standard output"),
        (("--json", "--as", "csv"), "leave one of them out"),
        (("--spreadsheet-safe", "-o", "p.jsonl"), "--spreadsheet-safe is for CSV"),
    ],
)
def test_what_cannot_be_written_as_asked_is_refused(model, arguments, message):
    done = call("predict", model / "m", model / "new.csv", *arguments)
    assert message in done.stderr
    assert done.returncode == 2


def test_the_format_that_is_asked_for_wins_over_the_name(model):
    call("predict", model / "m", model / "new.csv", "--on-error", "skip", "-o", model / "p.txt", "--as", "jsonl")
    assert READERS["p.jsonl"]((model / "p.txt").read_bytes()) == EXPECTED
    call("predict", model / "m", model / "new.csv", "--on-error", "skip", "-o", model / "q.csv", "--json")
    assert READERS["p.jsonl"]((model / "q.csv").read_bytes()) == EXPECTED


def test_a_reader_that_has_had_enough_ends_the_program_quietly(model):
    rows = "id,x\n" + "".join(f"{i},1\n" for i in range(100_000))
    (model / "long.csv").write_text(rows)
    command = [*PROGRAM, "predict", str(model / "m"), str(model / "long.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_train_says_that_it_replaces_a_model_and_refuses_to_replace_anything_else(model):
    arguments = ("train", model / "t.csv", "--target", "y", "-o", model / "m")
    written = time.strftime("%Y-%m-%d %H:%M", time.localtime(os.stat(model / "m").st_mtime))
    done = call(*arguments)
    assert f"replaces {model / 'm'}, written {written}" in done.stderr
    assert "replaces" not in call(*arguments, "--quiet").stderr
    (model / "letter.txt").write_text("dear all\n")
    refused = call("train", model / "t.csv", "--target", "y", "-o", model / "letter.txt")
    assert refused.returncode == 2
    assert "letter.txt is there and is not a model" in refused.stderr
    assert (model / "letter.txt").read_text() == "dear all\n"
    (model / "empty").write_text("")
    assert "replaces" in call("train", model / "t.csv", "--target", "y", "-o", model / "empty").stderr
