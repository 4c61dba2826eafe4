"""linnet separable: the verdict and its proof."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tests.cli.calling import call


@pytest.fixture
def heights(tmp_path):
    path = tmp_path / "heights.csv"
    rows = ["height,town,kind", "150,a,child", "120,b,child", "180,a,adult", "175,b,adult"]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_plane_is_printed_with_margin_radius_and_bound(heights):
    done = call("separable", heights, "--target", "kind")
    assert done.returncode == 0
    for word in (
        "separable",
        "margin   γ = ",
        "radius   R = ",
        "bound    (R/γ)² = ",
        "height",
        "the proof was checked",
    ):
        assert word in done.stdout
    found = json.loads(call("separable", heights, "--target", "kind", "--json").stdout)
    assert found["separable"] is True
    assert found["checked"] is True
    assert found["bound"] == pytest.approx((found["radius"] / found["margin"]) ** 2)
    rows = [({"height": 150, "town=a": 1}, 1), ({"height": 120, "town=b": 1}, 1),
            ({"height": 180, "town=a": 1}, -1), ({"height": 175, "town=b": 1}, -1)]  # fmt: skip
    side = 1 if found["classes"][1] == "child" else -1
    for row, sign in rows:
        score = sum(found["weights"].get(name, 0.0) * value for name, value in row.items()) + found["bias"]
        assert side * sign * score >= found["margin"] * (1 - 1e-9)


def test_equal_rows_are_named_by_file_and_line(heights):
    with heights.open("a") as file:
        file.write("150,a,adult\n")
    done = call("separable", heights, "--target", "kind")
    assert done.returncode == 0
    assert "not separable" in done.stdout
    assert f"{heights}:2" in done.stdout
    assert f"{heights}:6" in done.stdout
    assert "2 rows have the same features as a row with another label" in done.stdout


def test_the_proof_of_several_rows_is_whole_in_json(tmp_path):
    """XOR as svmlight, which needs no target, in two files: each row by its own."""
    (tmp_path / "one.svm").write_text("-1 1:0\n1 2:1\n")
    (tmp_path / "two.svm").write_text("# a remark\n1 1:1\n-1 1:1 2:1\n")
    paths = [tmp_path / "one.svm", tmp_path / "two.svm"]
    done = call("separable", *paths, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["separable"] is False
    assert found["exact"] is True
    assert [example["place"] for example in found["examples"]] == [
        f"{paths[0]}:1", f"{paths[0]}:2", f"{paths[1]}:2", f"{paths[1]}:3"
    ]  # fmt: skip
    points = [(0, 0), (0, 1), (1, 0), (1, 1)]
    whole = [Fraction(example["whole_multiplier"]) * example["label"] for example in found["examples"]]
    assert sum(whole) == 0
    assert all(sum(many * point[j] for many, point in zip(whole, points, strict=True)) == 0 for j in (0, 1))
    assert "is 0 exactly" in call("separable", *paths).stdout


def test_several_classes_and_rows_of_no_weight(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,w,kind\n1,1,low\n2,1,mid\n3,1,top\n3,0,low\n")
    done = call("separable", path, "--target", "kind", "--column", "w:weight")
    assert done.returncode == 0
    assert "mid vs. rest" in done.stdout
    assert "of 3 classes 2 separable, 1 not separable" in done.stdout
    assert "3 rows" in done.stdout


def test_one_class_has_nothing_to_separate(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n1,low\n2,low\n")
    done = call("separable", path, "--target", "kind")
    assert done.returncode == 0
    assert done.stdout.startswith("separable  there is nothing to separate: every row is low\n")
    assert "the rest" not in done.stdout


def test_undecided_has_an_exit_code_of_its_own(tmp_path, rng):
    path = tmp_path / "noise.svm"
    with path.open("w") as file:
        for x in rng.normal(size=(300, 5)).tolist():
            values = " ".join(f"{j}:{value}" for j, value in enumerate(x, 1))
            file.write(f"{rng.integers(2)} {values}\n")
    done = call("separable", path, "--seconds", "1e-9")
    assert done.returncode == 6
    assert done.stdout.startswith("undecided")
    assert call("separable", path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["nowhere.csv"], 3, "nowhere.csv"),
        (["DATA", "--target", "kin"], 2, "kin"),
        (["DATA", "--target", "kind", "--seconds", "0"], 2, "--seconds must be above 0"),
        (["DATA", "--target", "kind", "--on-error", "quarantine"], 2, "is for train"),
    ],
)
def test_wrong_usage_is_a_line_or_two(arguments, code, what, heights):
    done = call("separable", *[heights if each == "DATA" else each for each in arguments])
    assert done.returncode == code, done.stderr
    assert what in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
