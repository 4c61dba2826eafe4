"""Closed and full streams, short memory, odd names: a line and an exit code, never a traceback."""

from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import tempfile

import pyarrow as pa
import pyarrow.parquet
import pytest

import linnet
from linnet.cli import failures, main
from linnet.pipeline.services import Services
from linnet.pipeline.train import TrainOptions, train
from linnet.storage.atomic import replacing
from tests.cli.calling import PROGRAM


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("environment")
    rows = "".join(f"{i % 7 - 3},{'é' if i % 7 < 3 else 'b'}\n" for i in range(4000))
    (made / "d.csv").write_text("x,y\n" + rows)
    linnet.train(str(made / "d.csv"), target="y").save(made / "m")
    return made


def shell(folder, script, **environment):
    """Run a line of shell, in which L is the program."""
    program = shlex.join(PROGRAM)
    done = subprocess.run(
        ["bash", "-c", f"L() {{ {program} \"$@\"; }}; {script}"],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, errors="replace", timeout=120,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


def test_a_closed_or_full_stderr_costs_no_model(folder):
    for number, stream in enumerate(("2>&-", "2>/dev/full")):
        assert shell(folder, f"L train d.csv --target y -o stderr{number} {stream}").returncode == 0
        assert linnet.load(folder / f"stderr{number}").classes == ["b", "é"]


@pytest.mark.parametrize(("stream", "said"), [(">&-", "bad file descriptor"), (">/dev/full", "no space left")])
def test_results_that_cannot_be_printed_are_an_error_after_the_model_is_saved(folder, stream, said):
    for command in ("train d.csv --target y -q -o stdout", "predict m d.csv", "--help"):
        done = shell(folder, f"L {command} {stream}")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert said in done.stderr.lower()
    assert linnet.load(folder / "stdout").classes == ["b", "é"]


def test_a_closed_stdin_is_bad_input(folder):
    done = shell(folder, "L predict m <&-")
    assert (done.returncode, done.stderr) == (3, "linnet: standard input is closed: give a file\n")


def test_a_reader_that_has_had_enough_ends_the_program_quietly(folder):
    for command in ("predict m d.csv d.csv d.csv d.csv d.csv d.csv d.csv d.csv", "inspect m", "inspect m --json"):
        done = shell(folder, f"L {command} | true; echo ${{PIPESTATUS[0]}}")
        assert (done.stdout, done.stderr) == ("0\n", "")


def test_an_encoding_without_some_signs_is_no_error(folder):
    done = shell(folder, "L evaluate m d.csv; L predict m d.csv | tail -1", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xe9" in done.stdout
    plain = shell(folder, "L inspect m", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", TERM="dumb", COLUMNS="1")
    assert (plain.returncode, plain.stderr) == (0, "")


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [("-", 2, "is for the results"), ("/dev/stdout", 2, "is for the results"), ("new/", 1, "is a folder"),
     (".", 1, "is a folder"), ("no/such/m", 1, "there is no folder"), ("''", None, "")],
)  # fmt: skip
def test_outputs_that_are_no_files_are_refused_in_a_line(folder, output, code, said):
    done = shell(folder, f"L train d.csv --target y -q -o {output}")
    if code is None:  # an empty name is none: the default is taken
        assert done.returncode == 0
        return
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert said in done.stderr


def test_predictions_do_not_overwrite_the_model_or_the_data(folder):
    (folder / "more.csv").write_text((folder / "d.csv").read_text())
    for output in ("-o m", "-o more.csv", ">> more.csv"):
        done = shell(folder, f"L predict m more.csv {output}")
        assert done.returncode == 2
        assert "the predictions would overwrite it" in done.stderr
    assert (folder / "more.csv").read_text() == (folder / "d.csv").read_text()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1], [2]], "'y'.* list"),
        ([{"a": 1}, {"a": 2}], r"'y' cannot be .* objects|there is no column 'y': did you mean 'y\.a'"),
        ([b"a", b"\xff"], "'y' cannot be the (target|category|weight): its values are .*bytes"),
    ],
    ids=["list", "object", "bytes"],
)
@pytest.mark.parametrize("role", ["target", "category", "weight"])
def test_a_column_of_lists_objects_or_bytes_is_not_one_value_a_row(tmp_path, values, said, role):
    rows = {"x": [1.0, 2.0] * 20, "z": ["a", "b"] * 20, "y": values * 20}
    pa.parquet.write_table(pa.table(rows), tmp_path / "d.parquet")
    paths = [tmp_path / "d.parquet"]
    if not isinstance(values[0], bytes):
        lines = [json.dumps(dict(zip(rows, row, strict=True))) for row in zip(*rows.values(), strict=True)]
        (tmp_path / "d.jsonl").write_text("\n".join(lines) + "\n")
        paths.append(tmp_path / "d.jsonl")
    given = {"target": "y"} if role == "target" else {"target": "z", "columns": {"y": role}}
    for path in paths:
        with pytest.raises((linnet.InputError, linnet.errors.RecipeError), match=said):
            linnet.train(str(path), **given)


