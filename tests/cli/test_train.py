"""linnet train, as a user types it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from itertools import pairwise

import numpy as np
import pytest

import linnet
from tests.cli.calling import call, predictions


def test_the_plan_is_printed_on_stderr_and_the_results_on_stdout(tmp_path, rng):
    rows = [("income", "size", "town")] + [
        ("hi" if x > 0 else "lo", x, rng.choice(["a", "b"])) for x in rng.normal(size=400)
    ]
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    done = call("train", str(path), "--target", "income", "-o", str(tmp_path / "t.linnet"))
    assert done.returncode == 0
    assert "size" in done.stderr
    assert "number" in done.stderr
    assert "category" in done.stderr
    assert "held-out rows" in done.stdout
    assert "95 % interval" in done.stdout
    assert (tmp_path / "t.linnet").exists()
    report = json.loads(call("train", str(path), "--target", "income", "-o", str(tmp_path / "u"), "--json").stdout)
    assert report["record"]["rows"] == 400
    assert report["record"]["held_out"]["accuracy"] > 0.9
    assert (tmp_path / "u").read_bytes() == (tmp_path / "t.linnet").read_bytes()


def test_after_hashing_into_few_slots_names_are_real_and_collisions_are_the_true_count(tmp_path, rng):
    words = [f"w{n}" for n in range(300)]
    rows = [(rng.choice(["a", "b"]), " ".join(rng.choice(words, size=20))) for _ in range(200)]
    (tmp_path / "t.txt").write_text("".join(f"{label}\t{text}\n" for label, text in rows))
    for learner in ("auto", "adaptive"):
        call("train", tmp_path / "t.txt", "-o", tmp_path / "m", "--hash-bits", 6, "--ngrams", 2, "--learner", learner)
        report = json.loads(call("inspect", tmp_path / "m", "--top", 100, "--json").stdout)
        split = [text.split() for _, text in rows]
        names = {gram for row in split for gram in [*row, *map(" ".join, pairwise(row))]}
        assert report["features"] == 64
        assert report["collisions"] == len(names) - 64
        shown = {name for sides in report["top_features"].values() for side in sides.values() for name in side}
        assert shown <= {f"text:{name}" for name in names}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("train", "nothing.csv", "--target", "y"), 3, "nothing.csv: there is no such file"),
        (("train", "t.csv", "--target", "z"), 2, "there is no column 'z'"),
        (("train", "t.csv"), 2, "Give --target: first, last, a number from 1, or one of x, y"),
        (("train", "t.csv", "--target", "y", "--learner", "percepton"), 2, "did you mean 'perceptron'"),
        (("train", "t.csv", "--target", "y", "-o", "t.csv"), 2, "the model would overwrite it"),
        (("train", "t.csv", "--target", "y", "-o", "no/where"), 1, "there is no folder"),
        (
            ("train", "t.csv", "--target", "y", "--learner", "logistic-regression", "--passes", "2"),
            2,
            "--passes is for online",
        ),
        (
            ("train", "t.csv", "--target", "y", "--learner", "svm", "--alpha", "1"),
            2,
            "not for svm, which takes --C: it is",
        ),
        (
            ("train", "t.csv", "--target", "y", "--learner", "svm", "--penalty", "l1"),
            2,
            "for adaptive, adaptive-squared",
        ),
        (("train", "t.csv", "--target", "y", "--C", "0"), 2, "C must be positive"),
        (("train", "t.csv", "--target", "y", "--l1-ratio", "2"), 2, "between 0 and 1"),
        (("train", "bad.csv", "--target", "y"), 3, "bad.csv:3: 3 fields where the header has 2"),
        (("train", "cut.csv.gz", "--target", "y"), 3, "cut.csv.gz: "),
        (("train", "empty.csv", "--target", "y"), 3, "empty.csv: "),
        (("predict", "t.csv", "t.csv"), 4, "cannot read t.csv as a model"),
        (("predict", "m", "lacking.csv"), 3, "no column 'x', which the model needs: there are y"),
        (("evaluate", "m", "t.csv", "--on-error", "quarantine"), 2, "is for train"),
        (("train", "t.csv", "--target", "y", "--task", "clasification"), 2, "did you mean 'classification'?"),
        (("train", "t.csv", "--target", "y", "--holdout", "1"), 2, "--holdout must be a number from 0 to below 1"),
        (("train", "t.csv", "--target", "y", "--passes", "two"), 2, "--passes must be a whole number, 1 or more"),
        (("train", "t.csv", "--target", "y", "--memory", "much"), 2, "such as 500MB or 2GB; it is 'much'"),
        (("train", "t.csv", "--target", "y", "--column", "x:age"), 2, "--column takes NAME:ROLE with a role of"),
        (("train", "t.csv", "--target", "y", "--cross", "x"), 2, "--cross takes two columns or more"),
        (
            ("train", "t.csv", "--target", "y", "--learner", "winnow", "--max-iter", "9"),
            2,
            "--max-iter is not for winnow: it is for",
        ),
        (("inspect", "m", "--features", "zzz*"), 3, "no feature matches 'zzz*'"),
    ],
)
def test_an_error_names_what_is_wrong_where_and_what_to_do(tmp_path, arguments, code, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{n},{'ab'[n > 20]}\n" for n in range(40)))
    (tmp_path / "bad.csv").write_text("x,y\n1,a\n2,b,c\n3,a\n")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"x,y\n1,a\n2,b\n" * 1000)[:-20])
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "lacking.csv").write_text("y\na\n")
    linnet.train("t.csv", target="y").save("m")
    done = call(*arguments)
    assert done.returncode == code, done.stderr
    message = done.stderr
    assert said in message
    assert "Traceback" not in message
    assert len(message[message.index("linnet: ") :].strip().splitlines()) <= 2


def test_the_penalty_is_printed_by_train_and_inspect_and_known_to_verify(tmp_path):
    data, model = tmp_path / "t.csv", tmp_path / "t.linnet"
    data.write_text("x,z,y\n" + "".join(f"{n % 17},{n % 5},{'abc'[(n % 17 + n % 3) // 7]}\n" for n in range(200)))
    asked = ("--learner", "logistic-regression", "--l1-ratio", "0.25", "--C", "0.5", "--multiclass", "one-vs-rest")
    said = "elasticnet, l1_ratio = 0.25, C = 0.5; classes one-vs-rest"
    for command in (("train", data, "--target", "y", *asked, "-o", model), ("inspect", model)):
        ran = call(*command)
        assert ran.returncode == 0
        assert said in ran.stdout
    assert call("verify", str(model), str(data)).stdout.startswith("holds")
    kept = json.loads(call("inspect", str(model), "--json").stdout)["record"]["recipe"]
    assert kept["penalty"] == {"l1": 0.5, "l2": 1.5, "positive": False, "total": True, "intercept": False}
    assert (kept["loss"], kept["reduction"], kept["averaging"]) == ("logistic", "one-vs-rest", "last")


def test_least_squares_are_proven_after_training_and_verified(tmp_path, rng):
    path = tmp_path / "t.csv"
    lines = [f"{x:.4f},{town},{2 * x + (town == 'a') + rng.normal():.4f}"
             for x, town in zip(rng.normal(size=100), rng.choice(["a", "b", "c"], 100), strict=True)]  # fmt: skip
    path.write_text("x,town,price\n" + "\n".join(lines) + "\n")
    done = call("train", str(path), "--target", "price", "-o", str(tmp_path / "m"))
    assert "proven         objective" in done.stdout
    done = call("verify", str(tmp_path / "m"), str(path))
    assert done.returncode == 0, done.stderr
    assert "holds" in done.stdout


def test_of_many_classes_only_the_first_are_shown(tmp_path, rng):
    lines = [f"{chr(97 + i % 15)},{rng.normal(i % 15):.3f}" for i in range(300)]
    (tmp_path / "t.csv").write_text("y,x\n" + "\n".join(lines) + "\n")
    shown = call("train", str(tmp_path / "t.csv"), "--target", "y", "-o", str(tmp_path / "m"), "-q").stdout
    top = shown[shown.index("top features") :].splitlines()
    assert "and 9 more classes: linnet inspect shows all" in top[6]


def test_costs_spell_numbers_as_files_do(tmp_path, rng):
    rows = [f"{'+1' if x > 0 else '-1'} 1:{x:.3f}" for x in rng.normal(size=60)]
    (tmp_path / "t.svm").write_text("\n".join(rows) + "\n")
    done = call("train", str(tmp_path / "t.svm"), "--cost", "+1,-1=3", "-o", str(tmp_path / "m"), "-q")
    assert done.returncode == 0, done.stderr


def test_the_cost_of_decisions_on_held_out_rows_is_printed(mail, tmp_path):
    done = call("train", str(mail / "mail.csv"), "--target", "kind", "--cost", "ham,spam=10", "-o", str(tmp_path / "m"))
    assert " per row (95 % interval" in done.stdout
    assert (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cost", "ham"], "--cost takes TRUE,PREDICTED=COST"),
        (["--cost", "ham,spam=much"], "not 'ham,spam=much'"),
        (["--cost", "ham,eggs=1"], "the label 'eggs', but the model has the labels 'ham', 'spam'"),
        (["--reject", "-1"], "the cost of rejecting must be a number from 0"),
        (["--least", "2"], "between 0 and 1"),
        (["--least", "0.5", "--reject", "1"], "leave one of them out"),
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


def test_a_learner_without_probabilities_cannot_follow_costs(mail):
    done = call(
        "train", str(mail / "mail.csv"), "--target", "kind", "--learner", "perceptron", "--cost", "ham,spam=2", "-q"
    )
    assert done.returncode == 2
    assert "train with --calibrate sigmoid" in done.stderr


def test_a_threshold_and_costs_do_not_go_together(mail, tuned):
    data, model = str(mail / "mail.csv"), str(tuned[0])
    for more in (["--cost", "ham,spam=2"], ["--reject", "0.3"], ["--least", "0.7"]):
        done = call("train", data, "--target", "kind", "-o", str(mail / "x"), "--threshold-for", "f1:spam", *more)
        assert done.returncode == 2
        assert done.stderr.strip().splitlines()[-1].startswith("linnet: a threshold is chosen for a metric or follows")
    assert call("predict", model, data, "--reject", "0.3").returncode == 2
    typed = predictions(model, data, "--cost", "ham,spam=10", "--reject", "0.4")
    assert typed == predictions(mail / "costs", data)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--threshold-for", "f1"], "which label is the positive one, 'ham' or 'spam'"),
        (["--threshold-for", "recall"], "precision@recall=0.95"),
        (["--threshold-for", "f1:egg"], "the positive label 'egg' is unknown: choose 'ham' or 'spam'"),
        (["--threshold-for", "f1:spam", "--learner", "svm"], "svm gives no probabilities: train with --calibrate"),
        (["--class-weight", "spam"], "takes balanced, or LABEL=WEIGHT"),
        (["--class-weight", "egg=2"], "names the label 'egg', which no row has"),
        (["--class-weight", "balanced", "--learner", "adaptive"], "give numbers (--class-weight LABEL=WEIGHT)"),
        (["--penalise-intercept", "--learner", "perceptron"], "--penalise-intercept is not for perceptron"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_a_line(mail, more, said):
    done = call("train", str(mail / "mail.csv"), "--target", "kind", "-o", str(mail / "x"), "-q", *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_class_weights_and_the_intercept_are_kept_shown_and_verified(mail):
    data, model = str(mail / "mail.csv"), str(mail / "weighed")
    more = ["--class-weight", "spam=5", "--penalise-intercept", "--learner", "logistic-regression"]
    done = call("train", data, "--target", "kind", "-o", model, *more)
    assert done.returncode == 0, done.stderr
    assert "class weights  ham 1, spam 5" in done.stdout
    assert "intercept penalised" in done.stdout
    assert "class weights  ham 1, spam 5" in call("inspect", model).stdout
    assert call("verify", model, data).returncode == 0
    same = linnet.train(data, "kind", learner="logistic-regression", class_weight={"spam": 5}, penalise_intercept=True)
    np.testing.assert_array_equal(same.linear.weights, linnet.load(model).linear.weights)
    before, after = (predictions(mail / name, data) for name in ("plain", "weighed"))
    counts = [sum(row["prediction"] == "spam" for row in rows) for rows in (before, after)]
    assert counts[1] > counts[0] + 50


def test_a_threshold_is_printed_by_train_inspect_and_evaluate(mail, tuned):
    model, shown = tuned
    said = json.loads(call("inspect", str(model), "--json").stdout)
    told, t = said["record"]["threshold"], said["rule"]["threshold"]
    assert said["rule"]["metric"] == "f1:spam"
    assert told["threshold"] == pytest.approx(t)
    line = f"predicts       spam if its probability is above {t:.4g}, the best threshold for f1 of spam"
    assert line in shown
    assert line in call("inspect", str(model)).stdout
    assert f"f1 {told['at_threshold']['f1']:.4f} on the {told['rows']} held-out rows that chose it" in shown
    assert f"(f1 {told['at_usual_threshold']['f1']:.4f} at 0.5)" in shown
    assert f"f1 {told['held_out']['f1']:.4f} on {told['held_out']['rows']} other held-out rows" in shown
    rows = predictions(model, mail / "mail.csv")
    for row in rows:
        assert (row["prediction"] == "spam") == (float(row["probability:spam"]) > t)
    truth = [row["kind"] for row in csv.DictReader(io.StringIO((mail / "mail.csv").read_text()))]
    both = sum(row["prediction"] == kind == "spam" for row, kind in zip(rows, truth, strict=True))
    either = truth.count("spam") + sum(row["prediction"] == "spam" for row in rows)
    found = json.loads(call("evaluate", str(model), str(mail / "mail.csv"), "--json").stdout)
    assert found["costs"] is None
    assert found["threshold"]["metrics"] == {"f1": pytest.approx(2 * both / either)}
    shown = call("evaluate", str(model), str(mail / "mail.csv")).stdout
    assert f"threshold f1 {2 * both / either:.4f}  (spam if its probability is above {t:.4g}, chosen" in shown


def test_of_a_wide_table_the_first_columns_and_the_target_are_listed_and_the_others_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",".join([*(f"c{i}" for i in range(3000)), "y"]) + "\n" + "1," * 3000 + "a\n" + "2," * 3000 + "b\n")
    done = call("train", str(path), "--target", "y", "-o", str(tmp_path / "m"), "--learner", "adaptive")
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) < 120
    assert "and 2,900 more: 2,900 number" in done.stderr
    assert any(line.split()[:2] == ["y", "target"] for line in done.stderr.splitlines())


def test_a_summary_is_printed_kept_and_given_as_json(tmp_path):
    rng = np.random.default_rng(1)
    rows = zip(
        rng.normal(size=200), rng.choice(["red", "blue"], 200, p=[0.7, 0.3]), rng.logistic(size=200), strict=True
    )
    lines = ["x,colour,y", *(f"{x:.4f},{c},{'yes' if x + (c == 'red') + e > 0.5 else 'no'}" for x, c, e in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    shown = call("train", tmp_path / "t.csv", "--target", "y", "--summary", "-o", tmp_path / "m")
    assert shown.returncode == 0, shown.stderr
    for word in ("std err", "P>|z|", "[0.025", "AIC", "BIC", "McFadden R²", "deviance", "colour=red", "(intercept)"):
        assert word in shown.stdout
    assert "compared with the most frequent levels: colour=red" in shown.stdout
    assert "std err" in call("inspect", tmp_path / "m").stdout
    report = json.loads(
        call("train", tmp_path / "t.csv", "--target", "y", "--summary", "-o", tmp_path / "m", "--json").stdout
    )
    summary = report["record"]["summary"]
    assert [each["name"] for each in summary["coefficients"]] == ["x", "colour=blue", "(intercept)"]
    for each in summary["coefficients"]:
        assert each["low"] < each["coef"] < each["high"]
        assert 0 <= each["p_value"] <= 1
        assert each["z"] == pytest.approx(each["coef"] / each["std_err"])
    assert summary["references"] == {"colour": "red"}
    assert summary["aic"] == pytest.approx(2 * 3 + summary["deviance"])
    assert "log-odds of yes against no" in shown.stdout
    penalty = {"l1": 0.0, "l2": 0.0, "positive": False, "total": True, "intercept": False}
    assert report["record"]["recipe"]["penalty"] == penalty
    assert summary == json.loads(call("inspect", tmp_path / "m", "--json").stdout)["record"]["summary"]
    refused = call("train", tmp_path / "t.csv", "--target", "y", "--summary", "--C", 1, "-o", tmp_path / "n")
    assert refused.returncode == 2
    assert "leave --C out" in refused.stderr
