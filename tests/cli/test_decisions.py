"""Costs, rejection and calibration, as a user types them."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import linnet
from tests.cli.test_cli import call


@pytest.fixture(scope="module")
def mail(tmp_path_factory):
    """A file of mail of two kinds, hard to tell apart; a plain model of it, and one that knows what mistakes cost."""
    folder = tmp_path_factory.mktemp("mail")
    rng = np.random.default_rng(6)
    x = rng.normal(size=(900, 2))
    spam = rng.random(900) < 1 / (1 + np.exp(-(2 * x[:, 0] - x[:, 1] - 0.5)))
    with (folder / "mail.csv").open("w", newline="") as file:
        rows = zip(x[:, 0].round(4), x[:, 1].round(4), np.where(spam, "spam", "ham"), strict=True)
        csv.writer(file).writerows([("a", "b", "kind"), *rows])
    data = str(folder / "mail.csv")
    for name, more in (
        ("plain", []),
        ("costs", ["--cost", "ham,spam=10", "--reject", "0.4"]),
        ("perceptron", ["--learner", "averaged-perceptron", "--calibrate", "isotonic"]),
    ):
        done = call("train", data, "--target", "kind", "-o", str(folder / name), "-q", *more)
        assert done.returncode == 0, done.stderr
    return folder


def predictions(*arguments):
    done = call("predict", *map(str, arguments))
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


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
    expected = linnet.load(mail / "plain").predict(data, least=0.8)
    assert None in expected
    lines = call("predict", str(mail / "plain"), data, "--least", "0.8", "--json").stdout.splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == expected
    labels = call("predict", str(mail / "plain"), data, "--least", "0.8", "--as", "labels").stdout.splitlines()
    assert labels == [label or "" for label in expected]


def test_evaluate_tells_what_decisions_cost(mail):
    data = str(mail / "mail.csv")
    result = json.loads(call("evaluate", str(mail / "costs"), data, "--json").stdout)
    rows = predictions(mail / "costs", data)
    truth = [row["kind"] for row in csv.DictReader(io.StringIO((mail / "mail.csv").read_text()))]
    price = {("ham", "ham"): 0, ("spam", "spam"): 0, ("ham", "spam"): 10, ("spam", "ham"): 1}
    paid = [price.get((kind, row["prediction"]), 0.4) for kind, row in zip(truth, rows, strict=True)]
    costs = result["costs"]
    assert costs["realised"] == pytest.approx(np.mean(paid))
    assert costs["realised_interval"][0] < costs["realised"] < costs["realised_interval"][1]
    assert costs["rejected"] == sum(row["prediction"] == "" for row in rows)
    shown = call("evaluate", str(mail / "costs"), data).stdout
    assert f"cost      {costs['realised']:.4g} a row" in shown
    assert f"rejected  {costs['rejected']}" in shown
    other = json.loads(call("evaluate", str(mail / "plain"), data, "--cost", "spam,ham=3", "--json").stdout)
    assert other["costs"]["rejected"] == 0
    assert json.loads(call("evaluate", str(mail / "plain"), data, "--json").stdout)["costs"] is None


def test_evaluate_shows_how_far_probabilities_can_be_trusted(mail):
    data = str(mail / "mail.csv")
    result = json.loads(call("evaluate", str(mail / "plain"), data, "--json").stdout)
    assert [each["rows"] for each in result["reliability"]] == [90] * 10
    assert result["calibration_error"] < 0.1
    shown = call("evaluate", str(mail / "plain"), data).stdout
    assert f"calibration error {result['calibration_error']:.4f}" in shown
    assert "probability of spam" in shown
    first = result["reliability"][0]
    assert f"{first['predicted']:.4f}" in shown
    assert f"{first['observed_interval'][1]:.4f}" in shown


def test_a_calibrated_perceptron_has_probabilities(mail):
    data = str(mail / "mail.csv")
    rows = predictions(mail / "perceptron", data)
    assert all(float(row["probability:spam"]) + float(row["probability:ham"]) == pytest.approx(1) for row in rows)
    result = json.loads(call("evaluate", str(mail / "perceptron"), data, "--json").stdout)
    assert result["log_loss"] is not None
    assert call("predict", str(mail / "perceptron"), data, "--cost", "ham,spam=10").returncode == 0


def test_inspect_tells_how_a_model_decides(mail):
    shown = call("inspect", str(mail / "costs")).stdout
    assert "spam above a probability of 0.9091" in shown
    assert "cost more than 0.4" in shown
    assert json.loads(call("inspect", str(mail / "costs"), "--json").stdout)["rule"]["costs"] == [[0, 10], [1, 0]]
    assert "made probabilities by isotonic maps" in call("inspect", str(mail / "perceptron")).stdout
    row = predictions(mail / "costs", mail / "mail.csv")[0]
    why = json.loads(call("inspect", str(mail / "costs"), str(mail / "mail.csv"), "--json").stdout)
    assert (why["prediction"] or "") == row["prediction"]
    assert why["probabilities"]["spam"] == pytest.approx(float(row["probability:spam"]), rel=1e-5)
    assert call("inspect", str(mail / "plain"), str(mail / "mail.csv")).returncode == 0


def test_train_tells_what_decisions_cost_on_held_out_rows(mail, tmp_path):
    done = call("train", str(mail / "mail.csv"), "--target", "kind", "--cost", "ham,spam=10", "-o", str(tmp_path / "m"))
    assert "at a cost of" in done.stdout
    assert (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cost", "ham"], "--cost takes TRUE,PREDICTED=COST"),
        (["--cost", "ham,spam=much"], "not 'ham,spam=much'"),
        (["--cost", "ham,eggs=1"], "the label 'eggs', which the model does not know: it has 'ham', 'spam'"),
        (["--reject", "-1"], "the cost of rejecting must be a number from 0"),
        (["--least", "2"], "between 0 and 1"),
        (["--least", "0.5", "--reject", "1"], "give one of them"),
    ],
)
@pytest.mark.parametrize("command", ["predict", "train"])
def test_malformed_decisions_are_one_line(command, arguments, message, mail, tmp_path):
    given = ["--target", "kind", "-q", "-o", str(tmp_path / "m")] if command == "train" else [str(mail / "plain")]
    done = call(command, *given, str(mail / "mail.csv"), *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_a_learner_without_probabilities_says_what_to_do(mail):
    done = call(
        "train", str(mail / "mail.csv"), "--target", "kind", "--learner", "perceptron", "--cost", "ham,spam=2", "-q"
    )
    assert done.returncode == 2
    assert "train with --calibrate sigmoid" in done.stderr
