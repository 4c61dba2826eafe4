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


# -- thresholds for a metric, weights of classes, the intercept -------------------------------------------------------


@pytest.fixture(scope="module")
def tuned(mail):
    """A model that decides where F1 is best, and what was printed of it."""
    done = call(
        "train", str(mail / "mail.csv"), "--target", "kind", "-o", str(mail / "f1"), "--threshold-for", "f1:spam"
    )
    assert done.returncode == 0, done.stderr
    return mail / "f1", done.stdout


def test_a_threshold_is_told_by_train_inspect_and_evaluate(mail, tuned):
    model, shown = tuned
    said = json.loads(call("inspect", str(model), "--json").stdout)
    told, t = said["summary"]["threshold"], said["rule"]["threshold"]
    assert said["rule"]["metric"] == "f1:spam"
    assert told["threshold"] == pytest.approx(t)
    line = f"decides  for spam above a probability of {t:.4g}: the best for f1 in finding spam"
    assert line in shown
    assert line in call("inspect", str(model)).stdout
    assert f"f1 {told['at_threshold']['f1']:.4f} on {told['rows']} rows not learnt from" in shown
    assert f"(f1 {told['at_usual_threshold']['f1']:.4f} at 0.5)" in shown
    assert f"f1 {told['held_out']['f1']:.4f} on the {told['held_out']['rows']} rows held out" in shown
    rows = predictions(model, mail / "mail.csv")
    for row in rows:
        assert (row["prediction"] == "spam") == (float(row["probability:spam"]) > t)
    truth = [row["kind"] for row in csv.DictReader(io.StringIO((mail / "mail.csv").read_text()))]
    both = sum(row["prediction"] == kind == "spam" for row, kind in zip(rows, truth, strict=True))
    either = truth.count("spam") + sum(row["prediction"] == "spam" for row in rows)
    found = json.loads(call("evaluate", str(model), str(mail / "mail.csv"), "--json").stdout)
    assert found["costs"] is None
    assert found["threshold"]["figures"] == {"f1": pytest.approx(2 * both / either)}
    shown = call("evaluate", str(model), str(mail / "mail.csv")).stdout
    assert f"threshold f1 {2 * both / either:.4f}  (spam above a probability of {t:.4g}, chosen in training" in shown


def test_a_threshold_and_costs_do_not_go_together(mail, tuned):
    data, model = str(mail / "mail.csv"), str(tuned[0])
    for more in (["--cost", "ham,spam=2"], ["--reject", "0.3"], ["--least", "0.7"]):
        done = call("train", data, "--target", "kind", "-o", str(mail / "x"), "--threshold-for", "f1:spam", *more)
        assert done.returncode == 2
        assert done.stderr.strip().splitlines()[-1].startswith("linnet: a threshold is chosen for a metric, or follows")
    assert call("predict", model, data, "--reject", "0.3").returncode == 2
    typed = predictions(model, data, "--cost", "ham,spam=10", "--reject", "0.4")
    assert typed == predictions(mail / "costs", data)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--threshold-for", "f1"], "which label is to be found, 'ham' or 'spam'"),
        (["--threshold-for", "recall"], "precision@recall=0.95"),
        (["--threshold-for", "f1:egg"], "find the label 'egg', and there are 'ham' or 'spam'"),
        (["--threshold-for", "f1:spam", "--learner", "svm"], "svm gives no probabilities: train with --calibrate"),
        (["--class-weight", "spam"], "takes balanced, or LABEL=WEIGHT"),
        (["--class-weight", "egg=2"], "names the label 'egg', which no row has"),
        (["--class-weight", "balanced", "--learner", "adaptive"], "give numbers (--class-weight LABEL=WEIGHT)"),
        (["--penalise-intercept", "--learner", "perceptron"], "--penalise-intercept is not for perceptron"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(mail, more, said):
    done = call("train", str(mail / "mail.csv"), "--target", "kind", "-o", str(mail / "x"), "-q", *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_class_weights_and_the_intercept_are_kept_shown_and_verified(mail):
    data, model = str(mail / "mail.csv"), str(mail / "weighed")
    more = ["--class-weight", "spam=5", "--penalise-intercept", "--learner", "logistic-newton"]
    done = call("train", data, "--target", "kind", "-o", model, *more)
    assert done.returncode == 0, done.stderr
    assert "rows count by their label: ham 1, spam 5" in done.stdout
    assert "of the intercept too" in done.stdout
    assert "rows count by their label: ham 1, spam 5" in call("inspect", model).stdout
    assert call("verify", model, data).returncode == 0
    same = linnet.train(data, "kind", learner="logistic-newton", class_weight={"spam": 5}, penalise_intercept=True)
    np.testing.assert_array_equal(same.linear.weights, linnet.load(model).linear.weights)
    before, after = (predictions(mail / name, data) for name in ("plain", "weighed"))
    counts = [sum(row["prediction"] == "spam" for row in rows) for rows in (before, after)]
    assert counts[1] > counts[0] + 50
