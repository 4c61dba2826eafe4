"""A learnt unit as a rule: the same at every point, and called what it is."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.linear_model import SGDClassifier

import linnet
from linnet import InputError, LinearRegression, LogisticRegression, Perceptron
from linnet.boolean import RuleKind, read_rule
from linnet.learners.linear import LinearModel


def cube(n):
    return np.array(list(product((0, 1), repeat=n))).reshape(2**n, n)


def unit(weights, bias):
    weights = np.array(weights, dtype=float)
    return LinearModel(weights[:, np.newaxis], np.array([bias], dtype=float), np.array([False, True]))


def counted_by_exhaustion(table, n):
    """(m, n) of the one "at least m of n literals" that has this table, by trying all; None if there is none."""
    points = cube(n)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            for signs in product((0, 1), repeat=size):
                true = (points[:, chosen] ^ np.array(signs)).sum(axis=1)
                for m in range(1, size + 1):
                    if ((true >= m) == table).all():
                        return m, size
    return None


@settings(max_examples=250, deadline=None)
@given(
    st.lists(st.sampled_from([-3.0, -2.0, -1.5, -1.0, -0.1, 0.0, 0.1, 0.3, 1.0, 1.25, 3.0]), min_size=1, max_size=5),
    st.sampled_from([-4.0, -2.5, -2.0, -1.1, -1.0, -0.5, 0.0, 0.2, 0.5, 1.0, 2.5]),
)
def test_a_rule_equals_its_unit_and_has_the_right_kind(weights, bias):
    n = len(weights)
    rule = read_rule(unit(weights, bias))
    exact = [sum(int(1e6 * w) * x for w, x in zip(weights, point, strict=True)) + int(1e6 * bias) for point in cube(n)]
    # In floats 0.1 + 0.2 is not 0.3: where the sum in decimals is 0, the weights' own sum decides, and they tell apart.
    exact = [
        value or _exactly(weights, bias, point) for value, point in zip(exact, product((0, 1), repeat=n), strict=True)
    ]
    table = np.array([value > 0 for value in exact])
    assert (rule.values(cube(n)) == table).all()
    counted = counted_by_exhaustion(table, n)
    if table.all():
        assert rule.kind is RuleKind.ALWAYS
    elif not table.any():
        assert rule.kind is RuleKind.NEVER
    elif counted is None:
        assert rule.kind is RuleKind.WEIGHTED
        assert len(set(rule.weights)) > 1
    else:
        m, size = counted
        assert (rule.threshold, len(rule.literals)) == (m, size)
        expected = RuleKind.CONJUNCTION if m == size else RuleKind.DISJUNCTION if m == 1 else RuleKind.AT_LEAST
        assert rule.kind is expected


def _exactly(weights, bias, point):
    from fractions import Fraction

    return sum(Fraction(w) * x for w, x in zip(weights, point, strict=True)) + Fraction(bias)


@pytest.mark.parametrize(
    ("weights", "bias", "said"),
    [
        ([1, 1, -1], -1.5, "x0 and x1 and not x2"),
        ([1, 1, -1], 0.5, "x0 or x1 or not x2"),
        ([1, 1, 1], -1.5, "at least 2 of x0, x1, x2"),
        ([-1, -1, -1], 1.5, "at most 1 of x0, x1, x2"),
        ([5, 0.1, 4.9], -4, "x0 or x2"),
        ([0, -2], 1, "not x1"),
        ([2, 1, 1], -2.5, "2 x0 + x1 + x2 >= 3"),
        ([7.3, 3.1, -2.9], -4.7, "2 x0 + x1 + (not x2) >= 3"),
        ([1, 1], 0.1, "always"),
        ([1, 1], -2, "never"),
    ],
)
def test_rules_in_words(weights, bias, said):
    assert str(read_rule(unit(weights, bias))) == said


def test_many_features_are_no_table():
    d = 20_000
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], d)
    sizes = 1 + rng.random(d) / d
    rule = read_rule(unit(signs * sizes, (signs < 0).sum() - 10_000.6))
    assert rule.kind is RuleKind.AT_LEAST
    assert len(rule.literals) == d
    assert [literal.negated for literal in rule.literals] == (signs < 0).tolist()
    weights = np.append(np.full(30, 10.0), np.full(d - 30, 1e-5))
    assert read_rule(unit(weights, -5)).kind is RuleKind.DISJUNCTION
    assert read_rule(unit(weights, -299)).kind is RuleKind.CONJUNCTION
    assert len(read_rule(unit(weights, -299)).literals) == 30
    fading = np.append(np.array([8.0, 4, 4, 4]), np.full(d - 4, 1e-7))
    rule = read_rule(unit(fading, -11))
    assert str(rule) == "2 x0 + x1 + x2 + x3 >= 3"


def test_the_reason_is_given_where_there_is_no_short_rule():
    rule = read_rule(unit(np.sqrt(np.arange(2, 42)), -100.0))
    assert rule.kind is RuleKind.NONE
    assert "more than 16 of its 40 features are relevant" in rule.reason
    assert str(rule) == f"no rule: {rule.reason}"
    with pytest.raises(InputError, match="there is no rule"):
        rule.values(np.zeros((1, 40)))
    whole = read_rule(unit([3.0, *[2.0] * 19], -20.5))
    assert whole.kind is RuleKind.WEIGHTED
    assert (whole.weights[0], whole.threshold) == (3, 21)
    assert read_rule(unit([np.nan, 1.0], 0.0)).reason == "its weights are not all finite"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Perceptron(),
        lambda: LogisticRegression(C=1e3),
        lambda: SklearnLogistic(C=1e3),
        lambda: SGDClassifier(loss="perceptron", alpha=0.0, learning_rate="constant", eta0=1.0, random_state=0),
    ],
)
def test_fitted_units_are_read_with_their_names(make):
    import pandas as pd

    table = pd.DataFrame(cube(4), columns=["rain", "wind", "sun", "moon"])
    y = np.where(table["rain"] + table["wind"] + 1 - table["sun"] >= 2, "stay", "go")
    model = make().fit(table, y == "stay")
    rule = read_rule(model)
    assert (rule.values(table) == model.predict(table)).all()
    assert (rule.values(table) == (y == "stay")).all()
    assert str(rule) == "at least 2 of rain, wind, not sun"
    assert rule.label is True
    labelled = read_rule(make().fit(table.to_numpy(), y), names=list(table.columns))
    assert labelled.label == "stay"
    assert str(labelled) == "at least 2 of rain, wind, not sun"


def test_a_saved_model_is_read(tmp_path):
    points = cube(3)
    columns = {name: points[:, j].tolist() * 20 for j, name in enumerate("abc")}
    columns["y"] = ["yes" if a and not c else "no" for a, _, c in points.tolist()] * 20
    model = linnet.train(columns, target="y", learner="logistic-regression", C=1e3)
    path = tmp_path / "m.linnet"
    model.save(path)
    for each in (model, path, str(path), linnet.load(path)):
        rule = read_rule(each)
        assert str(rule) == "a and not c"
        assert rule.label == "yes"
    costly = model.deciding(costs={("yes", "no"): 5.0})
    assert "decides by costs" in read_rule(costly).reason
    texts = {"text": ["good", "bad"] * 20, "y": ["p", "n"] * 20}
    texts = linnet.train(texts, target="y", learner="perceptron", columns={"text": "text"})
    assert "text columns" in read_rule(texts).reason


def test_a_model_that_is_not_a_unit_is_refused():
    X, y = cube(2), np.array([0, 1, 2, 1])
    with pytest.raises(InputError, match="the model has 3"):
        read_rule(Perceptron().fit(X, y))
    with pytest.raises(InputError, match="predicts a number"):
        read_rule(LinearRegression().fit(X, y))
    with pytest.raises(InputError, match="Perceptron is not a fitted linear model: fit it"):
        read_rule(Perceptron())
    with pytest.raises(InputError, match="2 features, but 1 names"):
        read_rule(Perceptron().fit(X, y > 0), names=["a"])
    assert "vote" in read_rule(Perceptron(averaging="vote").fit(X, y > 0)).reason
