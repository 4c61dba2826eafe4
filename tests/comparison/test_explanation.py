"""All reasons together: same bits for any number of threads, stored and read back, told in lines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as Plain

from linnet.comparison.explanation import reasons_of
from linnet.comparison.out_of_fold import OutOfFold
from linnet.comparison.reason_lines import reason_lines
from linnet.comparison.reasons import Reasons
from linnet.storage.typed_json import from_plain, to_plain
from tests.comparison.readings import dataset_of, folds_of


def noisy_table(n=1500, rate=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 0] += 6 * (rng.random(n) < 0.5) - 3
    y = np.where((X[:, 0] > 0) != (rng.random(n) < rate), "<b>yes</b>", "no")
    X[:, 2] *= 1e4
    return X, y


def explained(X, y, seed=0, **options):
    data = dataset_of((X, y), **options)
    folds, codes = folds_of(len(y), 5), data.targets
    models = {"logistic": LogisticRegression(max_iter=200), "plain": Plain(), "stronger": LogisticRegression(C=1e-4)}

    def answers(name, train, asked):
        return models[name].fit(X[train] / [1, 1, 1e4], codes[train]).predict(X[asked] / [1, 1, 1e4])

    contenders = []
    for name in models:
        predicted = np.full(len(y), np.nan)
        for fold in folds:
            predicted[fold.test] = answers(name, fold.train, fold.test)
        contenders.append(OutOfFold(name, predicted))
    return reasons_of(data, contenders, folds, lambda tasks: [answers(*task) for task in tasks], seed=seed)


@pytest.fixture(scope="module")
def reasons():
    return explained(*noisy_table())


def test_the_noise_that_was_put_in_is_found_and_bounds_the_accuracy(reasons):
    facts = {fact.name: fact for fact in reasons.facts}
    low, high = facts["label noise"].interval
    assert low <= 0.1 <= high
    assert facts["scales"].value > 1e3
    assert facts["separability"].value == 0.0


def test_all_parts_are_there(reasons):
    assert len(reasons.facts) > 8
    assert len(reasons.curves) == 3
    assert len(reasons.disagreements) == 3
    assert {"perceptron", "averaged-perceptron", "voted-perceptron"} <= {each.learner for each in reasons.sensitivities}


def test_reasons_are_stored_and_read_back(reasons):
    plain = json.loads(json.dumps(to_plain(reasons), allow_nan=False))
    assert to_plain(from_plain(Reasons, plain)) == to_plain(reasons)


def test_reasons_are_the_same_bits_for_any_number_of_blas_threads(reasons):
    from threadpoolctl import threadpool_limits

    for threads in (1, 2):
        with threadpool_limits(threads):
            assert to_plain(explained(*noisy_table())) == to_plain(reasons)


def test_lines_have_every_fact_curve_and_learner(reasons):
    lines = reason_lines(reasons)
    text = "\n".join(lines)
    for fact in reasons.facts:
        assert fact.text in text
    for each in (*reasons.curves, *reasons.sensitivities):
        assert any(line.strip().startswith(f"{each.learner}:") for line in lines)
    assert "<b>yes</b>" in text  # as the data have it: whoever prints it escapes it


def test_numbers_are_explained_without_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    data = dataset_of((X, X.sum(axis=1) + rng.normal(size=800)))
    folds = folds_of(800, 5)

    def answers(task):
        return X[task.asked] @ np.linalg.lstsq(X[task.train], data.targets[task.train], rcond=None)[0]

    predicted = X @ np.ones(3)
    contenders = [OutOfFold("least squares", predicted), OutOfFold("shrunk", predicted * 0.2)]
    found = reasons_of(data, contenders, folds, lambda tasks: [answers(task) for task in tasks], seed=0)
    assert {fact.name for fact in found.facts} >= {"target", "conflicting targets", "scales", "collinearity"}
    assert found.disagreements[0].fraction > 0.3
    assert found.curves
    assert found.sensitivities
    assert reason_lines(found)


def test_without_anything_measured_there_are_no_lines():
    assert reason_lines(Reasons()) == []
