from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linnet.data.rows import Rows
from linnet.learners import catalogue
from linnet.learners.catalogue import Task, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Penalty, Recipe, Update
from linnet.learners.schedule import Schedule, constant, inverse, inverse_sqrt, passive_aggressive
from linnet.training.online_learner import Learner
from linnet.training.order import WHOLE
from tests import twins
from tests.conftest import both_forms, sparse_table

RECIPES = {
    "perceptron": Recipe(Loss.PERCEPTRON),
    "perceptron with l2": Recipe(Loss.PERCEPTRON, penalty=Penalty(l2=0.1)),
    "averaged perceptron": Recipe(Loss.PERCEPTRON, averaging=Averaging.AVERAGE),
    "averaged with l2": Recipe(
        Loss.HINGE, schedule=constant(0.3), penalty=Penalty(l2=0.2), averaging=Averaging.AVERAGE
    ),
    "averaged with a scale that folds": Recipe(
        Loss.HINGE, schedule=constant(0.9), penalty=Penalty(l2=1.0), averaging=Averaging.AVERAGE
    ),
    "hinge, 1/t": Recipe(Loss.HINGE, schedule=inverse(0.7)),
    "pegasos": Recipe(Loss.HINGE, schedule=Schedule(1.0, 1.0, per_penalty=True), penalty=Penalty(l2=0.1)),
    "squared hinge, t^-0.75": Recipe(Loss.SQUARED_HINGE, schedule=Schedule(0.05, 0.75)),
    "logistic, 1/sqrt(t)": Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.5)),
    "logistic, l1": Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.5), penalty=Penalty(l1=0.05)),
    "logistic, elastic net": Recipe(Loss.LOGISTIC, schedule=constant(0.4), penalty=Penalty(l1=0.02, l2=0.3)),
    "logistic, l1, folding": Recipe(Loss.LOGISTIC, schedule=constant(0.9), penalty=Penalty(l1=0.02, l2=1.0)),
    "logistic, penalty in total": Recipe(Loss.LOGISTIC, schedule=constant(0.4), penalty=Penalty(0.5, 0.9, total=True)),
    "least squares": Recipe(Loss.SQUARED, schedule=constant(0.02)),
    "passive-aggressive I": Recipe(Loss.HINGE, schedule=passive_aggressive(0.3, variant=1)),
    "passive-aggressive II": Recipe(Loss.HINGE, schedule=passive_aggressive(0.3, variant=2)),
    "passive-aggressive, averaged": Recipe(
        Loss.HINGE, schedule=passive_aggressive(0.3, variant=1), averaging=Averaging.AVERAGE
    ),
}
ADAPTIVE = {
    "logistic": Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5)),
    "hinge": Recipe(Loss.HINGE, Update.ADAPTIVE, constant(0.3)),
    "squared": Recipe(Loss.SQUARED, Update.ADAPTIVE, constant(0.5)),
    "logistic, l1": Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5), Penalty(l1=0.02)),
    "logistic, l2": Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5), Penalty(l2=0.05)),
    "hinge, elastic net": Recipe(Loss.HINGE, Update.ADAPTIVE, constant(0.3), Penalty(l1=0.01, l2=0.03)),
}


def learn(
    recipe, X, targets, outputs, *, passes=3, sample_weights=WHOLE, population=1.0, intercept=True, regression=False
):
    learner = Learner(recipe, X.shape[1], outputs, intercept=intercept, regression=regression, population=population)
    tallies = [learner.present(Rows.of(X), targets, None, sample_weights) for _ in range(passes)]
    return learner, tallies


def problem(rng, outputs, regression=False):
    X = sparse_table(rng, 40, 13)
    if regression:
        return X, rng.normal(size=40) * 3 + 5
    return X, rng.integers(outputs, size=40).astype(float) if outputs > 1 else rng.choice([-1.0, 1.0], size=40)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("outputs", [1, 2, 4, 11])
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_equals_its_eager_dense_twin(name, outputs, intercept, rng):
    recipe, population = RECIPES[name], 17.0 if RECIPES[name].penalty.total else 1.0
    table, targets = problem(rng, outputs)
    sample_weights = rng.uniform(0.2, 1.5, size=len(targets))
    met, mistakes = twins.run(
        table,
        targets,
        recipe,
        outputs,
        passes=3,
        sample_weights=sample_weights,
        population=population,
        intercept=intercept,
    )
    w, b = met[-1]
    if recipe.averaging is Averaging.AVERAGE:
        w, b = np.mean([w for w, _ in met], axis=0), np.mean([b for _, b in met], axis=0)
    for X in both_forms(table):
        learner, tallies = learn(
            recipe, X, targets, outputs, sample_weights=sample_weights, population=population, intercept=intercept
        )
        got_w, got_b = learner.solution()
        scale = np.abs(w).max()
        assert_allclose(got_w, w, rtol=1e-11, atol=1e-12 * scale)
        assert_allclose(got_b, b, rtol=1e-11, atol=1e-12 * scale)
        assert sum(tally.mistakes for tally in tallies) == mistakes


