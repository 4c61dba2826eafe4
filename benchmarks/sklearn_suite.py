"""scikit-learn's own tests with linnet's classes in the place of theirs: python benchmarks/sklearn_suite.py [FILE ...].

The test files are those of the installed scikit-learn.  While a test file is imported, `from sklearn.linear_model
import Ridge` gives linnet's; the private modules of scikit-learn, where its other classes are, keep their own.  A
test that never touches an object of linnet's is not counted.  Generalised linear models are lent scikit-learn's loss
objects, with which the tests work out the optimum to expect.  Printed are, by file, how many of the others pass, which
fail, and how many are left out, each group with its reason (sklearn_suite_left_out.py).  Nothing in linnet knows of
these tests.  The exit status is 1 where fewer than 95 % pass.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).parents[1]
LEAST = 0.95
LINEAR, BAYES, SVM = "sklearn.linear_model", "sklearn.naive_bayes", "sklearn.svm"
DISCRIMINANT = "sklearn.discriminant_analysis"

# The file of scikit-learn's tests, and the classes that are exchanged in it: where they are imported from, and names.
SUITES: dict[str, tuple[tuple[str, str], ...]] = {
    "linear_model/tests/test_logistic.py": (
        (LINEAR, "LogisticRegression"),
        (LINEAR, "LogisticRegressionCV"),
        (f"{LINEAR}._logistic", "LogisticRegression"),
        (f"{LINEAR}._logistic", "LogisticRegressionCV"),
    ),
    "tests/test_discriminant_analysis.py": ((DISCRIMINANT, "LinearDiscriminantAnalysis"),),
    "linear_model/tests/test_base.py": ((LINEAR, "LinearRegression"),),
    "linear_model/tests/test_ridge.py": (
        (LINEAR, "Ridge"),
        (LINEAR, "RidgeCV"),
        (LINEAR, "RidgeClassifier"),
        (LINEAR, "RidgeClassifierCV"),
        (LINEAR, "LinearRegression"),
    ),
    "tests/test_naive_bayes.py": ((BAYES, "MultinomialNB"), (BAYES, "BernoulliNB"), (BAYES, "ComplementNB")),
    "svm/tests/test_svm.py": ((SVM, "LinearSVC"), (SVM, "LinearSVR"), (LINEAR, "LogisticRegression")),
    "linear_model/tests/test_sgd.py": ((LINEAR, "SGDClassifier"), (LINEAR, "SGDRegressor")),
    "linear_model/tests/test_perceptron.py": ((LINEAR, "Perceptron"),),
    "linear_model/tests/test_passive_aggressive.py": (
        (LINEAR, "PassiveAggressiveClassifier"),
        (LINEAR, "SGDClassifier"),
        (LINEAR, "SGDRegressor"),
    ),
    "linear_model/tests/test_coordinate_descent.py": (
        (LINEAR, "Lasso"),
        (LINEAR, "LassoCV"),
        (LINEAR, "ElasticNet"),
        (LINEAR, "ElasticNetCV"),
        (LINEAR, "Ridge"),
        (LINEAR, "RidgeCV"),
        (LINEAR, "RidgeClassifier"),
    ),
    "linear_model/tests/test_sparse_coordinate_descent.py": (
        (LINEAR, "Lasso"),
        (LINEAR, "LassoCV"),
        (LINEAR, "ElasticNet"),
        (LINEAR, "ElasticNetCV"),
    ),
    "linear_model/tests/test_huber.py": ((LINEAR, "HuberRegressor"), (LINEAR, "LinearRegression"), (LINEAR, "Ridge")),
    "linear_model/tests/test_quantile.py": ((LINEAR, "QuantileRegressor"), (LINEAR, "HuberRegressor")),
    "linear_model/_glm/tests/test_glm.py": (
        (LINEAR, "PoissonRegressor"),
        (LINEAR, "GammaRegressor"),
        (LINEAR, "TweedieRegressor"),
        (LINEAR, "Ridge"),
    ),
}
PLUGIN = "benchmarks.sklearn_suite"
# What the plugin is told, and where it writes what it saw.
EXCHANGED, SEEN = "LINNET_EXCHANGED", "LINNET_SEEN"


@dataclass(frozen=True)
class Outcome:
    """A test, whether it passed, the first line of what it said, and whether it met an object of linnet's."""

    test: str
    outcome: str
    why: str
    ours: bool


class _Watch:
    """As part of the plugin: which classes were there before, and whether a test touches one of linnet's objects."""

    before: ClassVar[dict[tuple[str, str], Any]] = {}
    touched = False


