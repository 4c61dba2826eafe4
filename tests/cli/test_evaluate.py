"""linnet evaluate, as a user types it."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from tests.cli.calling import call, predictions


def test_evaluate_measures_what_it_says(spam):
    report = json.loads(call("evaluate", spam / "m", spam / "spam.txt", "--json").stdout)
    assert report["rows"] == 80
    assert report["accuracy"] == 1.0
    assert np.array(report["confusion"]).tolist() == [[40, 0], [0, 40]]


def test_the_cost_of_decisions_is_that_of_the_predictions(mail):
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
    assert f"cost      {costs['realised']:.4g} per row" in shown
    assert f"rejected  {costs['rejected']}" in shown
    other = json.loads(call("evaluate", str(mail / "plain"), data, "--cost", "spam,ham=3", "--json").stdout)
    assert other["costs"]["rejected"] == 0
    assert json.loads(call("evaluate", str(mail / "plain"), data, "--json").stdout)["costs"] is None


def test_reliability_of_probabilities(mail):
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


def test_a_metric_without_interval_says_why(spam, tmp_path):
    few = tmp_path / "few.txt"
    few.write_text("\n".join((spam / "spam.txt").read_text().splitlines()[:4]) + "\n")
    report = json.loads(call("evaluate", spam / "m", few, "--json").stdout)
    assert report["macro_f1_interval"] == [None, None]
    assert report["macro_f1_interval_reason"] == "fewer than 5 rows of a label"
    assert "macro F1  1.0000  no interval: fewer than 5 rows of a label" in call("evaluate", spam / "m", few).stdout
