"""train(tune=...): the path, its record, what it never sees, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.cli.options import with_values
from linnet.data.rows import Examples, Rows
from linnet.errors import RecipeError
from linnet.learners import catalogue
from linnet.learners.regularisation import with_strength
from linnet.model.record import StrengthChoice
from linnet.storage.typed_json import from_plain, to_plain
from linnet.training.fit import Settings, fit
from linnet.training.penalty_path import PenaltyPath


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=400) > 0, "yes", "no")
    return {f"x{i}": X[:, i] for i in range(6)} | {"y": y}


@pytest.fixture
def numbers(table):
    return {**table, "y": table["x0"] * 2.0 + table["x2"] + np.random.default_rng(1).normal(size=400)}


def test_the_record_has_the_path_from_strong_to_weak_with_a_gap_at_every_point(table):
    model = linnet.train(table, target="y", tune=True)
    choice = model.record.strength
    assert (choice.name, choice.metric, choice.folds, choice.rule) == ("C", "log-loss", 5, "best")
    assert list(choice.tried) == sorted(choice.tried)
    default = linnet.train(table, target="y").record.strength.value
    assert choice.value in (choice.tried[int(np.argmin(choice.scores))], pytest.approx(default, rel=1e-5))
    assert max(choice.gaps) <= 1e-2
    assert 1.0 / model.record.recipe.penalty.l2 == pytest.approx(choice.value)
    assert {each.feature for each in choice.paths} == {f"x{i}" for i in range(6)}
    assert all(len(each.weights) == len(choice.tried) for each in choice.paths)
    assert from_plain(StrengthChoice, to_plain(choice)) == choice


def test_the_choice_without_tuning_is_a_point_of_the_path_and_is_kept_where_none_is_clearly_better(table):
    default = linnet.train(table, target="y").record.strength.value
    for metric in ("log-loss", "accuracy"):
        choice = linnet.train(table, target="y", tune=metric).record.strength
        at = [abs(value / default - 1) < 1e-5 for value in choice.tried]
        assert sum(at) == 1
        better = choice.scores[choice.tried.index(choice.value)] - choice.scores[at.index(True)]
        assert (better < 0 if metric == "log-loss" else better > 0) or choice.value == choice.tried[at.index(True)]


def test_a_point_between_those_of_the_grid_is_tried(table):
    choice = linnet.train(table, target="y", learner="svm", C="auto", folds=3).record.strength
    grid = {float(f"{4.0**power:.6g}") for power in range(-5, 5)}
    assert len(set(choice.tried) - grid) <= 1
    assert list(choice.tried) == sorted(choice.tried)
    log_loss = linnet.train(table, target="y", tune=True, folds=3).record.strength
    best = log_loss.tried[int(np.argmin(log_loss.scores))]
    quarters = 4 * np.log(best) / np.log(4)
    assert quarters == pytest.approx(round(quarters), abs=1e-4)


def test_auto_is_tuning_by_the_default_metric(table, numbers):
    assert linnet.train(table, target="y", C="auto").record.strength == (
        linnet.train(table, target="y", tune=True).record.strength
    )
    choice = linnet.train(numbers, target="y", alpha="auto").record.strength
    assert (choice.name, choice.metric) == ("alpha", "r2")


def test_held_out_rows_never_see_the_tuning(table):
    held = linnet.train(table, target="y", tune=True)
    from linnet.evaluation.splits import held_out

    out = held_out(0, 400, 0.1, 0)
    other = {name: column.copy() for name, column in table.items()}
    flipped = np.where(other["y"] == "yes", "no", "yes")
    other["y"] = np.where(out & (np.arange(400) > 20), flipped, other["y"])
    again = linnet.train(other, target="y", tune=True)
    assert again.record.strength.scores == held.record.strength.scores


def test_the_same_choice_for_any_number_of_threads_and_any_order_of_rows(table):
    one, two = (linnet.train(table, target="y", tune=True, threads=threads).record for threads in (1, 2))
    assert one == two
    order = np.random.default_rng(2).permutation(400)
    shuffled = {name: column[order] for name, column in table.items()}
    a, b = (linnet.train(data, target="y", tune=True, holdout=0).record.strength for data in (table, shuffled))
    assert a.value == b.value
    assert np.allclose(a.scores, b.scores, rtol=1e-3)


CLASSIFIERS = [e.name for e in catalogue.entries() if e.strength and e.name in (
    "svm", "svm-squared", "crammer-singer", "passive-aggressive-1", "pegasos", "sgd-logistic", "adaptive")]  # fmt: skip
REGRESSORS = ["ridge", "lasso", "elastic-net", "huber", "quantile", "adaptive-squared"]


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_every_kind_of_classifier_is_tuned(table, learner):
    choice = linnet.train(table, target="y", learner=learner, tune="accuracy", folds=3).record.strength
    assert choice.metric == "accuracy"
    assert max(choice.scores) > 0.65


@pytest.mark.parametrize("learner", REGRESSORS)
def test_every_kind_of_regressor_is_tuned(numbers, learner):
    choice = linnet.train(numbers, target="y", learner=learner, tune="rmse").record.strength
    assert choice.value == choice.tried[int(np.argmin(choice.scores))]


def test_smoothing_of_naive_bayes_is_tuned_and_kept():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    texts = [" ".join(rng.choice(["good", "fine", "bad", "poor"], 6, p=p)) for p in
             np.where(y[:, None], [0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4])]  # fmt: skip
    data = {"text": texts, "y": np.where(y, "up", "down")}
    model = linnet.train(data, target="y", learner="naive-bayes", tune=True, columns={"text": "text"})
    given = linnet.train(
        data, target="y", learner="naive-bayes", alpha=model.record.strength.value, columns={"text": "text"}
    )
    assert np.array_equal(model.linear.weights, given.linear.weights)


def test_one_standard_error_takes_a_penalty_at_least_as_strong(table):
    best = linnet.train(table, target="y", tune=True).record.strength
    strong = linnet.train(table, target="y", tune=True, tune_rule="one-standard-error").record.strength
    assert strong.value <= best.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tune": True, "C": 1.0}, "leave the value"),
        ({"folds": 3}, "tune"),
        ({"tune": "r2"}, "classification"),
        ({"tune": "log-loss", "learner": "svm"}, "probabilities"),
        ({"tune": True, "learner": "perceptron"}, "perceptron"),
        ({"tune": True, "penalty": "none"}, "no penalty"),
        ({"tune": "f1:maybe"}, "maybe"),
        ({"alpha": "auto", "learner": "svm"}, "alpha"),
        ({"tune": "nonsense"}, "nonsense"),
    ],
)
def test_what_cannot_be_tuned_is_refused(table, options, message):
    with pytest.raises(RecipeError, match=message):
        linnet.train(table, target="y", **options)


def test_a_bare_flag_leaves_the_next_word_alone():
    assert with_values(["train", "--tune", "a.csv"]) == ["train", "--tune=auto", "a.csv"]
    assert with_values(["train", "a.csv", "--tune"]) == ["train", "a.csv", "--tune=auto"]
    assert with_values(["train", "--tune", "f1:x", "a.csv"]) == ["train", "--tune", "f1:x", "a.csv"]
    assert with_values(["train", "--", "--tune"]) == ["train", "--", "--tune"]


@pytest.mark.parametrize("learner", ["logistic-regression", "svm", "lasso"])
def test_a_path_ends_where_single_fits_do(learner):
    rng = np.random.default_rng(4)
    X, entry = rng.normal(size=(100, 5)), catalogue.find(learner)
    classes = learner != "lasso"
    y = (X[:, 0] > 0).astype(float) if classes else X[:, 0] + rng.normal(size=100)
    from linnet.data.labels import Labels

    labels = Labels.of(y)[0] if classes else None
    examples, settings = Examples(Rows.of(X), y), Settings(tol=1e-9)
    path = PenaltyPath(examples, labels, settings)
    for value in (0.1, 1.0) if classes else (0.5, 0.05):
        single = fit(with_strength(entry, value), examples, labels, settings)
        np.testing.assert_allclose(path.at(with_strength(entry, value)).model.weights, single.model.weights, atol=1e-3)
