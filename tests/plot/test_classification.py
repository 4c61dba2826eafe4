"""What is read back from the pictures of a classifier is what scikit-learn and NumPy compute."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, confusion_matrix, precision_recall_curve, roc_auc_score, roc_curve

import linnet
from linnet import plot


def two_classes(rows: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=rows) > 0.3).astype(int)
    return X, y


def line(ax, number: int):
    return np.column_stack(ax.lines[number].get_data())


def texts(ax) -> list[str]:
    return [each.get_text() for each in ax.get_legend().get_texts()]


@pytest.mark.parametrize("classifier", [linnet.LogisticRegression(), linnet.Perceptron(), LogisticRegression()])
def test_the_roc_curve_is_that_of_scikit_learn(classifier):
    X, y = two_classes(150)
    fitted = classifier.fit(X, y)
    ax = plot.roc(fitted, X, y)
    scores = fitted.decision_function(X)
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    np.testing.assert_allclose(line(ax, 1), np.column_stack([fpr, tpr]), atol=1e-12)
    assert f"AUC {roc_auc_score(y, scores):.3f}" in texts(ax)[1]


def test_every_point_of_a_thinned_roc_curve_is_on_that_of_scikit_learn():
    X, y = two_classes(3000)
    fitted = linnet.LogisticRegression().fit(X, y)
    drawn = line(plot.roc(fitted, X, y), 1)
    fpr, tpr, _ = roc_curve(y, fitted.decision_function(X), drop_intermediate=False)
    known = {(round(a, 12), round(b, 12)) for a, b in zip(fpr, tpr, strict=True)}
    assert len(drawn) <= 201
    assert {(round(a, 12), round(b, 12)) for a, b in drawn.tolist()} <= known
    # no step of the drawn curve passes over more than a hundredth of it, measured along the axes
    assert np.abs(np.diff(drawn, axis=0)).sum(axis=1).max() < 0.02


def test_the_precision_recall_curve_is_that_of_scikit_learn():
    X, y = two_classes(150)
    fitted = linnet.LogisticRegression().fit(X, y)
    ax = plot.precision_recall(fitted, X, y)
    precision, recall, _ = precision_recall_curve(y, fitted.decision_function(X))
    # scikit-learn's begins with all rows, and ends with a point for none of them
    expected = np.column_stack([recall, precision])[:-1][::-1]
    np.testing.assert_allclose(line(ax, 1)[1:], expected, atol=1e-12)
    assert f"average precision {average_precision_score(y, fitted.decision_function(X)):.3f}" in texts(ax)[1]


def test_the_confusion_matrix_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = np.array(["a", "b", "c"])[(X + rng.normal(size=X.shape)).argmax(axis=1)]
    fitted = linnet.LogisticRegression().fit(X, y)
    ax = plot.confusion(fitted, X, y)
    expected = confusion_matrix(y, fitted.predict(X))
    np.testing.assert_allclose(ax.images[0].get_array(), expected / expected.sum(axis=1, keepdims=True))
    assert [int(text.get_text()) for text in ax.texts] == expected.ravel().tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]


def test_the_reliability_diagram_has_the_means_of_ten_equal_bins():
    X, y = two_classes(400)
    fitted = linnet.LogisticRegression().fit(X, y)
    ax = plot.reliability(fitted, X, y)
    order = np.argsort(fitted.predict_proba(X)[:, 1])
    bins = np.array_split(order, 10)
    expected = [(fitted.predict_proba(X)[part, 1].mean(), y[part].mean()) for part in bins]
    np.testing.assert_allclose(line(ax, 1), expected, atol=1e-12)


def test_the_histogram_of_margins_counts_them():
    X, y = two_classes(500)
    fitted = linnet.LogisticRegression().fit(X, y)
    ax = plot.margins(fitted, X, y)
    margins = np.where(y == 1, 1, -1) * fitted.decision_function(X)
    edges = np.array([bar.get_x() for bar in ax.patches])
    width = ax.patches[0].get_width()
    counts, _ = np.histogram(margins, np.append(edges, edges[-1] + width))
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(counts.tolist(), abs=1)
    wrong = sum(bar.get_height() for bar in ax.patches if bar.get_x() + width <= 1e-12)
    assert wrong <= (margins < 0).sum() <= wrong + 0.01 * len(y)


def test_a_model_shows_its_own_held_out_results():
    X, y = two_classes(600)
    data = pd.DataFrame(X, columns=list("abcd")).assign(label=np.where(y == 1, "yes", "no"))
    model = linnet.train(data, target="label", verbose=False)
    held = model.record.held_out
    ax = plot.roc(model)
    assert f"AUC {held.roc_auc:.3f}" in texts(ax)[1]
    fpr, tpr = line(ax, 1).T
    assert np.trapezoid(tpr, fpr) == pytest.approx(held.roc_auc, abs=0.005)
    assert sum(int(text.get_text()) for text in plot.confusion(model).texts) == held.rows
    plot.margins(model)
    plot.reliability(model)
    plot.precision_recall(held)
    assert texts(plot.roc(model, data))[1] == texts(plot.roc(model.evaluate(data)))[1]


def test_pictures_of_two_classes_refuse_three():
    X, _ = two_classes(90)
    fitted = linnet.LogisticRegression().fit(X, np.arange(90) % 3)
    with pytest.raises(linnet.RecipeError, match="two classes, and the results are of 3"):
        plot.roc(fitted, X, np.arange(90) % 3)
    with pytest.raises(linnet.RecipeError, match="pass X and y"):
        plot.roc(fitted)
    with pytest.raises(linnet.RecipeError, match="is not a model"):
        plot.roc("model.linnet")


def test_a_model_without_held_out_rows_says_what_to_pass():
    model = linnet.train([{"x": k, "y": "ab"[k % 2]} for k in range(20)], target="y", verbose=False)
    with pytest.raises(linnet.InputError, match="pass data with known targets"):
        plot.roc(model)
