"""Pages: what they hold, how large they are, and that text stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import linnet
from linnet.comparison import results_file
from linnet.errors import InputError, RecipeError
from linnet.report.markup import element, escaped
from linnet.report.scales import linear_ticks, log_ticks, scale_of, tick_labels
from tests.cli.calling import call
from tests.report.making import clouds, results, table
from tests.report.reading import Axes, number, picture

MEGABYTE = 1_000_000


class Reader(HTMLParser):
    """Elements, attributes and text, as any browser would see them."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.open = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "link", "br", "hr", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@given(st.text(), st.text())
def test_any_text_comes_back_from_markup_as_the_text_it_was(inside, attribute):
    page = Reader(element("p", inside, title=attribute))
    assert page.tags == ["p"]
    assert page.open == []
    shown, titled = "".join(page.text), dict(page.attributes)["title"]
    for made, given_ in ((shown, inside), (titled, attribute)):
        if given_.isprintable():
            assert made == given_
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", made)


def test_markup_is_escaped_once_and_only_text_is():
    assert element("b", element("i", "<&>"), "<") == "<b><i>&lt;&amp;&gt;</i>&lt;</b>"
    assert escaped("\u202e\x1b[0m") == "\\u202e\\x1b[0m"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    rng = np.random.default_rng(1)
    points, codes = clouds(rng, [(0, 0), (2, 1)], rows=150)
    labels = np.array(["<script>alert(1)</script>", "'\"><img src=x onerror=alert(2)>"])[codes]
    path = tmp_path_factory.mktemp("hostile") / "hostile.csv"
    table(path, points, labels, ("<script>alert(3)</script>", "</svg><b>"), "</title><script>alert(4)</script>")
    return linnet.train(str(path), target="</title><script>alert(4)</script>")


def test_names_and_labels_that_are_markup_make_no_elements(hostile):
    page = Reader(linnet.report.html(hostile))
    assert not {"script", "img", "iframe", "object", "b", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "<script>alert(3)</script>" in "".join(page.text)
    assert page.open == []


def test_a_page_forbids_everything_but_its_own_style(hostile):
    page = Reader(linnet.report.html(hostile))
    policy = next(value for name, value in page.attributes if name == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    addresses = [value for name, value in page.attributes if name in ("href", "src", "action")]
    assert all(value.startswith(("#", "data:")) for value in addresses)
    assert "url(" not in linnet.report.html(hostile)
    assert "@import" not in linnet.report.html(hostile)


def test_every_picture_has_a_text_alternative_and_its_numbers(hostile):
    page = linnet.report.html(hostile)
    figures = re.findall(r"<figure.*?</figure>", page, flags=re.DOTALL)
    assert len(figures) >= 7
    for figure in figures:
        ids = set(re.findall(r' id="([^"]+)"', figure))
        assert set(re.search(r'aria-labelledby="([^"]+)"', figure)[1].split()) <= ids
        assert 'role="img"' in figure
        assert "<details><summary>Numbers</summary>" in figure
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_the_same_model_makes_the_same_page(hostile, tmp_path):
    hostile.save(tmp_path / "model.linnet")
    assert linnet.report.html(tmp_path / "model.linnet") == linnet.report.html(hostile)


def test_the_drawn_roc_and_precision_recall_curves_are_those_of_scikit_learn(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (1, 0.5)], rows=400, spread=0.8)
    path = table(tmp_path / "points.csv", points, np.array(["no", "yes"])[codes])
    model = linnet.train(str(path), target="kind")
    page = linnet.report.html(model, str(path))
    scores = model.predict_proba({"x": np.round(points[:, 0], 4), "y": np.round(points[:, 1], 4)})[:, 1]
    false, true, _ = metrics.roc_curve(codes, scores, drop_intermediate=False)
    drawn = Axes(picture(page, "roc")).polyline("roc")
    # every drawn point is one of the curve, and between two of them there is little of it
    for x, y in drawn:
        assert np.hypot(false - x, true - y).min() < 2e-3
    assert np.abs(np.diff(drawn, axis=0)).sum(axis=1).max() < 0.02
    precision, recall, _ = metrics.precision_recall_curve(codes, scores)
    for x, y in Axes(picture(page, "precision-recall")).polyline("precision-recall"):
        assert np.hypot(recall - x, precision - y).min() < 3e-3


def test_a_model_of_a_million_features_gives_a_page_below_a_megabyte(tmp_path, rng):
    path = tmp_path / "wide.svm"
    with path.open("w") as file:
        for row in range(4000):
            columns = np.unique(rng.integers(1, 1_200_000, 250))
            file.write(f"{row % 2} " + " ".join(f"{column}:1" for column in columns) + "\n")
        file.write("1 1200000:1\n")
    model = linnet.train(str(path), learner="perceptron")
    assert len(model.features) > 1_000_000
    assert len(linnet.report.html(model).encode()) < MEGABYTE


def test_a_comparison_of_20_learners_gives_a_page_below_a_megabyte():
    found = results(tuple(f"sklearn.module.ALearnerWithALongName{number}" for number in range(20)), 5)
    assert len(linnet.report.html(found).encode()) < MEGABYTE


def test_long_names_do_not_make_a_page_large(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (2, 1)], rows=100)
    labels = np.array(["a" * 20_000, "b" * 20_000])[codes]
    path = table(tmp_path / "long.csv", points, labels, ("x" * 50_000, "y" * 50_000))
    assert len(linnet.report.html(linnet.train(str(path), target="kind")).encode()) < MEGABYTE


