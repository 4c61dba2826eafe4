"""linnet inspect, as a user types it."""

from __future__ import annotations

import json

import pytest

from tests.cli.calling import call, predictions


def test_contributions_add_up_to_the_score(spam):
    (spam / "new.jsonl").write_text('{"text": "good"}\n{"text": "so bad, really bad"}\n')
    report = json.loads(call("inspect", spam / "m", spam / "new.jsonl", "--row", 2, "--json", "--top", 2).stdout)
    assert report["prediction"] == "spam"
    total = report["intercept"] + sum(each["contribution"] for each in report["contributions"])
    assert total + report["other_contributions"] == pytest.approx(report["scores"]["spam"], rel=1e-12)
    weights = json.loads(call("inspect", spam / "m", "--features", "text:*bad*", "--json").stdout)["weights"]
    assert all("bad" in name for name in weights)
    sizes = [abs(each["spam"]) for each in weights.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_the_decision_rule_is_printed(mail):
    shown = call("inspect", str(mail / "costs")).stdout
    assert "spam if its probability is above 0.9091" in shown
    assert "expected cost above 0.4" in shown
    assert json.loads(call("inspect", str(mail / "costs"), "--json").stdout)["rule"]["costs"] == [[0, 10], [1, 0]]
    assert "calibrated (isotonic)" in call("inspect", str(mail / "perceptron")).stdout
    row = predictions(mail / "costs", mail / "mail.csv")[0]
    why = json.loads(call("inspect", str(mail / "costs"), str(mail / "mail.csv"), "--json").stdout)
    assert (why["prediction"] or "") == row["prediction"]
    assert why["probabilities"]["spam"] == pytest.approx(float(row["probability:spam"]), rel=1e-5)
    assert call("inspect", str(mail / "plain"), str(mail / "mail.csv")).returncode == 0