def test_numbers_to_predict_equal_the_twin(rng):
    recipe = RECIPES["least squares"]
    table, targets = problem(rng, 1, regression=True)
    met, _ = twins.run(table, targets, recipe, regression=True, passes=3)
    for X in both_forms(table):
        learner, _ = learn(recipe, X, targets, 1, regression=True)
        assert_allclose(learner.solution()[0], met[-1][0], rtol=1e-11, atol=1e-13)
        assert_allclose(learner.solution()[1], met[-1][1], rtol=1e-11)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("outputs", [1, 3, 7])
@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_learners_equal_the_published_algorithm(name, outputs, intercept, rng):
    table, targets = problem(rng, outputs)
    w, b = twins.adaptive(table, targets, ADAPTIVE[name], outputs, passes=3, intercept=intercept)
    for X in both_forms(table):
        learner, _ = learn(ADAPTIVE[name], X, targets, outputs, intercept=intercept)
        got_w, got_b = learner.solution()
        assert_allclose(got_w, w, rtol=1e-9, atol=1e-12)
        assert_allclose(got_b, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 31, 33, 66, 71])
@pytest.mark.parametrize("outputs", [0, 1, 3, 7])
def test_adaptive_learners_of_long_rows_equal_the_twin(outputs, columns, rng):
    """No outputs stand for numbers.  Steps are worked out several at a time, and a row may end anywhere among them."""
    table = sparse_table(rng, 40, columns)
    signs, codes = rng.choice([-1.0, 1.0], size=40), rng.integers(max(outputs, 1), size=40).astype(float)
    targets = [rng.normal(size=40), signs, codes][min(outputs, 2)]
    recipe = ADAPTIVE["squared" if outputs == 0 else "logistic"]
    w, b = twins.adaptive(table, targets, recipe, max(outputs, 1), passes=3, regression=outputs == 0)
    found = []
    for X in both_forms(table):
        learner, _ = learn(recipe, X, targets, max(outputs, 1), regression=outputs == 0)
        found.append(learner.solution())
        assert_allclose(found[-1][0], w, rtol=1e-9, atol=1e-12)
        assert_allclose(found[-1][1], b, rtol=1e-9, atol=1e-12)
    assert found[0][0].tobytes() == found[1][0].tobytes()


@pytest.mark.parametrize("intercept", [True, False])
def test_the_adaptive_regressor_equals_its_twin(intercept, rng):
    table, targets = problem(rng, 1, regression=True)
    w, b = twins.adaptive(table, targets, ADAPTIVE["squared"], passes=3, regression=True, intercept=intercept)
    for X in both_forms(table):
        learner, _ = learn(ADAPTIVE["squared"], X, targets, 1, regression=True, intercept=intercept)
        assert_allclose(learner.solution()[0], w, rtol=1e-9, atol=1e-12)
        assert_allclose(learner.solution()[1], b, rtol=1e-9)


@pytest.mark.parametrize("weight", [0.3, 1.0, 20.0])
def test_a_step_of_the_adaptive_regressor_nears_the_target_and_never_passes_it(weight, rng):
    """Rows of many columns that no other row has: without regard to their number, a step goes many times too far."""
    table = np.hstack([np.eye(30).repeat(40, axis=1), rng.normal(size=(30, 3))])
    learner = Learner(ADAPTIVE["squared"], table.shape[1], 1, regression=True)

    def score(row):
        """As the learner has it, of standardised targets."""
        w, b = learner.weights[:-1, 0] * learner.inverse_scales, learner.weights[-1, 0]
        return float(row @ w + b)

    for row, y in zip(table, rng.normal(size=30) * 3 + 5, strict=True):
        before = score(row)
        learner.present(Rows.of(row[np.newaxis]), np.array([y]), None, np.array([weight]))
        clock = learner.clock
        if clock["steps"] > 1:
            target = (y - clock["mean"]) / np.sqrt(clock["spread"] / clock["steps"])
            assert min(before, target) - 1e-12 <= score(row) <= max(before, target) + 1e-12


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.integers(1, 30), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_on_whole_numbers_the_perceptron_equals_its_twin_to_the_bit(dtype, n, d, seed):
    rng = np.random.default_rng(seed)
    table = (rng.integers(-3, 4, size=(n, d)) * (rng.random((n, d)) < 0.6)).astype(dtype)
    targets = rng.choice([-1.0, 1.0], size=n)
    met, mistakes = twins.run(table, targets, Recipe(Loss.PERCEPTRON), passes=2)
    for X in both_forms(table):
        learner, tallies = learn(Recipe(Loss.PERCEPTRON), X, targets, 1, passes=2)
        assert_array_equal(learner.solution()[0], met[-1][0])
        assert_array_equal(learner.solution()[1], met[-1][1])
        assert sum(tally.mistakes for tally in tallies) == mistakes == sum(tally.updates for tally in tallies)


