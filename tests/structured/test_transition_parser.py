"""The transition parser's kernels against a plain twin: costs, features, training, beams."""

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from linnet.kernels import parsing_beam, parsing_beam_training, parsing_greedy
from linnet.kernels.parsing_weights import Weights
from linnet.structured.parser_templates import ATOMS, DEFAULT, places, templates_of
from tests.structured.parsing_twin import (
    Twin,
    actions,
    all_trees,
    is_tree,
    keys,
    least_loss,
    move_and_label,
    projective,
    random_tree,
)  # fmt: skip

ANY = places([("S0w",)])
FEW = templates_of("S0w; N0w; S0w N0w; S1w S0w; S0p N0p D0; S0w S0sl; S1w S1sr; S0lw; S0rd; N0ld; S1p S0p N0p N1p N2p")


def tokens_of(n, random, words=5):
    return random.integers(1, words, size=(n, 4)).astype(np.uint64)


def sentences_of(random, count, longest=6, kinds=2, words=5):
    """Random sentences with projective trees, as the kernels take them."""
    trees = []
    while len(trees) < count:
        heads = random_tree(int(random.integers(1, longest + 1)), random)
        if projective(heads):
            trees.append(heads)
    starts = np.cumsum([0, *map(len, trees)]).astype(np.int64)
    heads = np.array([h for tree in trees for h in tree], dtype=np.int32)
    labels = random.integers(0, kinds, size=len(heads)).astype(np.int32)
    return tokens_of(len(heads), random, words), starts, heads, labels


def costs_hold(heads, random, exact):
    """Walk at random, and compare the cost of every possible move with what exhaustive search finds."""
    n = len(heads)
    tokens, gold = tokens_of(n, random), np.array(heads, dtype=np.int32)
    labels, state, taken, memory = np.zeros(n, dtype=np.int32), Twin(n), [], {}
    while state.possible():
        moves, costs, _ = parsing_greedy.state_after(ANY, tokens, gold, labels, 1, taken)
        assert [move for move in range(3) if moves & (1 << move)] == state.possible()
        now = least_loss(state, heads, memory)
        for move in state.possible():
            true = least_loss(state.moved(move), heads, memory) - now
            assert costs[move] == true if exact else costs[move] >= 0
        move = int(random.choice(state.possible()))
        taken.append(move)  # with one label, classes are moves
        state = state.moved(move)
    assert is_tree([state.heads[i] for i in range(1, n + 1)])


def test_cost_of_a_move_is_the_loss_it_makes_unavoidable_for_every_projective_tree():
    random = np.random.default_rng(1)
    for n in range(1, 5):
        for heads in all_trees(n):
            if projective(heads):
                for _ in range(3):
                    costs_hold(heads, random, exact=True)


def test_cost_of_a_move_is_the_loss_it_makes_unavoidable_for_longer_sentences():
    random = np.random.default_rng(2)
    for _ in range(60):
        heads = random_tree(int(random.integers(5, 8)), random)
        if projective(heads):
            costs_hold(heads, random, exact=True)


def test_arcs_counted_as_lost_are_lost_in_trees_that_are_not_projective():
    """There the sum of costs is a lower bound of the loss: arcs may be reachable one by one and not together."""
    random = np.random.default_rng(3)
    tried = 0
    while tried < 60:
        n = int(random.integers(3, 7))
        heads = random_tree(n, random)
        if projective(heads):
            continue
        tried += 1
        tokens, gold, labels = tokens_of(n, random), np.array(heads, dtype=np.int32), np.zeros(n, dtype=np.int32)
        state, taken, lost = Twin(n), [], 0
        while state.possible():
            _, costs, _ = parsing_greedy.state_after(ANY, tokens, gold, labels, 1, taken)
            move = int(random.choice(state.possible()))
            lost += costs[move]
            taken.append(move)
            state = state.moved(move)
        assert lost <= sum(state.heads[i] != heads[i - 1] for i in range(1, n + 1))


