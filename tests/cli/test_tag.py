"""linnet tag: trained, predicted, evaluated and inspected as a user types it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.calling import PROGRAM, call
from tests.structured.making import columns, conllu, sentences


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of sentences, and taggers of both kinds."""
    made = tmp_path_factory.mktemp("tagging")
    (made / "train.conllu").write_text(conllu(sentences(200)))
    (made / "test.conllu").write_text(conllu(sentences(60, seed=5)))
    (made / "spans.txt").write_text(columns(sentences(200, spans=True)))
    (made / "test-spans.txt").write_text(columns(sentences(60, seed=5, spans=True)))
    for data, model in (("train.conllu", "pos.linnet"), ("spans.txt", "spans.linnet")):
        done = call("tag", "train", made / data, "-o", made / model)
        assert done.returncode == 0, done.stderr
        assert "held-out sentences" in done.stdout
    return made


def test_train_reports_as_json(folder, tmp_path):
    done = call("tag", "train", folder / "train.conllu", "-o", tmp_path / "m.linnet", "--json", "--passes", 2)
    report = json.loads(done.stdout)
    assert report["passes"] == 2
    assert report["held_out_sentences"] == 0
    assert report["sentences"] == 200
    assert "suffix3" in report["templates"]
    assert done.stderr == ""


def test_conllu_is_kept_but_for_the_tags(folder):
    source = (folder / "test.conllu").read_text()
    empty = re.sub(r"(?m)^(\d+\t[^\t]+\t_\t)[^\t]+", r"\1_", source)
    (folder / "empty.conllu").write_text(empty)
    done = call("tag", "predict", folder / "pos.linnet", folder / "empty.conllu")
    assert done.returncode == 0, done.stderr
    assert re.sub(r"(?m)^(\d+\t[^\t]+\t_\t)[^\t]+", r"\1_", done.stdout) == empty
    wanted, got = (re.findall(r"(?m)^\d+\t[^\t]+\t_\t([^\t]+)", text) for text in (source, done.stdout))
    right = sum(a == b for a, b in zip(wanted, got, strict=True)) / len(wanted)
    report = json.loads(call("tag", "evaluate", folder / "pos.linnet", folder / "test.conllu", "--json").stdout)
    assert report["accuracy"] == pytest.approx(right)
    assert right > 0.95


def test_column_files_get_one_more_column_and_margins(folder):
    done = call("tag", "predict", folder / "spans.linnet", folder / "test-spans.txt", "--margins")
    rows = [line.split("\t") for line in done.stdout.splitlines() if line]
    source = [line for line in (folder / "test-spans.txt").read_text().splitlines() if line]
    assert ["\t".join(row[:2]) for row in rows] == source
    assert all(float(row[3]) >= 0 for row in rows)
    accuracy = sum(row[1] == row[2] for row in rows) / len(rows)
    report = json.loads(call("tag", "evaluate", folder / "spans.linnet", folder / "test-spans.txt", "--json").stdout)
    assert report["accuracy"] == pytest.approx(accuracy)
    assert report["scheme"] == "iob2"
    assert report["f1"] > 0.9
    assert set(report["per_type"]) == {"LOC", "MISC"}
    assert {"B-LOC", "O"} <= set(report["per_tag"])


def test_text_in_a_pipe_other_formats_and_the_k_best(folder):
    model = folder / "pos.linnet"
    done = call("tag", "predict", model, stdin="the dogs quickly\n\n2024\n")
    assert done.stdout == "the/DET dogs/AFTER_DET quickly/ADV\n\n2024/NUM\n"
    done = call("tag", "predict", model, stdin='{"tokens": ["quickly"]}\n')
    assert json.loads(done.stdout) == {"tokens": ["quickly"], "tags": ["ADV"]}
    done = call("tag", "predict", model, "--best", 3, stdin="the dogs\n")
    best = json.loads(done.stdout)["best"]
    assert len(best) == 3
    assert [each["score"] for each in best] == sorted((each["score"] for each in best), reverse=True)
    done = call("tag", "predict", model, "--format", "slash", stdin="the/X\n")
    assert done.stdout == "the/DET\n"


