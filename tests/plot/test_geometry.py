"""The drawn plane, margins, normal and regions are those of the weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path

import linnet
from linnet import plot, theory


def clouds(rows: int = 60, apart: float = 2.0, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    return rng.normal(size=(rows, 2)) * 0.5 + apart * np.where(y == 1, 1, -1)[:, np.newaxis] * [0.8, 0.6], y


def with_gid(artists, gid: str):
    return [each for each in artists if each.get_gid() == gid]


def ends(line):
    return np.column_stack(line.get_data())


def distance_of_origin(line) -> float:
    a, b = ends(line)
    along = b - a
    return abs(along[0] * a[1] - along[1] * a[0]) / np.hypot(*along)


def apart(first, second) -> float:
    a, b = ends(first)
    along = (b - a) / np.hypot(*(b - a))
    off = ends(second)[0] - a
    return abs(along[0] * off[1] - along[1] * off[0])


def test_the_drawn_plane_has_the_distance_b_over_w_and_the_margins_are_2_over_w_apart():
    X, y = clouds()
    svm = linnet.LinearSVC(loss="hinge", C=0.1).fit(X, y)
    ax = plot.geometry(svm, X, y)
    w, b = svm.coef_[0], svm.intercept_[0]
    (plane,) = with_gid(ax.lines, "plane")
    assert distance_of_origin(plane) == pytest.approx(abs(b) / np.hypot(*w), rel=1e-9)
    np.testing.assert_allclose(ends(plane) @ w + b, 0, atol=1e-9)
    below, above = with_gid(ax.lines, "margin")
    assert apart(below, above) == pytest.approx(2 / np.hypot(*w), rel=1e-9)
    assert f"{2 / np.hypot(*w):.4g} apart" in [text.get_text() for text in ax.get_legend().get_texts()][1]


def test_the_margins_of_a_perceptron_touch_the_nearest_point():
    X, y = clouds()
    perceptron = linnet.Perceptron(random_state=0).fit(X, y)
    ax = plot.geometry(perceptron, X, y)
    first, second = with_gid(ax.lines, "margin")
    assert apart(first, second) == pytest.approx(2 * theory.margin(perceptron, X, y), rel=1e-9)


def test_the_arrow_is_the_normal_and_points_to_the_second_class():
    X, y = clouds()
    perceptron = linnet.Perceptron(random_state=0).fit(X, y)
    ax = plot.geometry(perceptron, X, y)
    (arrow,) = with_gid(ax.texts, "normal")
    along = np.array(arrow.xy) - np.array(arrow.xyann)
    w = perceptron.coef_[0]
    assert along @ w == pytest.approx(np.hypot(*along) * np.hypot(*w), rel=1e-9)
    assert np.array(arrow.xyann) @ w + perceptron.intercept_[0] == pytest.approx(0, abs=1e-9)
    # perpendicular to the eye as well
    assert ax.get_aspect() == 1.0


def test_half_spaces_are_where_each_class_is_predicted():
    X, y = clouds(apart=0.7)
    fitted = linnet.LogisticRegression().fit(X, np.where(y == 1, "yes", "no"))
    check_regions(plot.geometry(fitted, X, np.where(y == 1, "yes", "no")), fitted)


def test_regions_of_four_classes_are_where_each_is_predicted():
    rng = np.random.default_rng(2)
    y = np.arange(200) % 4
    X = rng.normal(size=(200, 2)) + 2 * np.array([[0, 0], [1, 0], [0, 1], [1, 1.5]])[y]
    fitted = linnet.LogisticRegression().fit(X, y)
    check_regions(plot.geometry(fitted, X, y), fitted)


def check_regions(ax, fitted):
    rng = np.random.default_rng(5)
    points = rng.uniform([ax.get_xlim()[0], ax.get_ylim()[0]], [ax.get_xlim()[1], ax.get_ylim()[1]], (2000, 2))
    predicted = fitted.predict(points)
    for number, label in enumerate(fitted.classes_):
        (polygon,) = with_gid(ax.patches, f"region {number}")
        inside = Path(polygon.get_xy()).contains_points(points)
        assert (predicted[inside] == label).all()
        assert inside.sum() == (predicted == label).sum()


def test_a_model_is_drawn_with_the_data_that_it_is_given():
    X, y = clouds(300, 0.6)
    data = pd.DataFrame({"width": X[:, 0], "height": X[:, 1], "kind": np.where(y == 1, "b", "a")})
    model = linnet.train(data, target="kind", learner="logistic-regression", verbose=False)
    ax = plot.geometry(model, data)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")
    assert [len(each.get_offsets()) for each in ax.collections] == [150, 150]
    np.testing.assert_allclose(ax.collections[1].get_offsets(), X[y == 1])
    table = model.coef.set_index("feature").weight
    on_plane = ends(with_gid(ax.lines, "plane")[0]) @ [table["width"], table["height"]] + table["(intercept)"]
    np.testing.assert_allclose(on_plane, 0, atol=1e-9)


def test_columns_of_very_different_scales_are_drawn_in_standard_deviations():
    X, y = clouds(300, 0.6)
    data = pd.DataFrame({"width": 1000 * X[:, 0], "height": X[:, 1], "kind": np.where(y == 1, "b", "a")})
    model = linnet.train(data, target="kind", learner="logistic-regression", verbose=False)
    ax = plot.geometry(model, data)
    assert "standard deviations" in ax.get_xlabel()
    table = model.coef.set_index("feature").weight
    drawn = ends(with_gid(ax.lines, "plane")[0])
    raw = drawn * data[["width", "height"]].std(ddof=0).to_numpy() + data[["width", "height"]].mean().to_numpy()
    on_plane = raw @ [table["width"], table["height"]] + table["(intercept)"]
    np.testing.assert_allclose(on_plane, 0, atol=1e-6)


def test_a_pair_and_a_proof_are_planes():
    X, y = clouds()
    best = theory.max_margin(X, y)
    ax = plot.geometry(best, X, y)
    first, second = with_gid(ax.lines, "margin")
    assert apart(first, second) == pytest.approx(2 * best.margin, rel=1e-6)
    ax = plot.geometry(([3.0, 4.0], 5.0), X, y, margin=10.0)
    assert distance_of_origin(with_gid(ax.lines, "plane")[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("columns", [1, 3])
def test_other_numbers_of_columns_are_refused(columns):
    X = np.random.default_rng(0).normal(size=(40, columns))
    fitted = linnet.LogisticRegression().fit(X, np.arange(40) % 2)
    with pytest.raises(linnet.InputError, match="two columns"):
        plot.geometry(fitted, X, np.arange(40) % 2)
    data = pd.DataFrame(X).rename(columns=str).assign(y=["a", "b"] * 20)
    with pytest.raises(linnet.InputError, match="two columns"):
        plot.geometry(linnet.train(data, target="y", verbose=False), data)
