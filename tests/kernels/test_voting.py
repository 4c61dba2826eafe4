from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linnet import Perceptron
from linnet.data.rows import Rows
from linnet.learners import voting
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Recipe
from linnet.training.online_learner import Learner
from linnet.training.order import WHOLE
from tests import twins
from tests.conftest import both_forms, sparse_table

VOTE = Recipe(Loss.PERCEPTRON, averaging=Averaging.VOTE)


def hypotheses_and_survival(X, targets, outputs, passes):
    """Every hypothesis as dense weights, with the number of rows it got right before it was corrected."""
    met, _ = twins.run(X, targets, Recipe(Loss.PERCEPTRON), outputs, passes=passes)
    hypotheses, survived = [(np.zeros((X.shape[1], outputs)), np.zeros(outputs))], [0]
    for w, b in met:
        if np.array_equal(w, hypotheses[-1][0]) and np.array_equal(b, hypotheses[-1][1]):
            survived[-1] += 1
        else:
            hypotheses.append((w, b))
            survived.append(0)
    return hypotheses, survived


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_vote_equals_the_sum_over_all_stored_hypotheses(outputs, rng):
    X = sparse_table(rng, 60, 8)
    targets = rng.integers(outputs, size=60).astype(float) if outputs > 1 else rng.choice([-1.0, 1.0], size=60)
    new = rng.normal(size=(25, 8))
    hypotheses, survived = hypotheses_and_survival(X, targets, outputs, passes=2)
    expected = np.zeros((25, outputs))
    for (w, b), count in zip(hypotheses, survived, strict=True):
        scores = new @ w + b
        expected += count * (np.sign(scores) if outputs == 1 else np.eye(outputs)[scores.argmax(axis=1)])
    for training, unseen in zip(both_forms(X), both_forms(new), strict=True):
        learner = Learner(VOTE, 8, outputs)
        rows = Rows.of(training)
        for _ in range(2):
            learner.present(rows, targets, None, WHOLE)
        votes = learner.votes()
        assert list(votes.survived) == survived
        assert_allclose(votes.count(Rows.of(unseen)), expected / sum(survived), atol=1e-12)


@pytest.mark.parametrize(("rows", "mistakes"), [(1, 1), (15, 3), (16, 40), (50, 7)])
def test_products_of_rows_are_those_of_numpy_in_any_blocks_and_forms(rows, mistakes, rng):
    X, mistaken = sparse_table(rng, rows, 30), sparse_table(rng, mistakes, 30)
    some = np.zeros(mistakes, dtype=np.int64)
    rest = (some, some, some, np.ones(mistakes), np.ones(mistakes + 1), 1, True)
    for kept in both_forms(mistaken):
        for form in both_forms(X):
            found = voting._Products(voting.Votes(kept, *rest))(Rows.of(form), 0, rows)
            assert_allclose(found, X @ mistaken.T, rtol=1e-12, atol=1e-12)
            for first in range(rows):
                one = voting._Products(voting.Votes(kept, *rest))(Rows.of(form), first, first + 1)
                assert_array_equal(one[0], found[first])


def test_mistaken_rows_are_kept_once_however_often_they_were_mistaken(rng):
    X, y = rng.normal(size=(50, 4)), rng.integers(2, size=50)
    model = Perceptron(averaging="vote", max_iter=30, tol=None).fit(X, y).model_
    (votes,) = model.votes
    assert len(votes.which) > 50 >= votes.mistaken.shape[0]


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest", "pairwise"])
def test_voting_learns_separable_classes_under_every_reduction(multiclass, rng):
    centres = np.array([[0, 10], [10, -10], [-10, -10]])
    y = rng.integers(3, size=150)
    X = centres[y] + rng.normal(size=(150, 2))
    assert Perceptron(averaging="vote", multiclass=multiclass, max_iter=50).fit(X, y).score(X, y) == 1.0


def test_votes_on_single_precision_are_counted_in_double(rng):
    X = (rng.normal(size=(400, 6)) + 100).astype(np.float32)
    y, new = rng.integers(2, size=400), (rng.normal(size=(2000, 6)) + 100).astype(np.float32)
    models = [Perceptron(averaging="vote", max_iter=5, tol=None).fit(X.astype(kind), y) for kind in ("f4", "f8")]
    single, double = models[0].decision_function(new), models[1].decision_function(new.astype("f8"))
    assert single.dtype == np.float32
    assert_array_equal(single, double.astype(np.float32))
