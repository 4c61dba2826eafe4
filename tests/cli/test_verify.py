"""linnet verify, as a user types it."""

from __future__ import annotations

import json

import pytest

from tests.cli.calling import call


def test_verify_accepts_the_training_data_and_nothing_else(spam):
    done = call("verify", spam / "m", spam / "spam.txt")
    assert done.returncode == 0
    assert done.stdout.startswith("holds")
    lines = (spam / "spam.txt").read_text().splitlines(keepends=True)
    (spam / "other.txt").write_text("".join(["ham\tso bad\n", *lines]))
    done = call("verify", spam / "m", spam / "other.txt")
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1
    assert "objective" in done.stderr
    found = json.loads(call("verify", spam / "m", spam / "other.txt", "--json").stdout)
    assert found["holds"] is False
    assert found["found"]["primal"] > found["stated"]["primal"]


@pytest.mark.parametrize("learner", ["naive-bayes", "adaptive"])
def test_a_model_without_a_certificate_is_wrong_usage(spam, learner):
    path = str(spam / "spam.txt")
    assert call("train", path, "-o", str(spam / "n"), "-q", "--learner", learner).returncode == 0
    done = call("verify", str(spam / "n"), path)
    assert done.returncode == 2
    assert "has no certificate to verify" in done.stderr
