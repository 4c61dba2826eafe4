"""One table, in every form and cut: the same types, the same model to the byte, the same predictions."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

import linnet
from linnet.data.column_types import Kind
from linnet.data.features.schema import Role
from tests.data.tables import FILES, FRAMES, dictionaries, form_of, table

ROLES = {
    "row": Role.ID, "x": Role.NUMBER, "count": Role.NUMBER, "ratio": Role.NUMBER, "dollars": Role.NUMBER,
    "euros": Role.NUMBER, "share": Role.NUMBER, "mass": Role.NUMBER, "spelt": Role.NUMBER, "flag": Role.CATEGORY,
    "smoker": Role.CATEGORY, "day": Role.DATE, "moment": Role.DATE, "logged": Role.DATE, "german": Role.DATE,
    "american": Role.DATE, "named": Role.DATE, "colour": Role.CATEGORY, "text": Role.TEXT, "code": Role.ID,
    "visits": Role.NUMBER, "budget": Role.NUMBER, "y": Role.TARGET,
}  # fmt: skip


def trained(data, **options):
    return linnet.train(data, target="y", **{"learner": "adaptive", "holdout": 0, **options})


def model_bytes(model, path) -> bytes:
    model.save(path)
    return path.read_bytes()


def kinds(model):
    return {name: str(kind) for name, kind in model.features.schema.types.items()}


@pytest.mark.parametrize("learner", ["adaptive", "logistic-regression", "naive-bayes-gaussian"])
def test_every_form_of_a_table_gives_the_same_model(learner, tmp_path):
    columns = table(len(learner))
    options = {"learner": learner, "C": 1.0} if learner == "logistic-regression" else {"learner": learner}
    first = trained(form_of(columns, "csv", tmp_path), **options)
    assert dict(first.features.schema.roles) == ROLES
    wanted, answers = model_bytes(first, tmp_path / "first"), first.predict_proba(form_of(columns, "csv", tmp_path))
    for form in (*FILES, *FRAMES):
        data = form_of(columns, form, tmp_path)
        model = trained(data, **options)
        assert kinds(model) == kinds(first), form
        assert model_bytes(model, tmp_path / "other") == wanted, form
        np.testing.assert_array_equal(first.predict_proba(data), answers, err_msg=form)
    np.testing.assert_array_equal(first.predict_proba(dictionaries(columns)), answers)


@pytest.mark.parametrize("form", FILES)
def test_a_table_cut_into_files_gives_the_same_model(form, tmp_path):
    columns = table(7)
    whole = trained(form_of(columns, form, tmp_path))
    cut = trained(form_of(columns, form, tmp_path, (1, 40, 41, 90)))
    assert model_bytes(cut, tmp_path / "a") == model_bytes(whole, tmp_path / "b")


@pytest.mark.parametrize("form", FILES)
def test_the_order_of_files_does_not_change_the_types(form, tmp_path):
    columns = table(8)
    paths = form_of(columns, form, tmp_path, (30, 60, 100))
    several = [trained(order) for order in (paths, paths[::-1], paths[2:] + paths[:2])]
    assert kinds(several[0]) == kinds(several[1]) == kinds(several[2])
    roles = [{name: role for name, role in each.features.schema.roles.items() if name != "row"} for each in several]
    assert roles[0] == roles[1] == roles[2]
    means = [
        linnet.train(order, target="y", learner="logistic-regression", C=1.0, holdout=0)
        for order in (paths, paths[::-1])
    ]
    np.testing.assert_allclose(means[0].predict_proba(paths), means[1].predict_proba(paths), atol=1e-5)


SPOILT = {
    "x": "soon", "dollars": "$12.5.1", "euros": "12,5,1 €", "share": "all%", "mass": "4 lb", "spelt": "12e",
    "german": "31.02.2020", "american": "13/13/2020", "logged": "soon", "named": "5 Foo 2020", "moment": "later",
    "day": "2020-02-30", "count": "two", "visits": "5G", "budget": "$5kg",
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_one_spoilt_value_changes_the_treatment_of_that_value_alone(name, tmp_path):
    columns = table(9)
    at = next(
        i
        for i, value in enumerate(columns[name])
        if i > 20 and value not in (None, "") and str(value)[0] in "$0123456789-("
    )
    spoilt = {each: list(values) for each, values in columns.items()}
    gone = {each: list(values) for each, values in columns.items()}
    spoilt[name][at], gone[name][at] = SPOILT[name], None if not isinstance(columns[name][at], str) else ""
    model = trained(form_of(spoilt, "csv", tmp_path / "spoilt"))
    without = trained(form_of(gone, "csv", tmp_path / "gone"))
    assert kinds(model) == kinds(without)
    assert model.record.misfits == {name: 1}
    np.testing.assert_array_equal(model.linear.weights, without.linear.weights)
    # and in a file to predict
    asked = model.predict_proba(form_of(spoilt, "csv", tmp_path / "spoilt"))
    np.testing.assert_array_equal(asked, model.predict_proba(form_of(gone, "csv", tmp_path / "gone")))
    np.testing.assert_array_equal(asked, model.predict_proba(form_of(spoilt, "jsonl", tmp_path / "spoilt")))
    np.testing.assert_array_equal(asked, model.predict_proba(dictionaries(spoilt)))


def test_a_given_role_decides_the_type_and_what_does_not_fit_is_counted(tmp_path):
    columns = {"amount": ["1.5", "x", "2,5", "$4", ""] * 20, "day": ["20240405", "soon", "5 Apr 2024", "-", "x"] * 20,
               "y": ["a", "b"] * 50}  # fmt: skip
    for form in ("csv", "pandas", "jsonl"):
        model = trained(form_of(columns, form, tmp_path), columns={"amount": "number", "day": "date"})
        assert model.features.schema.types["day"].kind is Kind.DATE
        assert model.record.misfits == {"amount": 60, "day": 40}
        assert model.features.schema.reasons["amount"] == "given; 60 values do not fit"


def test_given_markers_are_missing_in_every_form(tmp_path):
    columns = {
        "n": [1.5, 999.0, 2.0, 3.5] * 20, "c": ["red", "n.k.", "blue", "red"] * 20, "y": ["a", "b", "b", "a"] * 20,
    }  # fmt: skip
    models = [trained(form_of(columns, form, tmp_path), missing=["999", "n.k."]) for form in (*FILES, *FRAMES)]
    assert {model_bytes(each, tmp_path / "m") for each in models} == {model_bytes(models[0], tmp_path / "m")}
    assert models[0].features.names()[:5] == ["n", "n is missing", "c=red", "c is missing", "c=blue"]
    asked = [{"n": 999, "c": "N.K."}, {"n": None, "c": None}, {"n": "999.0", "c": " n.k."}]
    assert len({tuple(each) for each in models[0].predict_proba(asked).tolist()}) == 1


def test_numbers_mean_what_they_spell(tmp_path):
    columns = table(3)
    model = trained(form_of(columns, "csv", tmp_path))
    block = model.features.block_of(
        [
            {
                "dollars": "($1,219.01)",
                "euros": "1.219,01 €",
                "share": "12.5 %",
                "mass": "7kg",
                "spelt": "1e3",
                "count": 4,
                "visits": "4.35k",
                "budget": "($1.1bn)",
            }
        ]
    )
    wanted = {"dollars": -1219.01, "euros": 1219.01, "share": 12.5, "mass": 7, "spelt": 1000, "count": 4,
              "visits": 4350, "budget": -1100000000}  # fmt: skip
    assert {name: block.columns[name].values[0] for name in wanted} == wanted


def test_dates_mean_the_same_day_in_every_spelling(tmp_path):
    model = trained(form_of(table(3), "csv", tmp_path))
    given = {"german": "05.04.2024", "american": "04/05/2024", "named": "5 April 2024", "day": "2024-04-05"}
    block = model.features.block_of([given | {"moment": datetime(2024, 4, 5), "logged": "2024-04-05T02:00:00+02:00"}])
    days = {block.columns[name].values[0] for name in (*given, "moment", "logged")}
    assert days == {datetime.fromisoformat("2024-04-05T00:00:00+00:00").timestamp()}


def test_a_column_that_is_nearly_always_a_date_stays_one(tmp_path):
    """One slip made it 875 categories, and one at prediction made all other dates unreadable."""
    rows = 2000
    rng = np.random.default_rng(1)
    days = [f"{2010 + n % 12}-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in rng.integers(0, 10**6, rows)]
    target = ["a" if day[3] in "02468" else "b" for day in days]
    columns = {"when": days, "y": target}
    slip = {"when": ["soon", *days[1:]], "y": target}
    for form in ("csv", "parquet", "pandas", "jsonl"):
        good, bad = form_of(columns, form, tmp_path / "good"), form_of(slip, form, tmp_path / "bad")
        model = trained(bad)
        assert model.features.schema.types["when"].kind is Kind.DATE
        assert model.record.misfits == {"when": 1}
        clean = trained(good)
        assert list(clean.predict(bad))[1:] == list(clean.predict(good))[1:]


def test_files_with_and_without_fractions_of_seconds_train_in_any_order(tmp_path):
    whole = {"at": [f"2024-01-{1 + n % 28:02d} 10:00:{n % 60:02d}" for n in range(80)], "y": ["a", "b"] * 40}
    fractions = {"at": [f"{text}.125" for text in whole["at"]], "y": whole["y"]}
    for form in FILES:
        first = form_of(whole, form, tmp_path / "whole")
        second = form_of(fractions, form, tmp_path / "fractions")
        for order in (first + second, second + first):
            model = trained(order)
            assert model.features.schema.types["at"].kind is Kind.DATE
            assert model.record.misfits == {}
            assert len(model.predict(order)) == 160


@pytest.mark.parametrize("kind", ["whole", "truth", "money", "missing"])
def test_targets_mean_the_same_in_every_form(kind, tmp_path):
    columns = {name: values for name, values in table(5, 60).items() if name in ("x", "count", "colour", "day")}
    made = {
        "whole": lambda x, _: int(x > 0), "truth": lambda x, _: bool(x > 0),
        "money": lambda x, _: f"${abs(x) * 1e4:,.2f}",
        "missing": lambda x, at: None if at % 9 == 0 else int(x > 0),
    }[kind]  # fmt: skip
    columns["y"] = [made(x, at) for at, x in enumerate(columns["x"])]
    models = [trained(form_of(columns, form, tmp_path), learner="auto", on_error="skip") for form in (*FILES, *FRAMES)]
    assert len({model_bytes(each, tmp_path / "m") for each in models}) == 1
    assert len({str(each.classes) for each in models}) == 1
    assert models[0].record.rejected_rows == (7 if kind == "missing" else 0)
