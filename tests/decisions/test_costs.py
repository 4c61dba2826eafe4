"""Decisions cost the least that any decisions could."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.decisions.costs import REJECTED, Rule, parsed
from linnet.errors import RecipeError

problems = {"seed": st.integers(0, 10**6), "n": st.integers(0, 6), "k": st.integers(2, 4)}


def drawn(seed, n, k):
    rng = np.random.default_rng(seed)
    costs = np.round(rng.exponential(2, (k, k)), rng.integers(0, 3))
    if rng.random() < 0.7:
        np.fill_diagonal(costs, 0)
    return rng, rng.dirichlet(np.full(k, 0.6), n), costs


@given(**problems)
def test_no_other_labels_cost_less(seed, n, k):
    _, p, costs = drawn(seed, n, k)
    decided = Rule(costs).decide(p)

    def expected(labels):
        return sum(p[row, truth] * costs[truth, label] for row, label in enumerate(labels) for truth in range(k))

    least = min(expected(labels) for labels in product(range(k), repeat=n))
    assert expected(decided) == pytest.approx(least, abs=1e-12)


@given(**problems)
def test_rejecting_is_one_more_label_with_a_price_of_its_own(seed, n, k):
    rng, p, costs = drawn(seed, n, k)
    price = float(rng.exponential())
    decided = Rule(costs, reject=price).decide(p)
    for row, label in zip(p, decided, strict=True):
        each = [sum(row[truth] * costs[truth, guess] for truth in range(k)) for guess in range(k)]
        paid = price if label == REJECTED else each[label]
        assert paid == pytest.approx(min(*each, price), abs=1e-12)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 6), ties=st.booleans())
def test_costs_of_0_and_1_take_the_most_probable_label_exactly(seed, k, ties):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), 200)
    if ties:  # equal to the last bit, or apart by it alone
        p[:, 1] = np.where(rng.random(200) < 0.5, p[:, 0], np.nextafter(p[:, 0], 1))
    np.testing.assert_array_equal(Rule.of(range(k)).decide(p), p.argmax(axis=1))


def test_of_equal_costs_the_earlier_label_is_predicted():
    assert Rule.of(list("abc")).decide(np.full((1, 3), 1 / 3)).tolist() == [0]
    assert Rule.of(list("ab"), {("a", "b"): 3}).decide(np.array([[0.25, 0.75], [0.2, 0.8]])).tolist() == [0, 1]
    assert Rule(np.zeros((3, 3))).decide(np.array([[0.1, 0.2, 0.7]])).tolist() == [0]


@given(p=st.floats(0, 1), false_alarm=st.floats(0.01, 100), miss=st.floats(0.01, 100))
def test_for_two_classes_the_rule_is_a_threshold(p, false_alarm, miss):
    rule = Rule.of([0, 1], {(0, 1): false_alarm, (1, 0): miss})
    if abs(p - rule.threshold) > 1e-12:
        assert rule.decide(np.array([[1 - p, p]])).tolist() == [int(p > rule.threshold)]


def test_there_is_a_threshold_only_where_being_right_is_cheaper():
    assert Rule.of(list("ab")).threshold == 0.5
    assert Rule.of(list("abc")).threshold is None
    assert Rule(np.array([[2.0, 1.0], [1.0, 0.0]])).threshold is None
    assert Rule(np.zeros((2, 2))).threshold is None


@given(seed=st.integers(0, 10**6), least=st.floats(0, 1))
def test_a_least_probability_rejects_what_is_below_it(seed, least):
    p = np.random.default_rng(seed).dirichlet(np.ones(3), 20)
    decided = Rule.of(list("abc"), least=least).decide(p)
    np.testing.assert_array_equal(decided == REJECTED, p.max(axis=1) < least)


def test_a_price_of_rejecting_is_a_least_probability_where_every_mistake_costs_1():
    p = np.random.default_rng(0).dirichlet(np.ones(4), 1000)
    by_price, by_probability = Rule.of(list("abcd"), reject=0.3).decide(p), Rule.of(list("abcd"), least=0.7).decide(p)
    np.testing.assert_array_equal(by_price, by_probability)  # Chow's rule


def test_costs_not_named_are_1_and_0_for_being_right():
    rule = Rule.of(["ham", "spam", "eggs"], {("spam", "ham"): 10, ("eggs", "eggs"): 0.5})
    assert rule.costs.tolist() == [[0, 1, 1], [10, 0, 1], [1, 1, 0.5]]


def test_what_is_typed_is_read_as_pairs_of_labels():
    assert parsed(["spam,ham=10", " ham , spam =0.5"], ["ham", "spam"]) == {("spam", "ham"): 10, ("ham", "spam"): 0.5}
    assert parsed(["-1,2=1e3"], [-1, 2]) == {(-1, 2): 1000}
    assert parsed(["+1,-1=3", "-1,1.0=2"], [-1, 1]) == {(1, -1): 3, (-1, 1): 2}
    assert parsed(["+1,-1=3"], ["+1", "-1"]) == {("+1", "-1"): 3}
    assert parsed(["a,b,c=2"], ["a", "b,c", "c"]) == {("a", "b,c"): 2}
    assert parsed(["a=b,c=2"], ["a=b", "c"]) == {("a=b", "c"): 2}
    assert Rule.of(["ham", "spam"], ["spam,ham=10"]).costs.tolist() == [[0, 1], [10, 0]]


@pytest.mark.parametrize("text", ["spam", "spam=3", "spam,ham", "spam,ham=", "a,b=x", "a,b=-1", "a,b=nan", "a,b=inf"])
def test_malformed_costs_are_one_clear_line(text):
    with pytest.raises(RecipeError, match="such as spam,ham=10; not") as raised:
        parsed([text], ["a", "b"])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({("spam", "eggs"): 1}, "the label 'eggs', but the model has the labels 'ham', 'spam'"),
        (["eggs,spam=1"], "the label 'eggs'"),
        ({"spam": 1}, r"costs are given by \(true label, predicted label\); not by 'spam'"),
        ({("spam", "ham"): -1}, "the cost of predicting 'ham' for 'spam' must be a number from 0"),
        ({("spam", "ham"): "1"}, "must be a number"),
        ({("spam", "ham"): True}, "must be a number"),
        ({("spam", "ham"): float("nan")}, "must be a number"),
    ],
)
def test_wrong_costs_are_refused(costs, message):
    with pytest.raises(RecipeError, match=message):
        Rule.of(["ham", "spam"], costs)


@pytest.mark.parametrize(
    ("rejection", "message"),
    [
        ({"reject": -1.0}, "the cost of rejecting"),
        ({"least": 1.5}, "between 0 and 1"),
        ({"reject": 1, "least": 0.5}, "not both"),
    ],
)
def test_a_wrong_rejection_is_refused(rejection, message):
    with pytest.raises(RecipeError, match=message):
        Rule.of(list("ab"), **rejection)


def test_many_labels_are_not_all_listed():
    with pytest.raises(RecipeError, match=r"19 and 80 more$"):
        Rule.of(range(100), {(1, 100): 2})
