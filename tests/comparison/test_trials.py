"""A trial is linnet train on the training rows of a fold, and scikit-learn on the same features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import linnet
from linnet.comparison import compared_data, splits, trials
from linnet.comparison.contenders import parsed
from linnet.comparison.fold_view import FoldView
from linnet.comparison.options import CompareOptions
from linnet.comparison.trials import TrialSettings, unpacked
from linnet.data.sources.opening import open_data
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.services import Services


@pytest.fixture(scope="module")
def table():
    """Numbers, one of them with a long tail, a category with rare levels, and a label."""
    rng = np.random.default_rng(3)
    n = 500
    amount = np.exp(rng.normal(2, 1.5, n)).round(2)
    score = np.log1p(amount) - 2.2 + rng.normal(size=n)
    return pd.DataFrame(
        {
            "amount": amount,
            "age": rng.integers(18, 90, n),
            "town": [f"t{each}" for each in rng.geometric(0.15, n)],
            "y": np.where(score > 0, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(4)
    words = np.array([f"w{each}" for each in range(60)])
    kinds = rng.integers(0, 3, 240)
    rows = [" ".join(rng.choice(words[kind * 15 : kind * 15 + 30], 8)) for kind in kinds]
    return pd.DataFrame({"text": rows, "y": [f"k{kind}" for kind in kinds]})


def tried(frame, name, metric="accuracy", number=1, target="y", **options):
    reading = TrainOptions(target=target, **options)
    asked = CompareOptions(folds=4, repeats=1)
    data = compared_data.read("data", open_data(frame, reading.form), reading, asked, Services())
    codes = data.dataset.targets if data.labels is not None else np.zeros(data.rows)
    fold = splits.stratified(splits.units_of(data.prints, None), codes, 4, 1, 0)[number]
    (contender,) = parsed([name])
    settings = TrialSettings(metric, tuned=False, seed=0)
    assert trials.refusal(contender, data, settings) == ""
    view = FoldView(data, fold, trials.view_of(contender, data))
    return trials.run(contender, view, number, settings), fold, data


LEARNERS = [
    "logistic-regression", "svm", "svm(C=0.01)", "averaged-perceptron(passes=3)", "adaptive", "naive-bayes-gaussian",
    "discriminant-analysis", "naive-bayes", "passive-aggressive-1",
]  # fmt: skip


@pytest.mark.parametrize("name", LEARNERS)
def test_a_trial_predicts_what_train_on_the_training_rows_does(table, name):
    trial, fold, data = tried(table, name)
    assert trial.failed == ""
    learner, _, rest = name.partition("(")
    given = dict(each.split("=") for each in rest.strip(")").split(",") if each)
    model = linnet.train(table.iloc[fold.train], "y", learner=learner, holdout=0, **given)
    expected = model.predict(table.iloc[fold.test].drop(columns="y"))
    assert data.labels.classes[unpacked(trial.predicted).astype(int)].tolist() == expected.tolist()
    assert trial.scores["accuracy"] == accuracy_score(table["y"].iloc[fold.test], expected)


@pytest.mark.parametrize("name", ["logistic-regression", "naive-bayes", "averaged-perceptron", "svm"])
def test_names_and_weights_of_words_come_from_the_training_rows(texts, name):
    trial, fold, data = tried(texts, name)
    model = linnet.train(texts.iloc[fold.train], "y", learner=name, holdout=0)
    expected = model.predict(texts.iloc[fold.test].drop(columns="y"))
    assert data.labels.classes[unpacked(trial.predicted).astype(int)].tolist() == expected.tolist()


def test_probabilities_are_scored_as_scikit_learn_scores_them(table):
    trial, fold, _ = tried(table, "logistic-regression")
    model = linnet.train(table.iloc[fold.train], "y", learner="logistic-regression", holdout=0)
    truth = table["y"].iloc[fold.test]
    probabilities = model.predict_proba(table.iloc[fold.test].drop(columns="y"))
    assert trial.scores["log-loss"] == pytest.approx(log_loss(truth, probabilities, labels=["no", "yes"]), rel=1e-9)
    assert trial.scores["roc-auc"] == pytest.approx(roc_auc_score(truth == "yes", probabilities[:, 1]), rel=1e-9)


def test_numbers_are_predicted_as_train_does(table):
    numbers = table.drop(columns="y").assign(price=table["age"] * 2.0 + np.log1p(table["amount"]))
    trial, fold, _ = tried(numbers, "ridge", metric="r2", target="price")
    model = linnet.train(numbers.iloc[fold.train], "price", learner="ridge", holdout=0)
    expected = np.asarray(model.predict(numbers.iloc[fold.test].drop(columns="price")))
    assert unpacked(trial.predicted) == pytest.approx(expected, rel=1e-9)


def test_a_yardstick_gets_standardised_numbers_and_one_hot_categories(table):
    trial, fold, data = tried(table, "sklearn.neighbors.KNeighborsClassifier(n_neighbors=9)", columns={"amount": "log"})
    train, test = (table.iloc[rows] for rows in (fold.train, fold.test))
    view = FoldView(data, fold, pruned=True)
    log = next(term.log for term in view.features().terms if getattr(term, "log", None) is not None)
    train, test = (each.assign(amount=np.log1p(each["amount"] / log.scale)) for each in (train, test))
    columns = make_column_transformer(
        (StandardScaler(), ["amount", "age"]), (OneHotEncoder(handle_unknown="ignore"), ["town"])
    )
    peer = make_pipeline(columns, KNeighborsClassifier(n_neighbors=9)).fit(train.drop(columns="y"), train["y"])
    expected = peer.predict(test.drop(columns="y"))
    assert data.labels.classes[unpacked(trial.predicted).astype(int)].tolist() == expected.tolist()


def test_logarithms_are_chosen_from_the_training_rows_alone(table):
    # of the training rows the tail explains nothing: only the test rows would ask for the logarithm
    asked = CompareOptions(folds=2, repeats=1)
    reading = TrainOptions(target="y")
    data = compared_data.read("data", open_data(table, reading.form), reading, asked, Services())
    small = np.flatnonzero(table["amount"].to_numpy() < 12)
    fold = splits.Fold(small, np.setdiff1d(np.arange(len(table)), small))
    logs = [term.log for term in FoldView(data, fold, pruned=False).features().terms if getattr(term, "log", None)]
    everything = splits.Fold(np.arange(len(table)), small)
    with_all = [t.log for t in FoldView(data, everything, pruned=False).features().terms if getattr(t, "log", None)]
    assert not logs
    assert with_all


def test_a_learner_that_does_not_take_the_values_is_refused_with_the_column(table):
    below = table.assign(age=table["age"] - 50)
    reading = TrainOptions(target="y")
    data = compared_data.read("data", open_data(below, reading.form), reading, CompareOptions(), Services())
    (contender,) = parsed("naive-bayes")
    reason = trials.refusal(contender, data, TrialSettings("accuracy", tuned=False, seed=0))
    assert reason.startswith("age has the value -")
