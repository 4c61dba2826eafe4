"""linnet predict, as a user types it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess

import numpy as np
import pytest

import linnet
from tests.cli.calling import PROGRAM, call, predictions


def test_predictions_are_those_of_the_model_in_every_form(spam):
    texts = ["good", "dull"]
    model = linnet.load(spam / "m")
    rows = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (spam / "new.jsonl.gz").write_bytes(gzip.compress(rows.encode()))
    expected = model.predict({"text": texts}).tolist()
    assert expected == ["ham", "spam"]
    probabilities = model.predict_proba({"text": texts})
    table = list(csv.DictReader(io.StringIO(call("predict", spam / "m", spam / "new.jsonl.gz").stdout)))
    assert [row["prediction"] for row in table] == expected
    printed = [[float(row[f"probability:{label}"]) for label in ("ham", "spam")] for row in table]
    np.testing.assert_allclose(printed, probabilities, rtol=1e-5)
    lines = [
        json.loads(line) for line in call("predict", spam / "m", spam / "new.jsonl.gz", "--json").stdout.splitlines()
    ]
    assert [line["prediction"] for line in lines] == expected
    assert call("predict", spam / "m", "--as", "labels", stdin="good\ndull\n").stdout == "ham\nspam\n"
    labelled = "?\tgood\n?\tdull\n"
    assert (
        call("predict", spam / "m", "-", "--format", "labelled-text", "--as", "labels", stdin=labelled).stdout
        == "ham\nspam\n"
    )


def test_lines_of_plain_text_are_answered_one_by_one(spam):
    arguments = ["predict", str(spam / "m"), "--format", "text", "--as", "labels"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*PROGRAM, *arguments], **pipes) as process:
        for text, label in ((b"so good!", b"ham"), (b"so bad", b"spam"), (b"hi", None), (b"dull, dull", b"spam")):
            process.stdin.write(text + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()  # would wait for ever if the answer waited for more lines
            assert label is None or answer == label + b"\n"
        process.stdin.write(b"a good")
        process.stdin.flush()
        process.stdin.write(b" film")
        process.stdin.close()
        assert process.stdout.read() == b"ham\n"
    assert process.returncode == 0


def test_a_model_predicts_rows_with_columns_in_another_order_and_format(tmp_path, rng):
    rows = [
        {"n": float(x), "c": str(rng.choice(["1", "2"])), "y": "up" if x > 0 else "down"} for x in rng.normal(size=120)
    ]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["n", "c", "y"])
        writer.writeheader()
        writer.writerows([{**row, "c": row["c"] + ".0"} for row in rows])
    (tmp_path / "b.jsonl").write_text(
        "".join(json.dumps({"more": 1, "c": int(r["c"]), "n": r["n"]}) + "\n" for r in rows)
    )
    model = linnet.train(tmp_path / "a.csv", target="y", columns={"c": "category"})
    assert model.predict(tmp_path / "a.csv").tolist() == model.predict(tmp_path / "b.jsonl").tolist()
    np.testing.assert_array_equal(model.predict_proba(tmp_path / "a.csv"), model.predict_proba(tmp_path / "b.jsonl"))


def test_arrays_are_predicted_as_they_were_trained(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    model = linnet.train((X, y))
    assert np.mean(np.array(model.predict(X)) == y) > 0.9
    with pytest.raises(linnet.InputError, match="4 columns"):
        model.predict(rng.normal(size=(2, 4)))
    assert "200" not in repr(model)


def test_predict_decides_by_costs_typed_or_kept_in_the_model(mail):
    data = mail / "mail.csv"
    typed = predictions(mail / "plain", data, "--cost", "ham,spam=10", "--reject", "0.4")
    assert typed == predictions(mail / "costs", data)
    for row in typed:
        p = float(row["probability:spam"])
        costs = {"ham": p, "spam": 10 * (1 - p), "": 0.4}
        assert costs[row["prediction"]] == pytest.approx(min(costs.values()), abs=1e-5)
    assert {row["prediction"] for row in typed} == {"ham", "spam", ""}


def test_rejected_rows_are_empty_in_every_form(mail):
    data = str(mail / "mail.csv")
    expected = linnet.load(mail / "plain").predict(data, least=0.8).tolist()
    assert None in expected
    lines = call("predict", str(mail / "plain"), data, "--least", "0.8", "--json").stdout.splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == expected
    labels = call("predict", str(mail / "plain"), data, "--least", "0.8", "--as", "labels").stdout.splitlines()
    assert labels == [label or "" for label in expected]


def test_a_calibrated_perceptron_has_probabilities(mail):
    data = str(mail / "mail.csv")
    rows = predictions(mail / "perceptron", data)
    assert all(float(row["probability:spam"]) + float(row["probability:ham"]) == pytest.approx(1) for row in rows)
    result = json.loads(call("evaluate", str(mail / "perceptron"), data, "--json").stdout)
    assert result["log_loss"] is not None
    assert call("predict", str(mail / "perceptron"), data, "--cost", "ham,spam=10").returncode == 0
