"""Trees: what is one, which are projective, lifting and lowering, the best one by Eisner's algorithm, drawings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels import parsing_eisner, parsing_trees
from linnet.kernels.parsing_weights import Weights
from linnet.structured import arc_templates
from linnet.structured.parser_templates import places
from linnet.structured.projectivity import lifted, lowered
from linnet.structured.tree_drawing import drawn
from tests.structured.parsing_twin import all_trees, is_tree, projective, random_tree
from tests.structured.test_transition_parser import sentences_of


def kind_of(heads):
    kinds, _ = parsing_trees.kinds_of_trees(np.array([0, len(heads)]), np.array(heads, dtype=np.int32))
    return int(kinds[0])


def test_what_heads_are_for_all_heads_of_up_to_four_words():
    for n in range(1, 5):
        for heads in product(range(-1, n + 2), repeat=n):
            kind = kind_of(heads)
            if min(heads) < 0 or max(heads) > n:
                assert kind == parsing_trees.NO_HEAD
            elif heads.count(0) != 1:
                assert kind == (parsing_trees.NO_ROOT if heads.count(0) == 0 else parsing_trees.SEVERAL_ROOTS)
            elif not is_tree(heads):
                assert kind == parsing_trees.CYCLE
            else:
                assert kind == (parsing_trees.PROJECTIVE if projective(heads) else parsing_trees.NON_PROJECTIVE)


def test_the_word_that_shows_what_is_wrong():
    heads = np.array([0, 0, 1, 2, 3, 2, 0, -1, 0, 4, 5, 4], dtype=np.int32)
    kinds, where = parsing_trees.kinds_of_trees(np.array([0, 3, 6, 8, 8, 12]), heads)
    assert kinds.tolist()[:3] == [parsing_trees.SEVERAL_ROOTS, parsing_trees.NO_ROOT, parsing_trees.NO_HEAD]
    assert kinds.tolist()[3:] == [parsing_trees.PROJECTIVE, parsing_trees.NO_HEAD]
    assert where.tolist() == [1, 0, 1, 0, 2]


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_lifting_makes_a_projective_tree_that_lowering_undoes_where_labels_are_distinct(n, seed):
    random = np.random.default_rng(seed)
    heads = random_tree(n, random)
    relations = [f"r{i}" for i in range(n)]
    new, labels = lifted(heads, relations)
    assert is_tree(new)
    assert projective(new)
    assert [relation for relation, _ in labels] == relations
    assert [head is None for _, head in labels] == [a == b for a, b in zip(new, heads, strict=True)]
    # with labels that name their words, lowering finds the very head again
    assert lowered(new, labels) == heads


@given(st.integers(1, 10), st.integers(0, 2**32))
def test_lowering_any_labels_of_any_tree_gives_a_tree(n, seed):
    random = np.random.default_rng(seed)
    names = [None, "a", "b", "c"]
    labels = [(names[random.integers(1, 4)], names[random.integers(4)]) for _ in range(n)]
    assert is_tree(lowered(random_tree(n, random), labels))


def test_a_projective_tree_is_not_lifted():
    for heads in all_trees(4):
        if projective(heads):
            assert lifted(heads, "abcd")[0] == list(heads)


def test_eisner_finds_the_best_of_all_projective_trees():
    """Thousands of random tables of scores, against all trees; integers make ties, which any best tree may win."""
    random = np.random.default_rng(1)
    for n in range(1, 6):
        trees = np.array([heads for heads in all_trees(n) if projective(heads)])
        words = np.arange(1, n + 1)
        for number in range(800):
            scores = random.normal(size=(n + 1, n + 1)) if number % 2 else random.integers(-2, 3, (n + 1, n + 1)) * 1.0
            heads, value = parsing_eisner.best_heads(scores)
            every = scores[trees, words].sum(axis=1)
            assert value == pytest.approx(every.max(), abs=1e-12)
            assert scores[heads, words].sum() == pytest.approx(value, abs=1e-12)
            assert is_tree(heads.tolist())
            assert projective(heads.tolist())


def test_eisner_learns_trees_that_words_decide():
    random = np.random.default_rng(2)
    tokens, starts, heads, labels = sentences_of(random, 25, longest=8, words=10**6)
    templates = sorted(arc_templates.templates_of(arc_templates.DEFAULT), key=arc_templates.has_between)
    single = sum(not arc_templates.has_between(each) for each in templates)
    plan, allowed = places(templates, arc_templates.ATOMS), np.ones((2, 2), dtype=np.uint8)
    weights, order = Weights(3), np.arange(25, dtype=np.int64)
    for _ in range(20):
        bad, wrong, words = parsing_eisner.train(weights, plan, single, tokens, starts, heads, labels, allowed, order)
    assert (bad, wrong, words) == (0, 0, len(tokens))
    found, label = np.zeros_like(heads), np.zeros_like(labels)
    parsing_eisner.parse(weights, plan, single, tokens, starts, allowed, 0.0, order, found, label)
    np.testing.assert_array_equal(found, heads)
    np.testing.assert_array_equal(label, labels)


@given(st.lists(st.integers(-1, 9), min_size=1, max_size=8))
def test_any_heads_are_drawn_a_line_for_each_word(heads):
    words = [f"w{i}" for i in range(len(heads))]
    lines = drawn(words, heads, ["r"] * len(heads))
    assert [word for _, word, _ in lines] == words


def test_drawing_of_a_small_tree():
    lines = drawn(["She", "eats", "red", "apples"], [2, 0, 4, 2], ["nsubj", "root", "amod", "obj"])
    assert ["".join(line[:2]) for line in lines] == ["╭─ She", "eats", "│  ╭─ red", "╰─ apples"]
