"""What decisions cost, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.decisions.costs import Rule
from linnet.errors import InputError
from linnet.evaluation.classification import ClassificationTally


def drawn(seed, n, k):
    rng = np.random.default_rng(seed)
    costs = rng.exponential(2, (k, k)) * (1 - np.eye(k))
    p = rng.dirichlet(np.ones(k), n)
    return costs, p, np.array([rng.choice(k, p=each) for each in p]), rng.integers(0, 4, n)


def tallied(rule, y, p, **more):
    tally = ClassificationTally(range(p.shape[1]), rule)
    tally.add(y, rule.preferred(p), p, **more)
    return tally.result().costs


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    k=st.integers(2, 4),
    rejection=st.sampled_from([{}, {"reject": 0.8}, {"least": 0.6}]),
)
def test_costs_are_means_over_the_decisions(seed, n, k, rejection):
    costs, p, y, w = drawn(seed, n, k)
    w[:2] = 1
    rule = Rule(costs, **rejection)
    paid, feared, right, rejected = [], [], [], 0
    for row in np.repeat(np.arange(n), w):
        label = rule.decide(p[row : row + 1])[0]
        if label < 0:
            rejected += 1
            if "reject" in rejection:
                paid.append(0.8)
                feared.append(0.8)
            continue
        paid.append(costs[y[row], label])
        feared.append(sum(p[row, truth] * costs[truth, label] for truth in range(k)))
        right.append(y[row] == label)
    found = tallied(rule, y, p, weights=w)
    assert found.rejected == rejected
    assert found.realised == pytest.approx(np.mean(paid) if paid else math.nan, nan_ok=True)
    assert found.expected == pytest.approx(np.mean(feared) if feared else math.nan, nan_ok=True)
    assert found.accuracy_decided == pytest.approx(np.mean(right) if right else math.nan, nan_ok=True)
    always = [np.mean([costs[y[row], label] for row in np.repeat(np.arange(n), w)]) for label in range(k)]
    assert found.baseline == pytest.approx(min([*always, rejection.get("reject", math.inf)]))
    if len(paid) > 1 and np.std(paid) > 1e-9:
        worst = max(costs.max(), rejection.get("reject", 0))
        unseen = worst / len(paid)
        gammas = []
        for more in (0.0, unseen):
            mean, variance = np.mean(paid) + more, stats.sem(paid) ** 2 + more**2
            gammas.append(stats.gamma(mean**2 / variance, scale=variance / mean))
        high = found.realised_interval.high
        below = np.mean([gamma.cdf(high) for gamma in gammas])
        assert below == pytest.approx(0.975) if high < worst else below < 0.975
        assert 0 <= found.realised_interval.low < found.realised


def test_right_probabilities_expect_what_is_paid():
    costs, p, y, _ = drawn(4, 20_000, 3)
    found = tallied(Rule(costs), y, p)
    assert found.realised_interval.low < found.expected < found.realised_interval.high
    assert found.realised < found.baseline


def test_an_unknown_label_costs_the_most_its_decision_may():
    rule = Rule.of([0, 1, 2], {(0, 1): 7})
    found = tallied(rule, [-1, 1], np.array([[0.01, 0.98, 0.01]] * 2))
    assert found.realised == (7 + 0) / 2


def test_a_rule_needs_probabilities():
    with pytest.raises(InputError, match="a rule decides by probabilities"):
        ClassificationTally(list("ab"), Rule.of(list("ab"))).add([0], [0])
