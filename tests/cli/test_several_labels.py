"""Files with several labels a row on the command line: train, predict, evaluate, inspect, verify, resume."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, f1_score

from tests.cli.calling import call, predictions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file with several labels a row, and a model of it."""
    folder, rng = tmp_path_factory.mktemp("labels"), np.random.default_rng(3)
    X = np.round(rng.uniform(-1, 1, size=(300, 5)), 3)
    has = X @ rng.normal(size=(5, 6)) > 0.3
    has[0, :2] = True
    lines = [
        f"{','.join(map(str, np.flatnonzero(labels)))} {' '.join(f'{j}:{x:g}' for j, x in enumerate(row))}\n"
        for labels, row in zip(has, X, strict=True)
    ]
    (folder / "multi.svm").write_text("".join(lines))
    np.save(folder / "has.npy", has)
    done = call("train", folder / "multi.svm", "-o", folder / "m.linnet")
    assert done.returncode == 0, done.stderr
    (folder / "said").write_text(done.stdout + done.stderr)
    return folder


def test_the_summary_states_labels_and_metrics(folder):
    said, has = (folder / "said").read_text(), np.load(folder / "has.npy")
    assert "rows have several labels" in said
    assert f"several a row: 6 labels, {has.sum() / len(has):.3g} a row on average" in said
    assert "micro F1 0." in said
    assert "precision@1" in said
    assert "top features   0: " in said


def test_predictions_have_commas_between_labels(folder):
    rows = predictions(folder / "m.linnet", folder / "multi.svm")
    table = np.array([[float(row[f"probability:{k}"]) for k in range(6)] for row in rows])
    labels = [",".join(map(str, np.flatnonzero(each > 0.5))) for each in table]
    assert [row["prediction"] for row in rows] == labels
    done = call("predict", folder / "m.linnet", folder / "multi.svm", "--as", "labels")
    assert done.stdout.split("\n")[:-1] == labels
    done = call("predict", folder / "m.linnet", folder / "multi.svm", "--json")
    assert [",".join(map(str, json.loads(line)["prediction"])) for line in done.stdout.splitlines()] == labels
    call("predict", folder / "m.linnet", folder / "multi.svm", "-o", folder / "p.parquet")
    assert [
        ",".join(map(str, each)) for each in pq.read_table(folder / "p.parquet")["prediction"].to_pylist()
    ] == labels


def test_evaluate_states_the_metrics_of_several_labels(folder):
    has = np.load(folder / "has.npy")
    done = call("evaluate", folder / "m.linnet", folder / "multi.svm", "--json")
    found = json.loads(done.stdout)
    given = [row["prediction"] for row in predictions(folder / "m.linnet", folder / "multi.svm")]
    predicted = np.array([[str(k) in labels.split(",") for k in range(6)] for labels in given])
    assert found["micro_f1"] == pytest.approx(f1_score(has, predicted, average="micro"))
    assert found["macro_f1"] == pytest.approx(f1_score(has, predicted, average="macro"))
    assert found["subset_accuracy"] == pytest.approx(accuracy_score(has, predicted))
    assert [each["label"] for each in found["labels"]] == list(range(6))
    said = call("evaluate", folder / "m.linnet", folder / "multi.svm").stdout
    for line in (
        f"micro F1         {found['micro_f1']:.3f} on 300 rows",
        f"precision@5      {found['precision_at_5']:.3f}",
    ):
        assert line in said


def test_inspect_shows_every_label_and_explains_a_row(folder):
    said = call("inspect", folder / "m.linnet").stdout
    assert "several a row: 6 labels" in said
    assert all(f"top features for {k} " in said for k in range(6))
    row = json.loads(call("inspect", folder / "m.linnet", folder / "multi.svm", "--row", "4", "--json").stdout)
    written = predictions(folder / "m.linnet", folder / "multi.svm")[3]["prediction"]
    assert ",".join(map(str, row["prediction"])) == written
    assert row["score"] == pytest.approx(max(row["scores"].values()))
    shown = call("inspect", folder / "m.linnet", folder / "multi.svm", "--row", "4")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(written or "no label")


def test_a_certificate_is_verified(folder):
    done = call("verify", folder / "m.linnet", folder / "multi.svm")
    assert (done.returncode, done.stdout.split()[0]) == (0, "holds")


def test_a_label_that_is_not_a_number_is_named_by_file_line_and_column(folder, tmp_path):
    for line, column in (("1,,2 3:1", 3), ("1,x 3:1", 3)):
        path = tmp_path / "wrong.svm"
        path.write_text(f"{(folder / 'multi.svm').read_text()}{line}\n")
        done = call("train", path, "-o", tmp_path / "x.linnet")
        assert done.returncode == 3
        assert f"{path}:301:{column}: " in done.stderr
        done = call("train", path, "-o", tmp_path / "x.linnet", "--on-error", "skip")
        assert done.returncode == 0, done.stderr


def test_help_tells_of_several_labels():
    assert "each-label" in call("train", "--help").stdout
    assert "several labels" in " ".join(call("evaluate", "--help").stdout.split())
