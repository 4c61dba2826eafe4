"""The examples run, as a reader would run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SAID = {
    "boolean_functions": "at least 2 of rain, wind, not sun",
    "conjunctions": "100% with the conjunction",
    "feature_space": "an interval of x",
    "halving": "11 mistakes in 12 examples; at most 12 are possible: log2 4,526 = 12.14",
    "mileage": "25.7 miles per gallon",
    "unit_circle": "converged in 10 passes; 36 updates; at most (R/γ)² = 132 are possible",
    "winnow": "100,000   5      131    168         994",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert SAID[path.stem] in done.stdout
