"""Version spaces as bits, beside a list of sets of variables."""

from __future__ import annotations

import pickle
from itertools import combinations, product
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import RecipeError
from linnet.training.version_space import Halvings, Rules, VersionSpace, packed_bits, positions

LIMIT = 2**30
CLASSES = [
    ("disjunctions", 7, 3, None),
    ("disjunctions", 1, 1, None),
    ("disjunctions", 70, 2, None),
    ("disjunctions", 12, 12, None),
    ("conjunctions", 8, 4, None),
    ("conjunctions", 66, 2, None),
    ("conjunctions", 10, 10, None),
    ("m-of-n", 7, 4, None),
    ("m-of-n", 9, 9, None),
    ("m-of-n", 9, 5, 2),
    ("m-of-n", 9, 5, 5),
    ("m-of-n", 65, 2, 2),
]


def rules_one_by_one(kind, d, k, m):
    """(set, how many of it must be true), in the documented order."""
    for j in range(m or 0, k + 1):
        leasts = {"disjunctions": [1], "conjunctions": [j]}.get(kind) or ([m] if m else range(1, j + 1))
        for least in leasts:
            yield from ((each, least) for each in combinations(range(d), j))


def named(kind, variables, least):
    names = [f"x{v}" for v in variables]
    if not names:
        return "always" if kind == "conjunctions" else "never"
    joined = {"disjunctions": " or ".join(names), "conjunctions": " and ".join(names)}
    return joined.get(kind, f"at least {least} of {', '.join(names)}")


def halve_one_by_one(space, X, y):
    """The algorithm of the lecture, on a list; ends before a row that would empty it."""
    sizes, mistaken = [], []
    for x, truth in zip(X, y, strict=True):
        yes = [(s, m) for s, m in space if sum(x[v] for v in s) >= m]
        left = yes if truth else [each for each in space if each not in set(yes)]
        if not left:
            break
        mistaken.append((2 * len(yes) >= len(space)) != truth)
        space = left
        sizes.append(len(space))
    return space, sizes, mistaken


@pytest.mark.parametrize(("kind", "d", "k", "m"), CLASSES)
def test_bits_do_what_a_list_of_sets_does(kind, d, k, m, rng):
    for _ in range(4):
        listed = list(rules_one_by_one(kind, d, k, m))
        target, least = listed[rng.integers(len(listed))]
        X = (rng.random((25, d)) < rng.choice([0.1, 0.5, 0.9])).astype(np.uint8)
        y = X[:, list(target)].sum(axis=1) >= least
        if rng.random() < 0.5:
            y[rng.integers(len(y))] ^= True  # noise: the space may become empty
        space = VersionSpace(Rules(kind, d, k, m, most=LIMIT))
        assert space.size == len(listed)
        left, sizes, mistaken = halve_one_by_one(listed, X, y)
        assert space.train(X, y) == len(sizes)
        assert (space.sizes, space.mistaken) == (sizes, mistaken)
        assert space.survivors() == [named(kind, s, j) for s, j in left]
        assert space.survivors(3) == [named(kind, s, j) for s, j in left][:3]
        fresh = rng.integers(2, size=(10, d), dtype=np.uint8)
        votes = [sum(sum(x[v] for v in s) >= j for s, j in left) for x in fresh]
        assert space.yes(fresh).tolist() == votes


@pytest.mark.parametrize(("d", "k", "least"), [(150, 3, 1), (150, 3, 2), (150, 3, 3), (31, 5, 3), (600, 2, 1)])
def test_spaces_of_many_blocks_agree_with_a_table_of_all_sets(d, k, least, rng):
    """Long enough for whole blocks to die and be passed over."""
    kind = "m-of-n"
    sets = [np.array(list(combinations(range(d), j))) for j in range(least, k + 1)]
    target = rng.choice(d, size=k, replace=False)
    alive = np.ones(sum(map(len, sets)), dtype=bool)
    space = VersionSpace(Rules(kind, d, k, least, most=LIMIT))
    for _ in range(30):
        x = (rng.random(d) < 0.5 ** (1 / max(1, k - least))).astype(np.uint8)
        truth = x[target].sum() >= least
        votes = np.concatenate([x[each].sum(axis=1) >= least for each in sets])
        assert space.yes(x[np.newaxis]) == [(votes & alive).sum()]
        alive &= votes == truth
        space.train(x[np.newaxis], np.array([truth]))
        assert space.sizes[-1] == space.size == alive.sum()
    assert positions(space.alive) == np.flatnonzero(alive).tolist()


def test_rules_are_numbered_by_size_then_in_lexicographic_order():
    for kind, d, k, m in CLASSES[:5]:
        rules = Rules(kind, d, k, m, most=LIMIT)
        listed = [named(kind, s, j) for s, j in rules_one_by_one(kind, d, k, m)]
        assert [rules.name(position) for position in range(rules.size)] == listed
        assert len(set(listed)) == len(listed)


