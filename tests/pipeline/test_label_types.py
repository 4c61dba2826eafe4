"""Labels come back with the type that they had, whatever the format and the learner; and formats agree."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linnet
from linnet.pipeline.verify import verify
from tests.cli.calling import call

LEARNERS = ["auto", "perceptron", "naive-bayes", "svm"]
KINDS = {
    "integers": [10, 2],
    "negative": [-1, 1],
    "three": [3, 1, 20],
    "floats": [0.5, 1.25],
    "booleans": [True, False],
    "strings": ["no", "yes"],
}


def table(labels, rng, rows=120):
    y = [labels[i % len(labels)] for i in range(rows)]
    words = [f"w{i % len(labels)} {rng.choice(['a', 'b', 'c'])} x" for i in range(rows)]
    return {"text": words, "y": y}


def written(columns, folder):
    """The same table in every format that has, or can have, its types."""
    frame = pd.DataFrame(columns)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.tsv", index=False, sep="\t")
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.table(columns), folder / "t.parquet")
    files = [str(folder / name) for name in ("t.csv", "t.tsv", "t.jsonl", "t.parquet")]
    return [*files, frame, pl.DataFrame(columns), pa.table(columns), columns]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_keep_their_type_in_every_format_and_with_every_kind_of_learner(kind, learner, rng, tmp_path):
    columns = table(KINDS[kind], rng)
    y = np.array(columns["y"])
    options = {"learner": learner, "columns": {"text": "text"}, "task": "classification"}
    models = [linnet.train(data, "y", **options) for data in written(columns, tmp_path)]
    bytes_of = []
    for number, model in enumerate(models):
        model.save(tmp_path / f"{number}.linnet")
        bytes_of.append((tmp_path / f"{number}.linnet").read_bytes())
        again = linnet.load(tmp_path / f"{number}.linnet")
        for each in (model, again):
            assert each.classes == sorted(KINDS[kind])
            assert [type(label) for label in each.classes] == [type(label) for label in sorted(KINDS[kind])]
            predicted = each.predict(columns)
            assert predicted.dtype.kind == y.dtype.kind
            assert (predicted == y).mean() > 0.9
            assert each.evaluate(columns).accuracy > 0.9
            assert not each.evaluate(columns).unknown_labels
    assert len(set(bytes_of)) == 1
    verdict = verify(linnet.load(tmp_path / "0.linnet"), str(tmp_path / "t.csv"))
    assert "labels" not in verdict.why


def test_a_string_of_digits_stays_a_string_where_the_format_has_strings(rng, tmp_path):
    columns = table(["0", "1"], rng)
    files = written(columns, tmp_path)
    for data in files:
        model = linnet.train(data, "y", columns={"text": "text"})
        typed = not str(data).endswith(("csv", "tsv"))
        assert model.classes == (["0", "1"] if typed else [0, 1])
        assert (model.predict(columns) == np.array(columns["y"] if typed else [int(y) for y in columns["y"]])).all()
    assert linnet.train(table(["01", "1.0"], rng), "y").classes == ["1.0", "01"]


@pytest.mark.parametrize("learner", ["perceptron", "naive-bayes", "logistic-regression"])
def test_labels_that_are_not_all_numbers_are_text_wherever_the_first_other_one_is(learner, rng, tmp_path):
    columns = table([2, 10], rng)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "y"])
        rows = list(zip(*columns.values(), strict=True))
        writer.writerows([*rows, *[["other word", "neither"]] * 3, *rows])
    model = linnet.train(tmp_path / "t.csv", "y", learner=learner, columns={"text": "text"})
    assert model.classes == ["2", "10", "neither"]
    assert (model.predict(columns) == np.array(columns["y"]).astype(str)).mean() > 0.9
    model.save(tmp_path / "m")
    assert linnet.load(tmp_path / "m").classes == model.classes


def test_arrays_give_labels_of_their_type(rng):
    X = rng.normal(size=(200, 3))
    for y in ((X[:, 0] > 0), (X[:, 0] > 0).astype(int), (X[:, 0] > 0) * 1.0, np.where(X[:, 0] > 0, 1, -1)):
        model = linnet.train((X, y), task="classification")
        assert (model.predict(X) == y).mean() > 0.9
        assert (model.predict(X).dtype.kind == "b") == (y.dtype.kind == "b")


def test_json_has_labels_and_ids_of_their_type(rng, tmp_path):
    columns = {"id": list(range(120)), **table([0, 1], rng)}
    for path in written(columns, tmp_path)[:4]:
        call("train", path, "--target", "y", "-o", tmp_path / "m", "--column", "text:text", "--column", "id:id")
        lines = call("predict", tmp_path / "m", path, "--json").stdout.splitlines()
        found = [json.loads(line) for line in lines]
        assert [row["id"] for row in found] == columns["id"]
        assert {type(row["prediction"]) for row in found} == {int}
        assert json.loads(call("inspect", tmp_path / "m", "--json").stdout)["labels"] == [0, 1]


def test_an_id_with_leading_zeros_stays_text(rng, tmp_path):
    columns = {"id": [f"{i:04}" for i in range(120)], **table([0, 1], rng)}
    path = written(columns, tmp_path)[0]
    call("train", path, "--target", "y", "-o", tmp_path / "m", "--column", "text:text", "--column", "id:id")
    found = [json.loads(line) for line in call("predict", tmp_path / "m", path, "--json").stdout.splitlines()]
    assert [row["id"] for row in found] == columns["id"]


def test_costs_and_class_weights_name_labels_of_either_spelling(rng):
    columns = table([0, 1], rng)
    model = linnet.train(columns, "y", columns={"text": "text"}, class_weight={0: 2.0, 1: 1.0}, costs={(0, 1): 1e6})
    assert model.record.class_weight == {"0": 2.0, "1": 1.0}
    assert set(model.predict(columns).tolist()) == {0}
