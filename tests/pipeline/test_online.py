"""Learning from a stream: what is held out, what is counted on the way, when it ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.cli.summary_lines import warnings
from linnet.data.features.schema import Task
from linnet.data.on_error import OnError
from linnet.data.on_misfit import OnMisfit
from linnet.data.rows import Rows
from linnet.errors import InputError, RecipeError
from linnet.evaluation.splits import held_out
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.trainers.label_runs import LabelRuns
from linnet.pipeline.trainers.online_run import OnlineRun
from tests.pipeline.making import (
    TABLE,
    cut,
    held_rows,
    model_bytes,
    sparse,
    table,
    write_csv,
    write_labelled,
    write_svmlight,
)


def test_held_out_rows_depend_on_their_numbers_and_the_seed_alone():
    whole = held_out(0, 5000, 0.1, 3)
    for first, rows in ((0, 1), (17, 100), (4096, 904)):
        assert (held_out(first, rows, 0.1, 3) == whole[first : first + rows]).all()
    assert (held_out(0, 5000, 0.1, 4) != whole).any()
    assert (held_out(0, 5000, 0.3, 3) >= whole).all()


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.9])
def test_the_given_fraction_of_rows_is_held_out(fraction):
    n = 20_000
    assert abs(held_out(0, n, fraction, 0).mean() - fraction) <= 4 * np.sqrt(fraction * (1 - fraction) / n)


def test_held_out_rows_are_not_learnt_from(rng):
    """Whatever their labels are: the weights after the passes are the same."""
    X, y = sparse(rng, 300)
    held = held_rows(y, 0.3)
    wrong = np.where(held, 3 - y, y)
    options = TrainOptions(learner="averaged-perceptron", passes=2, holdout=0.3)
    runs = []
    end_pass = OnlineRun.end_pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnlineRun, "end_pass", lambda run: (end_pass(run), runs.append(run.current().weights)))
        results = [train((X, each), options).record for each in (y, wrong)]
    assert (runs[0] == runs[2]).all()
    assert (runs[1] == runs[3]).all()
    right, reversed_ = (result.held_out for result in results)
    assert right.rows == reversed_.rows == held.sum()
    assert right.accuracy > 0.5 > reversed_.accuracy


@pytest.mark.parametrize("learner", ["perceptron", "adaptive", "sgd-logistic", "pegasos", "passive-aggressive-1"])
@pytest.mark.parametrize("classes", [2, 4])
def test_progressive_mistakes_are_those_of_predicting_each_row_before_learning_it(learner, classes, rng):
    X, y = sparse(rng, 150, classes=classes)
    model = train((X, y), TrainOptions(learner=learner, task=Task.CLASSIFICATION))
    twin = linnet.OnlineClassifier(learner)
    mistakes = unsure = 0
    for i, label in enumerate(y):
        if i:
            scores = twin.decision_function(X[i : i + 1])[0]
            equal = scores == 0 if np.ndim(scores) == 0 else np.sum(scores == scores.max()) > 1
            if equal or label not in twin.classes_ or len(twin.classes_) < 2:
                unsure += 1  # a tie is a mistake to some learners; a new class may be named as soon as it is known
            else:
                mistakes += twin.predict(X[i : i + 1])[0] != label
        twin.partial_fit(X[i : i + 1], [label])
    counted = model.record.progressive
    assert counted.rows == len(y)
    assert mistakes <= counted.mistakes <= mistakes + unsure + 1
    assert unsure < 15
    assert np.array_equal(twin.predict(X), model.predict((X, y)))


def test_early_stopping_keeps_the_best_pass(rng):
    X, y = sparse(rng, 200)
    noisy = np.where(rng.random(200) < 0.4, 3 - y, y)
    models = []
    end_pass = OnlineRun.end_pass
    with cut(cache=32), pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnlineRun, "end_pass", lambda run: (models.append(run.current()), end_pass(run)))
        model = train((X, noisy), TrainOptions(learner="perceptron", passes=30, holdout=0.3))
    held = held_rows(noisy, 0.3)
    losses = [float((each.predict(Rows.of(X[held])) != noisy[held]).mean()) for each in models]
    best = int(np.argmin(losses))
    assert len(models) == model.record.passes == best + 3 < 30
    assert model.record.held_out_losses == pytest.approx(losses)
    assert (model.linear.weights == models[best].weights).all()


def test_without_rows_to_hold_out_all_passes_are_made(rng):
    X, y = sparse(rng, 8)[0], np.array([1.0, 2.0] * 4)
    held = [seed for seed in range(100) if not held_out(0, 8, 0.1, seed).any()]
    model = train((X, y), TrainOptions(learner="perceptron", passes=7, seed=held[0]))
    assert model.record.passes == 7
    assert model.record.held_out is None


@pytest.mark.parametrize("learner", ["perceptron", "adaptive", "adaptive-squared"])
def test_one_pass_holds_out_rows_that_it_is_not_trained_on(learner, rng):
    regression = learner == "adaptive-squared"
    X, y = sparse(rng, 400, regression=regression)
    options = TrainOptions(
        learner=learner, holdout=None if regression else 0.1, task="regression" if regression else None
    )
    held = held_out(0, 400, 0.1, 0) if regression else held_rows(y, 0.1)
    with cut(block=37, cache=16):
        model = train((X, y), options)
    others = train((X[~held], y[~held]), replace(options, holdout=0.0))
    np.testing.assert_array_equal(model.linear.weights, others.linear.weights)
    assert model.record.held_out == others.evaluate((X[held], y[held]))
    assert model.record.rows_held_out == held.sum()
    assert model.record.progressive.rows == (0 if regression else 400 - held.sum())


def test_impossible_fractions_to_hold_out_are_refused(rng):
    X, y = sparse(rng, 50)
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(RecipeError, match="holdout"):
            train((X, y), TrainOptions(learner="adaptive", passes=2, holdout=wrong))


def test_a_weight_of_three_is_three_rows(tmp_path):
    rng = np.random.default_rng(3)
    rows = table(rng, 80, 3)
    for row in rows:
        row["weight"] = float(rng.integers(0, 4))
    write_csv(tmp_path / "weighted.csv", rows)
    copies = [row | {"weight": 1.0} for row in rows for _ in range(int(row["weight"]))]
    write_csv(tmp_path / "copies.csv", copies)
    options = replace(TABLE, learner="averaged-perceptron")
    a, b = (train(str(tmp_path / name), options) for name in ("weighted.csv", "copies.csv"))
    names = {name: i for i, name in enumerate(a.features.names())}
    order = [names[name] for name in b.features.names()]
    assert (a.linear.weights[order] == b.linear.weights).all()


@pytest.mark.parametrize("chunk", [30, 2000])
def test_rows_of_weight_zero_alone_are_too_little(chunk, rng, tmp_path):
    rows = [row | {"weight": 0.0} for row in table(rng, 40)]
    write_csv(tmp_path / "all.csv", rows)
    with cut(chunk), pytest.raises(InputError, match="weight"):
        train(str(tmp_path / "all.csv"), replace(TABLE, learner="adaptive"))


def test_one_label_is_too_few(rng):
    X, _ = sparse(rng, 30)
    for learner in ("adaptive", "auto", "logistic-regression"):
        with pytest.raises(InputError, match="needs two labels or more"):
            train((X, np.ones(30)), TrainOptions(learner=learner, task=Task.CLASSIFICATION))


# -- rows sorted by label ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [20, 100_000])
@pytest.mark.parametrize("classes", [2, 4])
def test_rows_sorted_by_label_are_noticed(classes, chunk, rng, tmp_path):
    X, y = sparse(rng, 150, classes=classes)
    options = TrainOptions(learner="adaptive", task=Task.CLASSIFICATION)
    in_order = np.argsort(y, kind="stable")
    for order, wanted in ((np.arange(150), False), (in_order, True), (in_order[::-1], True)):
        write_svmlight(tmp_path / "all.svm", X[order], y[order])
        with cut(chunk):
            assert train(str(tmp_path / "all.svm"), options).record.sorted_by_label is wanted
    few = TrainOptions(learner="adaptive", task=Task.CLASSIFICATION)
    assert train((X[in_order][-99:], y[in_order][-99:]), few).record.sorted_by_label is False


def test_runs_are_counted_whatever_the_blocks(rng):
    labels = rng.integers(0, 3, size=200).astype(float)
    whole, parts = LabelRuns(), LabelRuns()
    whole.add(labels)
    for block in np.split(labels, [0, 1, 1, 50, 199]):
        parts.add(block)
    assert whole == parts
    assert whole.count == 1 + (labels[1:] != labels[:-1]).sum()


def test_numbers_to_predict_are_not_sorted_by_label(rng):
    X, y = sparse(rng, 150, regression=True)
    model = train((X, np.sort(y)), TrainOptions(learner="adaptive-squared", task=Task.REGRESSION))
    assert model.record.sorted_by_label is None


def test_one_pass_over_texts_predicts_numbers_nearly_as_well_as_ridge_regression(rng):
    """Most words are rare: where steps do not heed how many words a text has, R² is a tenth of ridge regression's."""
    odds, worth = 1 / np.arange(1, 5001), rng.normal(size=5000)
    words = rng.choice(5000, (3000, 60), p=odds / odds.sum())
    y = worth[words].mean(axis=1) * 8 + rng.normal(size=3000) + 100
    data = {"text": [" ".join(f"w{word}" for word in row) for row in words], "y": y}
    ridge, one_pass = (linnet.train(data, "y", learner=name).record.held_out for name in ("auto", "adaptive-squared"))
    assert one_pass.r2 > 0.5 * ridge.r2 > 0.05
    assert one_pass.r2_interval.low < one_pass.r2 < one_pass.r2_interval.high