def test_no_two_rules_of_a_class_are_the_same_function():
    """Otherwise |C|, and with it the bound, would be too large."""
    points = np.array(list(product([0, 1], repeat=5)))
    for kind in ("disjunctions", "conjunctions", "m-of-n"):
        for m in [None] if kind != "m-of-n" else [None, 1, 2, 4]:
            listed = list(rules_one_by_one(kind, 5, 4, m))
            functions = {tuple(points[:, list(s)].sum(axis=1) >= least) for s, least in listed}
            assert len(functions) == len(listed)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_never_more_mistakes_than_the_logarithm_even_if_the_order_is_chosen_to_hurt(seed):
    """An adversary shows, of all points, one where the majority is wrong by the least, and gives the other label."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["disjunctions", "conjunctions", "m-of-n"]))
    d = int(rng.integers(1, 7))
    k = int(rng.integers(1, d + 1))
    space = VersionSpace(Rules(kind, d, k, None, most=LIMIT))
    points = np.array(list(product([0, 1], repeat=d)), dtype=np.uint8)
    mistakes = 0
    while True:
        before, yes = space.size, space.yes(points)
        wrong = np.where(2 * yes >= before, before - yes, yes)  # left, if the majority errs
        if not wrong.any():
            break
        worst = int(wrong.argmax())
        space.train(points[[worst]], np.array([2 * yes[worst] < before]))
        assert space.mistaken[-1]
        assert 2 * space.size <= before
        mistakes += 1
        assert mistakes <= log2(space.concepts.size)
    assert space.size == 1
    assert space.shown == Halvings(space.concepts.size, 1, mistakes, mistakes)
    assert space.shown.holds


def test_a_bound_that_does_not_hold_is_reported():
    assert Halvings(8, 1, 10, 3).holds
    assert str(Halvings(8, 1, 10, 3)) == (
        "3 mistakes in 10 examples; at most 3 are possible: log2 8 = 3.00; 1 concept is consistent with all examples"
    )
    assert not Halvings(8, 1, 10, 4).holds
    assert not Halvings(8, 2, 10, 3).holds
    assert "4 mistakes, more than the bound log2 8 = 3.00" in str(Halvings(8, 1, 10, 4))
    assert Halvings(8, 1, 10, 3).as_dict()["bound"] == 3


@pytest.mark.parametrize(
    ("kind", "d", "k", "m", "message"),
    [
        ("disjunctions", 200, 5, None, "^disjunctions of at most 5 of 200 variables: there are 2,601,668,491 .*low"),
        ("m-of-n", 200, 5, 2, r"^2-of-n rules of at most 5 of 200 variables: there are 2,601,668,290 concepts"),
        ("conjunctions", 10**6, 10**5, None, r"of 1000000 variables: there are about 2\^\d{3},\d{3} con"),
        ("disjunctions", 3, 4, None, "k=4 exceeds the number of columns, 3"),
        ("m-of-n", 10**4, 10**4 - 1, 10**4 - 1, "binomial coefficients"),
    ],
)  # fmt: skip
def test_a_class_too_large_is_refused_with_its_size_before_anything_is_made(kind, d, k, m, message):
    with pytest.raises(RecipeError, match=message):
        Rules(kind, d, k, m, most=LIMIT)


def test_the_sizes_are_sums_of_binomial_coefficients():
    assert sum(comb(200, j) for j in range(6)) == 2_601_668_491
    assert sum(comb(200, j) for j in range(2, 6)) == 2_601_668_290
    assert Rules("m-of-n", 20, 4, None, most=LIMIT).size == sum(j * comb(20, j) for j in range(5))


def test_rules_of_nearly_all_variables_have_their_numbers():
    """The coefficients between are beyond 64 bits, and none of them is needed."""
    space = VersionSpace(Rules("m-of-n", 200, 199, 199, most=LIMIT))
    x = np.ones((1, 200), dtype=np.uint8)
    x[0, 7] = 0
    assert (space.size, space.yes(x).tolist()) == (200, [1])
    space.train(x, np.array([True]))
    assert space.survivors() == [named("m-of-n", [v for v in range(200) if v != 7], 199)]


def test_a_row_of_another_width_is_refused():
    with pytest.raises(ValueError, match="a row of 3 variables, for rules of 4"):
        VersionSpace(Rules("disjunctions", 4, 2, most=LIMIT)).yes(np.zeros((1, 3), dtype=np.uint8))


def test_a_space_survives_pickling(rng):
    space = VersionSpace(Rules("disjunctions", 30, 3, most=LIMIT))
    X = rng.integers(2, size=(8, 30), dtype=np.uint8)
    space.train(X[:4], np.array([True] * 4))
    again = pickle.loads(pickle.dumps(space))
    assert again.survivors() == space.survivors()
    assert again.yes(X).tolist() == space.yes(X).tolist()


def test_flags_are_packed_the_first_lowest(rng):
    flags = rng.random((3, 130)) < 0.5
    packed = packed_bits(flags)
    assert packed.shape == (3, 3)
    for row, words in zip(flags, packed, strict=True):
        assert positions(words) == np.flatnonzero(row).tolist()