def test_keys_of_features_are_those_of_a_twin():
    random = np.random.default_rng(4)
    templates, kinds = templates_of(DEFAULT), 70
    every = [(name,) for name in ATOMS]
    for chosen in (templates, every):
        for _ in range(8):
            n = int(random.integers(1, 14))
            tokens, heads = tokens_of(n, random, 1000), np.array(random_tree(n, random), dtype=np.int32)
            labels, state, taken = np.zeros(n, dtype=np.int32), Twin(n), []
            while state.possible():
                found = parsing_greedy.state_after(places(chosen), tokens, heads, labels, kinds, taken)[2]
                np.testing.assert_array_equal(found, keys(state, tokens, chosen, ATOMS))
                action = int(random.choice(actions(state, kinds, np.ones((2, kinds)))))
                taken.append(action)
                state = state.moved(*move_and_label(action, kinds))


class PlainWeights:
    """Weights as a dictionary, and the sum of all weight vectors after each step."""

    def __init__(self):
        self.w, self.sums, self.steps = defaultdict(float), defaultdict(float), 0

    def score(self, found, action):
        return sum(self.w[int(key), action] for key in found)

    def add(self, found, action, delta):
        for key in found:
            self.w[int(key), action] += delta

    def end_step(self):
        self.steps += 1
        for name, value in self.w.items():
            self.sums[name] += value


def same_means(weights, plain):
    """The lazily averaged weights are the plain mean of the weight vectors after each step."""
    found_keys, starts, classes, means = weights.means()
    found = {
        (int(key), int(classes[at])): float(means[at])
        for number, key in enumerate(found_keys)
        for at in range(starts[number], starts[number + 1])
    }
    wanted = {name: value / plain.steps for name, value in plain.sums.items() if value}
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("C", [0.0, 0.01, 10.0])
def test_greedy_training_is_that_of_a_plain_twin(C):
    """The averaged perceptron, or passive-aggressive steps, which are multiples of 2^-16."""
    random = np.random.default_rng(5)
    kinds, allowed = 2, np.ones((2, 2), dtype=np.uint8)
    tokens, starts, heads, labels = sentences_of(random, 12)
    weights, plain, made = Weights(2 * kinds + 1), PlainWeights(), 0
    order = np.array([3, 1, 4, 1, 5, 9, 2, 6, 0, 7, 8, 10, 11], dtype=np.int64)
    _, mistakes, moves = parsing_greedy.train(
        weights, places(FEW), tokens, starts, heads, labels, allowed, order, 0.0, 1, C
    )
    for s in order:
        first, end = starts[s], starts[s + 1]
        state, rows = Twin(int(end - first)), tokens[first:end]
        gold, label = heads[first:end].tolist(), labels[first:end].tolist()
        while state.possible():
            found = keys(state, rows, FEW, ATOMS)
            possible = actions(state, kinds, allowed)
            best = max(possible, key=lambda action: (plain.score(found, action), -action))
            memory = {}
            now = least_loss(state, gold, memory)

            def cost(action, state=state, gold=gold, label=label, memory=memory, now=now):
                move, chosen = move_and_label(action, kinds)
                lost = least_loss(state.moved(move), gold, memory) - now
                if move == 0:
                    return lost
                dependent, head = state.stack[-1], state.b if move == 1 else state.stack[-2]
                return lost + (gold[dependent - 1] == head and label[dependent - 1] != chosen)

            if cost(best):
                free = [action for action in possible if not cost(action)]
                target = max(free, key=lambda action: (plain.score(found, action), -action))
                behind = plain.score(found, best) - plain.score(found, target)
                tau = min(C, (cost(best) + behind) / (2 * len(found))) if C else 1.0
                tau = math.floor(tau * 65536 + 0.5) / 65536
                plain.add(found, target, tau)
                plain.add(found, best, -tau)
                best = target
                made += 1
            plain.end_step()
            state = state.moved(*move_and_label(best, kinds))
    assert (mistakes, moves) == (made, plain.steps)
    assert weights.steps == plain.steps
    same_means(weights, plain)


def trained(random, kinds, allowed, passes=3, width=0):
    tokens, starts, heads, labels = sentences_of(random, 30, kinds=kinds)
    weights, order = Weights(2 * kinds + 1), np.arange(30, dtype=np.int64)
    for number in range(passes):
        arrays = (weights, places(FEW), tokens, starts, heads, labels, allowed, order)
        if width:
            parsing_beam_training.train(*arrays, width, False)
        else:
            parsing_greedy.train(*arrays, 0.9 if number else 0.0, number)
    return weights