# -- classes that appear late ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["adaptive", "voted-perceptron", "averaged-perceptron"])
def test_classes_that_appear_late_are_learnt(learner, rng):
    n = 600
    y = np.where(np.arange(n) < n // 2, rng.integers(0, 2, n), rng.integers(0, 4, n)).astype(float)
    X = np.eye(4)[y.astype(int)] + 0.1 * rng.normal(size=(n, 4))
    model = train((X, 7 - y), TrainOptions(learner=learner, passes=2, holdout=0.0, task=Task.CLASSIFICATION))
    assert np.mean(np.array(model.predict((X, y))) == 7 - y) > 0.97


def test_votes_of_two_classes_stay_as_they_are_when_a_third_joins(rng):
    """Hypotheses learnt from two classes decide between them as before, half up and half down."""
    X, y = sparse(rng, 80, d=6)
    both = np.concatenate([y, [3.0]])
    rows = np.vstack([X, np.zeros((1, 6))])
    two = train((X, y), TrainOptions(learner="voted-perceptron", task=Task.CLASSIFICATION)).linear.votes[0]
    three = train((rows, both), TrainOptions(learner="voted-perceptron", task=Task.CLASSIFICATION)).linear.votes[0]
    m = len(two.which)
    signs = np.where(three.truths[:m] == 1, 1.0, -1.0)
    assert (two.amounts == 2 * signs * three.amounts[:m]).all()
    assert (two.mistaken.toarray() == three.mistaken.toarray()[: two.mistaken.shape[0]]).all()


# -- rows that cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["adaptive", "auto"])
def test_bad_rows_stop_or_are_counted(learner, rng, tmp_path):
    X, y = sparse(rng, 60)
    write_svmlight(tmp_path / "good.svm", X, y)
    lines = (tmp_path / "good.svm").read_text().splitlines()
    bad = lines.copy()
    for at in (50, 20, 3):
        bad.insert(at, f"1 rubbish{at}")
    (tmp_path / "bad.svm").write_text("\n".join(bad) + "\n")
    options = TrainOptions(learner=learner, task=Task.CLASSIFICATION)
    for threads in (1, 4):
        with cut(50), pytest.raises(InputError, match=r"bad\.svm:4:"):
            train(str(tmp_path / "bad.svm"), replace(options, threads=threads))
    with cut(50):
        good = train(str(tmp_path / "good.svm"), options)
        skipped = train(str(tmp_path / "bad.svm"), replace(options, on_error=OnError.SKIP))
    assert skipped.record.rejected_rows == 3
    assert good.record.rejected_rows == 0
    assert (skipped.linear.weights == good.linear.weights).all()


def test_rows_without_target_or_with_infinite_numbers_are_bad_rows(tmp_path):
    text = "size,colour,label\n1.5,red,a\n2,blue,\ninf,red,b\n3,red,b\n\n4,blue,a\n1,red,b\n"
    (tmp_path / "all.csv").write_text(text)
    options = TrainOptions(target="label", learner="adaptive", on_error=OnError.QUARANTINE, columns={"size": "number"})
    kept = str(tmp_path / "kept")
    for chunk in (5, 30, 1000):
        with cut(chunk):
            model = train(str(tmp_path / "all.csv"), replace(options, quarantine=kept))
            assert model.record.rejected_rows == 1
            assert model.record.misfits == {"size": 1}
            assert (tmp_path / "kept").read_text() == "2,blue,\n"
            strict = train(str(tmp_path / "all.csv"), replace(options, quarantine=kept, on_misfit=OnMisfit.ERROR))
            assert strict.record.rejected_rows == 2
            assert (tmp_path / "kept").read_text() == "2,blue,\ninf,red,b\n"
            with pytest.raises(InputError, match=r"all\.csv:3: the target label is missing"):
                train(str(tmp_path / "all.csv"), replace(options, on_error=OnError.FAIL))
    assert len(model.predict({"size": [1.0, 2.0], "colour": ["red", "blue"]})) == 2
    spoilt, gone = ({"size": [1.0, value], "colour": ["red", "blue"]} for value in (np.inf, None))
    assert model.predict_proba(spoilt).tolist() == model.predict_proba(gone).tolist()


def test_a_record_of_several_lines_is_kept_apart_whole(tmp_path):
    text = 'text,label\n"one\ntwo, three",a\n"four\nfive six",\n"seven, eight",b\nnine ten,a\n'
    (tmp_path / "all.csv").write_text(text)
    options = replace(TABLE, columns={}, crosses=(), on_error=OnError.QUARANTINE, learner="adaptive")
    train(str(tmp_path / "all.csv"), replace(options, quarantine=str(tmp_path / "kept")))
    assert (tmp_path / "kept").read_text() == '"four\nfive six",\n'


def test_an_empty_label_is_missing_also_beside_missing_ones(tmp_path):
    lines = ['{"t": "a b c", "y": "x"}', '{"t": "b c d", "y": "z"}', '{"t": "c", "y": ""}', '{"t": "d", "y": null}']
    (tmp_path / "all.jsonl").write_text("\n".join(lines) + "\n")
    options = TrainOptions(target="y", learner="adaptive", on_error=OnError.SKIP)
    for chunk in (10, 1000):
        with cut(chunk):
            model = train(str(tmp_path / "all.jsonl"), options)
            assert model.classes == ["x", "z"]
            assert model.record.rejected_rows == 2


def test_labelled_text_may_begin_with_rows_that_cannot_be_read(tmp_path, rng):
    rows = table(rng, 50)
    write_labelled(tmp_path / "all.txt", rows)
    wanted = model_bytes(str(tmp_path / "all.txt"), TrainOptions(learner="adaptive"), tmp_path)
    text = (tmp_path / "all.txt").read_text()
    (tmp_path / "all.txt").write_text("\n\n" + text)
    assert model_bytes(str(tmp_path / "all.txt"), TrainOptions(learner="adaptive"), tmp_path) == wanted


@pytest.mark.parametrize("learner", ["adaptive", "averaged-perceptron", "voted-perceptron"])
def test_columns_that_only_rows_of_weight_zero_have_are_not_there(learner, tmp_path):
    """They come last, in blocks of which no row is left."""
    lines = [f"{i % 2},1,{'a' if i % 2 else 'b'}" for i in range(40)] + [f"{i % 2},0,c{i}" for i in range(3000)]
    (tmp_path / "all.csv").write_text("y,w,colour\n" + "\n".join(lines) + "\n")
    options = TrainOptions(
        target="y", learner=learner, columns={"w": "weight", "colour": "category"}, task=Task.CLASSIFICATION
    )
    with cut(100):
        model = train(str(tmp_path / "all.csv"), options)
    assert model.features.names() == ["colour=b", "colour=a"]
    assert model.linear.weights.any()


def test_like_labels_in_a_row_are_noticed_since_they_flatter_progressive_validation(rng):
    """A chain that keeps its label nine times of ten, beside the same labels shuffled; the columns are noise."""
    n = 3000
    y = np.cumsum(rng.random(n) < 0.1) % 2
    X = rng.normal(size=(n, 3))
    options = TrainOptions(learner="passive-aggressive-1", task=Task.CLASSIFICATION)
    chained, shuffled = (train((X, each), options) for each in (y, rng.permutation(y)))
    assert chained.record.progressive.accuracy > shuffled.record.progressive.accuracy + 0.1
    assert (chained.record.like_follows_like, shuffled.record.like_follows_like) == (True, False)
    (warning,) = warnings(chained)
    assert "progressive validation may be too optimistic" in warning
    assert not warnings(shuffled)
    held = train((X, y), replace(options, holdout=0.1))
    assert held.record.held_out.accuracy < shuffled.record.progressive.accuracy + 0.1


@pytest.mark.parametrize("labels", [2, 3, 30])
def test_random_orders_are_not_called_like(labels):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        runs = LabelRuns()
        for _ in range(4):
            runs.add(rng.integers(0, labels, 100).astype(float) * (rng.random(100) < 0.5))
        assert not runs.are_long()
