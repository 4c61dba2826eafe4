"""The drawn plane, normal, margins and distances are those of the model: the SVG's numbers are read back."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.model.plane import Plane, clipped, crossing
from tests.report.making import clouds, table
from tests.report.reading import Axes, picture

# A pixel has two decimals, and a picture some 300 of them.
NEAR = 2e-3


def trained(tmp_path, points, labels, **options):
    path = table(tmp_path / "points.csv", points, labels)
    return linnet.train(str(path), target="kind", **options)


@pytest.fixture
def separated(tmp_path, rng):
    points, codes = clouds(rng, [(-2, -1), (2, 1.5)], spread=0.6)
    return trained(tmp_path, points, np.array(["no", "yes"])[codes], learner="svm"), np.round(points, 4), codes


def weights(model):
    return model.linear.weights[[0, 2], 0], float(model.linear.intercepts[0])


def test_both_axes_have_one_scale(separated):
    across, upwards = Axes(picture(linnet.report.html(separated[0]), "geometry")).unit
    assert across == pytest.approx(upwards, rel=1e-3)


def test_the_drawn_plane_is_where_the_score_is_0(separated):
    model, *_ = separated
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    ((start, stop),) = axes.segments("plane")
    for end in (start, stop):
        assert (w @ end + b) / np.linalg.norm(w) == pytest.approx(0, abs=10 * NEAR)
    assert np.linalg.norm(stop - start) > 1


def test_the_drawn_normal_has_the_direction_of_the_weights_and_stands_on_the_plane(separated):
    model, *_ = separated
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    ((start, stop),) = axes.segments("normal")
    drawn = (stop - start) / np.linalg.norm(stop - start)
    np.testing.assert_allclose(drawn, w / np.linalg.norm(w), atol=2e-3)
    assert (w @ start + b) / np.linalg.norm(w) == pytest.approx(0, abs=10 * NEAR)


def test_the_drawn_margins_are_as_far_away_as_the_nearest_row(separated):
    model, points, codes = separated
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    margin = (np.where(codes == 1, 1, -1) * (points @ w + b)).min() / np.linalg.norm(w)
    assert margin > 0
    drawn = [(w @ end + b) / np.linalg.norm(w) for ends in axes.segments("margin") for end in ends]
    np.testing.assert_allclose(np.sort(drawn), [-margin, -margin, margin, margin], atol=10 * NEAR)


def test_the_drawn_distance_is_that_of_the_nearest_row_and_is_perpendicular(separated):
    model, points, _ = separated
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    distances = np.abs(points @ w + b) / np.linalg.norm(w)
    ((point, foot),) = axes.segments("distance")
    np.testing.assert_allclose(point, points[distances.argmin()], atol=10 * NEAR)
    assert np.linalg.norm(point - foot) == pytest.approx(distances.min(), abs=10 * NEAR)
    ((start, stop),) = axes.segments("plane")
    assert (point - foot) @ (stop - start) == pytest.approx(0, abs=0.05)


def test_where_rows_are_mixed_the_margins_are_where_the_score_is_1(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (1, 0.5)], rows=80, spread=0.8)
    model = trained(tmp_path, points, np.array(["no", "yes"])[codes], learner="svm")
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    drawn = [w @ end + b for ends in axes.segments("margin") for end in ends]
    np.testing.assert_allclose(np.abs(drawn), 1, atol=0.03)


def test_columns_of_other_scales_are_drawn_in_standard_deviations(tmp_path, rng):
    points, codes = clouds(rng, [(-1, -1), (1, 1)], rows=100)
    points = points * [1.0, 300.0]
    model = trained(tmp_path, points, np.array(["no", "yes"])[codes], learner="svm")
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    w, b = weights(model)
    ((start, stop),) = axes.segments("plane")
    raw = [np.round(points, 4).mean(axis=0) + end * np.round(points, 4).std(axis=0) for end in (start, stop)]
    scores = [w @ end + b for end in raw]
    np.testing.assert_allclose(scores, 0, atol=0.05)


def test_the_regions_of_three_classes_hold_the_points_that_are_predicted_so(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (2, 1), (3, -1)])
    labels = np.array(["a", "b", "c"])[codes]
    model = trained(tmp_path, points, labels)
    axes = Axes(picture(linnet.report.html(model), "geometry"))
    regions = axes.polygons("region")
    assert len(regions) == 3
    corners = np.array([point for region in regions for point in region])
    low, high = corners.min(axis=0), corners.max(axis=0)
    some = rng.uniform(low, high, (300, 2))
    predicted = model.predict({"x": some[:, 0], "y": some[:, 1]})
    inside = np.array([[within(point, region) for region in regions] for point in some])
    agree = [row[list(model.classes).index(label)] for row, label in zip(inside, predicted, strict=True)]
    assert np.mean(agree) > 0.98  # all but those on an edge


def within(point, polygon):
    edges = np.roll(polygon, -1, axis=0) - polygon
    sides = edges[:, 0] * (point - polygon)[:, 1] - edges[:, 1] * (point - polygon)[:, 0]
    return bool((sides >= -1e-2).all() or (sides <= 1e-2).all())


def test_data_that_are_given_are_drawn_in_the_place_of_the_sample(tmp_path, separated):
    model, points, codes = separated
    other = table(tmp_path / "other.csv", points[:10] + 0.25, np.array(["no", "yes"])[codes[:10]])
    axes = Axes(picture(linnet.report.html(model, str(other)), "geometry"))
    drawn = [axes.point(each.get("cx"), each.get("cy")) for each in axes.svg.iter() if each.get("cx")]
    expected = (points[:10] + 0.25)[codes[:10] == 0]
    assert len(drawn) == len(expected)
    np.testing.assert_allclose(sorted(map(tuple, drawn)), sorted(map(tuple, expected)), atol=10 * NEAR)


def test_half_planes_cut_a_square_as_they_should():
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    plane = Plane(np.array([1.0, 1.0]), -1.0)
    assert area(clipped(square, plane)) == pytest.approx(0.5)
    assert {tuple(end) for end in crossing(plane, square)} == {(1.0, 0.0), (0.0, 1.0)}
    assert plane.distance((1.0, 1.0)) == pytest.approx(np.sqrt(0.5))
    assert plane.foot((1.0, 1.0)) == pytest.approx((0.5, 0.5))
    assert plane.moved(np.sqrt(0.5)).score((1.0, 1.0)) == pytest.approx(0)


def area(polygon):
    x, y = np.array(polygon).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
