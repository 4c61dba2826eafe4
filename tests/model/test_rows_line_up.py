"""The n-th prediction is that of the n-th row, whatever rows cannot be read, and however the data are cut."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linnet
from linnet.data.on_error import BadRows, OnError
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import open_data
from tests.cli.calling import call

WORDS = {"a": "good fine", "b": "dull bad"}
# A row is a label that its prediction must have, or None where it cannot be read.
ROWS = st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=40)
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def texts():
    return linnet.train({"text": [*WORDS.values()] * 30, "y": [*WORDS] * 30}, "y", columns={"text": "text"})


@pytest.fixture(scope="module")
def table():
    columns = {"id": list(range(60)), "x": [-1.0, 1.0] * 30, "y": ["a", "b"] * 30}
    return linnet.train(columns, "y", columns={"id": "id"})


@pytest.fixture(scope="module")
def numbered():
    return linnet.train((np.array([[-1.0], [1.0]] * 30), np.array([0, 1] * 30)))


def aligned(model, data, form=None, chunk=None):
    opened = open_data(data, None if form is None else Format(form), chunk_size=chunk)
    source = model.open(opened, labelled=False, strict=True)
    found = list(model.predicted(source, BadRows(OnError.SKIP), threads=2))
    labels = [label for each in found for label in each.labels.tolist()]
    ids = [row for each in found for row in each.ids.get("id", [])]
    p = [row for each in found if each.probabilities is not None for row in each.probabilities.tolist()]
    assert [label is None for label in labels] == [bool(np.isnan(row).all()) for row in p]
    return labels, ids


def number_of(label):
    return {"a": "-1", "b": "1"}[label]


@MANY
@given(rows=ROWS, chunk=st.sampled_from([None, 1, 20, 64]), blank=st.booleans())
def test_csv(table, tmp_path, rows, chunk, blank):
    bad = ["{},oops,more", "{},oops", "{},inf"]
    lines = [f"{i},{number_of(each)}" if each else bad[i % 3].format(i) for i, each in enumerate(rows)]
    path = tmp_path / "t.csv"
    path.write_text("id,x\n" + "".join(f"{line}\n" + "\n" * (blank and i % 2) for i, line in enumerate(lines)))
    labels, ids = aligned(table, [str(path)], chunk=chunk) if any(rows) else (rows, None)
    assert labels == rows
    assert ids is None or ids == [i if each else None for i, each in enumerate(rows)]


@MANY
@given(rows=ROWS, chunk=st.sampled_from([None, 1, 40]))
def test_json_lines(table, tmp_path, rows, chunk):
    bad = ['{{"id": {}, "x": "oops"}}', '{{"id": {}, "x"', "[{}]"]
    lines = [
        json.dumps({"id": i, "x": float(number_of(each))}) if each else bad[i % 3].format(i)
        for i, each in enumerate(rows)
    ]
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": -1, "x": -1.0}\n' + "\n".join(lines) + "\n")
    labels, ids = aligned(table, [str(path)], "jsonl", chunk)
    assert labels == ["a", *rows]
    assert ids == [-1, *(i if each else None for i, each in enumerate(rows))]


@MANY
@given(rows=ROWS, chunk=st.sampled_from([None, 1, 40]), between=st.sampled_from([", ", ",\n", "\n,"]))
def test_json_array(table, tmp_path, rows, chunk, between):
    """Several objects on one line are told apart."""
    bad = ['{{"id": {}, "x": "oops"}}', '{{"id": {}, "x": 1e999}}', "[{}]"]
    objects = [
        json.dumps({"id": i, "x": float(number_of(each))}) if each else bad[i % 3].format(i)
        for i, each in enumerate(rows)
    ]
    path = tmp_path / "t.json"
    path.write_text("[" + between.join(['{"id": -1, "x": -1.0}', *objects]) + "]\n")
    labels, ids = aligned(table, [str(path)], "json", chunk)
    assert labels == ["a", *rows]
    assert ids == [-1, *(i if each else None for i, each in enumerate(rows))]


@MANY
@given(rows=ROWS, chunk=st.sampled_from([None, 1, 16]))
def test_svmlight(numbered, tmp_path, rows, chunk):
    lines = [
        f"0 0:{number_of(each)}" if each else ("0 0:x", "x 0:1", "0 0:1 0:1")[i % 3] for i, each in enumerate(rows)
    ]
    path = tmp_path / "t.svm"
    path.write_text("\n".join(lines) + "\n")
    labels, _ = aligned(numbered, [str(path)], chunk=chunk)
    assert labels == [None if each is None else "ab".index(each) for each in rows]


@MANY
@given(rows=ROWS, chunk=st.sampled_from([None, 1, 16]))
def test_labelled_and_plain_text(texts, tmp_path, rows, chunk):
    marked, plain = tmp_path / "t.tsv", tmp_path / "t.txt"
    marked.write_bytes(b"".join(b"?\t%s\n" % WORDS[each].encode() if each else b"no tab\n" for each in rows))
    assert aligned(texts, [str(marked)], "labelled-text", chunk)[0] == rows
    plain.write_bytes(b"".join(WORDS[each].encode() + b"\n" if each else b"\xff\xfe\n" for each in rows))
    found = texts.predict(str(plain), "text", on_error="skip")
    assert found.tolist() == rows


@MANY
@given(rows=ROWS)
def test_tables_in_memory_and_parquet(table, tmp_path, rows):
    x = [float(number_of(each)) if each else np.inf for each in rows]
    columns = {"id": list(range(len(rows))), "x": x}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=7)
    ids = [i if each else None for i, each in enumerate(rows)]
    assert aligned(table, [str(tmp_path / "t.parquet")], chunk=3) == (rows, ids)
    assert aligned(table, pd.DataFrame(columns), chunk=4) == (rows, ids)


@MANY
@given(rows=ROWS)
def test_dictionaries(numbered, rows):
    given = [{0: float(number_of(each)) if each else "oops"} for each in rows]
    found = numbered.predict(given, on_error="skip")
    assert found.tolist() == [None if each is None else "ab".index(each) for each in rows]
    p = numbered.predict_proba(given, on_error="skip")
    assert np.isnan(p).all(axis=1).tolist() == [each is None for each in rows]


def test_a_folder_with_files_that_are_not_text(tmp_path, rng):
    for label, words in WORDS.items():
        (tmp_path / "train" / label).mkdir(parents=True)
        for i in range(30):
            (tmp_path / "train" / label / f"{i}.txt").write_text(words)
    model = linnet.train(tmp_path / "train")
    rows = [str(rng.choice(["a", "b", ""])) for _ in range(30)]
    (tmp_path / "asked" / "c").mkdir(parents=True)
    for i, each in enumerate(rows):
        (tmp_path / "asked" / "c" / f"{i:02}").write_bytes(WORDS[each].encode() if each else b"\0")
    assert aligned(model, str(tmp_path / "asked"), chunk=100)[0] == [each or None for each in rows]


def test_a_block_used_in_parts_has_its_bad_rows_in_their_places(tmp_path, rng):
    """Rows of very many n-grams are cut into parts, and the bad rows of the block come with the first."""
    import linnet.data.features.feature_map as module
    from linnet.data.features.entry_limits import entry_cuts

    model = linnet.train({"text": [*WORDS.values()] * 30, "y": [*WORDS] * 30}, "y", columns={"text": "text"})
    rows = [str(rng.choice(["a", "b", ""])) for _ in range(200)]
    path = tmp_path / "t.tsv"
    path.write_text("".join(f"?\t{WORDS[each]}\n" if each else "no tab\n" for each in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "entry_cuts", lambda block, *_: list(range(7, block.rows, 7)))
        assert module.entry_cuts is not entry_cuts
        assert aligned(model, [str(path)], "labelled-text")[0] == [each or None for each in rows]


# -- as a user types it ------------------------------------------------------------------------------------------------


@pytest.fixture
def spoilt(table, texts, tmp_path):
    table.save(tmp_path / "table")
    texts.save(tmp_path / "texts")
    lines = ["id,x", "1,-1", "2", "", "3,1", "4,1,1", "5,-1"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_every_form_of_output_has_a_row_for_every_row_of_the_data(spoilt):
    arguments = (spoilt / "table", spoilt / "t.csv", "--on-error", "skip")
    done = call("predict", *arguments)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["prediction"] for row in rows] == ["a", "", "b", "", "a"]
    assert [row["id"] for row in rows] == ["1", "", "3", "", "5"]
    assert [bool(row["probability:a"]) for row in rows] == [True, False, True, False, True]
    assert "2 rows could not be read: their predictions are empty" in done.stderr
    assert f"{spoilt / 't.csv'}:3" in done.stderr
    lines = [json.loads(line) for line in call("predict", *arguments, "--json").stdout.splitlines()]
    assert [line["prediction"] for line in lines] == ["a", None, "b", None, "a"]
    assert [line["probabilities"] is None for line in lines] == [False, True, False, True, False]
    assert call("predict", *arguments, "--as", "labels").stdout == "a\n\nb\n\na\n"
    piped = call("predict", spoilt / "table", "-", "--on-error", "skip", stdin=(spoilt / "t.csv").read_text())
    assert piped.stdout == done.stdout


def test_a_blank_line_of_plain_text_is_a_text(spoilt, texts):
    done = call("predict", spoilt / "texts", "--as", "labels", stdin="good fine\n\ndull bad\n\n")
    empty = texts.predict([""])[0]
    assert done.stdout.splitlines() == ["a", empty, "b", empty]
    assert call("predict", spoilt / "texts", "--as", "labels", stdin="\n\n").stdout.splitlines() == [empty] * 2
    crlf = call("predict", spoilt / "texts", "--as", "labels", "--format", "text", stdin="good fine\r\n\r\ndull bad")
    assert crlf.stdout.splitlines() == ["a", empty, "b"]


def test_python_warns_of_unread_rows_and_fails_by_default(spoilt, table):
    with pytest.warns(linnet.LinnetWarning, match=r"2 rows could not be read.*t\.csv:3"):
        assert table.predict(spoilt / "t.csv", on_error="skip").tolist() == ["a", None, "b", None, "a"]
    with pytest.raises(linnet.InputError, match=r"t\.csv:3"):
        table.predict(spoilt / "t.csv")
    with pytest.raises(linnet.RecipeError, match="skip or fail"):
        table.predict(spoilt / "t.csv", on_error="quarantine")


def test_numbers_that_cannot_be_predicted_are_nan(tmp_path):
    columns = {"x": [i % 10 + 0.5 for i in range(100)], "y": [2.0 * (i % 10) + 1 for i in range(100)]}
    model = linnet.train(columns, "y", task="regression")
    (tmp_path / "t.csv").write_text("x\n1\n2,3\n3\n")
    found = model.predict(tmp_path / "t.csv", on_error="skip")
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [2.0, np.nan, 6.0], atol=0.5)
