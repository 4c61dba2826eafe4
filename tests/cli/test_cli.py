from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import linnet
from linnet.cli import demo, main


def call(*arguments):
    code = "import sys; from linnet.cli.main import main; sys.argv[0] = 'linnet'; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_the_program_is_installed():
    (script,) = entry_points(group="console_scripts", name="linnet")
    assert script.load() is main.main


def test_help_and_version():
    assert "demo" in call("--help").stdout
    assert "lecture" in call("demo", "--help").stdout
    assert call("--version").stdout == f"linnet {linnet.__version__}\n"


def test_wrong_usage_exits_with_2():
    wrong = call("dmeo")
    assert wrong.returncode == 2
    assert "dmeo" in wrong.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [(linnet.RecipeError("no"), 2), (linnet.InputError("no"), 3), (linnet.NumericalError("no"), 1)],
)
def test_an_error_is_one_line_and_an_exit_code(error, code, monkeypatch, capsys):
    def fail():
        raise error

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == code
    assert capsys.readouterr().err == "linnet: no\n"


def test_the_demo_shows_every_family_and_learns_well():
    done = call("demo", "--json")
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert {result["data"] for result in results} == {"breast cancer", "digits", "diabetes", "four cars"}
    for result in results:
        least = {"breast cancer": 0.9, "digits": 0.88, "diabetes": 0.25, "four cars": 0.9}[result["data"]]
        assert result["score"] > least, result


def test_the_demo_prints_a_table(capsys):
    demo.run(as_json=False)
    out = capsys.readouterr().out
    assert "perceptron, voted" in out
    assert "Widrow-Hoff" in out
