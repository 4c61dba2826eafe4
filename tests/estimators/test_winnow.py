"""Winnow's theorems on streams, its complements, its k-DNF, and what it says of data it cannot take."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from linnet import Conjunctions, Factors, InputError, OnlineClassifier, RecipeError, Winnow
from tests import twins

ONCE = {"max_iter": 1, "tol": None, "shuffle": False}


def littlestone(alpha, k, d, theta):
    """The bound of Winnow1, as it is printed."""
    return alpha * k * (np.log(theta) / np.log(alpha) + 1) + d / theta


def disjunction(seed, d, k, n):
    """Sparse rows of d variables, and whether one of k of them, anywhere, is on; never all of one class."""
    rng = np.random.default_rng(seed)
    relevant = rng.choice(d, size=k, replace=False)
    each = int(rng.integers(1, 12))
    columns = rng.integers(d, size=(n, each))
    positive = rng.random(n) < 0.5
    columns[positive, 0] = rng.choice(relevant, size=int(positive.sum()))  # each by a variable of its own
    columns[0, 0] = relevant[0]
    X = csr_matrix((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, each)), shape=(n, d))
    X.sum_duplicates()
    X.data[:] = 1.0
    X = csr_matrix(np.vstack([X.toarray(), np.zeros(d)])) if d <= 50 else X
    return X, np.asarray(X[:, relevant].sum(axis=1)).ravel() > 0


def in_the_worst_order(X, y, alpha, theta):
    """An order in which each row, as far as there is one, is a mistake of the weights so far."""
    X, w, left, order = X.toarray(), np.ones(X.shape[1]), np.ones(X.shape[0], dtype=bool), []
    while left.any():
        wrong = left & ((X @ w > theta) != y)
        i = int(np.argmax(wrong if wrong.any() else left))
        left[i] = False
        order.append(i)
        if wrong[i]:
            w = np.where(X[i] > 0, w * alpha if y[i] else 0.0, w)
    return np.array(order)


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.integers(1, 4),
    st.sampled_from([1.5, 2.0, 3.0]),
    st.booleans(),
    st.integers(1, 3),
)
def test_winnow1_never_exceeds_its_bound(seed, d, k, alpha, adversarial, passes):
    k = min(k, d)
    X, y = disjunction(seed, d, k, 60)
    if len(np.unique(y)) < 2:
        return
    order = in_the_worst_order(X, y, alpha, d / 2) if adversarial else np.arange(len(y))
    model = Winnow(variant="winnow1", alpha=alpha, max_iter=passes, tol=None, shuffle=False).fit(X[order], y[order])
    made = sum(each.mistakes for each in model.history_)
    assert made == twins.winnow(X[order].toarray(), y[order], Factors(alpha, 0.0), passes)[2]
    assert made <= littlestone(alpha, k, d, d / 2) + 1e-9
    proven = model.certificate_
    assert proven.made == made
    assert not proven.reason
    assert made <= proven.bound == pytest.approx(littlestone(alpha, proven.facts["literals"], d, d / 2))


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([10_000, 100_000]), st.integers(1, 20), st.sampled_from([1.5, 2.0, 3.0])
)
def test_winnow1_never_exceeds_its_bound_among_very_many_variables(seed, d, k, alpha):
    X, y = disjunction(seed, d, k, 500)
    if len(np.unique(y)) < 2:
        return
    model = Winnow(variant="winnow1", alpha=alpha, **ONCE).fit(X, y)
    assert model.history_[0].mistakes <= littlestone(alpha, k, d, d / 2)
    assert model.history_[0].mistakes <= model.certificate_.bound


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 4), st.sampled_from([1.5, 2.0, 3.0]))
def test_winnow2_never_exceeds_its_bound(seed, d, k, alpha):
    X, y = disjunction(seed, d, min(k, d), 80)
    if len(np.unique(y)) < 2:
        return
    proven = Winnow(variant="winnow2", alpha=alpha, max_iter=5, tol=None, shuffle=False).fit(X, y).certificate_
    assert not proven.reason
    assert proven.made <= proven.bound


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_complements_that_are_not_written_down_are_as_good_as_those_that_are(variant, kind, rng):
    X = (rng.random((300, 12)) < 0.5).astype(float)
    y = (X[:, 2] == 1) | (X[:, 7] == 0) & (X[:, 3] == 1) | (X[:, 5] == 0)
    y = np.where(rng.random(300) < (0.0 if variant == "winnow1" else 0.05), ~y, y)
    given = {"variant": variant, "max_iter": 3, "tol": None, "shuffle": False}
    short = Winnow(complement=True, **given).fit(kind(X), y)
    long = Winnow(**given).fit(np.hstack([X, 1 - X]), y)
    assert [each.mistakes for each in short.history_] == [each.mistakes for each in long.history_]
    np.testing.assert_array_equal(short.predict(kind(X)), long.predict(np.hstack([X, 1 - X])))
    np.testing.assert_allclose(short.coef_[0], long.coef_[0, :12] - long.coef_[0, 12:], rtol=1e-12)
    assert short.coef_.shape == (1, 12)
    assert short.certificate_.bound == long.certificate_.bound


def test_a_disjunction_of_negated_literals_is_learnt_by_its_complements(rng):
    X = (rng.random((2000, 40)) < 0.5).astype(float)
    y = (X[:, 3] == 0) | (X[:, 11] == 1)
    keep = y | (rng.random(2000) < 0.9)
    model = Winnow(variant="winnow1", complement=True).fit(X[keep], y[keep])
    assert model.score(X, y) == 1.0
    assert model.certificate_.facts["literals"] == 2
    assert model.certificate_.made <= model.certificate_.bound


def test_a_2_dnf_is_learnt_from_the_conjunctions_that_occur(rng):
    """x0 x1 or not-x2 x5 or x7 not-x8, of 12 variables: a feature for each literal, and each pair, that was met."""
    table = (rng.random((1500, 12)) < 0.5).astype(int)

    def truth(t):
        return (t[:, 0] & t[:, 1]) | ((1 - t[:, 2]) & t[:, 5]) | (t[:, 7] & (1 - t[:, 8]))

    made = Conjunctions(degree=(1, 2))
    X = made.fit_transform(table.astype(str).astype(object))
    assert X.shape[1] <= 2 * 12 + 4 * 66
    y = truth(table)
    model = Winnow(variant="winnow1").fit(X, y)
    fresh = (rng.random((1000, 12)) < 0.5).astype(int)
    assert model.score(made.transform(fresh.astype(str).astype(object)), truth(fresh)) == 1.0
    assert model.certificate_.facts["literals"] == 3
    assert model.certificate_.made <= model.certificate_.bound


@pytest.mark.parametrize("variant", ["balanced", "winnow1", "winnow2"])
@pytest.mark.parametrize("multiclass", ["one-vs-rest", "pairwise"])
def test_many_classes_by_the_usual_reductions(variant, multiclass, rng):
    y = rng.choice(["ant", "bee", "cat"], size=600)
    X = np.zeros((600, 30))
    X[np.arange(600), np.searchsorted(["ant", "bee", "cat"], y)] = 1.0
    X[:, 3:] = rng.random((600, 27)) < 0.2
    model = Winnow(variant=variant, multiclass=multiclass, n_jobs=2).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.coef_.shape == (3, 30)
    alone = Winnow(variant=variant, multiclass=multiclass).fit(X, y)
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    if variant != "balanced":
        assert model.certificate_.facts == {"problems": 3.0}
        assert model.certificate_.made <= model.certificate_.bound


def test_balanced_winnow_serves_either_class_alike(rng):
    X = (rng.random((500, 50)) < 0.3).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] >= 2).astype(int)
    assert Winnow().fit(X, y).score(X, y) == 1.0
    assert Winnow().fit(X, 1 - y).score(X, 1 - y) == 1.0


@pytest.mark.parametrize("variant", ["balanced", "winnow1", "winnow2"])
def test_a_stream_in_blocks_is_one_pass(variant, rng):
    X = csr_matrix((rng.random((300, 20)) < 0.3).astype(float))
    y = np.asarray(X[:, [1, 5]].sum(axis=1)).ravel() > 0
    whole = Winnow(variant=variant, **ONCE).fit(X, y)
    stream = Winnow(variant=variant, **ONCE)
    for first in range(0, 300, 70):
        stream.partial_fit(X[first : first + 70], y[first : first + 70], classes=[False, True])
    np.testing.assert_array_equal(stream.coef_, whole.coef_)
    np.testing.assert_array_equal(stream.intercept_, whole.intercept_)
    assert stream.certificate_.made == whole.certificate_.made
    assert "rows were not kept" in stream.certificate_.reason


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize(
    ("variant", "value", "remedy"),
    [
        ("winnow1", 0.5, "Boolean"),
        ("winnow1", 2.0, "Boolean"),
        ("winnow2", 1.5, "MinMaxScaler"),
        ("balanced", -0.25, "scale"),
    ],
)
def test_a_value_it_cannot_take_is_named_with_its_place_and_the_remedy(kind, variant, value, remedy):
    X = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    X[2, 1] = value
    for fit in (Winnow(variant=variant).fit, Winnow(variant=variant).partial_fit):
        with pytest.raises(InputError, match=f"row 2, column 1 has the value {value:g}: .*{remedy}") as caught:
            fit(kind(X), [0, 1, 0])
        assert "\n" not in str(caught.value)


def test_the_name_of_a_column_is_told_too():
    import pandas as pd

    frame = pd.DataFrame({"fever": [0, 1], "age": [37.5, 1]})
    with pytest.raises(InputError, match=r"row 0, column 1 \(age\) has the value 37.5"):
        OnlineClassifier("winnow").fit(frame, [0, 1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"variant": "winnow3"}, "there are 'balanced', 'winnow1', 'winnow2'"),
        ({"alpha": 1.0}, "must be above 1"),
        ({"alpha": "2"}, "alpha must be a number"),
        ({"threshold": 0.0, "variant": "winnow1"}, "threshold must be positive"),
        ({"threshold": 3.0}, "learn their threshold"),
        ({"complement": True}, "need no complements"),
        ({"multiclass": "joint"}, "'one-vs-rest' or 'pairwise'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(given, message):
    with pytest.raises(RecipeError, match=message):
        Winnow(**given).fit([[0, 1], [1, 0]], [0, 1])


@pytest.mark.parametrize("variant", ["balanced", "winnow1", "winnow2"])
@pytest.mark.parametrize("sparse", [False, True])
def test_conjunctions_as_a_parameter_are_the_materialised_ones(variant, sparse):
    rng = np.random.default_rng(1)
    X = (rng.random((500, 20)) < 0.3).astype(float)
    y = (X[:, 1] * X[:, 2] + X[:, 5] * X[:, 8] + X[:, 13] > 0).astype(int)
    together = Winnow(variant=variant, conjunctions=2, max_iter=20, tol=None, shuffle=False)
    together.fit(csr_array(X) if sparse else X, y)
    pairs = together.conjunctions_
    assert sorted(pairs) == list(combinations(range(20), 2))
    every = np.hstack([X, np.stack([X[:, i] * X[:, j] for i, j in pairs], axis=1)])
    plain = Winnow(variant=variant, max_iter=20, tol=None, shuffle=False).fit(every, y)
    np.testing.assert_allclose(together.coef_, plain.coef_, rtol=1e-12)
    assert together.certificate_.made == plain.certificate_.made
    np.testing.assert_array_equal(together.predict(X), plain.predict(every))
    assert together.n_features_in_ == 20
    if variant == "winnow1":
        assert together.certificate_.facts["literals"] == 3
        assert (together.predict(X) == y).all()


def test_conjunctions_join_a_stream_and_what_is_new_in_prediction_adds_nothing():
    rng = np.random.default_rng(2)
    X = (rng.random((300, 12)) < 0.3).astype(float)
    X[:100, 6:] = 0.0
    y = (X[:, 1] * X[:, 2] + X[:, 7] * X[:, 8] > 0).astype(int)
    y[0], X[0] = 0, 0.0
    stream = Winnow(variant="winnow2", conjunctions=2, threshold=20)
    for part in np.array_split(np.arange(300), 6):
        stream.partial_fit(X[part], y[part], classes=[0, 1])
    with pytest.raises(InputError):
        stream.partial_fit(np.full((1, 12), 7.0), [1])
    once = Winnow(variant="winnow2", conjunctions=2, threshold=20, max_iter=1, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(stream.decision_function(X), once.decision_function(X))
    few = Winnow(variant="winnow2", conjunctions=2, threshold=20).partial_fit(X[:100], y[:100], classes=[0, 1])
    late = np.zeros((1, 12))
    late[0, [7, 8]] = 1.0
    assert few.decision_function(late)[0] == pytest.approx(few.coef_[0][[7, 8]].sum() + few.intercept_[0])


def test_conjunctions_that_mean_nothing_are_refused():
    X, y = [[1, 0], [0, 1]], [1, 0]
    for conjunctions in (0, 6, 1.5, "2", True):
        with pytest.raises(RecipeError, match="conjunctions must be"):
            Winnow(conjunctions=conjunctions).fit(X, y)
    with pytest.raises(RecipeError, match="1 - x as columns"):
        Winnow(variant="winnow1", conjunctions=2, complement=True).fit(X, y)
