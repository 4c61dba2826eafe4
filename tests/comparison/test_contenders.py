"""Contenders as users write them."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from linnet.comparison.contenders import estimator_of, parsed
from linnet.data.task import Task
from linnet.errors import RecipeError


def test_names_options_and_import_paths_are_told_apart():
    found = parsed("svm(C=0.1), logistic-regression,sklearn.neighbors.KNeighborsClassifier(n_neighbors=5, p=1)")
    assert [each.learner for each in found] == [
        "svm", "logistic-regression", "sklearn.neighbors.KNeighborsClassifier",
    ]  # fmt: skip
    assert [each.yardstick for each in found] == [False, False, True]
    assert [each.options for each in found] == [{"C": 0.1}, {}, {"n_neighbors": 5, "p": 1}]


def test_an_import_path_becomes_the_estimator_with_its_arguments():
    (contender,) = parsed("sklearn.neighbors.KNeighborsClassifier(n_neighbors=7, weights='distance')")
    made = estimator_of(contender, Task.CLASSIFICATION)
    assert isinstance(made, KNeighborsClassifier)
    assert (made.n_neighbors, made.weights) == (7, "distance")


def test_an_estimator_of_python_is_taken_as_it_is():
    (contender,) = parsed([LogisticRegression(C=3.0)])
    assert contender.yardstick
    assert estimator_of(contender, Task.CLASSIFICATION).C == 3.0


@pytest.mark.parametrize(
    "given",
    [
        "sklearn.dummy.DummyClassifier(strategy=__import__('os').system('touch ran'))",
        "sklearn.dummy.DummyClassifier(**{'strategy': 'prior'})",
        "sklearn.dummy.DummyClassifier('prior')",
        "sklearn.dummy.DummyClassifier(strategy='prior'",
        "sklearn.dummy.DummyClassifier(strategy=open('ran', 'w'))",
        "svm(C=1)(C=2)",
        "svm(" + "[" * 2000 + ")",
    ],
)
def test_arguments_that_are_not_literals_are_refused_and_never_run(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecipeError, match="is not a name with arguments"):
        parsed(given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("os.system", "is not a scikit-learn estimator"),
        ("os.path.join", "is not a scikit-learn estimator"),
        ("sklearn.nothing.Here", "cannot be imported"),
        ("sklearn.preprocessing.StandardScaler", "is not an estimator for classification"),
        ("sklearn.linear_model.Ridge", "is not an estimator for classification"),
        ("sklearn.svm.SVC(nonsense=1)", "nonsense"),
        ("sklearn..SVC", "is not an import path"),
    ],
)
def test_what_is_not_a_classifier_is_refused(given, reason):
    (contender,) = parsed(given)
    with pytest.raises(RecipeError, match=reason):
        estimator_of(contender, Task.CLASSIFICATION)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("nothing", "no known learner"),
        ("svm,svm", "twice"),
        ("", "names no learner"),
        ("svm(holdout=0.5)", "'holdout' is not an option of a learner"),
        ("svm(max_iter=0)", "max_iter"),
    ],
)
def test_wrong_names_are_refused_before_anything_is_read(given, reason):
    with pytest.raises(RecipeError, match=reason):
        parsed(given)
