"""Labels that appear mid-stream."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import linnet
from linnet.data.rows import Rows

STREAMING = [
    linnet.Perceptron(),
    linnet.Perceptron(averaging="average"),
    linnet.PassiveAggressive(),
    linnet.LogisticRegression(solver="online"),
    linnet.OnlineClassifier(),
    linnet.OnlineClassifier("sgd-logistic", penalty="l1"),
]
REDUCTIONS = ["joint", "one-vs-rest", "pairwise"]


def new(estimator, multiclass):
    return type(estimator)(**{**estimator.get_params(), "multiclass": multiclass})


def blobs(rng, labels, n=200):
    centres = {"a": [6, 0], "b": [0, 6], "c": [-6, 0], "d": [0, -6]}
    y = rng.choice(labels, size=n)
    return np.array([centres[label] for label in y]) + rng.normal(size=(n, 2)), y


@pytest.mark.parametrize("multiclass", REDUCTIONS)
@pytest.mark.parametrize("estimator", STREAMING, ids=repr)
@pytest.mark.parametrize("arrivals", [["c", "a", "d", "b"], ["bc", "a", "d"], ["bd", "abcd"], ["abd", "c"]])
def test_classes_may_appear_later_and_are_learnt(arrivals, estimator, multiclass, rng):
    model = new(estimator, multiclass)
    known = ""
    for labels in arrivals:
        known += labels
        for _ in range(5):
            model.partial_fit(*blobs(rng, sorted(set(known))))
    X, y = blobs(rng, list("abcd"), 400)
    assert list(model.classes_) == list("abcd")
    # the mean of all weights remembers the time before a class appeared
    assert model.score(X, y) > (0.85 if model.get_params().get("averaging") == "average" else 0.97)


@pytest.mark.parametrize("multiclass", REDUCTIONS)
@pytest.mark.parametrize("estimator", STREAMING, ids=repr)
@pytest.mark.parametrize("newcomer", ["a", "c", "e"])
def test_a_new_class_leaves_the_decisions_between_the_old_ones(newcomer, estimator, multiclass, rng):
    X, y = rng.normal(size=(150, 4)), rng.choice(["b", "d"], size=150)
    model = new(estimator, multiclass).partial_fit(X, y)
    before = model.decision_function(X)
    training = model._training
    training.extend(training.labels.including(np.array([newcomer])))
    after = training.model().decision(Rows.of(X))
    b, d = (int(np.flatnonzero(training.labels.classes == label)[0]) for label in "bd")
    assert_array_equal(after[:, d] > after[:, b], before > 0)
    if multiclass == "joint":
        assert_allclose(after[:, d] - after[:, b], before, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("first", ["lower", "upper"])
def test_one_class_alone_and_then_the_second_equals_both_known(first, rng):
    """The first class is learnt as one side before anyone knows what the other is."""
    X, y = rng.normal(size=(100, 3)), np.sort(rng.choice(["lower", "upper"], size=100))
    if first == "upper":
        X, y = X[::-1], y[::-1]
    start = int((y == first).sum())
    late = linnet.OnlineClassifier()
    late.partial_fit(X[:start], y[:start])
    assert list(late.predict(X[:3])) == [first] * 3
    late.partial_fit(X[start:], y[start:])
    known = linnet.OnlineClassifier().partial_fit(X, y, classes=["lower", "upper"])
    assert_array_equal(late.coef_, known.coef_)
    assert_array_equal(late.intercept_, known.intercept_)


@pytest.mark.parametrize("multiclass", ["pairwise", "one-vs-rest"])
def test_a_vote_that_is_not_joint_asks_for_all_classes_at_the_start(multiclass, rng):
    model = linnet.Perceptron(averaging="vote", multiclass=multiclass).partial_fit(*blobs(rng, ["a", "b"]))
    with pytest.raises(linnet.RecipeError, match="classes="):
        model.partial_fit(*blobs(rng, ["c"]))


@pytest.mark.parametrize("newcomer", ["a", "c", "e"])
def test_votes_between_the_old_classes_stay_when_a_new_one_joins(newcomer, rng):
    X, y = blobs(rng, ["b", "d"])
    model = linnet.Perceptron(averaging="vote").partial_fit(X, y)
    training = model._training
    before = training.model().decision(Rows.of(X))
    training.extend(training.labels.including(np.array([newcomer])))
    after = training.model().decision(Rows.of(X))
    b, d = (int(np.flatnonzero(training.labels.classes == label)[0]) for label in "bd")
    assert_array_equal(after[:, d] > after[:, b], before > 0)
    assert_allclose(after[:, d] - after[:, b], before, atol=0.05)  # a hypothesis may leave a row undecided


@pytest.mark.parametrize("estimator", STREAMING, ids=repr)
def test_a_block_that_cannot_be_learnt_from_leaves_everything_as_it_was(estimator, rng):
    X, y = blobs(rng, ["a", "b"])
    model = new(estimator, "joint").partial_fit(X, y)
    before = model.decision_function(X)
    bad = X.copy()
    bad[150, 1] = np.nan
    with pytest.raises(linnet.InputError, match="NaN at row 150, column 1"):
        model.partial_fit(bad, np.where(y == "a", "a", "new"))
    assert list(model.classes_) == ["a", "b"]
    assert_array_equal(model.decision_function(X), before)
    again = new(estimator, "joint").partial_fit(X, y).partial_fit(X, y)
    assert_array_equal(model.partial_fit(X, y).coef_, again.coef_)


def test_fit_forgets_an_earlier_stream(rng):
    X, y = blobs(rng, ["a", "b"])
    model = linnet.Perceptron(max_iter=3, tol=None).partial_fit(*blobs(rng, ["c", "d"])).fit(X, y)
    fresh = linnet.Perceptron(max_iter=3, tol=None).fit(X, y)
    assert_array_equal(model.coef_, fresh.coef_)
    assert model.n_iter_ == fresh.n_iter_


@pytest.mark.parametrize("estimator", STREAMING, ids=repr)
def test_a_stream_goes_on_where_fit_ended(estimator, rng):
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    model = new(estimator, "joint").set_params(max_iter=1, tol=None, shuffle=False)
    model.fit(X, y).partial_fit(X[:40], y[:40])
    assert model.n_iter_ == len(model.history_) == 2
    if not isinstance(model, linnet.LogisticRegression):  # a fit spreads its penalty over all rows, a stream cannot
        again = new(estimator, "joint").partial_fit(X, y).partial_fit(X[:40], y[:40])
        assert_array_equal(model.coef_, again.coef_)


def test_parameters_changed_mid_stream_are_refused(rng):
    model = linnet.OnlineClassifier().partial_fit(*blobs(rng, ["a", "b"]))
    with pytest.raises(linnet.RecipeError, match="have changed since the stream began"):
        model.set_params(eta0=0.1).partial_fit(*blobs(rng, ["a", "b"]))


def test_one_class_so_far_has_one_probability(rng):
    X, y = blobs(rng, ["a"])
    assert linnet.OnlineClassifier().partial_fit(X, y).predict_proba(X[:4]).tolist() == [[1.0]] * 4


def test_a_class_may_have_a_weight_before_it_appears(rng):
    model = linnet.Perceptron(class_weight={"a": 2.0, "z": 5.0}).partial_fit(*blobs(rng, ["a", "b"]))
    X, y = blobs(rng, ["a", "b"])
    weighted = linnet.Perceptron().partial_fit(X, y, sample_weight=np.where(y == "a", 2.0, 1.0))
    assert_array_equal(linnet.Perceptron(class_weight={"a": 2.0}).partial_fit(X, y).coef_, weighted.coef_)
    assert list(model.classes_) == ["a", "b"]


@pytest.mark.parametrize("known", [["a", "c"], ["a", "c", "d"]])
def test_a_new_class_starts_with_no_gradients_behind_it(known, rng):
    model = linnet.OnlineClassifier().partial_fit(*blobs(rng, known))
    training = model._training
    training.extend(training.labels.including(np.array(["b"])))
    (learner,) = training.learners.values()
    squares = learner.squares.reshape(-1, len(known) + 1)
    assert not squares[:, 1].any()
    assert np.delete(squares, 1, axis=1).all()
