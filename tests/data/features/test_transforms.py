"""Columns that enter by their logarithm: which do, by what rows, and that every door sees the same."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.data.features import transforms
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import NumberTerm
from linnet.data.features.transforms import Log
from linnet.data.sources.block import Block, Numbers, Position, Strings
from linnet.errors import RecipeError
from linnet.pipeline.train import TrainOptions, train, train_each

N = 400


def block(columns):
    made = {
        name: Strings.of(values) if isinstance(values[0], str) else Numbers(np.asarray(values, dtype=float))
        for name, values in columns.items()
    }
    return Block("rows", len(next(iter(made.values()))), Position(), columns=made)


def logs(task=Task.CLASSIFICATION, given=None, **columns):
    """The logarithms chosen for these columns, y the target and w the weight."""
    kinds = {"y": Role.TARGET, "w": Role.WEIGHT}
    roles = {name: kinds.get(name, Role.NUMBER) for name in columns}
    schema = Schema(roles, dict.fromkeys(roles, "seen"))
    return transforms.chosen(schema, task, block(columns), given or {})


def labels(rng, scores):
    return np.where(rng.random(len(scores)) < 1 / (1 + np.exp(-scores)), "yes", "no").tolist()


def skewed(rng, n=N):
    return np.exp(1.2 * rng.normal(size=n))


@given(st.lists(st.one_of(st.just(np.nan), st.floats(-1e9, 1e9)), min_size=1), st.floats(1e-3, 1e3))
def test_a_number_enters_by_its_signed_logarithm_or_as_missing(values, scale):
    term, x = NumberTerm("size", Log(scale)), np.array(values)
    piece = term.prepare({"size": Numbers(x)})
    missing = np.isnan(x)
    assert piece.ids.tolist() == missing.astype(int).tolist()
    expected = np.where(missing, 1.0, np.sign(x) * np.log1p(np.abs(x) / scale))
    np.testing.assert_allclose(piece.values, expected, rtol=1e-14)
    assert [term.name(0), term.name(1)] == ["log(size)", "size is missing"]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_a_heavy_right_tail_is_transformed_on_the_scale_of_its_lower_end(unit, rng):
    x = unit * skewed(rng)
    found, schema = logs(x=x, y=labels(rng, np.log(x / unit)))
    lower = np.quantile(x, 0.1)
    assert 0.39 * lower < found["x"].scale <= lower
    assert f"{found['x'].scale:e}"[0] in "125"
    assert "log(1 + x/" in schema.reasons["x"]
    assert "skewness" in schema.reasons["x"]


def test_zeros_and_missing_values_do_not_matter_to_the_scale(rng):
    x = skewed(rng)
    y = labels(rng, np.log(x))
    more = np.concatenate([x, np.zeros(N), np.full(50, np.nan)])
    assert logs(x=x, y=y)[0] == logs(x=more, y=[*y, *["no"] * N, *["yes", "no"] * 25])[0]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=N),
        lambda rng: 50 + rng.normal(size=N),
        lambda rng: rng.random(N),
        lambda rng: np.abs(rng.normal(size=N)),
        lambda rng: rng.integers(0, 2, N),
        lambda rng: rng.poisson(4, N),
        lambda rng: (rng.random(N) < 0.02) * 1.0,
        lambda rng: skewed(rng) - 1.0,
        lambda rng: -skewed(rng),
        lambda _: np.zeros(N),
        lambda _: np.full(N, np.nan),
        lambda _: np.arange(N),
        lambda rng: 1e6 + skewed(rng),
    ],
)
def test_other_columns_stay_as_they_are(draw, rng):
    x = draw(rng)
    assert logs(x=x, y=labels(rng, rng.normal(size=N)))[0] == {}
    assert logs(Task.REGRESSION, x=x, y=rng.normal(size=N))[0] == {}


@pytest.mark.parametrize("task", [Task.CLASSIFICATION, Task.REGRESSION])
@pytest.mark.parametrize("by_log", [True, False])
def test_a_target_that_follows_the_number_itself_keeps_it(task, by_log, rng):
    n = 2000
    x = np.exp(rng.normal(size=n))
    score = np.log(x) if by_log else x - np.exp(0.5)
    y = labels(rng, score) if task is Task.CLASSIFICATION else score + rng.normal(size=n)
    assert bool(logs(task, x=x, y=y)[0]) is by_log


@pytest.mark.parametrize("by_log", [True, False])
def test_so_does_one_of_several_classes(by_log, rng):
    n = 2000
    x = np.exp(rng.normal(size=n))
    steps = np.stack([0 * x, np.log(x) if by_log else x - 1.6, np.full(n, 0.5)])
    y = [str(each) for each in (steps + rng.gumbel(size=steps.shape)).argmax(axis=0)]
    assert bool(logs(x=x, y=y)[0]) is by_log


def test_a_given_role_decides(rng):
    x, z = skewed(rng), rng.normal(size=N)
    y = labels(rng, z)
    assert logs(x=x, y=y, given={"x": Role.NUMBER})[0] == {}
    found, schema = logs(z=z, y=y, given={"z": Role.LOG})
    assert found["z"].scale == 0.1
    assert schema.reasons["z"] == "seen, as log(1 + x/0.1)"
    assert logs(z=np.zeros(N), y=y, given={"z": Role.LOG})[0] == {"z": Log(1.0)}


@given(seed=st.integers(0, 1000), most=st.integers(1, 3))
def test_a_row_of_weight_k_is_k_copies(seed, most):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 150))
    x, w = np.round(skewed(rng, n), 2), rng.integers(0, most + 1, n)
    y = np.array(labels(rng, np.log(x + 0.1)))
    copies = np.repeat(np.arange(n), w)
    if len(copies):
        weighted, copied = logs(x=x, y=y.tolist(), w=w)[0], logs(x=x[copies], y=y[copies].tolist())[0]
        assert weighted == copied


# -- from data to a model ----------------------------------------------------------------------------------------------


def data(rng, n=N):
    amount, size = skewed(rng, n), rng.normal(size=n)
    amount[::10] = 0.0
    score = np.log(amount + 0.1) + size
    return {
        "amount": [None if i % 17 == 0 else float(v) for i, v in enumerate(amount)],
        "size": size.tolist(),
        "label": labels(rng, 2 * score),
        "number": (score + 0.3 * rng.normal(size=n)).tolist(),
    }


def without(rows, *names):
    return {name: values for name, values in rows.items() if name not in names}


@pytest.mark.parametrize("learner", ["auto", "adaptive", "perceptron", "naive-bayes-gaussian", "discriminant-analysis"])
def test_every_learner_takes_the_logarithm_and_predicts_by_it(learner, rng, tmp_path):
    rows = without(data(rng), "number")
    model = linnet.train(rows, "label", learner=learner)
    assert model.features.logarithms == ["amount"]
    assert model.features.names()[:3] == ["log(amount)", "amount is missing", "size"]
    scale = model.features.terms[0].log.scale
    by_hand = {
        **rows,
        "amount": [None if v is None else float(np.log1p(v / scale)) for v in rows["amount"]],
    }
    twin = linnet.train(by_hand, "label", learner=learner, columns={"amount": "number"})
    np.testing.assert_allclose(model.linear.weights, twin.linear.weights, rtol=1e-6, atol=1e-9)
    asked = {"amount": [0.0, 3.5, None, -2.0, 1e300], "size": [0.0, 1.0, 2.0, 0.5, -1.0]}
    model.save(tmp_path / "m")
    again = linnet.load(tmp_path / "m")
    assert again.features.terms[0].log == model.features.terms[0].log
    assert again.predict(asked).tolist() == model.predict(asked).tolist()


def test_regression_takes_it_too_and_gains(rng):
    rows = without(data(rng), "label")
    by_log = linnet.train(rows, "number")
    plain = linnet.train(rows, "number", columns={"amount": "number"})
    assert (by_log.features.logarithms, plain.features.logarithms) == (["amount"], [])
    assert by_log.record.held_out.r2 > plain.record.held_out.r2 + 0.05


def test_every_format_and_every_split_makes_the_same_model(rng, tmp_path):
    rows = without(data(rng), "number")
    records = [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]

    def csv(path, part):
        lines = [",".join("" if v is None else str(v) for v in record.values()) for record in part]
        path.write_text("\n".join([",".join(rows), *lines]) + "\n")
        return str(path)

    whole = csv(tmp_path / "all.csv", records)
    parts = [csv(tmp_path / f"{at}.csv", records[at : at + 90]) for at in range(0, N, 90)]
    lines = tmp_path / "all.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    pa.parquet.write_table(pa.Table.from_pylist(records), tmp_path / "all.parquet")
    made = []
    for source in (whole, parts, str(lines), str(tmp_path / "all.parquet"), rows):
        linnet.train(source, "label").save(tmp_path / "m")
        made.append((tmp_path / "m").read_bytes())
    assert made[0] == made[1]
    weights = [linnet.train(source, "label").linear.weights for source in (whole, str(lines), rows)]
    assert all((each == weights[0]).all() for each in weights)


def test_rows_after_the_first_do_not_decide(rng):
    rows = without(data(rng, 2400), "number")
    first = linnet.train(rows, "label").features.terms[0].log
    rows["amount"][2000:] = [1e9 * (i % 7) for i in range(400)]
    assert linnet.train(rows, "label").features.terms[0].log == first


def test_learners_of_counts_take_numbers_as_they_are(rng):
    rows = without(data(rng), "number", "size")
    assert linnet.train(rows, "label", learner="naive-bayes").features.logarithms == []
    with pytest.raises(RecipeError, match="naive-bayes takes numbers as they are"):
        linnet.train(rows, "label", learner="naive-bayes", columns={"amount": "log"})
    asked = [TrainOptions(target="label", learner=name) for name in ("naive-bayes", "logistic-regression")]
    with pytest.raises(RecipeError, match="make amount number"):
        train_each(rows, asked)


def test_a_name_is_not_given_twice(rng):
    rows = without(data(rng), "number")
    rows["log(amount)"] = rows["size"]
    assert train(rows, TrainOptions(target="label")).features.logarithms == []
    with pytest.raises(RecipeError, match=r"there is a column 'log\(amount\)'"):
        linnet.train(rows, "label", columns={"amount": "log"})


def test_two_heavy_tails_enter_by_the_signed_logarithm_where_the_target_agrees(rng):
    x, normal = rng.standard_t(1.2, N), rng.normal(size=N)
    target = labels(rng, 2 * np.tanh(x))
    found, schema = logs(x=x.tolist(), normal=normal.tolist(), y=target)
    assert list(found) == ["x"]
    assert "kurtosis falls from" in schema.reasons["x"]
    assert not logs(x=x.tolist(), y=labels(rng, np.zeros(N)))[0]  # the target has nothing to do with it
    assert not logs(Task.REGRESSION, x=x.tolist(), y=(x + 0.1 * normal).tolist())[0]  # it is linear in x


def test_scale_and_shift_of_heavy_tails_are_those_of_the_middle(rng):
    x = rng.standard_t(1.2, N)
    log = logs(x=(1000 * x).tolist(), y=labels(rng, 2 * np.tanh(x)))[0]["x"]
    assert 0.2 * np.median(np.abs(1000 * x)) <= log.scale <= np.median(np.abs(1000 * x))