# -- comparisons -------------------------------------------------------------------------------------------------------


def test_the_drawn_means_of_a_comparison_are_its_means():
    found = results()
    data = found.data[0]
    svg = picture(linnet.report.html(found), "data-scores")
    # rows have no y axis: the intervals are read by the x ticks alone
    ticks = [each for each in svg.iter() if "x-tick" in (each.get("class") or "")]
    line = np.polyfit([float(each.get("x")) for each in ticks], [number(each.text) for each in ticks], 1)
    drawn = {
        each.get("data-name"): np.polyval(line, [float(each.get("x1")), float(each.get("x2"))])
        for each in svg.iter()
        if "whisker" in (each.get("class") or "")
    }
    for contender in data.contenders:
        np.testing.assert_allclose(drawn[contender.name], list(contender.metrics[0].interval), atol=2e-4)


def test_the_critical_difference_is_drawn_to_scale():
    found = results(data_sets=3)
    ranks = found.over_data
    svg = picture(linnet.report.html(found), "ranks")
    ticks = [each for each in svg.iter() if "x-tick" in (each.get("class") or "")]
    line = np.polyfit([float(each.get("x")) for each in ticks], [number(each.text) for each in ticks], 1)
    (bar,) = [each for each in svg.iter() if each.get("data-name") == "critical difference"]
    ends = np.polyval(line, [float(bar.get("x1")), float(bar.get("x2"))])
    assert ends[1] - ends[0] == pytest.approx(ranks.critical_difference, abs=0.02)
    assert len([each for each in svg.iter() if each.get("data-name") == "group"]) == len(
        [group for group in ranks.groups if len(group) > 1]
    )
    for learner, rank in zip(ranks.learners, ranks.mean_ranks, strict=True):
        (path,) = [each for each in svg.iter() if each.get("data-name") == learner]
        assert np.polyval(line, float(path.get("points").split(",")[0])) == pytest.approx(rank, abs=0.02)


def test_a_page_of_results_is_made_from_their_file_with_the_costs_beside_it(tmp_path):
    results_file.save(results(timed=False), tmp_path / "untimed.json")
    assert "Time against score" not in linnet.report.html(tmp_path / "untimed.json")
    results_file.save(results(), tmp_path / "results.json")
    assert "Time against score" in linnet.report.html(tmp_path / "results.json")
    assert linnet.report.html(tmp_path / "results.json") == linnet.report.html(results())


def test_a_file_that_is_neither_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="is not the results of a comparison"):
        linnet.report.html(tmp_path / "other.json")
    with pytest.raises(RecipeError, match="leave the data out"):
        linnet.report.html(results(), "data.csv")


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_writes_a_page_with_and_without_data(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (2, 1)], rows=200)
    path = table(tmp_path / "points.csv", points, np.array(["no", "yes"])[codes])
    linnet.train(str(path), target="kind").save(tmp_path / "model.linnet")
    done = call("report", tmp_path / "model.linnet", "-o", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "held-out rows" in (tmp_path / "page.html").read_text()
    done = call("report", tmp_path / "model.linnet", path, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "400 rows of points.csv" in (tmp_path / "page.html").read_text()


def test_the_command_does_not_overwrite_what_it_reads(tmp_path, rng):
    points, codes = clouds(rng, [(0, 0), (2, 1)])
    path = table(tmp_path / "points.csv", points, np.array(["no", "yes"])[codes])
    linnet.train(str(path), target="kind").save(tmp_path / "model.linnet")
    done = call("report", tmp_path / "model.linnet", "-o", tmp_path / "model.linnet")
    assert done.returncode == 2
    assert "would overwrite it" in done.stderr


# -- scales ------------------------------------------------------------------------------------------------------------

numbers = st.floats(-1e12, 1e12, allow_nan=False)


@given(numbers, numbers)
def test_ticks_are_round_numbers_within_the_range(a, b):
    low, high = sorted((a, b))
    ticks = linear_ticks(low, high)
    if high - low > 1e-6 * max(abs(low), abs(high)):
        assert 2 <= len(ticks) <= 12
        assert all(low - 1e-6 * (high - low) <= tick <= high + 1e-6 * (high - low) for tick in ticks)
        steps = np.diff(ticks)
        np.testing.assert_allclose(steps, steps[0], rtol=1e-6)


@given(st.floats(1e-9, 1e9), st.floats(1.5, 1e9))
def test_logarithmic_ticks_are_within_the_range_and_differ(low, ratio):
    ticks = log_ticks(low, low * ratio)
    assert 1 <= len(ticks) <= 12
    assert len(set(tick_labels(ticks))) == len(ticks)


@given(st.lists(numbers, min_size=1, max_size=20))
def test_a_scale_holds_every_value(values):
    scale = scale_of(values, 10, 200)
    assert all(10 <= scale(value) <= 200 for value in values)
    assert [scale(value) for value in sorted(values)] == sorted(scale(value) for value in values)
