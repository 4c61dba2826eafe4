"""The program: its commands, its errors, its exit codes."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from types import ModuleType

import pytest
from typer.testing import CliRunner

import linnet
from linnet.__main__ import main as program
from linnet.cli import main
from tests.cli.calling import call, contributing


def test_the_program_is_installed():
    (script,) = entry_points(group="console_scripts", name="linnet")
    assert script.load() is program


def test_help_and_version():
    assert "demo" in call("--help").stdout
    assert "lecture" in call("demo", "--help").stdout
    assert call("--version").stdout == f"linnet {linnet.__version__}\n"


def test_a_command_is_a_file_and_its_name_in_the_list(monkeypatch, tmp_path):
    """As CONTRIBUTING shows it."""
    added = ModuleType("linnet.cli.labels")
    exec(contributing("Adding a command"), added.__dict__)
    monkeypatch.setitem(sys.modules, "linnet.cli.labels", added)
    program = main.assembled((*main.COMMANDS, "labels"))
    linnet.train({"x": [1.0, 2.0] * 9, "y": ["low", "top"] * 9}, "y").save(tmp_path / "m")
    assert CliRunner().invoke(program, ["labels", str(tmp_path / "m")]).output == "low\ntop\n"
    assert CliRunner().invoke(program, ["labels", str(tmp_path / "m"), "--json"]).output == '["low", "top"]\n'
    assert "Print the labels that a model predicts." in CliRunner().invoke(program, ["--help"]).output


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["train", "predict"], ("train",)),
        (["--debug", "predict", "m"], ("predict",)),
        (["--help"], main.COMMANDS),
        (["trian", "train"], main.COMMANDS),
        ([], main.COMMANDS),
    ],
)
def test_only_the_command_that_is_asked_for_is_loaded(arguments, loaded):
    assert main.asked_for(arguments) == loaded


def test_wrong_usage_exits_with_2():
    wrong = call("dmeo")
    assert wrong.returncode == 2
    assert "dmeo" in wrong.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [(linnet.RecipeError("no"), 2), (linnet.InputError("no"), 3), (linnet.NumericalError("no"), 1)],
)
def test_an_error_is_one_line_and_an_exit_code(error, code, monkeypatch, capsys):
    def fail(**_):
        raise error

    monkeypatch.setattr(main, "assembled", lambda _: fail)
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == code
    assert capsys.readouterr().err == "linnet: no\n"


def test_an_error_that_quotes_a_long_name_is_cut_in_the_middle(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,y\n" + "1,a\n2,b\n" * 30)
    ended = call("train", str(data), "-o", str(tmp_path / "m"), "--target", "long" * 10_000)
    assert ended.returncode != 0
    assert len(ended.stderr) < 10_000
    assert "longlong ... " in ended.stderr
