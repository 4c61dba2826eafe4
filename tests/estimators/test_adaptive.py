"""The default online learners: nothing to scale, nothing to tune."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linnet import OnlineClassifier, OnlineRegressor
from tests.conftest import both_forms, sparse_table

FACTORS = [1e-3, 1e3, 1e-150, 1e150, 2.0**-40]


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("column", [0, 3])
@pytest.mark.parametrize("classes", [2, 3])
def test_multiplying_a_column_hardly_changes_predictions(classes, column, factor, rng):
    table, y = sparse_table(rng, 300, 8), rng.integers(classes, size=300)
    scaled = table.copy()
    scaled[:, column] *= factor
    for X, Z in zip(both_forms(table), both_forms(scaled), strict=True):
        # the random order follows the rows' contents, which differ here
        one = OnlineClassifier(shuffle=False, max_iter=5, tol=None).fit(X, y)
        other = OnlineClassifier(shuffle=False, max_iter=5, tol=None).fit(Z, y)
        assert_allclose(other.predict_proba(Z), one.predict_proba(X), rtol=1e-9)


def test_multiplying_by_a_power_of_two_changes_no_bit(rng):
    X, y = sparse_table(rng, 300, 8), rng.integers(2, size=300)
    factors = 2.0 ** rng.integers(-30, 30, size=8)
    one = OnlineClassifier(shuffle=False, max_iter=5, tol=None).fit(X, y)
    other = OnlineClassifier(shuffle=False, max_iter=5, tol=None).fit(X * factors, y)
    assert_array_equal(other.coef_ * factors, one.coef_)


def test_with_shuffling_too_predictions_hardly_change():
    X, Z, y, _ = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    plain = OnlineClassifier().fit(X, y).predict(Z)
    for factor in (1e-3, 1e3):
        for column in range(0, X.shape[1], 7):
            factors = np.ones(X.shape[1])
            factors[column] = factor
            other = OnlineClassifier().fit(X * factors, y).predict(Z * factors)
            assert (other == plain).mean() > 0.97


@pytest.mark.parametrize(("shift", "factor"), [(0, 1e-3), (0, 1e3), (1e4, 1.0), (-5e5, 1e3)])
def test_the_unit_and_the_zero_of_the_target_do_not_matter(shift, factor, rng):
    X, y = sparse_table(rng, 300, 8), rng.normal(size=300)
    one = OnlineRegressor(shuffle=False, max_iter=5, tol=None).fit(X, y)
    other = OnlineRegressor(shuffle=False, max_iter=5, tol=None).fit(X, shift + factor * y)
    assert_allclose((other.predict(X) - shift) / factor, one.predict(X), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_defaults_on_raw_data_come_close_to_a_scaled_optimum(load):
    X, Z, y, z = train_test_split(*load(return_X_y=True), random_state=1)
    best = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y).score(Z, z)
    assert OnlineClassifier().fit(X, y).score(Z, z) > best - 0.04


def test_on_raw_data_regression_comes_close_to_least_squares():
    X, Z, y, z = train_test_split(*load_diabetes(return_X_y=True, scaled=False), random_state=0)
    best = LinearRegression().fit(X, y).score(Z, z)
    assert OnlineRegressor(max_iter=1000, tol=None).fit(X, y).score(Z, z) > best - 0.03
