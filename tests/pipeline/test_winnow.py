"""Winnow from files: out of core, cut and resumed anywhere, and what its model states of its mistakes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.main import app
from linnet.errors import InputError, Interrupted, ModelFileError
from linnet.examples import Rows
from linnet.pipeline.online import STREAM_THRESHOLD
from linnet.pipeline.policy import OnError
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.verify import verify
from tests import twins
from tests.pipeline.making import cut, write_svmlight

LEARNERS = ("winnow", "winnow1", "winnow2")


def rows(seed, n=300, d=40, noise=0.0):
    """Boolean rows, columns that come later and later, and a disjunction of two of them."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < 0.15).astype(float)
    X[np.arange(n)[:, np.newaxis] * d < np.arange(d) * n // 3] = 0.0
    y = (X[:, 1] + X[:, 25] > 0) ^ (rng.random(n) < noise)
    y[0], y[1] = False, True  # a side that is known alone is the negative one
    X[0, [1, 25]], X[1, 1] = 0.0, 1.0
    return X, y.astype(int)


def written(folder, X, y):
    write_svmlight(folder / "rows.svm", X, y)
    return [str(folder / "rows.svm")]


@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_join_a_stream_with_weight_1_and_the_result_is_the_twins(learner, tmp_path):
    X, y = rows(1, noise=0.05)
    data = written(tmp_path, X, y)
    with cut(37, block=7):
        model = train(data, TrainOptions(learner=learner))
    factors = linnet.catalogue.find(learner).recipe.factors
    if not factors.balanced:
        factors = replace(factors, threshold=STREAM_THRESHOLD)
    w, b, mistakes = twins.winnow(X, y == 1, factors)
    np.testing.assert_allclose(model.linear.intercepts[0], b, rtol=1e-12)
    found = model.linear.decision(Rows.of(X))
    np.testing.assert_allclose(found, X @ w + b, rtol=1e-10, atol=1e-12)
    assert model.certificate.made == model.summary["progressive"]["mistakes"] == mistakes
    assert "--passes 2" in model.certificate.reason


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_bytes_do_not_depend_on_threads_blocks_or_interruptions(learner, passes, tmp_path):
    data = written(tmp_path, *rows(2, noise=0.05))
    options = TrainOptions(learner=learner, passes=passes)

    def saved(name, options):
        train(data, options).save(tmp_path / name)
        return (tmp_path / name).read_bytes()

    with cut(50, block=10, cache=32):
        expected = saved("whole", options)
        assert saved("threads", replace(options, threads=3)) == expected
        kept = replace(options, checkpoint=str(tmp_path / "check"))
        stops = iter([False, True, False, False, True])
        with pytest.raises(Interrupted):
            train(data, kept, stopped=lambda: next(stops))
        assert (tmp_path / "check").exists()
        assert saved("resumed", replace(kept, resume=True)) == expected
    with cut(13, block=3, cache=32):
        assert saved("small blocks", options) == expected


@pytest.mark.parametrize("learner", ["winnow1", "winnow2", "perceptron", "averaged-perceptron"])
def test_a_bound_is_stated_kept_and_worked_out_again(learner, tmp_path):
    X, y = rows(3)
    data = written(tmp_path, X, y)
    model = train(data, TrainOptions(learner=learner, passes=40, holdout=0.0))
    stated = model.certificate
    assert not stated.reason
    assert stated.holds
    model.save(tmp_path / "m")
    loaded = linnet.load(tmp_path / "m")
    assert loaded.certificate == stated
    assert verify(loaded, data).holds
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "m")]).output
    assert f"{stated.made:,} mistake" in shown
    assert json.loads(CliRunner().invoke(app, ["inspect", "--json", str(tmp_path / "m")]).output)["certificate"] == (
        stated.as_dict()
    )
    assert "holds" in CliRunner().invoke(app, ["verify", str(tmp_path / "m"), *data]).output
    if learner.startswith("winnow"):
        assert stated.facts["threshold"] == STREAM_THRESHOLD
        assert stated.facts["variables"] == 40

    other = 1 - y
    (tmp_path / "other").mkdir()
    assert not verify(loaded, written(tmp_path / "other", X, other)).holds
    for forged in (replace(stated, bound=stated.bound * 0.9), replace(stated, bound=stated.bound * 1.1)):
        assert not verify(replace(model, certificate=forged), data).holds
    assert not verify(replace(model, certificate=replace(stated, made=int(stated.bound) + 1)), data).holds


def test_a_damaged_statement_is_no_model(tmp_path):
    from linnet import container

    data = written(tmp_path, *rows(3))
    train(data, TrainOptions(learner="winnow1", passes=40, holdout=0.0)).save(tmp_path / "m")
    content, tensors = container.read(tmp_path / "m", "model")
    for change in (
        {"made": -1},
        {"made": 1.5},
        {"bound": "9"},
        {"bound": -1.0},
        {"facts": {"margin": 1.0}},
        {"facts": []},
    ):
        container.write(tmp_path / "bad", "model", content | {"certificate": content["certificate"] | change}, tensors)
        with pytest.raises(ModelFileError):
            linnet.load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("learner", "value", "said"),
    [("winnow1", 0.5, "takes 0 and 1 only"), ("winnow2", 7.0, "from 0 to 1"), ("winnow", -1.0, "from 0 to 1")],
)
def test_a_value_it_cannot_take_is_named_with_its_line(learner, value, said, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,label\n" + "1,0,yes\n0,1,no\n" * 20 + f"0,{value:g},no\n" + "1,1,yes\n")
    options = TrainOptions(target="label", learner=learner)
    with pytest.raises(InputError, match=f"t.csv:42.* b has the value {value:g}: .*{said}") as caught:
        train([str(path)], options)
    assert "\n" not in str(caught.value)
    model = train([str(path)], replace(options, on_error=OnError.SKIP))
    assert model.summary["rejected_rows"] == 1


def test_words_are_there_or_not(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("pos\tgood good good film\nneg\tdull dull film\n" * 30)
    model = train([str(path)], TrainOptions(learner="winnow1", passes=5))
    assert model.predict([str(path)]) == ["pos", "neg"] * 30


def test_classes_that_come_late_are_learnt_one_against_the_rest(tmp_path):
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.integers(2, size=200), rng.integers(4, size=600)])
    X = (rng.random((800, 30)) < 0.2).astype(float)
    X[:, :4] = np.eye(4)[y]
    data = written(tmp_path, X, y)
    for learner in LEARNERS:
        model = train(data, TrainOptions(learner=learner, passes=10))
        assert model.evaluate(data).accuracy == 1.0
        assert model.certificate.reason or model.certificate.holds
