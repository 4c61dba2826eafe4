"""What later files have that the model does not know is counted, and reported in numbers."""

from __future__ import annotations

import json

import pytest

import linnet
from linnet.data.findings import Findings, Misfits
from linnet.data.on_error import BadRows

ROWS = 60


@pytest.fixture(scope="module")
def model():
    texts = ["good film", "bad play", "fine film"] * 20
    columns = {
        "n": [i % 7 + 0.5 for i in range(ROWS)], "c": ["red", "blue", "green"] * 20, "text": texts,
        "y": ["a", "b"] * 30,
    }  # fmt: skip
    return linnet.train(columns, target="y", columns={"text": "text"}, learner="adaptive")


def found_in(model, rows, tmp_path, form):
    path = tmp_path / f"new.{form}"
    if form == "csv":
        names = list(dict.fromkeys(name for row in rows for name in row))
        lines = [",".join(names), *(",".join(str(row.get(name, "")) for name in names) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rejected = BadRows()
    model.evaluate([str(path)], rejected=rejected)
    return rejected.findings


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_is_unknown_is_counted(model, tmp_path, form):
    known = {"n": 1.5, "c": "red", "text": "good film", "y": "a"}
    rows = [
        known,
        known | {"c": "pink"},
        known | {"n": "many", "text": "good xyzzy"},
        known | {"c": "", "text": "zzz qqq"},
    ]
    found = found_in(model, rows, tmp_path, form)
    assert found.misfits == {"n": 1}
    assert found.unseen == {"c": 1}
    assert found.unseen_missing == {"c": 1}
    assert "c: 1 value is missing, and none was in training" in found.lines()
    assert found.words == {"text": (8, 3)}
    assert found.missing_columns == found.extra_columns == ()
    assert any("new" in each and "n is 'many'" in each for each in found.first_misfits)


def test_missing_and_extra_columns_are_named(model, tmp_path):
    found = found_in(model, [{"c": "red", "text": "good", "y": "a", "more": 1}], tmp_path, "jsonl")
    assert found.missing_columns == ("n",)
    assert found.extra_columns == ("more",)
    assert any("more" in line for line in found.lines())
    assert found.as_dict()["missing_columns"] == ["n"]


def test_counts_add_up_over_blocks_and_the_first_are_kept():
    findings = Findings()
    for block in range(10):
        findings.add_misfits([Misfits("a", 3, (f"{block}:1", f"{block}:2", f"{block}:3"))])
        findings.add_unseen("c", block % 2)
        findings.add_words("t", 10, block)
    assert findings.misfits == {"a": 30}
    assert findings.first_misfits == ["0:1", "0:2", "0:3", "1:1", "1:2"]
    assert findings.unseen == {"c": 5}
    assert findings.as_dict()["unknown_words"] == {"t": 0.45}
    assert len(findings.lines()) == 1 + 5 + 1 + 1


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_numbers_that_are_missing_where_none_was_are_counted(model, tmp_path, form):
    known = {"n": 1.5, "c": "red", "text": "good film", "y": "a"}
    rows = [known, known | {"n": ""}, known | {"n": "NA"}, known | {"n": "many"}]
    found = found_in(model, rows, tmp_path, form)
    assert found.misfits == {"n": 1}
    assert found.as_dict()["unseen_missing"] == {"n": 2}
    assert "n: 2 values are missing, and none was in training" in found.lines()
    holed = {"n": [i % 7 + 0.5 if i else None for i in range(ROWS)], "y": ["a", "b"] * 30}
    seen = linnet.train(holed, target="y", learner="adaptive")
    assert not seen.check([{"n": None}] * 2)
    assert not seen.check({"n": [None, 1.0]})
