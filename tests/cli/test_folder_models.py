"""A model trained on files takes each file, and standard input, for one text."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

import linnet
from tests.cli.calling import call

WORDS = {"ham": "meeting tomorrow\nat noon\n", "spam": "win a prize\ncall now\n"}
MAIL = "From: a@example.org\nTo: b@example.org\nSubject: {}\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n{}"


@pytest.fixture
def mails(tmp_path):
    for label, text in WORDS.items():
        (tmp_path / "mails" / label).mkdir(parents=True)
        for i in range(30):
            (tmp_path / "mails" / label / f"{i}.eml").write_text(MAIL.format("hello", text))
    call("train", tmp_path / "mails", "-o", tmp_path / "m")
    (tmp_path / "new.eml").write_text(MAIL.format("hi", WORDS["spam"]))
    (tmp_path / "other").write_text(WORDS["ham"])
    return tmp_path


def predicted(*arguments, **options):
    done = call("predict", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return [(row["file"], row["prediction"]) for row in csv.DictReader(io.StringIO(done.stdout))]


def test_one_file_or_standard_input_is_one_text(mails):
    assert predicted(mails / "m", mails / "new.eml") == [(str(mails / "new.eml"), "spam")]
    assert predicted(mails / "m", stdin=WORDS["ham"]) == [("-", "ham")]
    assert predicted(mails / "m", "-", stdin=(mails / "new.eml").read_text()) == [("-", "spam")]
    (mails / "new.eml.gz").write_bytes(gzip.compress((mails / "new.eml").read_bytes()))
    assert predicted(mails / "m", mails / "new.eml.gz")[0][1] == "spam"
    assert predicted(mails / "m", stdin="\n\nwin a prize\n\n") == [("-", "spam")]


def test_several_files_have_a_prediction_each_with_the_name_as_id(mails):
    names = [str(mails / "new.eml"), str(mails / "other")]
    assert predicted(mails / "m", *names) == list(zip(names, ["spam", "ham"], strict=True))
    assert predicted(mails / "m", *reversed(names)) == list(zip(reversed(names), ["ham", "spam"], strict=True))
    (mails / "flat").mkdir()
    for name in ("b", "a", "c"):
        (mails / "flat" / name).write_text(WORDS["ham" if name == "b" else "spam"])
    assert predicted(mails / "m", mails / "flat") == [("a", "spam"), ("b", "ham"), ("c", "spam")]
    folders = dict(predicted(mails / "m", mails / "mails"))
    assert folders == {f"{label}/{i}.eml": label for label in WORDS for i in range(30)}


def test_lines_and_tables_are_still_read_where_they_are_asked_for(mails):
    lines = call("predict", mails / "m", mails / "other", "--format", "text", "--as", "labels").stdout
    assert lines.splitlines() == ["ham", "ham"]
    (mails / "new.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in WORDS.values()))
    assert call("predict", mails / "m", mails / "new.jsonl", "--as", "labels").stdout == "ham\nspam\n"
    (mails / "new.csv").write_text("text\nmeeting\n")
    assert call("predict", mails / "m", mails / "new.csv", "--as", "labels").stdout == "ham\n"


def test_from_python(mails):
    model = linnet.load(mails / "m")
    assert model.predict(mails / "new.eml").tolist() == ["spam"]
    assert model.predict([str(mails / "new.eml"), str(mails / "other")]).tolist() == ["spam", "ham"]
    assert model.predict(list(WORDS.values())).tolist() == ["ham", "spam"]
    assert model.evaluate(mails / "mails").accuracy == 1.0


def test_a_model_of_a_table_with_one_text_still_takes_lines(mails):
    rows = "".join(json.dumps({"text": text, "y": label}) + "\n" for label, text in WORDS.items()) * 30
    (mails / "t.jsonl").write_text(rows)
    call("train", mails / "t.jsonl", "--target", "y", "--column", "text:text", "-o", mails / "lines")
    assert call("predict", mails / "lines", mails / "other", "--as", "labels").stdout == "ham\nham\n"
