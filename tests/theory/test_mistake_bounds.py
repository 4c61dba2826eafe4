"""Bounds on mistakes: proven by what the rows show, and not stated where nothing is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from linnet import Perceptron, Winnow
from linnet.theory.mistake_bounds import Mistakes


def apart(rng, n=120, d=4, gap=0.3):
    u = rng.normal(size=d)
    X = rng.normal(size=(20 * n, d))
    far = np.flatnonzero(np.abs(X @ u - 0.5) / np.sqrt(u @ u + 0.25) > gap)[:n]
    return X[far], (X[far] @ u > 0.5).astype(int)


def augmented(X):
    return np.hstack([X, np.ones((len(X), 1))])


@given(st.integers(0, 2**32 - 1), st.sampled_from(["none", "average", "vote"]), st.booleans(), st.booleans())
def test_the_bound_of_a_perceptron_follows_from_the_margins_of_its_plane(seed, averaging, intercept, sparse):
    rng = np.random.default_rng(seed)
    X, y = apart(rng)
    if len(np.unique(y)) < 2:
        return
    given = csr_matrix(X) if sparse else X
    model = Perceptron(averaging=averaging, fit_intercept=intercept, max_iter=200, tol=None).fit(given, y)
    proven = model.certificate_
    assert proven.made == sum(each.mistakes for each in model.history_)
    Z = augmented(X) if intercept else X
    v = np.append(model.coef_[0], model.intercept_[0]) if intercept else model.coef_[0]
    margins = (2 * y - 1) * (Z @ v) / np.linalg.norm(v)
    radius = np.linalg.norm(Z, axis=1).max()
    if proven.reason:
        assert margins.min() <= 1e-12
        assert "do not separate" in proven.reason
        return
    assert proven.holds
    assert "(R/γ)²" in str(proven)
    if margins.min() > 1e-12:
        assert proven.bound <= (radius / margins.min()) ** 2 * (1 + 1e-5)
    gamma = proven.facts["margin"]
    owed = len(model.history_) * np.maximum(0, 1 - margins / gamma).sum()
    if proven.facts["losses"] == 0:
        assert gamma == pytest.approx(margins.min(), rel=1e-6)
        assert gamma <= margins.min()
    else:
        assert owed <= proven.facts["losses"] == pytest.approx(owed, rel=1e-6)
    # gamma (M - L) <= R sqrt(M) holds up to M = bound, and no further
    assert gamma * (proven.bound - owed) == pytest.approx(radius * np.sqrt(proven.bound), rel=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([0.0, 0.05, 0.5]))
def test_no_order_and_no_noise_brings_a_perceptron_or_balanced_winnow_beyond_its_bound(seed, passes, noise):
    rng = np.random.default_rng(seed)
    X = (rng.random((60, 6)) < 0.4) * rng.choice([1.0, rng.random()], size=(60, 6))
    y = ((X[:, 0] + X[:, 1] > 0.2) ^ (rng.random(60) < noise)).astype(int)
    if len(np.unique(y)) < 2:
        return
    for model in (Perceptron(max_iter=passes, tol=None), Winnow(max_iter=passes, tol=None, alpha=1.1)):
        proven = model.fit(X, y).certificate_
        assert proven.reason or proven.made <= proven.bound


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.05, 1.2, 2.0]))
def test_the_bound_of_balanced_winnow_follows_from_the_margins_of_its_plane(seed, alpha):
    rng = np.random.default_rng(seed)
    X = (rng.random((200, 30)) < 0.2).astype(float)
    y = ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(200) < 0.02)).astype(int)
    model = Winnow(alpha=alpha, max_iter=20, tol=None).fit(X, y)
    proven = model.certificate_
    v = np.append(model.coef_[0], model.intercept_[0])
    margins = (2 * y - 1) * (augmented(X) @ v) / np.abs(v).sum()
    eta, presented = np.log(alpha), len(y) * len(model.history_)
    if proven.reason:
        assert "do not separate" in proven.reason
        for gamma in np.geomspace(1e-3, 1, 50):
            gained = eta * gamma - np.log(np.cosh(eta))
            owed = len(model.history_) * np.maximum(0, 1 - margins / gamma).sum()
            assert gained <= 0 or (np.log(62) + eta * gamma * owed) / gained > presented * 0.9
        return
    gamma = proven.facts["margin"]
    owed = len(model.history_) * np.maximum(0, 1 - margins / gamma).sum()
    assert proven.facts["losses"] == pytest.approx(owed, rel=1e-6, abs=1e-6)
    # the sum of all weights, between what one of them must have become and what all can have
    assert eta * gamma * (proven.bound - owed) == pytest.approx(
        np.log(62) + proven.bound * np.log(np.cosh(eta)), rel=1e-6
    )
    assert proven.holds
    assert "cosh" in str(proven)


def test_many_classes_jointly_and_one_by_one(rng):
    y = rng.integers(3, size=300)
    X = np.array([[0, 6], [6, 0], [-6, -6]])[y] + rng.uniform(-1, 1, size=(300, 2))
    joint = Perceptron().fit(X, y)
    Z = np.hstack([X, np.ones((300, 1))])
    scores = X @ joint.coef_.T + joint.intercept_
    length = np.sqrt((joint.coef_**2).sum() + (joint.intercept_**2).sum())
    rivals = np.where(np.arange(3) == y[:, np.newaxis], -np.inf, scores).max(axis=1)
    lead = (scores[np.arange(300), y] - rivals).min() / length
    bound, radius = joint.certificate_.bound, np.linalg.norm(Z, axis=1).max()
    assert bound <= 2 * (radius / lead) ** 2 * (1 + 1e-6)
    gamma = joint.certificate_.facts["margin"]
    leads = (scores[np.arange(300), y] - rivals) / length
    owed = len(joint.history_) * np.maximum(0, 1 - leads / gamma).sum()
    assert gamma * (bound - owed) == pytest.approx(np.sqrt(2 * bound) * radius, rel=1e-6)
    assert joint.certificate_.holds
    apart = Perceptron(multiclass="pairwise").fit(X, y).certificate_
    assert apart.facts == {"problems": 3.0}
    assert apart.holds


def test_no_bound_is_stated_where_none_is_proven(rng):
    X, y = (rng.random((200, 6)) < 0.5).astype(float), rng.integers(2, size=200)
    few = {"max_iter": 3, "tol": None}
    for model, why in (
        (Perceptron(penalty="l2", **few), "without a penalty"),
        (Winnow(**few), "do not separate"),
        (Winnow(variant="winnow1", **few), "no disjunction"),
        (Winnow(variant="winnow2", **few), "no disjunction"),
    ):
        proven = model.fit(X, y).certificate_
        assert why in proven.reason
        assert not proven.holds
        assert proven.made == sum(each.mistakes for each in model.history_)
        assert proven.as_dict()["bound"] is None
        assert str(proven).startswith(f"{proven.made:,} mistakes; no bound: ")
    assert "neither 0 nor 1" in Winnow(variant="winnow2", **few).fit(X / 2, y).certificate_.reason


def test_rows_that_only_rounding_separates_are_not_called_misclassified():
    """Beside 1e16 a margin of 1 may be all rounding; the weights have every row on its side all the same."""
    model = Perceptron(shuffle=False).fit([[1e16, 1.0], [1e16, -1.0]], [0, 1])
    assert model.history_[-1].mistakes == 0
    assert "no more than the rounding" in model.certificate_.reason
    assert "do not separate" not in model.certificate_.reason


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
def test_weights_that_stop_before_they_reach_the_threshold_have_no_bound(variant):
    X, y = [[1, 0], [0, 1]], [1, 0]
    for threshold, bounded in ((1e99, True), (1e100, False), (1e300, False)):
        model = Winnow(variant=variant, threshold=threshold, max_iter=2000, tol=None).fit(X, y)
        proven = model.certificate_
        assert proven.holds is bounded
        assert ("stop at 1e+100" in proven.reason) is not bounded


def test_more_mistakes_than_the_bound_are_not_called_possible():
    facts = {"radius": 2.0, "margin": 1.0, "losses": 0.0, "factor": 1.0}
    assert str(Mistakes(4, 4.0, facts)) == "4 mistakes; at most 4 are possible: (R/γ)², R = 2, γ = 1"
    assert str(Mistakes(5, 4.0, facts)) == "5 mistakes, more than the bound of 4: (R/γ)², R = 2, γ = 1"


def test_fractional_weights_have_no_bound_and_rows_of_weight_0_take_no_part(rng):
    X, y = apart(rng)
    halves = Perceptron().fit(X, y, sample_weight=np.full(len(y), 0.5))
    assert "integers" in halves.certificate_.reason
    flipped, weights = np.append(y, 1 - y[0]), np.append(np.full(len(y), 2.0), 0.0)
    twice = Perceptron().fit(np.vstack([X, X[:1]]), flipped, sample_weight=weights)
    assert twice.certificate_.holds