def test_names_that_are_not_utf8_are_names(tmp_path):
    for label in "ab":
        for i in range(20):
            file = os.path.join(os.fsencode(tmp_path), b"t\xff", label.encode(), b"\xfe%d.txt" % i)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w") as out:
                out.write(f"text {label} {i}")
    for more in ("", "--json", "--learner adaptive --checkpoint-every 5"):
        done = shell(tmp_path, rf"L train $'t\xff' {more}")
        assert done.returncode == 0, done.stderr
    assert b"t\xff.linnet" in os.listdir(os.fsencode(tmp_path))
    done = shell(tmp_path, r"L predict t*.linnet $'no\xff.csv'")
    assert (done.returncode, done.stderr) == (3, "linnet: no\\xff.csv: there is no such file\n")


def test_folders_may_be_nested_deeply(tmp_path, monkeypatch):
    for label in "ab":
        (tmp_path / "t" / label).mkdir(parents=True)
        for i in range(20):
            (tmp_path / "t" / label / f"{i}.txt").write_text(f"text {label} {i}")
    monkeypatch.chdir(tmp_path / "t" / "a")
    for _ in range(1200):
        os.mkdir("d")
        os.chdir("d")
    with open("deep.txt", "w") as file:
        file.write("deep text a")
    try:
        assert linnet.train(str(tmp_path / "t")).record.rows == 41
        with pytest.raises(linnet.InputError, match="nested too deeply"):
            linnet.train(str(tmp_path / "t" / "**" / "*.txt"), target="text")
    finally:  # shutil.rmtree, and so pytest, cannot remove folders this deep
        os.remove("deep.txt")
        for _ in range(1200):
            os.chdir("..")
            os.rmdir("d")


def test_short_resources_are_an_error_in_a_line(folder):
    for limit in ("-v 400000", "-v 700000", "-n 6", "-f 1"):
        done = shell(folder, f"ulimit {limit}; L train d.csv --target y -q -o short")
        if done.returncode == 0 and limit.startswith("-v"):  # it was enough: how much that is depends on the machine
            linnet.load(folder / "short")
            (folder / "short").unlink()
            continue
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("linnet: ")
        assert not (folder / "short").exists()


def test_without_a_folder_for_temporary_files_the_remedy_is_named(folder, monkeypatch):
    def none(*_, **__):
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    monkeypatch.setattr(tempfile, "gettempdir", none)
    options = TrainOptions(target="y", learner="adaptive", passes=2, memory=0)
    with pytest.raises(linnet.errors.OutputError, match=r"in a folder for temporary files: No usable .* TMPDIR"):
        train(str(folder / "d.csv"), options, Services(cache_rows=100))


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError(), "linnet: out of memory: "), (MemoryError("Unable to allocate"), "(Unable to allocate)"),
     (pa.lib.ArrowMemoryError("malloc of size 9 failed"), "linnet: out of memory (malloc"),
     (RecursionError("too deep"), "internal error: RecursionError: too deep"), (KeyError("\x1b[1m"), "'\\x1b[1m'"),
     (OSError(errno.EMFILE, "Too many open files", "a\x1bb"), "a\\x1bb: too many open files; raise the limit")],
)  # fmt: skip
def test_any_exception_is_one_line_and_exit_code_1(error, said, monkeypatch, capsys):
    def fail(**_):
        raise error

    monkeypatch.setattr(main, "assembled", lambda _: fail)
    monkeypatch.delenv(failures.DEBUG, raising=False)
    with pytest.raises(SystemExit) as stopped:
        main.main()
    printed = capsys.readouterr().err
    assert stopped.value.code == 1
    assert said in printed
    assert printed.count("\n") == 1
    assert "\x1b" not in printed
    monkeypatch.setenv(failures.DEBUG, "1")
    with pytest.raises(SystemExit):
        main.main()
    assert "Traceback" in capsys.readouterr().err


def test_a_close_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    (tmp_path / "m").write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(linnet.errors.OutputError, match="no space left"), replacing(tmp_path / "m", "w") as file:
        file.write("new")
    assert (tmp_path / "m").read_text() == "old"
    assert os.listdir(tmp_path) == ["m"]


def test_a_working_directory_that_is_gone_is_an_error_in_a_line(folder):
    data = shlex.quote(str(folder / "d.csv"))
    done = shell(folder, f"mkdir gone; cd gone; rmdir ../gone; L train {data} --target y -q")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_json_is_json_where_the_output_has_no_sign_for_a_name(folder):
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell(folder, "L train d.csv --target y -o ascii --json", **ascii_only)
    assert json.loads(done.stdout)["labels"] == ["b", "é"]


@pytest.mark.parametrize(
    ("name", "size"), [("COLUMNS", "0"), ("COLUMNS", "-5"), ("LINES", "x"), ("TERMINAL_WIDTH", "wide")]
)
def test_a_terminal_of_no_size_still_shows_what_is_wrong(folder, name, size):
    run = subprocess.run(
        [*PROGRAM, "nonsense"], cwd=folder, env={**os.environ, name: size}, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "nonsense" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_message_has_no_more_bytes_than_are_read(encoding, tmp_path):
    names = ",".join("\u2323" * 900 + str(number) for number in range(30))
    (tmp_path / "d.csv").write_text(f"{names}\n" + f"{','.join('1' for _ in range(30))}\n" * 3)
    run = subprocess.run(
        [*PROGRAM, "train", "d.csv", "--target", "y" * 20_000, "-o", "m"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert run.returncode == 2
    assert b"there is no column" in run.stderr
    assert len(run.stderr) <= failures.LONGEST + 100
