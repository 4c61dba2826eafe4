"""How many passes the trainer of structures makes, by what held-out examples say, and in how many orders."""

from dataclasses import replace

import numpy as np
import pytest

from linnet.structured import trainer
from linnet.structured.trainer import FEW, FEWEST_PASSES, FEWEST_PASSES_OF_FEW, Settings, Tally


class Scripted:
    """Examples of which some are wrong in every pass, and a learner whose held-out scores are given."""

    def __init__(self, scores, *, separated_after=None, examples=FEW):
        self.scores, self.separated_after = scores, separated_after
        self.examples = examples

    def learner(self, trained):
        return _Learner(self, len(trained))


class _Learner:
    def __init__(self, problem, size):
        self.problem, self.size, self.seen = problem, size, 0
        self.orders = []

    def train(self, order):
        self.orders.append(order.tolist())
        self.seen += len(order)
        separated = self.problem.separated_after
        wrong = 0 if separated is not None and self.seen > separated * self.size else 1
        return Tally(len(order), wrong, len(order), wrong)

    def score(self, _):
        return self.problem.scores[self.seen // self.size - 1]

    def state(self):
        return {"seen": np.array([self.seen])}

    def restore(self, state):
        self.seen = int(state["seen"][0])


@pytest.mark.parametrize(
    ("scores", "passes", "tried"),
    [
        ([0.9] * 30, FEWEST_PASSES, FEWEST_PASSES + 3),  # all alike, as a few held-out examples often are
        ([0.95, *[0.9] * 29], FEWEST_PASSES, FEWEST_PASSES + 3),
        ([1.0] * 30, FEWEST_PASSES, FEWEST_PASSES),
        ([each / 100 for each in range(30)], 30, 30),
        ([*[0.5] * 9, 0.9, *[0.8] * 20], 10, 13),
    ],
)
def test_passes_are_those_of_the_best_held_out_score_but_for_the_first_few(scores, passes, tried):
    _, history = trainer.fit(Scripted(scores), Settings())
    assert (history.passes, len(history.search), len(history.final)) == (passes, tried, passes)


def test_the_search_ends_where_training_makes_no_more_mistakes():
    _, history = trainer.fit(Scripted([0.9] * 30, separated_after=2), Settings())
    assert (history.passes, len(history.search)) == (3, 3)


def test_of_few_examples_more_passes_are_made():
    _, history = trainer.fit(Scripted([0.9] * 30, examples=40), Settings())
    assert (history.passes, len(history.search)) == (FEWEST_PASSES_OF_FEW, FEWEST_PASSES_OF_FEW + 3)


def test_every_order_is_a_training_from_the_beginning_in_an_order_of_its_own():
    learners, history = trainer.fit(Scripted([], examples=40), Settings(passes=2, orders=3))
    assert [learner.seen for learner in learners] == [80] * 3
    assert len(history.final) == 6
    passes = [order for learner in learners for order in learner.orders]
    assert all(sorted(order) == list(range(40)) for order in passes)
    assert len({tuple(order) for order in passes}) == 6
    assert "in 3 orders" in "".join(replace(history, search=history.final[:2]).lines())
