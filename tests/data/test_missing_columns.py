"""A file without a column that the model was trained on: the same in every format, reported, and an error if asked."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import linnet
from tests.cli.calling import call

FORMS = ("csv", "tsv", "jsonl", "parquet", "pandas", "polars", "arrow")


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=80), rng.normal(size=80)
    colours = np.array(["red", "blue"])[(z > 0).astype(int)]
    return linnet.train({"x": x, "z": z, "colour": colours, "y": np.where(x > 0, "a", "b")}, target="y")


def form_of(frame, form, folder):
    path = str(folder / f"new.{form}")
    if form in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif form == "parquet":
        frame.to_parquet(path)
    else:
        return {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame),
                "arrow": lambda: pa.Table.from_pandas(frame)}[form]()  # fmt: skip
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_is_not_there_is_missing_in_every_row_and_reported(model, form, tmp_path):
    whole = pd.DataFrame({"x": [1.5, -2.0], "z": [None, None], "colour": [None, None]}).astype({"z": float})
    data = form_of(pd.DataFrame({"x": [1.5, -2.0], "more": ["u", "v"]}), form, tmp_path)
    with pytest.warns(linnet.DataWarning, match="2 columns are in no row, and taken as missing: z, colour") as caught:
        found = model.predict_proba(data)
    np.testing.assert_allclose(found, model.predict_proba(whole), rtol=1e-12)
    findings = caught[0].message.findings
    assert findings.missing_columns == ("z", "colour")
    assert findings.extra_columns == ("more",)
    assert model.check(data).as_dict() == findings.as_dict()


@pytest.mark.parametrize("form", FORMS)
def test_data_without_any_column_of_the_model_are_refused(model, form, tmp_path):
    data = form_of(pd.DataFrame({"u": [1.5], "v": [2.0]}), form, tmp_path)
    with pytest.raises(linnet.InputError, match=r"no column 'x' .and 2 more., which the model needs: there are u, v"):
        model.predict(data)


@pytest.mark.parametrize("form", FORMS)
def test_data_without_the_target_are_not_evaluated(model, form, tmp_path):
    data = form_of(pd.DataFrame({"x": [1.5], "z": [2.0], "colour": ["red"]}), form, tmp_path)
    with pytest.raises(linnet.InputError, match="no column 'y'"):
        model.evaluate(data)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_missing_column_is_an_error_if_asked(model, form, tmp_path):
    model.save(tmp_path / "m")
    path = form_of(pd.DataFrame({"x": [1.5], "z": [2.0]}), form, tmp_path)
    done = call("predict", str(tmp_path / "m"), path)
    assert done.returncode == 0, done.stderr
    assert "1 column is in no row, and taken as missing: colour" in done.stderr
    done = call("predict", str(tmp_path / "m"), path, "--on-misfit", "error")
    assert done.returncode == 3
    assert "no column 'colour', which the model needs" in done.stderr


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_column_that_a_later_file_lacks_is_missing_there(model, form, tmp_path):
    (tmp_path / "b").mkdir()
    whole = pd.DataFrame({"x": [1.5, 0.1], "z": [2.0, -1.0], "colour": ["red", "blue"]})
    paths = [form_of(whole, form, tmp_path), form_of(whole.drop(columns="z"), form, tmp_path / "b")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.predict_proba(paths)
        holed = model.predict_proba(pd.concat([whole, whole.assign(z=np.nan)], ignore_index=True))
    np.testing.assert_allclose(found, holed, rtol=1e-12)
    if form != "jsonl":  # where a key may be left out of any row
        with pytest.warns(linnet.DataWarning, match="the column 'z' is missing: 2 rows"):
            model.predict(paths)


def test_nothing_odd_is_nothing_to_report(model):
    assert not model.check({"x": 1.0, "z": 1.0, "colour": "red"})
    found = model.check([{"x": "soon", "z": 1.0, "colour": "pink"}])
    assert found.misfits == {"x": 1}
    assert found.unseen == {"colour": 1}
