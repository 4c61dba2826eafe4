"""linnet compare: what it prints and writes, the same for any number of jobs and after any interruption."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from scipy import stats

import linnet
from tests.cli.calling import PROGRAM, call

LEARNERS = "logistic-regression,adaptive,sklearn.ensemble.RandomForestClassifier(n_estimators=5)"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two classes that a plane separates well, with a column of groups, one of time, and one of chance."""
    folder = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(8)
    x = rng.normal(size=(400, 2)).round(4)
    noise = rng.normal(size=400)
    with (folder / "table.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["a", "b", "who", "when", "kind"])
        for row, (a, b) in enumerate(x.tolist()):
            kind = "up" if 2 * a - b + 0.5 * noise[row] > 0 else "down"
            out.writerow([a, b, f"p{row % 40}", f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}", kind])
    return folder / "table.csv"


def arguments(table, *more):
    return ("compare", table, "--target", "kind", "--learners", LEARNERS, "--folds", 4, "--repeats", 2, "-q", *more)


@pytest.fixture(scope="module")
def results(table):
    """The results of one uninterrupted run."""
    done = call(*arguments(table, "-o", table.parent / "whole.json", "--jobs", 1))
    assert done.returncode == 0, done.stderr
    return (table.parent / "whole.json").read_bytes(), done.stdout


@pytest.mark.parametrize("jobs", [2, 4])
def test_results_are_the_same_bytes_for_any_number_of_jobs(table, results, tmp_path, jobs):
    done = call(*arguments(table, "-o", tmp_path / "r.json", "--jobs", jobs))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r.json").read_bytes() == results[0]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["r.costs.json", "r.json"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_stopped_resumes_to_the_same_bytes(table, results, tmp_path, number):
    output = tmp_path / "r.json"
    given = [*PROGRAM, *map(str, arguments(table, "-o", output, "--jobs", 2))]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    partial = tmp_path / "r.json.partial"
    for _ in range(3000):
        if partial.exists() and partial.read_bytes().count(b"\n") >= 6:
            break
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate()
    assert not output.exists()
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert b"run it again with --resume" in errors
    trials = partial.read_bytes().count(b"\n") - 2
    with partial.open("ab") as file:
        file.write(b'{"data": "table.csv", "contender": "adap')  # as a write that was cut short
    done = call(*arguments(table, "-o", output, "--resume"))
    assert done.returncode == 0, done.stderr
    assert output.read_bytes() == results[0]
    assert trials >= 4
    assert not partial.exists()


def test_other_options_or_other_rows_are_not_resumed(table, tmp_path):
    output = tmp_path / "r.json"
    other = tmp_path / "table.csv"
    other.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    given = [*PROGRAM, *map(str, arguments(table, "-o", output, "--jobs", 1))]
    process = subprocess.Popen(given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "r.json.partial").exists() or (tmp_path / "r.json.partial").read_bytes().count(b"\n") < 4:
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = call(*arguments(table, "-o", output, "--resume", "--seed", 1))
    assert done.returncode == 2
    assert "is of another comparison" in done.stderr
    done = call(*arguments(other, "-o", output, "--resume"))
    assert done.returncode == 2
    assert "is of other rows" in done.stderr


@pytest.mark.parametrize("more", [("--time", "nothing"), ("--metric", "r2"), ("--groups", "nothing")])
def test_a_run_that_fails_before_its_first_trial_leaves_all_files_as_they_were(table, tmp_path, more):
    (tmp_path / "old.json.partial").write_bytes(b"finished trials of an earlier run\n")
    for name in ("new.json", "old.json"):
        assert call(*arguments(table, "-o", tmp_path / name, *more)).returncode == 2
    assert [each.name for each in tmp_path.iterdir()] == ["old.json.partial"]
    assert (tmp_path / "old.json.partial").read_bytes() == b"finished trials of an earlier run\n"


def test_the_table_is_sorted_and_the_conclusion_names_the_best(results):
    made = json.loads(results[0])["data"][0]
    means = [contender["metrics"][0]["mean"] for contender in made["contenders"]]
    assert means == sorted(means, reverse=True)
    assert made["contenders"][0]["name"] in made["conclusion"][0]
    lines = results[1].splitlines()
    assert "★" in next(line for line in lines if made["contenders"][0]["name"] in line)
    assert any(line.startswith("conclusion") for line in lines)


def test_the_interval_of_a_mean_is_corrected_for_the_overlap_of_training_rows(results):
    measured = json.loads(results[0])["data"][0]["contenders"][0]["metrics"][0]
    scores = np.array(measured["scores"])
    assert len(scores) == 8
    error = scores.std(ddof=1) * np.sqrt(1 / 8 + 1 / 3)
    half = stats.t.ppf(0.975, 7) * error
    assert measured["mean"] == pytest.approx(scores.mean())
    assert measured["interval"]["low"] == pytest.approx(scores.mean() - half)
    assert measured["interval"]["high"] == pytest.approx(min(1.0, scores.mean() + half))


def test_a_learner_that_fails_is_reported_and_the_rest_goes_on(table):
    done = call(
        "compare", table, "--target", "kind", "--folds", 3, "--repeats", 1, "--json", "--column", "when:ignore",
        "--learners", "svm,naive-bayes,adaptive,sklearn.svm.SVC(kernel='nothing')",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)["data"][0]
    failed = {each["name"]: each["failed"] for each in made["contenders"] if each["failed"]}
    assert list(failed) == ["naive-bayes", "sklearn.svm.SVC(kernel='nothing')"]
    assert failed["naive-bayes"].startswith("a has the value -")
    assert "kernel" in failed["sklearn.svm.SVC(kernel='nothing')"]
    assert {each["first"] for each in made["pairs"]} | {each["second"] for each in made["pairs"]} == {"svm", "adaptive"}


def test_where_all_learners_fail_the_command_fails(table):
    done = call("compare", table, "--target", "kind", "--learners", "naive-bayes,naive-bayes-bernoulli", "--folds", 2)
    assert done.returncode == 3
    assert "no learner can be trained on these data" in done.stderr


@pytest.mark.parametrize(
    ("more", "split"), [(("--groups", "who"), "grouped"), (("--time", "when"), "in time"), (("--in-time",), "in time")]
)
def test_groups_and_time_decide_the_folds(table, more, split):
    done = call(
        "compare",
        table,
        "--target",
        "kind",
        "--learners",
        "adaptive,svm",
        "--folds",
        3,
        "--repeats",
        2,
        "--json",
        *more,
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)["data"][0]
    assert made["split"] == split
    assert made["repeats"] == (1 if split == "in time" else 2)


def test_several_data_sets_are_ranked(table, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("kind", "label"))
    done = call(
        "compare", "--data-set", f"first:kind={table}", "--data-set", f"second:label={other}", "--folds", 3,
        "--repeats", 1, "--learners", "svm,adaptive,logistic-regression", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [each["name"] for each in made["data"]] == ["first", "second"]
    assert made["over_data"]["data_sets"] == 2
    assert sum(made["over_data"]["mean_ranks"]) == pytest.approx(6.0)


def test_the_output_is_never_an_input_nor_another_file(table):
    before = table.read_bytes()
    done = call(*arguments(table, "-o", table))
    assert done.returncode == 2
    assert table.read_bytes() == before
    os.link(table, table.parent / "same.json.partial")
    done = call(*arguments(table, "-o", table.parent / "same.json"))
    assert done.returncode == 2
    assert "overwrite" in done.stderr
    assert table.read_bytes() == before


def test_hostile_names_and_labels_are_shown_as_text(tmp_path):
    path = tmp_path / "\x1b[31m.csv"
    rows = "".join(f"{i % 7},\x1b[3{'1' if i % 7 > 3 else '2'}m[bold]\n" for i in range(80))
    path.write_text(f"x,y\n{rows}")
    done = call(
        "compare", path, "--target", "y", "--learners", "svm,adaptive,logistic-regression(multiclass='\x1b[2J')",
        "--folds", 2, "--repeats", 1,
    )  # fmt: skip
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    done = call("compare", path, "--target", "y", "--learners", "svm,adaptive", "--folds", 2, "--repeats", 1)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_results_are_read_back_and_damaged_ones_are_refused(results, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(results[0])
    loaded = linnet.comparison.load(path)
    assert loaded.data[0].name == "table.csv"
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == results[0]
    for wrong in (b"", b"[]", b"{}", results[0][:-20], results[0].replace(b'"seed": 0', b'"seed": "x"')):
        path.write_bytes(wrong)
        with pytest.raises(linnet.InputError, match="is not the results of a comparison"):
            linnet.comparison.load(path)
