"""linnet demo."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from linnet.cli import demo
from tests.cli.calling import call


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
    assert float(re.search(r"structured perceptron.*: ([0-9.]+) %", out)[1]) > 95
    assert "the/DET  duck/NOUN" in out
    page = Path(re.search(r"open in a browser:\s+(\S+)", out)[1])
    assert page.read_text().startswith("<!doctype html>")
    shutil.rmtree(page.parent)
