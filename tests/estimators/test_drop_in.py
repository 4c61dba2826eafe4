"""What scikit-learn's classes have, linnet's have under the same names, with the same values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import naive_bayes

import linnet

DISCRETE = ["MultinomialNB", "BernoulliNB", "ComplementNB"]
COUNTS = ["class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"]


def both(name, **parameters):
    return getattr(linnet, name)(**parameters), getattr(naive_bayes, name)(**parameters)


SETTINGS = [
    {},
    {"alpha": 0.3},
    {"alpha": 0.0, "force_alpha": False},
    {"fit_prior": False},
    {"class_prior": [0.2, 0.5, 0.3]},
]
# scikit-learn's BernoulliNB adds an alpha for each feature to the counts of the classes
CASES = [(name, each) for name in DISCRETE for each in SETTINGS] + [
    ("MultinomialNB", {"alpha": [0.1, 1.0, 2.0, 0.5]}),
    ("ComplementNB", {"norm": True}),
]


@pytest.mark.parametrize(("name", "parameters"), CASES)
@pytest.mark.filterwarnings("ignore:alpha too small")
def test_counts_and_probabilities_of_naive_bayes_are_scikit_learns(name, parameters, rng):
    X, y = rng.poisson(1.0, size=(40, 4)), rng.integers(3, size=40)
    weights = rng.integers(1, 4, size=40)
    ours, theirs = both(name, **parameters)
    for fitted in (ours, theirs):
        fitted.fit(csr_array(X), y, sample_weight=weights)
    for attribute in COUNTS:
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-12, err_msg=attribute)
    joint = theirs.predict_joint_log_proba(X)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), joint, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("name", DISCRETE)
def test_counts_of_a_stream_are_those_of_all_its_rows(name, rng):
    X, y = rng.poisson(1.0, size=(60, 5)), rng.integers(2, size=60)
    whole, stream = both(name)[0].fit(X, y), both(name)[0]
    for rows in np.split(np.arange(60), 4):
        stream.partial_fit(X[rows], y[rows], classes=[0, 1])
    for attribute in COUNTS:
        np.testing.assert_array_equal(getattr(stream, attribute), getattr(whole, attribute))


@pytest.mark.parametrize("name", DISCRETE)
def test_there_are_no_counts_before_a_fit_and_no_alpha_of_other_length(name, rng):
    ours = both(name)[0]
    assert not any(hasattr(ours, attribute) for attribute in COUNTS)
    with pytest.raises(linnet.RecipeError, match="there are 3 for 4 features"):
        both(name, alpha=[1.0, 1.0, 1.0])[0].fit(rng.poisson(1.0, size=(10, 4)), np.arange(10) % 2)


def test_an_alpha_for_each_feature_smooths_what_is_there_or_not(rng):
    """p = (N + alpha) / (n + 2 alpha), feature by feature."""
    X, y, alpha = rng.integers(2, size=(30, 3)), np.arange(30) % 2, np.array([0.1, 1.0, 5.0])
    model = linnet.BernoulliNB(alpha=alpha).fit(X, y)
    p = np.array([(X[y == k].sum(axis=0) + alpha) / (15 + 2 * alpha) for k in (0, 1)])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), p, rtol=1e-12)
    joint = np.log(0.5) + X @ np.log(p).T + (1 - X) @ np.log(1 - p).T
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)


def test_rows_of_zero_and_one_need_not_be_compared(rng):
    X, y = rng.integers(2, size=(30, 3)), np.arange(30) % 2
    ours, theirs = both("BernoulliNB", binarize=None)
    np.testing.assert_allclose(ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("name", DISCRETE)
def test_one_class_is_taken(name, rng):
    X = rng.integers(2, size=(10, 3))
    ours, theirs = (each.fit(X, np.ones(10)) for each in both(name))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_online_learners_count_their_steps(rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    for cls in (linnet.Perceptron, linnet.PassiveAggressiveClassifier):
        model = cls(max_iter=3, tol=None).fit(X, y)
        assert model.t_ == 1 + 3 * 40
        stream = cls()
        for _ in range(3):
            stream.partial_fit(X, y)
        assert stream.t_ == 1 + 3 * 40


def test_a_passive_aggressive_step_is_scikit_learns(rng):
    """Without an intercept, which ours counts into the length of a row; theirs are schedules of SGD by now."""
    from sklearn.linear_model import SGDClassifier

    X, y = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    same = {"fit_intercept": False, "shuffle": False, "max_iter": 4, "tol": None}
    for loss, rate in (("hinge", "pa1"), ("squared_hinge", "pa2")):
        ours = linnet.PassiveAggressiveClassifier(C=0.5, loss=loss, **same).fit(X, y)
        theirs = SGDClassifier(loss="hinge", penalty=None, learning_rate=rate, eta0=0.5, **same).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVC", "Perceptron", "PassiveAggressiveClassifier"])
def test_a_class_weight_for_a_label_that_no_row_has_is_an_error_unless_all_have_one(name):
    X, y = [[-1.0, -1.0], [-1.0, 0.0], [1.0, 1.0], [1.0, 0.0]], [1, 1, -1, -1]
    with pytest.raises(ValueError, match="which no row has"):
        getattr(linnet, name)(class_weight={0: 0.5}).fit(X, y)
    getattr(linnet, name)(class_weight={0: 0.5, 1: 2.0, -1: 1.0}).fit(X, y)
    getattr(linnet, name)(class_weight={1: 2.0}).fit(X, y)
