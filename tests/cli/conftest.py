"""Small files and models of them, made by the commands."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from tests.cli.calling import call

GOOD = ["good fun", "a good film", "great fun, really great", "so good!"]
BAD = ["bad film", "what a bore", "so bad", "dull, dull, dull"]


@pytest.fixture
def spam(tmp_path):
    """A model of text, and the file it was learnt from."""
    lines = [f"{label}\t{text}\n" for _ in range(10) for pair in zip(GOOD, BAD, strict=True)
             for label, text in zip(("ham", "spam"), pair, strict=True)]  # fmt: skip
    (tmp_path / "spam.txt").write_text("".join(lines))
    done = call("train", str(tmp_path / "spam.txt"), "-o", str(tmp_path / "m"), "-q")
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.fixture(scope="session")
def mail(tmp_path_factory):
    """A file of mail of two kinds, hard to tell apart; a plain model of it, and one that knows what mistakes cost."""
    folder = tmp_path_factory.mktemp("mail")
    rng = np.random.default_rng(6)
    x = rng.normal(size=(900, 2))
    spam = rng.random(900) < 1 / (1 + np.exp(-(2 * x[:, 0] - x[:, 1] - 0.5)))
    with (folder / "mail.csv").open("w", newline="") as file:
        rows = zip(x[:, 0].round(4), x[:, 1].round(4), np.where(spam, "spam", "ham"), strict=True)
        csv.writer(file).writerows([("a", "b", "kind"), *rows])
    data = str(folder / "mail.csv")
    for name, more in (
        ("plain", []),
        ("costs", ["--cost", "ham,spam=10", "--reject", "0.4"]),
        ("perceptron", ["--learner", "averaged-perceptron", "--calibrate", "isotonic"]),
    ):
        done = call("train", data, "--target", "kind", "-o", str(folder / name), "-q", *more)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def tuned(mail):
    """A model that decides where F1 is best, and what was printed of it."""
    done = call(
        "train", str(mail / "mail.csv"), "--target", "kind", "-o", str(mail / "f1"), "--threshold-for", "f1:spam"
    )
    assert done.returncode == 0, done.stderr
    return mail / "f1", done.stdout
