"""The commands, as a user types them: files in, results out, errors of a line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import linnet
from tests.cli.test_cli import call

GOOD = ["good fun", "a good film", "great fun, really great", "so good!"]
BAD = ["bad film", "what a bore", "so bad", "dull, dull, dull"]


@pytest.fixture
def spam(tmp_path):
    """A model of text, and the file it was learnt from."""
    lines = [f"{label}\t{text}\n" for _ in range(10) for pair in zip(GOOD, BAD, strict=True)
             for label, text in zip(("ham", "spam"), pair, strict=True)]  # fmt: skip
    (tmp_path / "spam.txt").write_text("".join(lines))
    done = call("train", str(tmp_path / "spam.txt"), "-o", str(tmp_path / "m"), "-q")
    assert done.returncode == 0, done.stderr
    return tmp_path


def run(*arguments, stdin=None):
    import subprocess
    import sys

    code = "import sys; from linnet.cli.main import main; sys.argv[0] = 'linnet'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], input=stdin, capture_output=True, check=False
    )


def test_train_tells_the_schema_on_stderr_and_the_results_on_stdout(tmp_path, rng):
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
    assert "held out" in done.stdout
    assert "95 % interval" in done.stdout
    assert (tmp_path / "t.linnet").exists()
    report = json.loads(call("train", str(path), "--target", "income", "-o", str(tmp_path / "u"), "--json").stdout)
    assert report["summary"]["rows"] == 400
    assert report["summary"]["held_out"]["accuracy"] > 0.9
    assert (tmp_path / "u").read_bytes() == (tmp_path / "t.linnet").read_bytes()


def test_predictions_are_those_of_the_model_in_every_form(spam):
    texts = ["good", "dull"]
    model = linnet.load(spam / "m")
    rows = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (spam / "new.jsonl.gz").write_bytes(gzip.compress(rows.encode()))
    expected = model.predict({"text": texts})
    assert expected == ["ham", "spam"]
    probabilities = model.predict_proba({"text": texts})
    table = list(csv.DictReader(io.StringIO(run("predict", spam / "m", spam / "new.jsonl.gz").stdout.decode())))
    assert [row["prediction"] for row in table] == expected
    printed = [[float(row[f"probability:{label}"]) for label in ("ham", "spam")] for row in table]
    np.testing.assert_allclose(printed, probabilities, rtol=1e-5)
    lines = [
        json.loads(line) for line in run("predict", spam / "m", spam / "new.jsonl.gz", "--json").stdout.splitlines()
    ]
    assert [line["prediction"] for line in lines] == expected
    assert run("predict", spam / "m", "--as", "labels", stdin=b"good\ndull\n").stdout == b"ham\nspam\n"
    labelled = b"?\tgood\n?\tdull\n"
    assert (
        run("predict", spam / "m", "-", "--format", "labelled-text", "--as", "labels", stdin=labelled).stdout
        == b"ham\nspam\n"
    )


def test_lines_of_plain_text_are_answered_one_by_one(spam):
    code = "import sys; from linnet.cli.main import main; sys.argv[0] = 'linnet'; main()"
    arguments = ["predict", str(spam / "m"), "--format", "text", "--as", "labels"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, *arguments], **pipes) as process:
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


def test_contributions_add_up_to_the_score(spam):
    (spam / "new.jsonl").write_text('{"text": "good"}\n{"text": "so bad, really bad"}\n')
    report = json.loads(run("inspect", spam / "m", spam / "new.jsonl", "--row", 2, "--json", "--top", 2).stdout)
    assert report["prediction"] == "spam"
    total = report["intercept"] + sum(each["contribution"] for each in report["contributions"])
    assert total + report["other_contributions"] == pytest.approx(report["scores"]["spam"], rel=1e-12)
    weights = json.loads(run("inspect", spam / "m", "--features", "text:*bad*", "--json").stdout)["weights"]
    assert all("bad" in name for name in weights)
    sizes = [abs(each["spam"]) for each in weights.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_evaluate_measures_what_it_says(spam):
    report = json.loads(run("evaluate", spam / "m", spam / "spam.txt", "--json").stdout)
    assert report["rows"] == 80
    assert report["accuracy"] == 1.0
    assert np.array(report["confusion"]).tolist() == [[40, 0], [0, 40]]


def test_verify_accepts_the_training_data_and_nothing_else(spam):
    done = call("verify", spam / "m", spam / "spam.txt")
    assert done.returncode == 0
    assert done.stdout.startswith("holds")
    lines = (spam / "spam.txt").read_text().splitlines(keepends=True)
    (spam / "other.txt").write_text("".join(["ham\tso bad\n", *lines]))
    done = call("verify", spam / "m", spam / "other.txt")
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1
    assert "objective" in done.stderr
    found = json.loads(call("verify", spam / "m", spam / "other.txt", "--json").stdout)
    assert found["holds"] is False
    assert found["found"]["primal"] > found["stated"]["primal"]


def test_after_hashing_into_few_slots_names_are_real_and_collisions_are_the_true_count(tmp_path, rng):
    words = [f"w{n}" for n in range(300)]
    rows = [(rng.choice(["a", "b"]), " ".join(rng.choice(words, size=20))) for _ in range(200)]
    (tmp_path / "t.txt").write_text("".join(f"{label}\t{text}\n" for label, text in rows))
    for learner in ("auto", "adaptive"):
        run("train", tmp_path / "t.txt", "-o", tmp_path / "m", "--hash-bits", 6, "--ngrams", 2, "--learner", learner)
        report = json.loads(run("inspect", tmp_path / "m", "--top", 100, "--json").stdout)
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
        (("train", "t.csv", "--target", "z"), 2, "no column is called 'z'"),
        (("train", "t.csv"), 2, "--target COLUMN, one of x, y"),
        (("train", "t.csv", "--target", "y", "--learner", "percepton"), 2, "did you mean 'perceptron'"),
        (("train", "t.csv", "--target", "y", "-o", "t.csv"), 2, "t.csv is the data"),
        (("train", "t.csv", "--target", "y", "-o", "no/where"), 1, "there is no folder"),
        (
            ("train", "t.csv", "--target", "y", "--learner", "logistic-dual", "--passes", "2"),
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
        (("inspect", "m", "--features", "zzz*"), 3, "no feature is called like 'zzz*'"),
    ],
)
def test_a_mistake_is_told_in_a_line_with_the_place_and_the_remedy(tmp_path, arguments, code, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{n},{'ab'[n > 20]}\n" for n in range(40)))
    (tmp_path / "bad.csv").write_text("x,y\n1,a\n2,b,c\n3,a\n")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"x,y\n1,a\n2,b\n" * 1000)[:-20])
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "lacking.csv").write_text("y\na\n")
    linnet.train("t.csv", target="y").save("m")
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    message = done.stderr.decode()
    assert said in message
    assert "Traceback" not in message
    assert len(message[message.index("linnet: ") :].strip().splitlines()) <= 2


def test_a_model_takes_the_same_rows_in_other_columns_order_and_format(tmp_path, rng):
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
    assert model.predict(tmp_path / "a.csv") == model.predict(tmp_path / "b.jsonl")
    np.testing.assert_array_equal(model.predict_proba(tmp_path / "a.csv"), model.predict_proba(tmp_path / "b.jsonl"))


def test_arrays_are_predicted_as_they_were_trained(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    model = linnet.train((X, y))
    assert np.mean(np.array(model.predict(X)) == y) > 0.9
    with pytest.raises(linnet.InputError, match="4 columns"):
        model.predict(rng.normal(size=(2, 4)))
    assert "200" not in repr(model)


def test_the_strength_of_the_penalty_is_said_by_train_and_inspect_and_known_to_verify(tmp_path):
    data, model = tmp_path / "t.csv", tmp_path / "t.linnet"
    data.write_text("x,z,y\n" + "".join(f"{n % 17},{n % 5},{'abc'[(n % 17 + n % 3) // 7]}\n" for n in range(200)))
    asked = ("--learner", "logistic-gradient", "--l1-ratio", "0.25", "--C", "0.5", "--multiclass", "one-vs-rest")
    said = "elasticnet, 0.25 of it l1, C = 0.5; classes one-vs-rest"
    for command in (("train", data, "--target", "y", *asked, "-o", model), ("inspect", model)):
        ran = run(*map(str, command))
        assert ran.returncode == 0
        assert said in ran.stdout.decode()
    assert run("verify", str(model), str(data)).stdout.startswith(b"holds")
    kept = json.loads(run("inspect", str(model), "--json").stdout)["summary"]["recipe"]
    assert kept == {"l1": 0.5, "l2": 1.5, "total": True, "multiclass": "one-vs-rest"}


@pytest.mark.parametrize("learner", ["naive-bayes", "adaptive"])
def test_verify_says_that_there_is_nothing_to_check_as_wrong_usage(spam, learner):
    path = str(spam / "spam.txt")
    assert call("train", path, "-o", str(spam / "n"), "-q", "--learner", learner).returncode == 0
    done = call("verify", str(spam / "n"), path)
    assert done.returncode == 2
    assert "there is no certificate to check" in done.stderr


def test_least_squares_are_proven_after_training_and_verified(tmp_path, rng):
    path = tmp_path / "t.csv"
    lines = [f"{x:.4f},{town},{2 * x + (town == 'a') + rng.normal():.4f}"
             for x, town in zip(rng.normal(size=100), rng.choice(["a", "b", "c"], 100), strict=True)]  # fmt: skip
    path.write_text("x,town,price\n" + "\n".join(lines) + "\n")
    done = call("train", str(path), "--target", "price", "-o", str(tmp_path / "m"))
    assert "proven   objective" in done.stdout
    done = call("verify", str(tmp_path / "m"), str(path))
    assert done.returncode == 0, done.stderr
    assert "holds" in done.stdout


def test_a_wide_gap_is_a_warning_with_a_remedy(spam):
    train = ("train", str(spam / "spam.txt"), "-o", str(spam / "h"), "-q")
    far, near = (call(*train, "--learner", learner).stdout for learner in ("hinge-subgradient", "svm"))
    assert "take --learner svm" in far[far.index("warning") :]
    assert "better weights" not in near


def test_of_many_classes_a_few_are_shown_and_the_rest_is_pointed_at(tmp_path, rng):
    lines = [f"{chr(97 + i % 15)},{rng.normal(i % 15):.3f}" for i in range(300)]
    (tmp_path / "t.csv").write_text("y,x\n" + "\n".join(lines) + "\n")
    shown = call("train", str(tmp_path / "t.csv"), "--target", "y", "-o", str(tmp_path / "m"), "-q").stdout
    telling = shown[shown.index("telling") :].splitlines()
    assert "and 9 more classes: linnet inspect shows all" in telling[6]


def test_costs_spell_numbers_as_files_do(tmp_path, rng):
    rows = [f"{'+1' if x > 0 else '-1'} 1:{x:.3f}" for x in rng.normal(size=60)]
    (tmp_path / "t.svm").write_text("\n".join(rows) + "\n")
    done = call("train", str(tmp_path / "t.svm"), "--cost", "+1,-1=3", "-o", str(tmp_path / "m"), "-q")
    assert done.returncode == 0, done.stderr