def best_sequence(state, score, kinds, allowed):
    """The highest score of all sequences from a state to its end."""
    possible = actions(state, kinds, allowed)
    if not possible:
        return 0.0
    found = score(state)
    return max(
        found[action] + best_sequence(state.moved(*move_and_label(action, kinds)), score, kinds, allowed)
        for action in possible
    )


@pytest.mark.parametrize("width", [0, 3])
def test_beam_that_keeps_everything_finds_the_best_of_all_sequences(width):
    random = np.random.default_rng(6 + width)
    kinds, allowed = 2, np.array([[0, 1], [1, 1]], dtype=np.uint8)
    weights = trained(random, kinds, np.ones((2, 2), dtype=np.uint8), width=width)
    found_keys, starts, classes, w, _ = weights.rows()
    table = {
        (int(key), int(classes[at])): float(w[at])
        for number, key in enumerate(found_keys)
        for at in range(starts[number], starts[number + 1])
    }
    for n in (1, 2, 3, 4):
        for _ in range(3):
            tokens = tokens_of(n, random)

            def score(state, tokens=tokens):
                features = keys(state, tokens, FEW, ATOMS)
                return [sum(table.get((int(key), action), 0.0) for key in features) for action in range(2 * kinds + 1)]

            heads, labels, scores = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32), np.zeros(1)
            arrays = (places(FEW), tokens, np.array([0, n]), allowed, 0.0, np.zeros(1, dtype=np.int64))
            parsing_beam.parse(weights, *arrays, 4096, heads, labels, scores)
            assert scores[0] == pytest.approx(best_sequence(Twin(n), score, kinds, allowed))
            assert is_tree(heads.tolist())
            assert labels[heads == 0].tolist() == [1]


