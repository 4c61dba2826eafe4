"""The multiplicative update against its NumPy twin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from linnet import Factors, Loss, Recipe, Reduction, Update
from linnet.data.rows import Rows
from linnet.training.online_learner import Learner
from linnet.training.order import WHOLE
from tests import twins

FACTORS = [
    Factors(2.0, 0.0),
    Factors(1.5, 0.0, threshold=3.0),
    Factors(2.0, 0.5),
    Factors(1.5, 1 / 1.5, threshold=2.5),
    Factors(1.5, 1 / 1.5, balanced=True),
    Factors(3.0, 0.25, balanced=True),
    Factors(2.0, 0.0, complement=True),
    Factors(2.0, 0.5, complement=True, threshold=4.0),
]


def learner_of(factors, columns):
    recipe = Recipe(Loss.PERCEPTRON, Update.MULTIPLICATIVE, reduction=Reduction.ONE_VS_REST, factors=factors)
    return Learner(recipe, columns)


@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factors", FACTORS)
def test_boolean_rows_give_the_weights_and_mistakes_of_the_twin(factors, dtype, kind, passes, rng):
    X = (rng.random((200, 9)) < 0.3).astype(dtype)
    y = (X[:, 1] + X[:, 4] > 0) ^ (rng.random(200) < 0.1)
    learner = learner_of(factors, 9)
    rows, mistakes = Rows.of(csr_matrix(X) if kind == "sparse" else X), 0
    for _ in range(passes):
        mistakes += learner.present(rows, y.astype(np.float64), None, WHOLE).mistakes
    w, b, expected = twins.winnow(X, y, factors, passes)
    np.testing.assert_allclose(learner.solution()[0][:, 0], w, rtol=1e-12)
    np.testing.assert_allclose(learner.solution()[1][0], b, rtol=1e-12)
    assert mistakes == expected == learner.clock["mistakes"] > 0


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("factors", [each for each in FACTORS if not each.eliminates])
@pytest.mark.parametrize("shared", [False, True])
def test_numbers_from_0_to_1_are_powers_of_the_factor(factors, kind, shared, rng):
    X = np.where(rng.random((150, 7)) < 0.4, rng.random((150, 7)), 0.0)
    y = X[:, 0] + X[:, 3] > 0.5
    sample_weights = rng.uniform(0.2, 1.0, 150) if shared else None
    learner = learner_of(factors, 7)
    rows = Rows.of(csr_matrix(X) if kind == "sparse" else X)
    made = learner.present(
        rows, y.astype(np.float64), None, WHOLE if sample_weights is None else sample_weights
    ).mistakes
    w, b, expected = twins.winnow(X, y, factors, sample_weights=sample_weights)
    np.testing.assert_allclose(learner.solution()[0][:, 0], w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.solution()[1][0], b, rtol=1e-9, atol=1e-12)
    assert made == expected > 0


@pytest.mark.parametrize("factors", FACTORS[:6])
def test_columns_that_join_later_weigh_what_all_began_with(factors, rng):
    X = (rng.random((120, 8)) < 0.4).astype(float)
    X[:60, 5:] = 0.0
    y = (X[:, 0] + X[:, 6] > 0).astype(float)
    threshold = None if factors.balanced else 4.0
    factors = Factors(factors.promotion, factors.demotion, threshold, balanced=factors.balanced)
    whole, grown = learner_of(factors, 8), learner_of(factors, 5)
    whole.present(Rows.of(csr_matrix(X)), y, None, WHOLE)
    grown.present(Rows.of(csr_matrix(X[:60, :5])), y[:60], None, WHOLE)
    grown.widen(8)
    grown.present(Rows.of(csr_matrix(X[60:])), y[60:], None, WHOLE)
    np.testing.assert_array_equal(grown.weights, whole.weights)
    np.testing.assert_array_equal(grown.sides, whole.sides)


def test_no_weight_of_a_noisy_stream_runs_out_of_the_range_of_numbers():
    X = np.ones((20_000, 1))
    for factors in (Factors(2.0, 0.5, threshold=1e90), Factors(2.0, 0.5, balanced=True)):
        for target in (1.0, 0.0):
            learner = learner_of(factors, 1)
            learner.present(Rows.of(X), np.full(20_000, target), None, WHOLE)
            assert np.isfinite(learner.weights).all()


@pytest.mark.parametrize(("positive", "mistakes"), [(True, 1), (False, 0)])
def test_a_sum_just_at_the_threshold_is_predicted_negative(positive, mistakes):
    learner = learner_of(Factors(2.0, 0.0), 4)
    assert (
        learner.present(Rows.of(np.array([[1.0, 1.0, 0.0, 0.0]])), np.array([float(positive)]), None, WHOLE).mistakes
        == mistakes
    )
