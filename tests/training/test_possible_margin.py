"""How many mistakes a perceptron may have to make: the bound beside the margins that rows really have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import linnet
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners import catalogue
from linnet.training.online import OnlineTraining
from linnet.training.order import presentations
from linnet.training.possible_margin import MistakesPromised


def promised(X, y, passes, name="perceptron", weights=None):
    """By the mistakes of this many passes."""
    labels, codes = Labels.of(y)
    examples = Examples(Rows.of(X), codes, weights)
    training = OnlineTraining(catalogue.find(name).recipe, X.shape[1], labels)
    for _ in range(passes):
        training.learn(examples)
    (learner,) = training.learners.values()
    return MistakesPromised(learner, examples.rows, None, presentations(examples, shuffle=False).sample_weights)()


@given(seed=st.integers(0, 2**32 - 1), passes=st.integers(1, 8), dense=st.booleans())
def test_no_more_mistakes_are_promised_than_by_the_margin_of_a_plane_that_is_known(seed, passes, dense):
    random = np.random.default_rng(seed)
    X, u, b = random.normal(size=(40, 3)), random.normal(size=3), random.normal()
    y = (X @ u + b > 0).astype(int)
    y[:2] = 0, 1
    X[:2] = [-5 * u, 5 * u] - b * u / (u @ u)
    known = np.abs(X @ u + b).min() / np.sqrt(u @ u + b * b)
    longest = np.sqrt((X * X).sum(axis=1) + 1).max()
    assert promised(X if dense else csr_array(X), y, passes) <= (longest / known) ** 2 * (1 + 1e-9)


@given(seed=st.integers(0, 2**32 - 1), passes=st.integers(1, 8))
def test_of_several_classes_no_more_than_by_the_margins_between_them(seed, passes):
    random = np.random.default_rng(seed)
    W, b = random.normal(size=(3, 2)), random.normal(size=3)
    X = random.normal(size=(60, 2)) * 3
    scores = X @ W.T + b
    y = scores.argmax(axis=1)
    if len(np.unique(y)) < 3:
        return
    ordered = np.sort(scores, axis=1)
    known = (ordered[:, -1] - ordered[:, -2]).min() / np.sqrt((W * W).sum() + b @ b)
    longest = np.sqrt(2 * ((X * X).sum(axis=1) + 1)).max()
    assert promised(X, y, passes) <= (longest / known) ** 2 * (1 + 1e-9)


def test_where_rows_cannot_be_separated_it_grows_without_end(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    few, more, many = (promised(X, y, passes) for passes in (10, 100, 1000))
    assert few < more / 10 < many / 100


def test_mistakes_that_add_up_to_nothing_prove_that_no_plane_separates():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    assert promised(X, y, 10) == np.inf


@pytest.mark.parametrize("name", ["winnow", "sgd-logistic"])
def test_nothing_is_known_of_learners_that_do_not_add_their_mistakes(name):
    X = np.eye(4)
    assert promised(X, np.array([0, 0, 1, 1]), 3, name) == 0


def test_nothing_is_known_where_mistakes_have_different_weights(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    assert promised(X, y, 3, weights=rng.uniform(0.1, 0.9, 30)) == 0


def test_a_perceptron_stops_soon_on_rows_that_cannot_be_separated_and_goes_on_where_they_can(rng):
    X, u = rng.normal(size=(500, 5)), rng.normal(size=5)
    noisy = linnet.Perceptron().fit(X, X @ u + 2 * rng.normal(size=500) > 0)
    assert noisy.n_iter_ < 50
    apart = X[np.abs(X @ u) > 0.02 * np.sqrt(u @ u)]
    assert linnet.Perceptron().fit(apart, apart @ u > 0).history_[-1].mistakes == 0
