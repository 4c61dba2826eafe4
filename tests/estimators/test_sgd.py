"""SGDClassifier and SGDRegressor beside scikit-learn's, with the rows in one order and no early end."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model

import linnet

AS_THEY_STAND = {"shuffle": False, "max_iter": 4, "tol": None}
CONSTANT = {"learning_rate": "constant", "eta0": 0.05}
FALLING = {"learning_rate": "invscaling", "eta0": 0.1, "power_t": 0.3}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def table(rng):
    X = rng.normal(size=(80, 5))
    return X, X @ rng.normal(size=5) + 0.3 * rng.normal(size=80)


OF_NUMBERS = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", *OF_NUMBERS])
@pytest.mark.parametrize("rate", [CONSTANT, FALLING, {"learning_rate": "optimal"}])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_steps_on_classes_are_those_of_scikit_learn(table, loss, rate, penalty):
    X, y = table[0], np.digitize(table[1], [-1.0, 1.0])
    steep = loss.startswith("squared") or loss.endswith("huber")
    alpha = 1.0 if steep and rate["learning_rate"] == "optimal" else 0.01  # or both run away
    given = {"loss": loss, "penalty": penalty, "alpha": alpha, "epsilon": 0.3, **rate, **AS_THEY_STAND}
    ours, theirs = linnet.SGDClassifier(**given).fit(X, y), linear_model.SGDClassifier(**given).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("loss", OF_NUMBERS)
@pytest.mark.parametrize("rate", [CONSTANT, FALLING, {}, {"learning_rate": "optimal", "alpha": 0.1}])
def test_steps_on_numbers_are_those_of_scikit_learn(table, loss, rate):
    X, y = table
    given = {"loss": loss, "epsilon": 0.4, **rate, **AS_THEY_STAND}
    ours, theirs = linnet.SGDRegressor(**given).fit(X, y), linear_model.SGDRegressor(**given).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


def test_two_classes_have_one_line_of_weights_and_average_their_steps(table):
    X, y = table[0], table[1] > 0
    given = {**CONSTANT, **AS_THEY_STAND, "max_iter": 40, "average": True}
    ours, theirs = linnet.SGDClassifier(**given).fit(X, y), linear_model.SGDClassifier(**given).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, rtol=0.05, atol=0.02)


@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("begins", [1, 2, 30, 80, 81, 100, 319, 320, 321, 1000])
def test_an_average_may_begin_late_as_in_scikit_learn(table, begins, penalty):
    X, y = table
    given = {**CONSTANT, **AS_THEY_STAND, "average": begins, "penalty": penalty, "alpha": 0.3}
    ours, theirs = linnet.SGDRegressor(**given).fit(X, y), linear_model.SGDRegressor(**given).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    stream = linnet.SGDRegressor(**given)
    for cut in (slice(0, 7), slice(7, 50), slice(50, 80)) * 4:
        stream.partial_fit(X[cut], y[cut])
    assert_array_equal(stream.coef_, ours.coef_)
    labels = np.digitize(y, [-1.0, 1.0])
    ours, theirs = linnet.SGDClassifier(**given).fit(X, labels), linear_model.SGDClassifier(**given).fit(X, labels)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)


@pytest.mark.parametrize("rate", [{}, CONSTANT, {"learning_rate": "adaptive"}])
def test_a_stream_in_any_cut_and_sparse_rows_give_the_bits_of_a_pass(table, rate):
    X, y = table[0], table[1] > 0
    whole = linnet.SGDClassifier(**rate, shuffle=False, max_iter=1, tol=None).fit(X, y)
    stream, sparse = linnet.SGDClassifier(**rate), linnet.SGDClassifier(**rate)
    for cut in (slice(0, 7), slice(7, 50), slice(50, 80)):
        stream.partial_fit(X[cut], y[cut], classes=[False, True])
        sparse.partial_fit(csr_matrix(X[cut]), y[cut], classes=[False, True])
    assert_array_equal(stream.coef_, whole.coef_)
    assert_array_equal(sparse.coef_, whole.coef_)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_aggressive_steps_are_those_of_the_passive_aggressive_learner(table, rate):
    X, y = table[0], table[1] > 0
    ours = linnet.SGDClassifier(learning_rate=rate, eta0=0.7, **AS_THEY_STAND).fit(X, y)
    loss = {"pa1": "hinge", "pa2": "squared_hinge"}[rate]
    other = linnet.PassiveAggressiveClassifier(C=0.7, loss=loss, **AS_THEY_STAND).fit(X, y)
    assert_array_equal(ours.coef_, other.coef_)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_aggressive_steps_bring_a_number_within_epsilon(table, rate):
    """Crammer et al. 2006, section 5, one row after the other."""
    X, y = table
    given = {"learning_rate": rate, "eta0": 0.7, "epsilon": 0.4, "fit_intercept": False, **AS_THEY_STAND, "max_iter": 1}
    ours = linnet.SGDRegressor("epsilon_insensitive", **given).fit(X, y)
    w = np.zeros(5)
    for x, target in zip(X, y, strict=True):
        loss = max(0.0, abs(target - w @ x) - 0.4)
        step = min(0.7, loss / (x @ x)) if rate == "pa1" else loss / (x @ x + 1 / 1.4)
        w += np.sign(target - w @ x) * step * x
    assert_allclose(ours.coef_, w, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_of_the_modified_huber_loss_are_those_of_scikit_learn(table, classes):
    X, y = table[0], np.digitize(table[1], [-1.0, 0.5, 1.0][: classes - 1])
    given = {"loss": "modified_huber", "penalty": None, **CONSTANT, **AS_THEY_STAND}
    ours, theirs = linnet.SGDClassifier(**given).fit(X, y), linear_model.SGDClassifier(**given).fit(X, y)
    far = np.vstack([X, 100 * X, 0 * X])
    assert_allclose(ours.predict_proba(far), theirs.predict_proba(far), atol=1e-12)
    with np.errstate(divide="ignore"):
        assert_allclose(ours.predict_log_proba(far), np.log(theirs.predict_proba(far)), atol=1e-9)


def test_losses_of_residuals_take_several_classes_one_by_one(table):
    X, y = table[0], np.digitize(table[1], [-1.0, 1.0])
    joint = linnet.Recipe(linnet.SGDClassifier("huber")._learner().recipe.loss)
    with pytest.raises(linnet.RecipeError, match="takes several classes one by one: multiclass='one-vs-rest'"):
        linnet.OnlineClassifier(joint).fit(X, y)


@pytest.mark.parametrize("loss", OF_NUMBERS)
def test_a_model_of_residuals_is_saved_with_its_loss(loss):
    from linnet.learners.recipe import Recipe
    from linnet.storage.typed_json import from_plain, to_plain

    recipe = linnet.SGDRegressor(loss)._learner().recipe
    assert from_plain(Recipe, to_plain(recipe), "recipe") == recipe


def test_a_model_of_it_is_saved_with_its_steps():
    from linnet.learners.recipe import Recipe
    from linnet.storage.typed_json import from_plain, to_plain

    recipe = linnet.SGDClassifier()._learner().recipe
    assert recipe.schedule.offset > 0
    assert from_plain(Recipe, to_plain(recipe), "recipe") == recipe


def test_probabilities_go_with_the_logistic_loss(table):
    X, y = table[0], table[1] > 0
    assert_allclose(linnet.SGDClassifier("log_loss").fit(X, y).predict_proba(X).sum(axis=1), 1.0)
    assert not hasattr(linnet.SGDClassifier(), "predict_proba")


def test_what_it_does_not_take_names_what_does():
    X, y = [[1.0], [2.0]], [0, 1]
    for estimator, words in (
        (linnet.SGDClassifier("squared_loss"), "loss='squared_loss' is not known; there are 'hinge'"),
        (linnet.SGDRegressor("hinge"), "loss='hinge' is not known; there are 'squared_error'"),
        (linnet.SGDRegressor("huber", epsilon=0.0), "epsilon must be above 0"),
        (
            linnet.SGDRegressor("huber", learning_rate="adaptive"),
            "epsilon is not: the fixed_huber",
        ),
        (linnet.SGDRegressor(learning_rate="pa1"), "mend a hinge loss, or an epsilon-insensitive one"),
        (linnet.SGDRegressor(early_stopping=True, validation_fraction=0.9), "leaves none of 2 rows to train on"),
        (linnet.SGDClassifier(alpha=0), "alpha must be > 0"),
        (linnet.SGDClassifier(learning_rate="slow"), "learning_rate='slow' is not known"),
        (linnet.SGDClassifier(learning_rate="constant", eta0=0), "eta0 must be positive"),
    ):
        with pytest.raises(ValueError, match=words):
            estimator.fit(X, y)


def test_a_fit_may_begin_at_given_weights_as_in_scikit_learn(table):
    X, y = table[0], np.digitize(table[1], [-1.0, 1.0])
    given = {**CONSTANT, **AS_THEY_STAND}
    start = {"coef_init": np.arange(15.0).reshape(3, 5) / 10, "intercept_init": [0.1, -0.2, 0.3]}
    ours, theirs = linnet.SGDClassifier(**given), linear_model.SGDClassifier(**given)
    assert_allclose(ours.fit(X, y, **start).coef_, theirs.fit(X, y, **start).coef_, rtol=1e-8)
    one = {"coef_init": np.ones(5), "intercept_init": np.array([2.0])}
    ours, theirs = linnet.SGDRegressor(**given), linear_model.SGDRegressor(**given)
    assert_allclose(ours.fit(X, table[1], **one).coef_, theirs.fit(X, table[1], **one).coef_, rtol=1e-8)
    assert ours.intercept_.shape == theirs.intercept_.shape
    with pytest.raises(ValueError, match="coef_init does not match"):
        ours.fit(X, table[1], coef_init=np.ones(4))
    with pytest.raises(ValueError, match="do not go with learning_rate='adaptive'"):
        linnet.SGDRegressor(learning_rate="adaptive").fit(X, table[1], **one)


def test_a_stream_cannot_stop_early(table):
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        linnet.SGDRegressor(early_stopping=True).partial_fit(*table)


def test_an_l1_ratio_counts_only_where_it_is_used(table):
    X, y = table
    assert_array_equal(
        linnet.SGDRegressor(l1_ratio=None).fit(X, y).coef_, linnet.SGDRegressor(l1_ratio=0.9).fit(X, y).coef_
    )
    with pytest.raises(ValueError, match="l1_ratio must be set when penalty is 'elasticnet'"):
        linnet.SGDRegressor(l1_ratio=None, penalty="elasticnet").fit(X, y)


def test_a_warm_start_begins_at_the_weights_with_the_steps_of_a_new_fit(table):
    X, y = table
    given = {**CONSTANT, **AS_THEY_STAND, "warm_start": True}
    ours, theirs = linnet.SGDRegressor(**given).fit(X, y), linear_model.SGDRegressor(**given).fit(X, y)
    ours, theirs = ours.set_params(eta0=0.01), theirs.set_params(eta0=0.01)
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, rtol=1e-8)