def test_beam_of_one_is_greedy():
    random = np.random.default_rng(8)
    kinds, allowed = 3, np.ones((2, 3), dtype=np.uint8)
    weights = trained(random, kinds, allowed)
    tokens, starts, _, _ = sentences_of(random, 50, longest=15)
    order, found = np.arange(50, dtype=np.int64), []
    for width in (0, 1):
        heads, labels = np.zeros(len(tokens), dtype=np.int32), np.zeros(len(tokens), dtype=np.int32)
        arrays = (weights, places(FEW), tokens, starts, allowed, 0.0, order)
        if width:
            parsing_beam.parse(*arrays, 1, heads, labels, np.zeros(50))
        else:
            parsing_greedy.parse(*arrays, heads, labels)
        found.append((heads.tolist(), labels.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize(("early", "C"), [(False, 0.0), (True, 0.0), (False, 10.0)])
def test_beam_learns_what_can_be_learnt_and_then_makes_no_mistakes(early, C):
    """Words decide their heads, so the data are separable: updates end, as those of the perceptron theorem do."""
    random = np.random.default_rng(9)
    allowed = np.ones((2, 2), dtype=np.uint8)
    tokens, starts, heads, labels = sentences_of(random, 20, words=10**6)
    weights, order = Weights(5), np.arange(20, dtype=np.int64)
    for _ in range(30):
        arrays = (weights, places(FEW), tokens, starts, heads, labels, allowed, order)
        wrong, _, _ = parsing_beam_training.train(*arrays, 4, early, C)
    assert wrong == 0
    found, label = np.zeros_like(heads), np.zeros_like(labels)
    parsing_beam.parse(weights, places(FEW), tokens, starts, allowed, 0.0, order, 4, found, label, np.zeros(20))
    np.testing.assert_array_equal(found, heads)
    np.testing.assert_array_equal(label, labels)


def test_any_weights_give_trees_for_any_tokens_also_where_scores_are_not_numbers():
    random = np.random.default_rng(10)
    templates = templates_of(DEFAULT)
    kinds = 4
    allowed = np.array([[0, 0, 1, 0], [1, 1, 0, 1]], dtype=np.uint8)
    tokens, starts, _, _ = sentences_of(random, 200, longest=30, words=3)
    features = np.unique(random.integers(0, 1 << 63, size=5000).astype(np.uint64))
    seen = np.unique(
        np.concatenate([
            parsing_greedy.state_after(
                places(templates), tokens[a:b], np.array([0, *range(1, b - a)], dtype=np.int32),
                np.zeros(b - a, dtype=np.int32), kinds, [],
            )[2]
            for a, b in pairwise(starts.tolist())
        ])
    )  # fmt: skip
    every = np.unique(np.concatenate([features, seen]))
    for scale in (1.0, 3e38):
        weights = Weights(2 * kinds + 1, frozen=True)
        classes = random.integers(0, 2 * kinds + 1, size=len(every)).astype(np.uint32)
        w = (random.normal(size=len(every)).clip(-1, 1) * scale).astype(np.float32)
        weights.fill(every, np.arange(len(every) + 1, dtype=np.int64), classes, w)
        for width in (0, 5):
            heads, labels = np.full(len(tokens), -1, dtype=np.int32), np.full(len(tokens), -1, dtype=np.int32)
            arrays = (weights, places(templates), tokens, starts, allowed, 0.0, np.arange(200, dtype=np.int64))
            if width:
                parsing_beam.parse(*arrays, width, heads, labels, np.zeros(200))
            else:
                parsing_greedy.parse(*arrays, heads, labels)
            for a, b in pairwise(starts):
                assert is_tree(heads[a:b].tolist())
            assert (labels[heads == 0] == 2).all()
            assert (allowed[1][labels[heads != 0]] == 1).all()


def test_sentence_of_ten_thousand_words():
    random = np.random.default_rng(11)
    n, kinds = 10_000, 2
    tokens, allowed = tokens_of(n, random, 50), np.ones((2, kinds), dtype=np.uint8)
    heads = np.array([0, *range(1, n)], dtype=np.int32)
    labels, starts, order = np.zeros(n, dtype=np.int32), np.array([0, n]), np.zeros(1, dtype=np.int64)
    weights = Weights(2 * kinds + 1)
    parsing_greedy.train(weights, places(FEW), tokens, starts, heads, labels, allowed, order, 0.0, 0)
    parsing_beam_training.train(weights, places(FEW), tokens, starts, heads, labels, allowed, order, 4, False)
    found, label = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    parsing_beam.parse(weights, places(FEW), tokens, starts, allowed, 0.0, order, 4, found, label, np.zeros(1))
    assert (found == 0).sum() == 1
    assert ((found >= 0) & (found <= n)).all()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"heads": [2, 1]}, "not a tree"), ({"heads": [3, 0]}, "not a tree"), ({"heads": [-1, 0]}, "not a tree"),
        ({"heads": [0, 0]}, "not a tree"), ({"labels": [0, 2]}, "out of range"), ({"labels": [-1, 0]}, "out of range"),
        ({"starts": [0, 3]}, "tokens differ"), ({"starts": [1, 2]}, "tokens differ"),
        ({"order": [1]}, "no such sentence"), ({"order": [-1]}, "no such sentence"),
        ({"allowed": [[0, 0], [1, 1]]}, "no label is allowed"),
        ({"templates": [[90, -1, -1, -1, -1]]}, "unknown atoms"), ({"templates": [[-1, 0, 0, 0, 0]]}, "unknown atoms"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(change, why):
    given = {"heads": [0, 1], "labels": [0, 1], "starts": [0, 2], "order": [0], "allowed": [[1, 1], [1, 1]]} | change
    templates = np.array(given.get("templates", [[0, -1, -1, -1, -1]]), dtype=np.int8)
    with pytest.raises(ValueError, match=why):
        parsing_greedy.train(
            Weights(5), templates, np.ones((2, 4), dtype=np.uint64), np.array(given["starts"], dtype=np.int64),
            np.array(given["heads"], dtype=np.int32), np.array(given["labels"], dtype=np.int32),
            np.array(given["allowed"], dtype=np.uint8), np.array(given["order"], dtype=np.int64), 0.0, 0,
        )  # fmt: skip
