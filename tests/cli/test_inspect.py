"""linnet inspect, as a user types it."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

import linnet
from tests.cli.calling import call, predictions


def test_contributions_add_up_to_the_score(spam):
    (spam / "new.jsonl").write_text('{"text": "good"}\n{"text": "so bad, really bad"}\n')
    report = json.loads(call("inspect", spam / "m", spam / "new.jsonl", "--row", 2, "--json", "--top", 2).stdout)
    assert report["prediction"] == "spam"
    total = report["baseline"] + sum(each["contribution"] for each in report["contributions"])
    assert total + report["other_contributions"] == pytest.approx(report["scores"]["spam"], rel=1e-12)
    weights = json.loads(call("inspect", spam / "m", "--features", "text:*bad*", "--json").stdout)["weights"]
    assert all("bad" in name for name in weights)
    spreads = linnet.load(spam / "m").coef.set_index("feature").spread[list(weights)]
    assert spreads.is_monotonic_decreasing


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A model of numbers and categories with missing values, and its file."""
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(3)
    lines = ["age,income,level,happy"]
    for _ in range(300):
        age, level = int(rng.integers(20, 70)), str(rng.choice(["School", "Masters", ""]))
        income = 1e6 + 1e4 * float(rng.normal())
        happy = "yes" if (age - 45) / 10 + 2 * (level == "Masters") - 1 + rng.logistic() > 0 else "no"
        lines.append(f"{'' if rng.random() < 0.1 else age},{income:.2f},{level},{happy}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    done = call("train", folder / "people.csv", "--target", "happy", "-o", folder / "m", "-q")
    assert done.returncode == 0, done.stderr
    (folder / "new.csv").write_text("age,income,level\n64,1000321.5,Masters\n,999000,Doctorate\n")
    return folder


def test_an_explanation_has_name_value_weight_and_contribution_in_columns(people):
    shown = call("inspect", people / "m", people / "new.csv").stdout.splitlines()
    assert shown[0].startswith("yes (probability")
    assert "for yes is the sum" in shown[1]
    heads = shown[2].split()
    assert heads == ["contribution", "feature", "value", "weight"]
    lines = [each for each in shown[3:-1] if " = " in each]
    assert len({each.index(" = ") for each in lines}) == 1
    assert any(each.split()[1:4] == ["age", "=", "64"] for each in lines)
    assert any(each.split()[1:4] == ["level", "=", "Masters"] for each in lines)
    assert any(each.split()[1:4] == ["income", "=", "1.00032e+06"] for each in lines)
    # nothing is as large as the income times its weight: contributions are differences from the mean
    assert max(abs(float(each.split()[0])) for each in lines) < 20
    other = call("inspect", people / "m", people / "new.csv", "--row", 2).stdout
    assert "= (not in the training data)" in other
    assert "age is missing" in other


def test_explanations_of_the_command_and_of_python_are_the_same(people):
    report = json.loads(call("inspect", people / "m", people / "new.csv", "--json").stdout)
    frame = linnet.load(people / "m").explain(str(people / "new.csv"))
    lines = frame[frame.row == 0]
    assert report["baseline"] == lines.contribution.iloc[0]
    assert [each["feature"] for each in report["contributions"]] == lines.feature.tolist()[1:]
    assert [each["contribution"] for each in report["contributions"]] == lines.contribution.tolist()[1:]
    assert report["score"] == pytest.approx(lines.contribution.sum(), rel=1e-9)
    assert report["explained"] == report["prediction"] == lines.label.iloc[0]


def test_bars_and_order_follow_the_spread(people):
    shown = call("inspect", people / "m").stdout.splitlines()
    lines = [each.split() for each in shown if "█" in each]
    bars = [len(each[-1]) for each in lines]
    spreads = [float(each[-2]) for each in lines]
    assert bars == [max(1, round(20 * spread / max(spreads))) for spread in spreads]
    report = json.loads(call("inspect", people / "m", "--json").stdout)["top_features"]["yes"]
    for side in ("for", "against"):
        found = [each["spread"] for each in report[side].values()]
        assert found == sorted(found, reverse=True)


def test_all_weights_are_a_table_in_every_format(people, tmp_path):
    model = linnet.load(people / "m")
    wanted = model.coef
    assert list(wanted.columns) == ["feature", "column", "level", "label", "weight", "mean", "spread"]
    assert wanted.feature.tolist() == ["(intercept)", *model.features.names()]
    by_name = wanted.set_index("feature")
    assert by_name.loc["level=Masters", ["column", "level"]].tolist() == ["level", "Masters"]
    assert by_name.loc["age is missing", ["column", "level"]].tolist() == ["age", "(missing)"]
    assert by_name.loc["age", "spread"] == abs(by_name.loc["age", "weight"]) * model.moments.deviations[0]
    printed = call("inspect", people / "m", "--table").stdout
    for name in ("w.csv", "w.jsonl", "w.parquet"):
        assert call("inspect", people / "m", "--table", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "w.csv").read_text() == printed
    as_json = json.loads(call("inspect", people / "m", "--table", "--json").stdout)
    tables = [
        pd.read_csv(io.StringIO(printed)),
        pd.read_json(tmp_path / "w.jsonl", lines=True, precise_float=True),
        pd.read_parquet(tmp_path / "w.parquet"),
        pd.DataFrame(as_json),
    ]
    for table in tables:
        assert table.feature.tolist() == wanted.feature.tolist()
        np.testing.assert_allclose(
            table[["weight", "mean", "spread"]], wanted[["weight", "mean", "spread"]], rtol=1e-14
        )
    # with missing numbers as their means, the score is intercept + sum of weight times value
    row = {"age": None, "income": 1000321.5, "level": "Masters"}
    values = {"(intercept)": 1.0, "age": by_name.loc["age", "mean"], "age is missing": 1.0, "income": 1000321.5}
    score = sum(by_name.loc[name, "weight"] * x for name, x in (values | {"level=Masters": 1.0}).items())
    (rows,) = model._rows_of([row], None)
    assert score == pytest.approx(model.linear.scores(rows)[0, 0], rel=1e-9)


def test_a_table_refuses_what_it_cannot_do(people, tmp_path):
    for more, word in (
        ((people / "new.csv",), "leave data and --features out"),
        (("-o", tmp_path / "w.xlsx"), "as .csv, .jsonl or .parquet"),
        (("-o", people / "m"), "is an input"),
    ):
        done = call("inspect", people / "m", "--table", *more)
        assert done.returncode in (1, 2), done
        assert word in done.stderr or "the table" in done.stderr
    assert "-o is for --table" in call("inspect", people / "m", "-o", tmp_path / "w.csv").stderr


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


def test_features_that_match_are_those_of_the_largest_spread(people):
    model = linnet.load(people / "m")
    names, reasons = model.features.names(), model.reasons
    spreads = np.abs(reasons.weights).max(axis=1) * reasons.moments.deviations
    expected = [names[i] for i in np.argsort(-spreads, kind="stable") if "a" in names[i]][:3]
    report = json.loads(call("inspect", people / "m", "--features", "*a*", "--top", "3", "--json").stdout)
    assert list(report["weights"]) == expected