def test_a_dense_step_equals_its_twin_to_the_bit_when_it_adds_in_the_same_order(rng):
    X, targets = rng.normal(size=(50, 11)), rng.choice([-1.0, 1.0], size=50)
    w, b = np.zeros(11), 0.0
    for x, y in zip(X, targets, strict=True):
        sums = [0.0, 0.0, 0.0, 0.0]
        for j in range(11):
            sums[j % 4 if j < 8 else 0] += x[j] * w[j]
        if y * ((sums[0] + sums[1]) + (sums[2] + sums[3]) + b) <= 0:
            w, b = w + y * x, b + y
    learner, _ = learn(Recipe(Loss.PERCEPTRON), X, targets, 1, passes=1)
    assert_array_equal(learner.solution()[0][:, 0], w)
    assert learner.solution()[1][0] == b


@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC])
@given(
    seed=st.integers(0, 2**32 - 1),
    columns=st.integers(1, 70),
    zeros=st.sampled_from([0.0, 0.02, 0.5]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_an_adaptive_learner_steps_over_dense_rows_as_over_their_entries_one_by_one(loss, seed, columns, zeros, dtype):
    """Four columns at once, where they have no 0 and no entry larger than all before: the same bits."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(30, columns)) * (rng.random((30, columns)) >= zeros)).astype(dtype)
    targets = rng.choice([-1.0, 1.0], size=30)
    recipe, numbers = Recipe(loss, Update.ADAPTIVE, constant(0.5)), loss is Loss.SQUARED
    dense, sparse = (learn(recipe, each, targets, 1, regression=numbers)[0].solution() for each in both_forms(X))
    assert_array_equal(dense[0], sparse[0])
    assert_array_equal(dense[1], sparse[1])


def test_the_average_is_the_mean_of_all_weight_vectors_over_all_steps(rng):
    """Not over mistakes, and exactly, though only the columns of a mistake are touched."""
    X, targets = rng.integers(-2, 3, size=(64, 5)).astype(float), rng.choice([-1.0, 1.0], size=64)
    recipe = Recipe(Loss.PERCEPTRON, averaging=Averaging.AVERAGE)
    met, _ = twins.run(X, targets, recipe, passes=2)
    learner, _ = learn(recipe, X, targets, 1, passes=2)
    assert_array_equal(learner.solution()[0], np.mean([w for w, _ in met], axis=0))
    assert_array_equal(learner.solution()[1], np.mean([b for _, b in met], axis=0))


def test_an_l1_penalty_leaves_weights_at_exactly_zero(rng):
    X, targets = sparse_table(rng, 300, 40), rng.choice([-1.0, 1.0], size=300)
    recipe = Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.5), penalty=Penalty(l1=0.05))
    w, _ = learn(recipe, X, targets, 1)[0].solution()
    assert 0 < (w == 0).mean() < 1
    plain, _ = learn(Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.5)), X, targets, 1)[0].solution()
    assert (w == 0).sum() > (plain == 0).sum()


@pytest.mark.parametrize("entry", list(catalogue.entries(Way.ONLINE)), ids=lambda entry: entry.name)
def test_every_online_learner_of_the_catalogue_is_finite_on_every_task_it_names(entry, rng):
    for task in entry.tasks:
        regression = task is Task.REGRESSION
        table, targets = problem(rng, 1, regression)
        for X in both_forms(table):
            learner, tallies = learn(entry.recipe, X, targets, 1, regression=regression)
            assert np.isfinite(learner.solution()[0]).all()
            assert all(np.isfinite(tally.loss) and tally.updates > 0 for tally in tallies)


@pytest.mark.parametrize("penalty", [Penalty(l1=0.02), Penalty(l2=0.02), Penalty(l1=0.01, l2=0.01)])
def test_penalties_of_the_adaptive_learner_shrink_its_weights(penalty, rng):
    X, targets = sparse_table(rng, 300, 40), rng.choice([-1.0, 1.0], size=300)
    free, _ = learn(ADAPTIVE["logistic"], X, targets, 1)[0].solution()
    held, _ = learn(Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5), penalty), X, targets, 1)[0].solution()
    assert np.abs(held).sum() < np.abs(free).sum()
    assert ((held == 0).sum() > (free == 0).sum()) == (penalty.l1 > 0)


@pytest.mark.parametrize("weight", [0.25, 1.0, 3.0])
def test_the_mean_loss_is_a_mean_by_weight(weight, rng):
    """With steps too short to matter every row costs a hinge loss of 1, however much it counts."""
    X, targets = problem(rng, 1)
    recipe = Recipe(Loss.HINGE, schedule=constant(1e-12))
    _, (tally,) = learn(recipe, X, targets, 1, passes=1, sample_weights=np.full(len(targets), weight))
    assert tally.loss == pytest.approx(1.0)