def test_a_line_is_answered_before_the_next_one_is_written(folder):
    with subprocess.Popen(
        [*PROGRAM, "tag", "predict", str(folder / "pos.linnet"), "--format", "text"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as running:  # fmt: skip
        for word in (b"quickly", b"2024"):
            running.stdin.write(word + b"\n")
            running.stdin.flush()
            assert running.stdout.readline().startswith(word + b"/")
        running.stdin.close()
        assert running.wait() == 0


def test_bad_sentences(folder, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("the\tDET\ndog\n\ncats\tX\n\n")
    done = call("tag", "evaluate", folder / "pos.linnet", bad, "--separator", "tab")
    assert done.returncode == 3
    assert "bad.txt:2: 1 column where 2" in done.stderr
    done = call("tag", "predict", folder / "pos.linnet", bad, "--separator", "tab", "--on-error", "skip")
    assert done.returncode == 0
    assert done.stdout.startswith("the\tDET\ndog\n\ncats\tX\t")
    assert "1 sentence could not be read" in done.stderr
    done = call("tag", "predict", folder / "pos.linnet", bad, "--on-error", "quarantine")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_bad_sentences_are_written_to_a_quarantine_that_can_be_mended_and_read(folder, tmp_path):
    source = (folder / "spans.txt").read_text()
    wrong = "the\tO\ndog\n\n\ncats\tX\tO\nrun\tO\n\n"
    (tmp_path / "bad.txt").write_text(source + wrong + source)
    model = tmp_path / "m.linnet"
    done = call(
        "tag", "train", tmp_path / "bad.txt", "-o", model, "--on-error", "quarantine", "--separator", "tab",
        "--passes", 1, "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["rejected_sentences"] == 2
    assert f"2 sentences could not be read and were written to {model}.quarantine" in done.stderr
    assert Path(f"{model}.quarantine").read_text() == wrong.replace("\n\n\n", "\n\n")


def test_lines_of_json_keep_what_else_they_have(folder):
    lines = [
        '{"id": 7, "tokens": ["the", "dogs"], "tags": ["X", "Y"], "note": "é"}',
        '{"tokens": [], "id": 8}',
        "no JSON",
        "",
        '{"id": 9, "tokens": ["quickly"], "more": null}',
    ]
    model = folder / "pos.linnet"
    done = call("tag", "predict", model, "--on-error", "skip", stdin="\n".join(lines) + "\n")
    found = done.stdout.split("\n")
    assert json.loads(found[0]) == {"id": 7, "tokens": ["the", "dogs"], "tags": ["DET", "AFTER_DET"], "note": "é"}
    assert json.loads(found[1]) == {"tokens": [], "id": 8, "tags": []}
    assert found[2:4] == lines[2:4]
    assert json.loads(found[4]) == {"id": 9, "tokens": ["quickly"], "more": None, "tags": ["ADV"]}
    assert found[5:] == [""]
    assert "standard input:3: not JSON" in done.stderr


def test_short_texts_whose_lines_are_equally_long_are_not_columns(folder):
    for text in ("the dogs\na cat\n", "the dogs\n\na cat\n"):
        done = call("tag", "predict", folder / "pos.linnet", stdin=text)
        words = re.sub(r"/\S+", "", done.stdout)
        assert (words, done.stdout.count("/")) == (text, 4)


def test_spans_are_written_in_any_scheme(folder):
    model, test = folder / "spans.linnet", folder / "test-spans.txt"
    letters = {}
    for scheme in ("iob1", "iob2", "iobes", "bilou", "bmes"):
        done = call("tag", "predict", model, test, "--scheme", scheme)
        tags = [line.split("\t")[-1] for line in done.stdout.splitlines() if line]
        letters[scheme] = {tag[0] for tag in tags if tag != "O"}
    assert letters["iob2"] <= set("BI") >= letters["iob1"]
    assert letters["iobes"] & set("ES")
    assert letters["bilou"] & set("LU")
    assert not letters["bmes"] & set("ILU")
    assert "is one of iob1" in call("tag", "predict", model, test, "--scheme", "x").stderr
    assert "gives tags to words" in call("tag", "predict", folder / "pos.linnet", test, "--scheme", "iob1").stderr


def test_bilou_comes_out_as_it_went_in(folder, tmp_path):
    source = (folder / "spans.txt").read_text()
    iobes = call("tag", "predict", folder / "spans.linnet", folder / "spans.txt", "--scheme", "bilou").stdout
    kept = re.sub(r"(?m)^([^\t]+)\t[^\t]+\t([^\t]+)$", r"\1\t\2", iobes)
    (tmp_path / "bilou.txt").write_text(kept)
    assert kept.count("\n") == source.count("\n")
    done = call("tag", "train", tmp_path / "bilou.txt", "-o", tmp_path / "m.linnet", "--json")
    assert json.loads(done.stdout)["scheme"] == "bilou"
    report = json.loads(call("tag", "evaluate", tmp_path / "m.linnet", tmp_path / "bilou.txt", "--json").stdout)
    assert report["accuracy"] > 0.95
    assert {tag[0] for tag in report["per_tag"]} <= set("BILUO")


def test_tags_are_not_compared_with_a_column_that_features_are_made_of(tmp_path):
    (tmp_path / "three.txt").write_text("Jan N B-PER\nis V O\n\n" * 30)
    (tmp_path / "two.txt").write_text("Jan B-PER\nis O\n\n" * 30)
    assert call("tag", "train", tmp_path / "three.txt", "-o", tmp_path / "m.linnet", "--passes", 1).returncode == 0
    done = call("tag", "evaluate", tmp_path / "m.linnet", tmp_path / "two.txt")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "the tags were in column3 in training" in done.stderr
    (tmp_path / "odd.txt").write_text("Jan N B-PER\nis V O\n\nJan N PER\n\n")
    done = call("tag", "evaluate", tmp_path / "m.linnet", tmp_path / "odd.txt")
    assert "odd.txt:4: the tag 'PER' is neither O nor of the form B-TYPE" in done.stderr
    done = call("tag", "evaluate", tmp_path / "m.linnet", tmp_path / "odd.txt", "--on-error", "skip", "--json")
    report = json.loads(done.stdout)
    assert (report["sentences"], report["rejected_sentences"]) == (1, 1)


def test_models_of_other_kinds_are_refused_in_a_line(folder, tmp_path):
    done = call("predict", folder / "pos.linnet", folder / "spans.txt")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "is a tagger: use linnet tag" in done.stderr
    (tmp_path / "table.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    assert call("train", tmp_path / "table.csv", "--target", "y", "-o", tmp_path / "m.linnet").returncode == 0
    done = call("tag", "predict", tmp_path / "m.linnet", folder / "spans.txt")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "not a tagger" in done.stderr


def test_inspect_shows_top_features_and_explains_a_sentence(folder):
    done = call("inspect", folder / "pos.linnet", "--top", 5)
    assert done.returncode == 0, done.stderr
    assert "top features" in done.stdout
    report = json.loads(call("inspect", folder / "pos.linnet", "--json").stdout)
    adverbs = [each["feature"] for each in report["top_features"]["ADV"]]
    assert "suffix2=ly" in adverbs
    found = json.loads(call("inspect", folder / "pos.linnet", "--features", "suffix2=*", "--json").stdout)
    assert all(each["feature"].startswith("suffix2=") for each in found["weights_of_features"])
    done = call("inspect", folder / "pos.linnet", folder / "test.conllu", "--row", 2, "--json")
    tokens = json.loads(done.stdout)["tokens"]
    assert [each["token"] for each in tokens] == sentences(60, seed=5)[1][0]
    assert all(each["reasons"] for each in tokens)
    assert "no sentence 999" in call("inspect", folder / "pos.linnet", folder / "test.conllu", "--row", 999).stderr


def test_names_that_a_terminal_would_obey_are_escaped(tmp_path):
    (tmp_path / "evil.txt").write_text("\x1b[31mred\tX\x1b[2J\nb\t[bold]\n\n" * 30)
    done = call("tag", "train", tmp_path / "evil.txt", "-o", tmp_path / "m.linnet", "--passes", 2)
    assert done.returncode == 0, done.stderr
    for done in (
        call("inspect", tmp_path / "m.linnet"), call("inspect", tmp_path / "m.linnet", tmp_path / "evil.txt"),
        call("tag", "evaluate", tmp_path / "m.linnet", tmp_path / "evil.txt"),
    ):  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
        assert "[bold]" in done.stdout


def test_a_run_that_is_stopped_is_resumed_to_the_same_bytes(tmp_path):
    (tmp_path / "data.txt").write_text(columns(sentences(4000)))
    command = ["tag", "train", tmp_path / "data.txt", "--passes", 60, "-q"]
    assert call(*command, "-o", tmp_path / "whole.linnet").returncode == 0
    running = subprocess.Popen(
        [*PROGRAM, *map(str, command), "-o", str(tmp_path / "m.linnet"), "--checkpoint-every", "1000"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    checkpoint = tmp_path / "m.linnet.checkpoint"
    while not checkpoint.exists() and running.poll() is None:
        time.sleep(0.002)
    running.send_signal(signal.SIGTERM)
    _, words = running.communicate()
    if running.returncode == 130:  # else it was faster than the signal
        assert "--resume" in words
        done = call(*command, "-o", tmp_path / "m.linnet", "--resume")
        assert done.returncode == 0, done.stderr
    assert not checkpoint.exists()
    assert (tmp_path / "m.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()


def test_help_teaches_and_loads_no_numpy():
    done = call("tag", "train", "--help")
    assert "linnet tag train conll2000-train.txt.gz" in done.stdout
    code = "import sys, linnet.cli.tag; assert 'numpy' not in sys.modules, 'NumPy is loaded'"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


def test_the_code_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "tagging.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "docs/tagging.md", "exec"), {})


def test_a_gazetteer_has_names_of_several_words(tmp_path):
    (tmp_path / "t.txt").write_text("to O\nNew B-LOC\nYork I-LOC\ntoday O\n\na O\nnew O\ncar O\n\n" * 30)
    (tmp_path / "cities.txt").write_text("New York\n\nLos  Angeles\n")
    (tmp_path / "long.txt").write_text("a\n" + "b " * 101 + "\n")
    (tmp_path / "templates").write_text("gazetteer\ngazetteer@-1\n")
    (tmp_path / "new.txt").write_text("in los ANGELES now\n")
    model = tmp_path / "m.linnet"
    train = ("tag", "train", tmp_path / "t.txt", "-o", model, "--templates", tmp_path / "templates", "--gazetteer")
    done = call(*train, f"city={tmp_path / 'long.txt'}")
    assert done.returncode != 0
    assert f"{tmp_path / 'long.txt'}:2: an entry of 101 words, 100 at most" in done.stderr
    done = call(*train, f"city={tmp_path / 'cities.txt'}")
    assert done.returncode == 0, done.stderr
    done = call("tag", "predict", model, tmp_path / "new.txt")
    assert done.stdout.split() == ["in/O", "los/B-LOC", "ANGELES/I-LOC", "now/O"]
