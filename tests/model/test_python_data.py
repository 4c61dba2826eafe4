"""Data as Python users hold them mean what they look like, or fail with one clear line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import linnet
from linnet.errors import InputError

TEXTS = ["good fine", "dull bad", "good", "bad"]


@pytest.fixture(scope="module")
def texts():
    return linnet.train({"text": TEXTS[:2] * 30, "y": ["a", "b"] * 30}, "y", columns={"text": "text"})


@pytest.fixture(scope="module")
def table():
    colours = ["red", "blue", "red", "green"] * 15
    columns = {"id": range(60), "x": [-1.0, 1.0] * 30, "colour": colours, "y": ["a", "b"] * 30, "z": [0.5, 2.0] * 30}
    return linnet.train(pd.DataFrame(columns), "y", columns={"id": "id"})


@pytest.fixture(scope="module")
def numbers():
    x = np.linspace(-1, 1, 80)
    return linnet.train({"x": x, "z": x**2, "y": 3 * x - x**2}, "y", penalty="none")


@pytest.fixture(scope="module")
def numbered():
    return linnet.train((np.array([[-1.0, 0.0], [1.0, 0.5]] * 30), np.array([0, 1] * 30)))


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.array,
        lambda each: np.array(each, dtype=object),
        pd.Series,
        lambda each: pd.Series(each, name="other", index=[9, 8, 7, 6]),
        pl.Series,
        pa.array,
        lambda each: pa.chunked_array([each]),
        lambda each: pd.DataFrame({"text": each}),
        lambda each: pl.DataFrame({"text": each}),
        lambda each: {"text": each},
        lambda each: [{"text": text} for text in each],
        lambda each: [[text] for text in each],
        lambda each: np.array([each]).T,
    ],
)
def test_texts_in_every_form(texts, form):
    assert texts.predict(form(TEXTS)).tolist() == ["a", "b", "a", "b"]
    assert texts.predict_proba(form(TEXTS)).shape == (4, 2)


def test_one_text_is_given_in_a_list_and_a_string_is_a_path(texts, tmp_path):
    assert texts.predict([TEXTS[0]]).tolist() == ["a"]
    assert texts.predict({"text": TEXTS[1]}).tolist() == ["b"]
    with pytest.raises(InputError, match=r"no file 'good fine': a text to predict is given in a list, \['good fine'\]"):
        texts.predict("good fine")
    (tmp_path / "t.txt").write_text("good\nbad\n")
    assert texts.predict(str(tmp_path / "t.txt")).tolist() == ["a", "b"]
    assert texts.predict(tmp_path / "t.txt").tolist() == ["a", "b"]
    assert texts.predict([str(tmp_path / "t.txt")] * 2).tolist() == ["a", "b"] * 2
    assert texts.predict([str(tmp_path / "t.txt"), "dull"]).shape == (2,)  # not both are files: texts


ROWS = [[-1.0, "red", 0.5], [1.0, "blue", 2.0], [-1.0, "green", 0.5]]


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: rows,
        lambda rows: [tuple(row) for row in rows],
        lambda rows: np.array(rows, dtype=object),
        lambda rows: [[7, *row] for row in rows],  # with the id, as the table has it
        lambda rows: pd.DataFrame(rows, columns=["x", "colour", "z"]),
        lambda rows: pl.DataFrame(rows, schema=["x", "colour", "z"], orient="row"),
        lambda rows: [dict(zip(("x", "colour", "z"), row, strict=True)) for row in rows],
        lambda rows: dict(zip(("x", "colour", "z"), zip(*rows, strict=True), strict=True)),
    ],
)
def test_rows_of_a_table_in_every_form(table, form):
    assert table.predict(form(ROWS)).tolist() == ["a", "b", "a"]


def test_one_row_as_a_dictionary_or_a_row_of_a_frame(table):
    frame = pd.DataFrame(ROWS, columns=["x", "colour", "z"])
    assert table.predict(frame.iloc[1]).tolist() == ["b"]
    assert table.predict(frame.iloc[1].to_dict()).tolist() == ["b"]


def test_arrays_of_numbers_are_in_the_order_of_the_columns(numbers, numbered):
    X = np.array([[0.5, 0.25], [1.0, 1.0]])
    np.testing.assert_allclose(numbers.predict(X), [1.25, 2.0], atol=1e-6)
    np.testing.assert_allclose(numbers.predict(X.tolist()), [1.25, 2.0], atol=1e-6)
    np.testing.assert_allclose(numbers.predict(X.astype(np.float32)), [1.25, 2.0], atol=1e-6)
    for form in (np.asarray, list, scipy.sparse.csr_array, lambda each: each.tolist()):
        assert numbered.predict(form(np.array([[-1.0, 0.0], [1.0, 0.5]]))).tolist() == [0, 1]


def test_nothing_to_predict_gives_nothing(texts, table, numbers):
    for model, data in (
        (texts, []),
        (texts, pd.Series([], dtype=str)),
        (texts, {"text": []}),
        (table, pd.DataFrame(ROWS, columns=["x", "colour", "z"])[:0]),
        (numbers, np.empty((0, 2))),
    ):
        assert model.predict(data).shape == (0,)
    assert texts.predict_proba([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("model", "data", "message"),
    [
        ("table", [1.0, 2.0], r"values of one column, the model needs 3 columns \(x, colour, z\)"),
        ("table", pd.Series([1.0, 2.0], name="x"), "values of one column, the model needs 3 columns"),
        ("table", [[1.0, "red"]], r"rows have 2 values, the model needs 3 columns \(x, colour, z\), in this order"),
        ("table", [[1.0, "red", 2.0], [1.0]], "must have one length"),
        ("table", [{"x": 1.0}, [1.0]], "must be of one kind"),
        ("table", np.zeros((2, 2, 2)), r"must have rows and columns, not the shape \(2, 2, 2\)"),
        ("table", scipy.sparse.eye(3).tocsr(), "a sparse matrix has numbered columns"),
        ("table", (row for row in ROWS), "not generator"),
        ("table", 7, "not int"),
        ("table", None, "not NoneType"),
        ("numbers", np.zeros(2), r"of one row: reshape\(1, -1\)"),
        ("numbered", np.zeros(2), r"of one row: reshape\(1, -1\)"),
        ("numbered", [["a", "b"]], "must be numbers"),
        ("numbered", pd.Series([1.0]), "the model needs 2 numbered columns: give a matrix"),
        ("texts", [1.0, "b", object()], "must be of one kind"),
    ],
)
def test_anything_else_fails_with_one_clear_line(model, data, message, request):
    with pytest.raises(InputError, match=message) as raised:
        request.getfixturevalue(model).predict(data)
    assert "\n" not in str(raised.value)


def test_a_model_shows_its_plan_and_its_warnings(capsys, rng):
    columns = {"x": rng.normal(size=400), "y": rng.choice(["a", "b"], 400)}
    model = linnet.train(columns, "y", verbose=True)
    plan = capsys.readouterr().out
    assert plan.splitlines() == str(model.plan).splitlines()
    assert plan.startswith("data           frame, 2 columns, types from the first 400 rows\n               x  number ")
    assert "task           classification  the target is text" in plan
    assert "number" in model._repr_html_()
    assert "accuracy" in model._repr_html_()
    linnet.train(columns, "y")
    assert capsys.readouterr() == ("", "")


def test_what_the_command_line_prints_as_a_warning_python_warns_of(rng):
    from linnet.model.model_warnings import warnings_of

    noise = {"x": rng.normal(size=400), "y": rng.choice(["a", "b"], 400)}
    with pytest.warns(linnet.LinnetWarning) as found:
        model = linnet.train(noise, "y", learner="logistic-regression", max_iter=1, tol=1e-12, C=1.0)
    assert [str(each.message) for each in found] == warnings_of(model)
    assert any("max_iter" in str(each.message) and "--" not in str(each.message) for each in found)
    assert all(each.filename == __file__ for each in found)


def test_a_loaded_model_has_its_columns_and_task_as_plan(table, tmp_path):
    table.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert [line.text for line in again.plan.lines()][1:] == [line.text for line in table.plan.lines()][1:]
    assert again.record == table.record


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        ({"x": ["oops", "1", "2"]}, "x: 1 value does not fit"),
        ({"colour": ["red", "mauve", "teal"]}, "colour: 2 rows have categories that the model does not know"),
        ({"more": [1, 2, 3]}, "was not in the training data, and is not used: more"),
    ],
)
def test_python_warns_of_what_the_model_does_not_know(table, spoilt, message):
    columns = {"x": [1.0, -1.0, 1.0], "colour": ["red", "blue", "red"], "z": [0.5, 2.0, 0.5], "y": ["a", "b", "a"]}
    frame = pd.DataFrame({**columns, **spoilt})
    with pytest.warns(linnet.LinnetWarning, match=message) as found:
        table.predict(frame)
    assert found[0].filename == __file__
    with pytest.warns(linnet.LinnetWarning, match=message) as found:
        table.evaluate(frame)
    assert found[0].filename == __file__
    if "more" not in spoilt:
        with pytest.warns(linnet.LinnetWarning, match=message):
            table.predict(frame.to_dict("records"))


def test_a_list_of_dictionaries_trains_and_is_evaluated(texts):
    rows = [{"text": text, "y": label} for text, label in zip(TEXTS, "abab", strict=True)] * 20
    model = linnet.train(rows, "y", columns={"text": "text"})
    assert model.evaluate(rows).accuracy == 1.0
    assert texts.evaluate(rows).accuracy == 1.0
