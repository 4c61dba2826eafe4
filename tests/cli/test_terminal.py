"""What reaches a terminal: text, and never what a terminal or a spreadsheet would obey."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
from dataclasses import replace

import pytest

import linnet
from linnet.cli.main import main
from linnet.cli.terminal import console, json_text, plain, visible
from tests.cli.calling import PROGRAM

HOSTILE = "a\x1b[31m\x9b2J\x07\u202e[link=http://x]b[/]\u2028[/nothing]:heart:\\"
OBEYED = ("\x1b", "\x9b", "\x07", "\u202e", "\u2028")
LABELS = ["=cmd()", "two\nlines", HOSTILE]


@pytest.fixture
def call(monkeypatch, capsys):
    """Run the program in this process: its exit code, and all that it printed."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["linnet", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def harmless(text):
    return not any(sign in text for sign in OBEYED)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model whose labels, columns and categories are hostile, and its data."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [{"id": f"-{i}", HOSTILE: HOSTILE + str(i % 3), "x": i % 3, "y": LABELS[i % 3]} for i in range(90)]
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = linnet.train(str(folder / "d.jsonl"), target="y", columns={"id": "id"})
    model.save(folder / "m")
    return folder


@pytest.mark.parametrize("text", [HOSTILE, "\\", "[", "[/]", "a\nb", "x\udcff", "\r\t\x00\x7f", "\ufdd0\ufdd1"])
def test_foreign_text_is_printed_literally_beside_our_markup(text):
    out = console()
    out.file = io.StringIO()
    out.print(f"[bold]{plain(text)}[/] and {plain(text)}]")
    assert out.file.getvalue() == f"{visible(text)} and {visible(text)}]\n"
    assert visible(text).isprintable()


def test_two_texts_that_would_make_a_tag_together_do_not():
    out = console()
    out.file = io.StringIO()
    out.print(f"{plain('[/red')} or {plain('x]')}")
    assert out.file.getvalue() == "[/red or x]\n"


def test_text_that_nobody_escaped_is_still_harmless():
    out = console()
    out.file = io.StringIO()
    out.print("\x1b]8;;http://x\x07[link=http://x]there[/link]")
    assert harmless(out.file.getvalue())


def test_ordinary_text_of_any_language_stays_as_it_is():
    for text in ("naïve café", "很好", "שלום", "👩‍🚀", "a=b×c", "R² ≥ ½"):
        assert visible(text) == text


def test_json_has_the_same_content_and_nothing_that_a_terminal_obeys():
    text = json_text({HOSTILE: [HOSTILE, "\ud800"]})
    assert harmless(text)
    assert json.loads(text) == {HOSTILE: [HOSTILE, "\ud800"]}


def test_no_command_lets_a_hostile_model_or_file_speak_to_the_terminal(files, call):
    os.link(files / "d.jsonl", files / f"{HOSTILE.replace('/', '')}.jsonl")
    named = files / f"{HOSTILE.replace('/', '')}.jsonl"
    for arguments in (
        ("train", named, "--target", "y", "--column", "id:ignore", "-o", files / "n"),
        ("inspect", files / "m"),
        ("inspect", files / "m", named, "--json"),
        ("inspect", files / "m", named),
        ("evaluate", files / "m", files / "d.jsonl"),
        ("verify", files / "m", files / "d.jsonl"),
        ("separable", files / "d.jsonl", "--target", "y"),
        ("predict", files / "m", files / "d.jsonl", "--json"),
        ("predict", files / "m", f"{HOSTILE}.csv"),
    ):
        code, out, err = call(*arguments)
        assert code in (0, 3), err
        assert harmless(out + err)


def test_the_reason_of_a_certificate_is_text(files, tmp_path, call):
    model = linnet.load(files / "m")
    replace(model, certificate=replace(model.certificate, reason=HOSTILE)).save(tmp_path / "m")
    for arguments in (("inspect", tmp_path / "m"), ("verify", tmp_path / "m", files / "d.jsonl")):
        _, out, err = call(*arguments)
        assert harmless(out + err)
        assert "\\x1b[31m" in out + err


def test_labels_are_a_line_each_and_can_be_read_back(files, call):
    lines = call("predict", files / "m", files / "d.jsonl", "--as", "labels")[1].split("\n")[:-1]
    assert len(lines) == 90
    assert lines[:3] == ["=cmd()", "two\\nlines", visible(HOSTILE[:-1]) + "\\\\"]


def test_csv_for_spreadsheets_runs_nothing_and_keeps_numbers(files, call):
    as_they_are, safe = (
        list(csv.reader(io.StringIO(call("predict", files / "m", files / "d.jsonl", *more)[1], newline="")))
        for more in ((), ("--spreadsheet-safe",))
    )
    assert as_they_are[1][:2] == ["-0", "=cmd()"]
    assert safe[1][:2] == ["-0", "'=cmd()"]
    assert [row[2:] for row in safe[1:]] == [row[2:] for row in as_they_are[1:]]
    assert call("predict", files / "m", files / "d.jsonl", "--json", "--spreadsheet-safe")[0] == 2


def test_csv_is_escaped_where_a_terminal_reads_it(files):
    ours, theirs = pty.openpty()
    given = [*PROGRAM, "predict", str(files / "m"), str(files / "d.jsonl")]
    with subprocess.Popen(given, stdout=theirs) as running:
        os.close(theirs)
        got = b""
        while True:
            try:
                got += (piece := os.read(ours, 65536))
            except OSError:
                break
            if not piece:
                break
    os.close(ours)
    assert running.returncode == 0
    assert len(got.splitlines()) == 91
    assert harmless(got.decode())
