"""What is read otherwise than it looks is counted in the record, reported with its place, and part of the plan."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.data.on_error import OnError
from linnet.data.sources.formats import StrayQuotes
from linnet.errors import InputError, LinnetWarning, RecipeError
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.train import train

HEADER = "size,colour,y"


def table(rows, *, stray=()):
    lines = [f"{i % 7},{'red' if i % 3 else 'blue'},{'yes' if i % 2 else 'no'}" for i in range(rows)]
    for i in stray:
        lines[i] = f'{i % 7},"red,yes'
    return lines


def write(folder, name, lines, encoding="utf-8"):
    (folder / name).write_bytes(("\n".join(lines) + "\n").encode(encoding))
    return str(folder / name)


def test_stray_quotes_are_counted_and_reported_with_the_first_line(tmp_path):
    path = write(tmp_path, "a.csv", [HEADER, *table(120, stray=[40, 90])])
    with pytest.warns(LinnetWarning, match=r"taken literally: 2 rows, first .*a\.csv:42"):
        model = linnet.train(path, target="y")
    assert model.record.rows == 120
    assert list(model.record.notes.values()) == [2]
    model.save(tmp_path / "m.linnet")
    assert linnet.load(tmp_path / "m.linnet").record.notes == model.record.notes
    with pytest.raises(InputError, match=r"a\.csv:42:3: a quote at the beginning of a field"):
        train(path, TrainOptions(target="y", stray_quotes="error"))
    skipped = train(path, TrainOptions(target="y", stray_quotes=StrayQuotes.ERROR, on_error=OnError.SKIP))
    assert (skipped.record.rows, skipped.record.rejected_rows) == (118, 2)


def test_columns_that_a_file_lacks_or_adds_are_counted_by_rows(tmp_path):
    first = write(tmp_path, "a.csv", [HEADER, *table(60)])
    second = write(tmp_path, "b.csv", ["y,more,size", *(f"{'yes' if i % 2 else 'no'},9,{i % 7}" for i in range(40))])
    model = train([first, second], TrainOptions(target="y"))
    assert model.record.rows == 100
    assert model.record.notes == {
        "the column 'colour' is missing": 40,
        "the column 'more' is ignored, for the first file has none of that name": 40,
    }
    assert "colour is missing" in model.features.names()


def test_an_encoding_does_not_change_the_model(tmp_path):
    lines = ["größe,y", *(f"{'schön' if i % 3 else 'häßlich'},{i % 2}" for i in range(90))]
    expected = train(write(tmp_path, "a.csv", lines), TrainOptions(target="y"))
    for encoding in ("utf-16", "windows-1252", "utf-8-sig"):
        model = train(write(tmp_path, "b.csv", lines, encoding), TrainOptions(target="y"))
        assert model.features.names() == expected.features.names()
        assert np.array_equal(model.linear.weights, expected.linear.weights)
        model.save(tmp_path / "b.linnet")
        expected.save(tmp_path / "a.linnet")
        assert (tmp_path / "a.linnet").read_bytes() == (tmp_path / "b.linnet").read_bytes()
    assert model.record.source == "csv"
    assert train(write(tmp_path, "b.csv", lines, "utf-16"), TrainOptions(target="y")).record.source.endswith("detected")


@pytest.mark.parametrize(("given", "name"), [("last", "y"), ("first", "size"), ("2", "colour"), ("3", "y")])
def test_a_target_may_be_a_place(given, name, tmp_path):
    path = write(tmp_path, "a.csv", [HEADER, *table(60)])
    assert train(path, TrainOptions(target=given)).features.schema.target == name
    path = write(tmp_path, "b.csv", ["a,3,last", *table(60)])
    assert train(path, TrainOptions(target="last", header=True)).features.schema.target == "last"
    assert train(path, TrainOptions(target="3", header=True)).features.schema.target == "3"


def test_an_unknown_target_lists_all_columns_and_doubts_a_header_of_data(tmp_path):
    path = write(tmp_path, "a.csv", [f"{'pe'[i % 2]},{'xyz'[i % 3]}" for i in range(60)])
    with pytest.raises(RecipeError, match=r"columns are p, x; the header looks like data: .*header=False"):
        train(path, TrainOptions(target="class"))
    wide = write(tmp_path, "b.csv", [",".join(f"n{i}" for i in range(90)), ",".join("1" for _ in range(90))])
    with pytest.raises(RecipeError, match=r"n0, n1, .*n88, n89$"):
        train(wide, TrainOptions(target="zzz"))
    with pytest.raises(RecipeError, match=r"which column is the target\? .*first, last, a number from 1, or one of n0"):
        train(wide, TrainOptions())
