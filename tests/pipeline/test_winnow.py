"""Winnow from files: out of core, cut and resumed anywhere, and what its model states of its mistakes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.main import assembled
from linnet.data.features.schema import Role
from linnet.data.on_error import OnError
from linnet.data.rows import Rows
from linnet.data.sources.formats import Format
from linnet.decisions.calibration import Method
from linnet.errors import InputError, Interrupted, ModelFileError, RecipeError
from linnet.learners.recipe import Reduction
from linnet.pipeline.services import Services
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.trainers.online import STREAM_THRESHOLD
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
    assert model.certificate.made == model.record.progressive.mistakes == mistakes


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
            train(data, kept, Services(stopped=lambda: next(stops)))
        assert (tmp_path / "check").exists()
        assert saved("resumed", replace(kept, resume=True)) == expected
    with cut(13, block=3, cache=32):
        assert saved("small blocks", options) == expected


@pytest.mark.parametrize("passes", [1, 40])
@pytest.mark.parametrize("learner", ["winnow", "winnow1", "winnow2", "perceptron", "averaged-perceptron"])
def test_a_bound_is_stated_kept_and_worked_out_again(learner, passes, tmp_path):
    X, y = rows(3, n=4000 if learner == "winnow" else 300)
    data = written(tmp_path, X, y)
    given = {"promotion": 1.1} if learner == "winnow" else {}
    model = train(data, TrainOptions(learner=learner, passes=passes, holdout=0.0, **given))
    stated = model.certificate
    assert not stated.reason
    assert stated.holds
    model.save(tmp_path / "m")
    loaded = linnet.load(tmp_path / "m")
    assert loaded.certificate == stated
    assert verify(loaded, data).holds
    shown = CliRunner().invoke(assembled(), ["inspect", str(tmp_path / "m")]).output
    assert f"{stated.made:,} mistake" in shown
    assert json.loads(CliRunner().invoke(assembled(), ["inspect", "--json", str(tmp_path / "m")]).output)[
        "certificate"
    ] == (stated.as_dict())
    assert "holds" in CliRunner().invoke(assembled(), ["verify", str(tmp_path / "m"), *data]).output
    if learner in ("winnow1", "winnow2"):
        assert stated.facts["threshold"] == STREAM_THRESHOLD
        assert stated.facts["variables"] == 40

    other = 1 - y
    (tmp_path / "other").mkdir()
    assert not verify(loaded, written(tmp_path / "other", X, other)).holds
    for forged in (replace(stated, bound=stated.bound * 0.9), replace(stated, bound=stated.bound * 1.1)):
        assert not verify(replace(model, certificate=forged), data).holds
    assert not verify(replace(model, certificate=replace(stated, made=int(stated.bound) + 1)), data).holds
    for wrong in (stated.made - 1, stated.made + 1):
        verdict = verify(replace(model, certificate=replace(stated, made=wrong)), data)
        assert f"makes {stated.made:,} mistakes, not {wrong:,}" in verdict.why
    (tmp_path / "turned").mkdir()
    turned = verify(loaded, written(tmp_path / "turned", X[::-1], y[::-1]))
    assert turned.holds == (turned.found.made == stated.made and turned.found.bound == pytest.approx(stated.bound))


def test_one_pass_proves_as_much_as_the_rows_kept_in_memory(tmp_path):
    X, y = rows(3)
    data = written(tmp_path, X, y)
    for learner in ("winnow1", "winnow2"):
        model = train(data, TrainOptions(learner=learner))
        k = model.certificate.facts["literals"]
        assert k == 2  # the rows are made by a disjunction of two
        alpha, theta = 2.0, STREAM_THRESHOLD
        u = k * (np.log2(theta) + 1)
        bound = alpha * u + 40 / theta if learner == "winnow1" else u + (40 / theta + u) * 2
        assert model.certificate.bound == pytest.approx(bound)
    model = train(data, TrainOptions(learner="perceptron"))
    v = np.append(model.linear.weights[:, 0], model.linear.intercepts)
    Z = np.hstack([X, np.ones((len(X), 1))])
    margins, radius = (2 * y - 1) * (Z @ v) / np.linalg.norm(v), np.linalg.norm(Z, axis=1).max()

    def bound(gamma):
        a, losses = radius / gamma, np.maximum(0, 1 - margins / gamma).sum()
        return ((a + np.sqrt(a * a + 4 * losses)) / 2) ** 2

    least = min(map(bound, np.geomspace(1e-3, 1e2, 3000)))
    assert least * (1 - 1e-9) <= model.certificate.bound <= 1.01 * least


@pytest.mark.parametrize("learner", ["perceptron", "winnow1"])
def test_standard_input_proves_the_bound_that_a_file_does(learner, tmp_path, monkeypatch):
    data = written(tmp_path, *rows(3))
    with open(data[0], "rb") as piped:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(piped))
        certificate = train("-", TrainOptions(learner=learner, format=Format.SVMLIGHT)).certificate
    assert certificate.holds
    assert certificate == train(data, TrainOptions(learner=learner)).certificate


def test_input_that_changes_while_it_is_read_proves_nothing(tmp_path):
    X, y = rows(3)
    data = written(tmp_path, X, y)

    def grow(progress):
        if progress.stage == "pass 1" and progress.rows == len(y):
            written(tmp_path, np.vstack([X, X[:1]]), np.append(y, y[0]))

    assert "has changed" in train(data, TrainOptions(learner="winnow1"), Services(grow)).certificate.reason


@pytest.mark.parametrize("learner", ["perceptron", "winnow1"])
def test_a_run_that_is_stopped_while_it_proves_goes_on_to_the_same_bytes(learner, tmp_path):
    data = written(tmp_path, *rows(3))
    with cut(50, block=10, cache=32):
        train(data, TrainOptions(learner=learner)).save(tmp_path / "whole")
        stages = []
        kept = TrainOptions(learner=learner, checkpoint=str(tmp_path / "check"))
        with pytest.raises(Interrupted):
            train(
                data,
                kept,
                Services(lambda p: stages.append(p.stage), lambda: "working out the mistake bound" in stages),
            )
        train(data, replace(kept, resume=True)).save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("multiclass", [Reduction.JOINT, Reduction.ONE_VS_REST, Reduction.PAIRWISE])
def test_many_classes_of_a_stream_have_a_bound_too(multiclass, passes, tmp_path):
    rng = np.random.default_rng(5)
    y = np.concatenate([[0, 0, 2, 0, 2], rng.integers(4, size=300)])
    X = np.hstack([np.eye(4)[y], (rng.random((305, 3)) < 0.1)])
    data = written(tmp_path, X, y)
    options = TrainOptions(learner="perceptron", passes=passes, holdout=0.0)
    entry = replace(linnet.catalogue.find("perceptron"), recipe=replace(
        linnet.catalogue.find("perceptron").recipe, reduction=multiclass
    ))  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(linnet.catalogue.ROWS, "perceptron", entry)
        model = train(data, options)
        stated = model.certificate
        assert stated.holds
        assert verify(model, data).holds
    if multiclass is Reduction.JOINT:
        w, b = model.linear.weights, model.linear.intercepts
        scores = X @ w + b
        leads = scores[np.arange(305), y] - np.where(np.eye(4)[y] == 1, -np.inf, scores).max(axis=1)
        margin = leads.min() / np.sqrt((w**2).sum() + (b**2).sum())
        assert stated.bound == pytest.approx(2.25 * ((X**2).sum(axis=1).max() + 1) / margin**2, rel=1e-6)
    else:
        assert stated.facts == {"problems": 4.0 if multiclass is Reduction.ONE_VS_REST else 6.0}


def test_a_table_is_read_again_as_it_was_learnt(tmp_path):
    """Names, missing values, rows left out, weights and calibration: what is proven is of the same rows."""
    rng = np.random.default_rng(2)
    lines = ["colour,size,weight,kind"]
    for number in range(400):
        size = rng.normal()
        kind = "late" if size > 0 else "soon"
        colour = rng.choice(["red", "blue"]) + ("!" if kind == "late" else "")
        lines.append(f"{colour},{'' if number % 7 == 0 else size:.5},{number % 3},{kind}" if number % 50 else "a,b")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    options = TrainOptions(
        target="kind", columns={"weight": Role.WEIGHT}, learner="perceptron", on_error=OnError.SKIP, header=True
    )
    for calibrate in (None, Method.SIGMOID):
        model = train([str(path)], replace(options, calibrate=calibrate))
        assert model.record.rejected_rows == 8
        assert model.certificate.holds
        model.save(tmp_path / "m")
        command = ["verify", str(tmp_path / "m"), str(path), "--on-error", "skip"]
        assert CliRunner().invoke(assembled(), command).exit_code == 0
    forged = replace(model, certificate=replace(model.certificate, made=model.certificate.made + 1))
    forged.save(tmp_path / "forged")
    done = subprocess.run(
        [sys.executable, "-m", "linnet", "verify", str(tmp_path / "forged"), *command[2:]],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 5
    assert "training once more on these data makes" in done.stderr


@pytest.mark.parametrize("learner", ["winnow1", "winnow2"])
def test_alpha_and_theta_are_taken_kept_and_shown(learner, tmp_path):
    X, y = rows(1, noise=0.05)
    data = written(tmp_path, X, y)
    arguments = ["--promotion", "1.5", "--winnow-threshold", "7", "--learner", learner, "-o", str(tmp_path / "m")]
    assert "α = 1.5, Θ = 7" in CliRunner().invoke(assembled(), ["train", *data, *arguments]).output
    model = linnet.load(tmp_path / "m")
    factors = replace(linnet.catalogue.find(learner).recipe.factors, promotion=1.5, threshold=7.0)
    if learner == "winnow2":
        factors = replace(factors, demotion=1 / 1.5)
    w, b, mistakes = twins.winnow(X, y == 1, factors)
    np.testing.assert_allclose(model.linear.decision(Rows.of(X)), X @ w + b, rtol=1e-10, atol=1e-12)
    assert model.certificate.made == mistakes
    assert "α = 1.5, Θ = 7" in CliRunner().invoke(assembled(), ["inspect", str(tmp_path / "m")]).output
    again = linnet.train(data, learner=learner, promotion=1.5, winnow_threshold=7)
    np.testing.assert_array_equal(again.linear.weights, model.linear.weights)


def test_theta_is_half_the_columns_where_they_are_known():
    X, y = rows(1)
    of_arrays = train((X, y), TrainOptions(learner="winnow1"))
    assert of_arrays.record.recipe.factors.threshold == 20
    assert of_arrays.certificate.facts["threshold"] == 20
    w, b, mistakes = twins.winnow(X, y == 1, replace(linnet.catalogue.find("winnow1").recipe.factors, threshold=20.0))
    assert (of_arrays.certificate.made, of_arrays.linear.intercepts[0]) == (mistakes, b)
    np.testing.assert_allclose(of_arrays.linear.weights[:, 0], w)
    table = {f"c{j}": X[:, j] for j in range(40)} | {"label": y}
    of_table = train(table, TrainOptions(target="label", learner="winnow1"))
    assert of_table.record.recipe.factors.threshold == 40  # a column of numbers is two features: a value, or none
    words = {"text": ["a b", "c d"] * 20, "label": [1, 0] * 20}
    of_words = train(words, TrainOptions(target="label", learner="winnow1", columns={"text": Role.TEXT}))
    assert of_words.record.recipe.factors.threshold == STREAM_THRESHOLD


@pytest.mark.parametrize(
    ("learner", "given", "said"),
    [
        ("perceptron", {"promotion": 2.0}, "promotion is not for perceptron: it is for winnow, winnow1, winnow2"),
        ("winnow", {"winnow_threshold": 2.0}, "winnow_threshold is not for winnow: it is for winnow1, winnow2"),
        ("winnow1", {"promotion": 1.0}, "promotion must be above 1"),
        ("winnow1", {"winnow_threshold": 0.0}, "winnow_threshold must be positive"),
        ("auto", {"promotion": 2.0}, "name one"),
    ],
)
def test_factors_that_mean_nothing_are_refused_in_a_line(learner, given, said, tmp_path):
    with pytest.raises(RecipeError, match=said) as caught:
        train(written(tmp_path, *rows(1)), TrainOptions(learner=learner, **given))
    assert "\n" not in str(caught.value)


def test_a_model_whose_record_has_no_settings_of_its_run_cannot_be_verified(tmp_path):
    data = written(tmp_path, *rows(3))
    model = train(data, TrainOptions(learner="winnow1"))
    with pytest.raises(ModelFileError, match="train it again"):
        verify(replace(model, record=replace(model.record, online=None)), data)


def test_a_damaged_statement_is_no_model(tmp_path):
    from linnet.storage import container

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
    assert model.record.rejected_rows == 1


def test_words_are_there_or_not(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("pos\tgood good good film\nneg\tdull dull film\n" * 30)
    model = train([str(path)], TrainOptions(learner="winnow1", passes=5))
    assert model.predict([str(path)]).tolist() == ["pos", "neg"] * 30


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
