"""Data frames: names come along."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import linnet


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_feature_names_come_from_the_frame_and_are_checked(frame, rng):
    X = frame({"weight": rng.normal(size=40), "age": rng.normal(size=40)})
    y = rng.integers(2, size=40)
    model = linnet.OnlineClassifier().fit(X, y)
    assert list(model.feature_names_in_) == ["weight", "age"]
    model.predict(X)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame({"age": rng.normal(size=3), "weight": rng.normal(size=3)}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_errors_name_the_column(frame):
    X = frame({"weight": [1.0, 2.0, 3.0], "age": [1.0, np.nan, 2.0]})
    with pytest.raises(linnet.InputError, match=r"NaN at row 1, column 1 \(age\)"):
        linnet.Perceptron().fit(X, [0, 1, 0])


@pytest.mark.parametrize("y", [pd.Series(["b", "a"] * 20), pl.Series(["b", "a"] * 20), ["b", "a"] * 20])
def test_labels_may_be_a_series_or_a_list(y, rng):
    model = linnet.PassiveAggressive(tol=None, max_iter=2).fit(rng.normal(size=(40, 2)), y)
    assert list(model.classes_) == ["a", "b"]


@pytest.mark.parametrize(
    "y", [[True, False] * 20, [1.0, 2.0] * 20, np.array(["x", "y"] * 20, dtype=object), [2**40, 7] * 20]
)
def test_labels_of_every_type_come_back_as_they_were(y, rng):
    model = linnet.Perceptron(tol=None, max_iter=2).fit(rng.normal(size=(40, 2)), y)
    assert set(model.predict(rng.normal(size=(40, 2))).tolist()) <= set(y)
    assert model.classes_.tolist() == sorted(set(y))
