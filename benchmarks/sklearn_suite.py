"""scikit-learn's own tests with linnet's classes in the place of theirs: python benchmarks/sklearn_suite.py [FILE ...].

The test files are those of the installed scikit-learn.  Names are exchanged before a test file is imported, so that
`from sklearn.linear_model import Ridge` gives linnet's.  Printed are, by file, how many tests pass, and which of the
others are left out, each group with its reason (LEFT_OUT); nothing in linnet knows of these tests.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# The file of scikit-learn's tests, and the classes that are exchanged: where a name is looked up, and the name.
SUITES: dict[str, tuple[tuple[str, str], ...]] = {
    "linear_model/tests/test_logistic.py": (
        ("sklearn.linear_model", "LogisticRegression"),
        ("sklearn.linear_model._logistic", "LogisticRegression"),
    ),
    "linear_model/tests/test_perceptron.py": (("sklearn.linear_model", "Perceptron"),),
    "linear_model/tests/test_base.py": (("sklearn.linear_model", "LinearRegression"),),
    "linear_model/tests/test_ridge.py": (
        ("sklearn.linear_model", "Ridge"),
        ("sklearn.linear_model", "LinearRegression"),
    ),
    "tests/test_naive_bayes.py": (("sklearn.naive_bayes", "MultinomialNB"), ("sklearn.naive_bayes", "BernoulliNB")),
    "tests/test_discriminant_analysis.py": (("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"),),
}
PLUGIN = "benchmarks.sklearn_suite"
EXCHANGED = "LINNET_EXCHANGED"


@dataclass(frozen=True)
class Outcome:
    """A test, its outcome, and the first line of what it said."""

    test: str
    outcome: str
    why: str


def pytest_configure() -> None:
    """As a plugin of pytest: exchange the classes before test files are imported."""
    import linnet

    for pair in os.environ[EXCHANGED].split():
        module, name = pair.split(":")
        setattr(importlib.import_module(module), name, getattr(linnet, name))


def outcomes(file: str) -> list[Outcome]:
    """Every test of a file that is about an exchanged class."""
    import sklearn

    path = Path(sklearn.__file__).parent / file
    exchanged = " ".join(f"{module}:{name}" for module, name in SUITES[file])
    command = [
        sys.executable, "-m", "pytest", str(path), "-q", "-rA", "--no-header", "-p", PLUGIN, "-p", "no:cacheprovider",
        "-p", "no:xdist", "-W", "ignore", "--tb=line", "--import-mode=importlib", "-c", os.devnull,
    ]  # fmt: skip
    root = Path(__file__).parents[1]
    environment = os.environ | {EXCHANGED: exchanged, "PYTHONPATH": str(root), "COLUMNS": "400"}
    said = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout
    found = []
    for line in said.splitlines():
        match = re.match(r"(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+::\S.*?)(?: - (.*))?$", line)
        if match:
            found.append(Outcome(match[2].split("::", 1)[1], match[1], match[3] or ""))
    return found


def main(files: list[str]) -> int:
    for file in files or SUITES:
        found = outcomes(file)
        counts = Counter(each.outcome for each in found)
        print(f"{file}: {counts['PASSED']} of {counts['PASSED'] + counts['FAILED'] + counts['ERROR']} pass")
        for each in found:
            if each.outcome in ("FAILED", "ERROR"):
                print(f"    {each.test}: {each.why[:150]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
