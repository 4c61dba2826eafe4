"""Decisions by costs around any classifier; and what scikit-learn's own wrappers make of linnet's."""

from __future__ import annotations

import doctest
import inspect
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.utils.estimator_checks import estimator_checks_generator

import linnet
from linnet.errors import RecipeError
from linnet.estimators.documentation import PARAMETERS

WITHOUT_PROBABILITIES = [linnet.Perceptron(averaging="average"), linnet.LinearSVC(), linnet.PassiveAggressive()]


@pytest.fixture
def skewed(rng):
    """Rows of which one in five is ill, told by one number with much noise."""
    y = np.where(rng.random(1500) < 0.2, "ill", "well")
    return rng.normal(size=(1500, 3)) + 1.5 * (y == "ill")[:, np.newaxis], y


def checks():
    for estimator in (
        linnet.CostSensitive(linnet.LogisticRegression()),
        linnet.CostSensitive(linnet.OnlineClassifier("sgd-logistic"), reject=10.0, reject_label=-1),
    ):
        for instance, check in estimator_checks_generator(estimator, legacy=True):
            if getattr(check, "func", check).__name__ != "check_array_api_input":
                yield pytest.param(instance, check, id=f"{instance}-{getattr(check, 'func', check).__name__}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_decisions_cost_least_by_the_probabilities(rng):
    y = rng.choice(["a", "b", "c"], size=300)
    X = rng.normal(size=(300, 3)) + 2 * (y[:, np.newaxis] == ["a", "b", "c"])
    costs = {("a", "b"): 5.0, ("c", "a"): 0.2, ("b", "c"): 3.0}
    model = linnet.CostSensitive(linnet.LogisticRegression(), costs=costs).fit(X, y)
    matrix = np.array([[0, 5, 1], [1, 0, 3], [0.2, 1, 0]])
    p = linnet.LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), p)
    np.testing.assert_allclose(model.expected_costs(X), p @ matrix)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(p @ matrix).argmin(axis=1)])
    assert set(model.predict(X)) == {"a", "b", "c"}


def test_without_costs_the_most_probable_label_is_taken(skewed):
    X, y = skewed
    plain = linnet.LogisticRegression().fit(X, y)
    model = linnet.CostSensitive(linnet.LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.classes_[plain.predict_proba(X).argmax(axis=1)])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_rows_in_doubt_get_the_reject_label(skewed):
    X, y = skewed
    model = linnet.CostSensitive(linnet.LogisticRegression(), reject=0.2, reject_label="ask").fit(X, y)
    doubt = model.predict_proba(X).max(axis=1) < 0.8
    assert 0 < doubt.sum() < len(y)
    np.testing.assert_array_equal(model.predict(X) == "ask", doubt)
    assert model.predict(X).dtype.kind == "U"
    nothing = clone(model).set_params(reject=None, least=0.8, reject_label=None).fit(X, y).predict(X)
    np.testing.assert_array_equal([label is None for label in nothing], doubt)
    numbers = clone(model).set_params(reject_label=-1).fit(X, (y == "ill").astype(int)).predict(X)
    assert numbers.dtype.kind == "i"
    np.testing.assert_array_equal(numbers == -1, doubt)


def test_it_follows_scikit_learns_conventions(skewed):
    X, y = skewed
    model = linnet.CostSensitive(linnet.LogisticRegression(), costs={("ill", "well"): 10})
    assert clone(model).get_params()["estimator__C"] == 1.0
    search = GridSearchCV(model, {"estimator__C": [0.01, 1.0]}, cv=2).fit(X, y)
    assert search.best_params_["estimator__C"] in (0.01, 1.0)
    fitted = model.fit(csr_array(X), y, sample_weight=np.ones(len(y)))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).predict(csr_array(X)), fitted.predict(csr_array(X))
    )
    frozen = linnet.CostSensitive(FrozenEstimator(linnet.LogisticRegression().fit(X, y)), costs=model.costs)
    np.testing.assert_array_equal(frozen.fit(X[:50], y[:50]).predict(X), model.fit(X, y).predict(X))


def test_costs_lower_what_mistakes_cost_on_other_rows(skewed):
    X, y = skewed
    costs = {("ill", "well"): 10}
    plain = cross_val_predict(linnet.LogisticRegression(), X, y)
    careful = cross_val_predict(linnet.CostSensitive(linnet.LogisticRegression(), costs=costs), X, y)
    paid = [np.where(y == guess, 0, np.where(y == "ill", 10, 1)).mean() for guess in (plain, careful)]
    assert paid[1] < paid[0]


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (linnet.CostSensitive(linnet.Perceptron()), "Perceptron gives no probabilities .* CalibratedClassifierCV"),
        (linnet.CostSensitive(linnet.LogisticRegression(), costs={("ill", "dead"): 3}), "the labels 'ill', 'well'"),
        (linnet.CostSensitive(linnet.LogisticRegression(), reject=1, least=0.5), "not both"),
    ],
)
def test_what_cannot_be_decided_is_refused(estimator, message, skewed):
    with pytest.raises(RecipeError, match=message):
        estimator.fit(*skewed)


def test_the_docstring_describes_every_parameter_and_its_example_holds():
    cls = linnet.CostSensitive
    for name in inspect.signature(cls).parameters:
        assert f"\n{name} : " in cls.__doc__
        assert name in PARAMETERS
    for test in doctest.DocTestFinder(recurse=False).find(cls, globs={}):
        assert doctest.DocTestRunner().run(test).failed == 0


# -- what scikit-learn brings --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* stopped unconverged")
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("estimator", WITHOUT_PROBABILITIES, ids=repr)
def test_scikit_learns_calibration_gives_any_classifier_probabilities_and_so_costs(estimator, method, skewed):
    X, y = skewed
    calibrated = CalibratedClassifierCV(estimator, method=method, cv=5)
    model = linnet.CostSensitive(calibrated, costs={("ill", "well"): 10}).fit(csr_array(X), y)
    p = model.predict_proba(csr_array(X))[:, 0]
    assert abs(p.mean() - (y == "ill").mean()) < 0.03
    near_half = (p > 0.3) & (p < 0.7)
    assert abs(p[near_half].mean() - (y == "ill")[near_half].mean()) < 0.1
    np.testing.assert_array_equal(model.predict(csr_array(X)) == "ill", p * 10 >= 1 - p)


@pytest.mark.parametrize("estimator", [linnet.LogisticRegression(), linnet.OnlineClassifier(), linnet.LinearSVC()])
def test_scikit_learns_thresholds_serve_linnets_classifiers(estimator, skewed):
    X, y = skewed
    y = (y == "ill").astype(int)
    tuned = TunedThresholdClassifierCV(estimator, scoring="f1", cv=5).fit(X, y)
    assert f1_score(y, tuned.predict(X)) > f1_score(y, estimator.fit(X, y).predict(X))
    fixed = FixedThresholdClassifier(estimator, threshold=tuned.best_threshold_).fit(X, y)
    np.testing.assert_array_equal(fixed.predict(X), tuned.predict(X))


def test_a_cost_rule_of_two_classes_is_scikit_learns_fixed_threshold(skewed):
    X, y = skewed
    y = (y == "ill").astype(int)
    model = linnet.CostSensitive(linnet.LogisticRegression(), costs={(1, 0): 10}).fit(X, y)
    fixed = FixedThresholdClassifier(
        linnet.LogisticRegression(), threshold=model.rule_.threshold, response_method="predict_proba"
    )
    np.testing.assert_array_equal(model.predict(X), fixed.fit(X, y).predict(X))