def pytest_configure() -> None:
    """As a plugin of pytest: exchange the classes before the test file is imported."""
    import linnet
    from linnet.estimators.base import LinearEstimator

    for pair in os.environ[EXCHANGED].split():
        module, name = pair.split(":")
        _Watch.before[module, name] = getattr(importlib.import_module(module), name)
        setattr(importlib.import_module(module), name, getattr(linnet, name))

    def touch(self: Any, name: str) -> Any:
        _Watch.touched = True
        return object.__getattribute__(self, name)

    def made(cls: Any, *_: Any, **__: Any) -> Any:
        _Watch.touched = True
        return object.__new__(cls)

    for name in ("PoissonRegressor", "GammaRegressor", "TweedieRegressor"):
        # with which the tests work out what to expect; linnet has no such method
        theirs = _Watch.before.get((LINEAR, name))
        if theirs is not None:
            getattr(linnet, name)._get_loss = partialmethod(_their_loss, theirs)

    LinearEstimator.__getattribute__ = touch  # type: ignore[method-assign]
    LinearEstimator.__new__ = made  # type: ignore[method-assign,assignment]


def _their_loss(ours: Any, theirs: Any) -> Any:
    """The loss object of scikit-learn's class with the same parameters."""
    known = theirs().get_params()
    return theirs(**{name: value for name, value in ours.get_params().items() if name in known})._get_loss()


def pytest_collection_finish() -> None:
    """The test file has its classes: scikit-learn's private modules, which use theirs, get them back."""
    for (module, name), cls in _Watch.before.items():
        if "._" in module:
            setattr(importlib.import_module(module), name, cls)


def pytest_runtest_setup() -> None:
    _Watch.touched = False


def pytest_runtest_logreport(report: Any) -> None:
    """Write down how a test ended."""
    if report.when != "call" and report.outcome == "passed":
        return
    said = getattr(report.longrepr, "reprcrash", None)
    why = "" if said is None else str(said.message)
    line = {"test": report.nodeid.split("::", 1)[1], "outcome": report.outcome, "why": why, "ours": _Watch.touched}
    with Path(os.environ[SEEN]).open("a") as file:
        file.write(json.dumps(line) + "\n")


def outcomes(file: str) -> list[Outcome]:
    """Every test of a file."""
    import sklearn

    path = Path(sklearn.__file__).parent / file
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        command = [
            sys.executable, "-m", "pytest", str(path), "-q", "-p", PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist",
            "-W", "ignore", "--tb=short", "--import-mode=importlib", "-c", os.devnull, "--rootdir", folder,
        ]  # fmt: skip
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        exchanged = " ".join(f"{module}:{name}" for module, name in SUITES[file])
        environment = os.environ | {EXCHANGED: exchanged, SEEN: str(seen), "PYTHONPATH": paths}
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
        if not seen.exists():
            sys.exit(f"no test of {file} was run:\n{ended.stdout}{ended.stderr}")
        return [Outcome(**json.loads(line)) for line in seen.read_text().splitlines()]


def left_out(file: str, test: str) -> str | None:
    """The reason why a test is left out, if it is."""
    from benchmarks.sklearn_suite_left_out import LEFT_OUT

    for reason, patterns in LEFT_OUT.items():
        for where, pattern in patterns:
            if file.endswith(where) and re.search(pattern, test):
                return reason
    return None


def report(file: str) -> Counter[str]:
    """Run the tests of a file, print what came of them, and return the counts."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failures = []
    for each in outcomes(file):
        reason = left_out(file, each.test)
        if not each.ours or each.outcome == "skipped":
            counts["not counted"] += 1
        elif reason is not None:
            counts["left out"] += 1
            reasons[reason] += 1
        else:
            counts[each.outcome] += 1
            if each.outcome == "failed":
                failures.append(f"    failed: {each.test}: {' '.join(each.why.split())[:150]}")
    print(f"{file}: {counts['passed']} of {counts['passed'] + counts['failed']} pass, {counts['left out']} left out,")
    print(f"    {counts['not counted']} not counted (skipped, or without an object of linnet's)")
    print(*failures, sep="\n", end="\n" if failures else "")
    for reason, count in reasons.items():
        print(f"    left out, {count}: {reason}")
    sys.stdout.flush()
    return counts


def main(files: list[str]) -> int:
    chosen = [file for file in SUITES if not files or any(file.endswith(name) for name in files)]
    total: Counter[str] = Counter()
    for file in chosen:
        total += report(file)
    tests = total["passed"] + total["failed"]
    print(f"in all: {total['passed']} of {tests} pass ({total['passed'] / max(tests, 1):.1%})", end=", ")
    print(f"{total['left out']} left out, {total['not counted']} not counted")
    return int(total["passed"] < LEAST * tests)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
