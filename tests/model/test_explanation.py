"""Contributions are measured against the average training row, add up to the score, and are of the predicted label."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.data.features.schema import Role, Task
from linnet.errors import ModelFileError, RecipeError
from linnet.learners import catalogue
from linnet.learners.recipe import Averaging, Reduction
from linnet.model.file import load
from linnet.pipeline.train import TrainOptions, train
from linnet.storage import container
from tests.pipeline.every_learner import KINDS, mixed_rows, numbered_rows
from tests.pipeline.making import arrow

ROLES = {"text": Role.TEXT, "colour": Role.CATEGORY, "size": Role.NUMBER, "age": Role.NUMBER}
COUNTING = [entry.name for entry in catalogue.entries() if str(entry.way) == "counting"]
CASES = [
    (entry, kind)
    for entry in catalogue.entries()
    for kind in KINDS
    if (Task.REGRESSION if kind == "numbers" else Task.CLASSIFICATION) in entry.tasks
]
each_case = pytest.mark.parametrize(("entry", "kind"), CASES, ids=[f"{entry.name}-{kind}" for entry, kind in CASES])


def mixed(entry, kind, n=90):
    rows = mixed_rows(kind, n, boolean=entry.values is not None)
    if entry.name in COUNTING:
        rows = [row | {"size": row["size"] and abs(row["size"]), "age": abs(row["age"])} for row in rows]
    return rows


def label_scores(model, scores):
    """(rows, classes): the score of each class as the documentation states it, from the scores of the outputs."""
    classes = len(model.classes or ())
    if classes == 2:
        return np.column_stack([-scores[:, 0], scores[:, 0]])
    if classes == 0 or model.linear.reduction is Reduction.ONE_VS_REST:
        return scores
    if model.linear.reduction is not Reduction.PAIRWISE:
        return scores - scores.mean(axis=1, keepdims=True)
    found, pairs = np.zeros((len(scores), classes)), [(a, b) for a in range(classes) for b in range(a + 1, classes)]
    for score, (a, b) in zip(scores.T, pairs, strict=True):
        found[:, a] -= score / (classes - 1)
        found[:, b] += score / (classes - 1)
    return found


def scores_of(model, data):
    rows = np.concatenate([model.linear.scores(rows) for rows in model._rows_of(data, None)])
    return label_scores(model, rows)


def check_adding_up(model, data):
    frame = model.explain(data)
    predicted = np.asarray(model.predict(data)).tolist()
    own = scores_of(model, data)
    found = frame.groupby("row").contribution.sum().to_numpy()
    if model.classes is None:
        wanted = own[:, 0]
    else:
        codes = [model.classes.index(label) for label in predicted]
        wanted = own[np.arange(len(own)), codes]
        assert frame.drop_duplicates("row").label.tolist() == predicted
    size = 1.0 + np.abs(frame.contribution).groupby(frame.row).sum().to_numpy()
    np.testing.assert_allclose(found / size, wanted / size, rtol=0, atol=1e-9)
    return frame


@each_case
def test_contributions_and_baseline_add_up_to_the_score(entry, kind):
    """For every learner: numbers, categories, text, crosses, missing and unseen values; and for numbered columns."""
    rows = mixed(entry, kind)
    asked = [*rows[:6], rows[0] | {"colour": "octarine", "size": None, "text": "words never seen"}]
    X, y = numbered_rows(kind, 90, boolean=entry.values is not None)
    X = np.abs(X) if entry.name in COUNTING else X
    task = Task.REGRESSION if kind == "numbers" else Task.CLASSIFICATION
    crosses = (("colour", "size"),)
    table = train(arrow(rows), TrainOptions(target="y", learner=entry.name, columns=ROLES, task=task, crosses=crosses))
    numbered = train((X, y), TrainOptions(learner=entry.name, task=task))
    for model, data in ((table, arrow(asked)), (numbered, (X[:7], y[:7]))):
        if entry.recipe.averaging is Averaging.VOTE:
            with pytest.raises(RecipeError, match="vote have no score to explain"):
                model.explain(data)
        else:
            check_adding_up(model, data)


@pytest.mark.parametrize("multiclass", ["joint", "reference", "one-vs-rest", "pairwise"])
def test_of_several_labels_the_predicted_one_is_explained(multiclass):
    entry = catalogue.find("logistic-regression")
    rows = mixed(entry, "four", 200)
    model = linnet.train(arrow(rows), "y", learner=entry.name, columns=ROLES, multiclass=multiclass)
    frame = check_adding_up(model, arrow(rows))
    assert set(frame.label) >= {"no", "maybe"}


@settings(max_examples=25)
@given(st.integers(0, 2**31))
def test_random_tables_add_up_whatever_their_scales(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 80))
    scale, offset = 10.0 ** rng.uniform(-4, 4, 3), rng.choice([0.0, 1.0, 1e4], 3) * rng.choice([-1, 1])
    Z = rng.normal(size=(n, 3))
    X = Z * scale + offset * scale
    X[rng.random((n, 3)) < 0.1] = np.nan
    levels = rng.choice(["a", "b", "c=d", "e is missing"], n)
    y = np.where(Z[:, 0] + rng.normal(size=n) > 0, "yes", "no")
    y[:2] = ["yes", "no"]
    data = {**{f"x{j}": X[:, j] for j in range(3)}, "level": levels, "y": y}
    learner = str(rng.choice(["logistic-regression", "adaptive", "svm"]))
    model = linnet.train(data, "y", learner=learner, columns={"level": "category"})
    check_adding_up(model, data)


@pytest.mark.parametrize("learner", ["logistic-regression", "adaptive", "naive-bayes-gaussian"])
def test_dates_add_up(learner, rng):
    days = rng.integers(0, 1500, 200)
    when = [
        None if rng.random() < 0.1 else str(np.datetime64("2020-01-01T07:30:00") + np.timedelta64(int(d) * 1437, "m"))
        for d in days
    ]
    data = {"when": when, "x": rng.normal(size=200), "y": np.where(days % 7 + rng.normal(size=200) > 3, "yes", "no")}
    model = linnet.train(data, "y", learner=learner, columns={"when": "date"})
    asked = {"when": [*when[:20], "2031-07-04T01:02:03", None], "x": np.zeros(22)}
    frame = check_adding_up(model, asked)
    assert "when is missing" in set(frame.feature)
    assert frame.contribution.abs().max() < 100


# -- measured against the average row --------------------------------------------------------------------------------


def weighted_moments(values, weights):
    mean = np.average(values, weights=weights)
    return mean, np.sqrt(np.average((values - mean) ** 2, weights=weights))


@pytest.mark.parametrize("learner", ["logistic-regression", "adaptive", "naive-bayes-gaussian"])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_and_deviations_are_those_of_the_training_rows(learner, weighted, rng, tmp_path):
    """With missing numbers as their mean, and flags for them, as NumPy has them; batch, online and counting."""
    n = 200
    x = 2000.0 + 5.0 * rng.normal(size=n)
    x[rng.random(n) < 0.2] = np.nan
    z = np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n))
    colour = rng.choice(["red", "green", "blue"], n, p=[0.7, 0.2, 0.1])
    text = rng.choice(["good", "bad", "good bad"], n)
    weight = rng.choice([0.5, 1.0, 2.0], n)
    y = np.where(z + rng.normal(size=n) > 0, "yes", "no")
    data = {"x": x, "z": z, "colour": colour, "text": text, "y": y}
    options = {"columns": {"colour": "category", "text": "text"}}
    if weighted:
        data["w"], options["columns"]["w"] = weight, "weight"
    w = weight if weighted else np.ones(n)
    model = linnet.train(data, "y", learner=learner, ngrams=1, **options)
    model.save(tmp_path / "m")
    missing = np.isnan(x)
    filled = np.where(missing, np.average(x[~missing], weights=w[~missing]), x)
    wanted = {"x": filled, "x is missing": missing.astype(float), "z": z, "z is missing": np.zeros(n)}
    wanted |= {f"colour={level}": (colour == level).astype(float) for level in set(colour)}
    (rows,) = model._rows_of({name: column for name, column in data.items() if name != "y"}, None)
    design = rows.matrix().toarray()
    names = model.features.names()
    wanted |= {name: design[:, names.index(name)] for name in names if name.startswith("text:")}
    assert set(wanted) == set(names)
    for found in (model.moments, load(tmp_path / "m").moments):
        for name, mean, deviation in zip(names, found.means, found.deviations, strict=True):
            expected = weighted_moments(wanted[name], w)
            assert deviation == pytest.approx(expected[1], rel=1e-6, abs=1e-12)
            assert mean == (0.0 if name.startswith("text:") else pytest.approx(expected[0], rel=1e-12))


def test_contributions_are_weight_times_value_less_mean(rng):
    n = 300
    longitude = -119.5 + 2.0 * rng.normal(size=n)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n).round())
    level = rng.choice(["Masters", "Other", "School"], n)
    price = 1000.0 * longitude + 50.0 * np.nan_to_num(age, nan=40) + 3000.0 * (level == "Masters") + rng.normal(size=n)
    data = {"longitude": longitude, "age": age, "level": level, "price": price}
    model = linnet.train(data, "price", columns={"level": "category"})
    asked = {"longitude": [-122.0, -122.0], "age": [50.0, None], "level": ["Masters", "Doctorate"]}
    frame = model.explain(asked)
    weights = dict(zip(model.features.names(), model.linear.weights[:, 0], strict=True))
    w, mean_age, rate = weights["age"], np.nanmean(age), np.isnan(age).mean()
    flag = weights["age is missing"] - w * mean_age
    frequencies = {each: (level == each).mean() for each in ("Masters", "Other", "School")}
    average = sum(share * weights[f"level={each}"] for each, share in frequencies.items())
    wanted = [
        {
            "longitude": weights["longitude"] * (-122.0 - longitude.mean()),
            "age": w * (50.0 - mean_age),
            "age is missing": -flag * rate,
            "level": weights["level=Masters"] - average,
        },
        {
            "longitude": weights["longitude"] * (-122.0 - longitude.mean()),
            "age is missing": flag * (1 - rate),
            "level": -average,
        },
    ]
    for number, expected in enumerate(wanted):
        lines = frame[frame.row == number].set_index("feature")
        assert lines.contribution.drop("(baseline)").to_dict() == pytest.approx(expected, rel=1e-8, abs=1e-8)
    first = frame[frame.row == 0].set_index("feature").value
    assert (first["level"], first["age"], first["longitude"]) == ("Masters", 50.0, -122.0)
    assert frame[frame.row == 1].set_index("feature").value["level"] == "(not in the training data)"
    # the baseline is the score of the average row, not millions that others take away again
    baseline = frame[frame.feature == "(baseline)"].contribution
    assert baseline.to_numpy() == pytest.approx(price.mean(), rel=1e-6)
    assert frame.contribution.abs().max() < 2 * np.abs(price).max()


def test_a_number_that_enters_by_its_logarithm_is_shown_as_it_was_given(rng):
    amount = np.exp(2 * rng.normal(size=300)).round(2)
    amount[0] = 1e-300
    data = {"amount": amount, "y": np.log1p(amount) + 0.1 * rng.normal(size=300)}
    model = linnet.train(data, "y", columns={"amount": "log"})
    frame = check_adding_up(model, data)
    lines = frame[frame.feature == "log(amount)"]
    assert lines.value.tolist() == amount[lines.row].tolist()


def test_for_two_labels_contributions_point_to_the_predicted_one(rng):
    x = rng.normal(size=200)
    model = linnet.train({"x": x, "y": np.where(x + 0.1 * rng.normal(size=200) > 0, "b", "a")}, "y")
    frame = model.explain({"x": [-2.0, 2.0]})
    lines = frame[frame.feature == "x"]
    assert lines.label.tolist() == ["a", "b"]
    assert (lines.contribution > 0).all()
    assert lines.weight.iloc[0] == -lines.weight.iloc[1]


def test_values_are_measured_by_one_measure(rng):
    """A number in large units, a frequent category and a rare one: what moves scores most comes first."""
    n = 2000
    income, rare = 1e5 * rng.normal(size=n), np.where(rng.random(n) < 0.005, "yes", "no")
    common = rng.choice(["left", "right"], n)
    score = income / 1e5 + 0.5 * (common == "left") + 1.0 * (rare == "yes")
    data = {"income": income, "rare": rare, "common": common, "y": score + 0.1 * rng.normal(size=n)}
    model = linnet.train(data, "y", columns={"rare": "category", "common": "category"})
    favour, against = model.top(0, 10)
    design = {"income": income, **{f"rare={v}": rare == v for v in ("yes", "no")}}
    design |= {f"common={v}": common == v for v in ("left", "right")}
    weights = dict(zip(model.features.names(), model.linear.weights[:, 0], strict=True))
    spreads = {name: abs(weights[name]) * np.std(values) for name, values in design.items()}
    assert {each.feature: each.spread for each in (*favour, *against)} == pytest.approx(spreads, rel=1e-9)
    for side in (favour, against):
        assert [each.spread for each in side] == sorted((each.spread for each in side), reverse=True)
    assert favour[0].feature == "income"
    assert spreads["common=left"] > spreads["rare=yes"]


# -- as a frame ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    rows = mixed_rows("two", 120, boolean=False)
    return linnet.train(arrow(rows), "y", columns=ROLES)


def test_everything_that_can_be_predicted_can_be_explained(model, tmp_path):
    rows = mixed_rows("two", 3, boolean=False)
    table = arrow(rows)
    wanted = model.explain(table)
    assert list(wanted.columns) == ["row", "label", "feature", "value", "weight", "contribution"]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for data in (table.to_pandas(), rows, str(tmp_path / "new.jsonl")):
        found = model.explain(data)
        assert found.feature.tolist() == wanted.feature.tolist()
        assert found.contribution.to_numpy() == pytest.approx(wanted.contribution.to_numpy(), rel=1e-12)
    one = model.explain(rows[0])
    assert one.equals(wanted[wanted.row == 0].reset_index(drop=True)) or len(one) == (wanted.row == 0).sum()


def test_texts_series_and_arrays_are_explained_as_they_are_predicted(rng):
    texts = ["good film", "so bad"] * 30
    words = linnet.train({"text": texts, "y": ["+", "-"] * 30}, "y", columns={"text": "text"})
    for data in (["good", "bad fun"], pd.Series(["good", "bad fun"])):
        assert words.explain(data).drop_duplicates("row").label.tolist() == ["+", "-"]
    X = rng.normal(size=(60, 3))
    numbered = linnet.train((X, X[:, 0] + rng.normal(size=60)), task="regression")
    frame = numbered.explain(X[:4])
    assert frame.groupby("row").contribution.sum().to_numpy() == pytest.approx(np.asarray(numbered.predict(X[:4])))
    assert numbered.explain(X[:0]).empty


def test_top_keeps_the_largest_and_the_sum(model):
    rows = mixed_rows("two", 5, boolean=False)
    whole, some = model.explain(rows), model.explain(rows, top=2)
    sums = [frame.groupby("row").contribution.sum().to_numpy() for frame in (whole, some)]
    np.testing.assert_allclose(*sums, rtol=1e-12)
    for number in range(5):
        lines = whole[whole.row == number].iloc[1:]
        assert lines.contribution.abs().is_monotonic_decreasing
        assert some[some.row == number].feature.tolist() == [
            "(baseline)", *lines.feature[:2], "(other features)"
        ]  # fmt: skip
    with pytest.raises(RecipeError, match="top must be 0 or more"):
        model.explain(rows, top=-1)


def test_without_pandas_there_is_an_arrow_table(model, monkeypatch):
    rows = mixed_rows("two", 2, boolean=False)
    wanted = model.explain(rows)
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = model.explain(rows)
    assert isinstance(found, pa.Table)
    assert found.column("feature").to_pylist() == wanted.feature.tolist()
    assert found.column("contribution").to_pylist() == wanted.contribution.tolist()
    assert "red" in found.column("value").to_pylist() or found.column("value").type == pa.string()


# -- in a file -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("means", lambda a: a[:-1]),
        ("means", lambda a: np.where(np.arange(len(a)) == 0, np.nan, a)),
        ("means", lambda a: a.astype(np.float32)),
        ("deviations", lambda a: -a - 1),
        ("deviations", lambda a: a[:, np.newaxis]),
        ("word_deviations", lambda a: a.astype(np.float64)),
        ("word_deviations", lambda a: np.full_like(a, np.inf)),
        ("word_deviations", None),
    ],
)
def test_damaged_moments_are_refused(model, tmp_path, name, spoil):
    model.save(tmp_path / "m")
    content, tensors = container.read(tmp_path / "m", "model")
    tensors = {key: np.array(value) for key, value in tensors.items()}
    if spoil is None:
        del tensors[name]
    else:
        tensors[name] = np.ascontiguousarray(spoil(tensors[name]))
    container.write(tmp_path / "m", "model", content, tensors)
    with pytest.raises(ModelFileError):
        load(tmp_path / "m")


def test_weights_and_means_at_the_end_of_the_range_are_explained_without_a_warning(model):
    """A file may hold them; warnings are errors here."""
    largest = np.finfo(np.float64).max
    d = len(model.features)
    signs = np.where(np.arange(d) % 3, 1.0, -1.0)[:, np.newaxis]
    wide = replace(
        model,
        linear=replace(model.linear, weights=1e-3 * largest * signs),
        moments=replace(model.moments, means=np.full(d, largest), deviations=np.full(d, largest)),
    )
    frame = wide.explain([{"size": 0.0, "age": 0.0, "colour": "red", "text": ""}])
    assert np.isfinite(frame.contribution).all()
    assert np.isfinite(frame.weight[1:]).all()
    table = wide.coef
    assert np.isfinite(table.weight).all()
    assert np.isfinite(table.spread).all()
