"""Predicted numbers, residuals and top features are drawn as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

import linnet
from linnet import plot


@pytest.mark.parametrize("estimator", [linnet.Ridge(), Ridge()])
def test_predicted_and_true_numbers(estimator):
    X, y = load_diabetes(return_X_y=True)
    fitted = estimator.fit(X, y)
    ax = plot.predicted(fitted, X, y)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), np.column_stack([fitted.predict(X), y]))
    assert f"R² {r2_score(y, fitted.predict(X)):.3f}" in ax.get_title(loc="left")
    drawn = plot.residuals(fitted, X, y).collections[0].get_offsets()
    np.testing.assert_allclose(drawn, np.column_stack([fitted.predict(X), fitted.predict(X) - y]))


def test_a_model_of_numbers_shows_a_sample_of_its_held_out_rows():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = linnet.train(X.assign(target=y), target="target", verbose=False)
    ax = plot.predicted(model)
    assert len(ax.collections[0].get_offsets()) == model.record.held_out.rows
    assert f"R² {model.record.held_out.r2:.3f}" in ax.get_title(loc="left")
    drawn = plot.predicted(model, X.assign(target=y)).collections[0].get_offsets()
    np.testing.assert_allclose(drawn, np.column_stack([model.predict(X), y]))
    with pytest.raises(linnet.RecipeError, match="of classes"):
        plot.roc(model)


def test_top_features_of_an_estimator_are_weights_times_deviations():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 5)) * [1, 10, 0.1, 1, 1], columns=list("abcde"))
    y = (X @ [1.0, -0.2, 8.0, 0.0, 0.3] + rng.normal(size=200) > 0).astype(int)
    fitted = linnet.LogisticRegression().fit(X, y)
    ax = plot.top_features(fitted, X, count=5)
    effects = pd.Series(fitted.coef_[0] * X.to_numpy().std(axis=0), index=X.columns).sort_values()
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(effects.tolist())
    assert [label.get_text() for label in ax.get_yticklabels()] == effects.index.tolist()
    assert [bar.get_width() for bar in plot.top_features(fitted, count=5).patches] == pytest.approx(
        np.sort(fitted.coef_[0]).tolist()
    )


def test_top_features_of_a_model_are_those_of_its_table():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = linnet.train(X.assign(target=y), target="target", verbose=False)
    ax = plot.top_features(model, count=3)
    table = model.coef[1:].assign(effect=lambda each: np.sign(each.weight) * each.spread).sort_values("effect")
    expected = [*table.effect[:3], *table.effect[-3:]]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(expected)


def test_top_features_of_several_classes_need_a_label():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.array(["a", "b", "c"])[np.arange(90) % 3]
    fitted = linnet.LogisticRegression().fit(X, y)
    with pytest.raises(linnet.RecipeError, match="pass one of them as label"):
        plot.top_features(fitted)
    with pytest.raises(linnet.RecipeError, match="the labels are a, b, c"):
        plot.top_features(fitted, label="d")
    assert "for b" in plot.top_features(fitted, label="b").get_title(loc="left")
