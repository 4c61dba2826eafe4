"""What holds for every picture: axes given and returned, hostile names, matplotlib only when it is needed."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

import linnet
from linnet import plot
from linnet.comparison.reasons import LearningCurve
from linnet.comparison.results import ContenderResults, DataResults, Measured, Results
from linnet.data.task import Task
from linnet.evaluation.intervals import Interval
from linnet.evaluation.paired_comparison import RankComparison
from linnet.plot.axes import as_text

HOSTILE = ("_$x$", r"$\frac{1}{", "<script>alert(1)</script>", "a$b_c^2", "two\nlines\x1b[31m", "%s {x} & #")


@pytest.fixture(scope="module")
def hostile_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    label = np.where(X @ [1, -1] + rng.normal(size=600) > 0, HOSTILE[0], HOSTILE[1])
    data = pd.DataFrame({HOSTILE[2]: X[:, 0], HOSTILE[3]: X[:, 1], HOSTILE[4]: label})
    return linnet.train(data, target=HOSTILE[4], learner="logistic-regression", tune=True, verbose=False)


def comparison() -> Results:
    contenders = tuple(
        ContenderResults(name, False, False, {}, (Measured("accuracy", (0.5, 0.6), 0.55, Interval(0.5, 0.6)),))
        for name in HOSTILE
    )
    data = DataResults(
        HOSTILE[2], "y", Task.CLASSIFICATION, 9, 9, (), "accuracy", "stratified", 2, 1, contenders, (), (), None, ()
    )
    ranks = RankComparison(HOSTILE, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), 9, 0.1, 2.0, (HOSTILE[:3],), ())
    return Results((data,), 0, 0.95, ranks)


def curve() -> LearningCurve:
    ends = (Interval(0.1, 0.3), Interval(0.1, 0.2))
    return LearningCurve(HOSTILE[1], HOSTILE[0], (10, 20), (0.2, 0.15), ends, 0.1, 1.0, 0.5, 0.1, Interval(0.1, 0.2))


def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return linnet.Ridge().fit(X, X[:, 0]), X, X[:, 0]


def online():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return linnet.Perceptron().fit(X, X[:, 0] > 0), X, X[:, 0] > 0


PICTURES = {
    "roc": lambda model, ax: plot.roc(model, ax=ax, label=HOSTILE[0]),
    "precision_recall": lambda model, ax: plot.precision_recall(model, ax=ax, label=HOSTILE[1]),
    "confusion": lambda model, ax: plot.confusion(model, ax=ax),
    "reliability": lambda model, ax: plot.reliability(model, ax=ax, label=HOSTILE[3]),
    "margins": lambda model, ax: plot.margins(model, ax=ax),
    "top_features": lambda model, ax: plot.top_features(model, ax=ax),
    "geometry": lambda model, ax: plot.geometry(model, ax=ax),
    "path": lambda model, ax: plot.path(model, show="coefficients", ax=ax),
    "comparison": lambda _, ax: plot.comparison(comparison(), ax=ax),
    "critical_difference": lambda _, ax: plot.critical_difference(comparison(), ax=ax),
    "learning_curve": lambda _, ax: plot.learning_curve(curve(), ax=ax),
    "predicted": lambda _, ax: plot.predicted(*numbers(), ax=ax),
    "residuals": lambda _, ax: plot.residuals(*numbers(), ax=ax),
    "progressive": lambda _, ax: plot.progressive(*online(), ax=ax, label=HOSTILE[0]),
    "mistakes": lambda _, ax: plot.mistakes(online()[0], ax=ax),
}


def test_every_picture_is_tested_here():
    assert sorted(PICTURES) == plot.__all__ == dir(plot)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_on_the_axes_it_is_given(name, hostile_model):
    figure, (first, second) = pyplot.subplots(1, 2)
    assert PICTURES[name](hostile_model, second) is second
    assert pyplot.get_fignums() == [figure.number]
    assert not first.has_data()


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("form", ["svg", "png"])
def test_hostile_names_are_drawn_as_text(name, form, hostile_model):
    ax = PICTURES[name](hostile_model, None)
    ax.figure.savefig(io.BytesIO(), format=form)


@pytest.mark.parametrize("name", ["comparison", "confusion"])
def test_hostile_names_are_in_the_svg_as_they_are(name, hostile_model):
    content = io.StringIO()
    with pyplot.rc_context({"svg.fonttype": "none"}):
        PICTURES[name](hostile_model, None).figure.savefig(content, format="svg")
    assert "_$x$" in content.getvalue()
    assert "<script" not in content.getvalue()


def test_names_are_not_formulas_and_not_hidden_from_legends():
    ax = pyplot.figure().add_subplot()
    for name in HOSTILE:
        ax.plot([0, 1], label=as_text(name))
    shown = [text.get_text() for text in ax.legend().get_texts()]
    assert len(shown) == len(HOSTILE)
    ax.figure.savefig(io.BytesIO())
    assert as_text("x" * 100) == "x" * 37 + "..."
    assert as_text("two\nlines") == r"two\nlines"


def test_matplotlib_is_loaded_with_the_first_picture_alone():
    code = "import sys, linnet; linnet.plot.roc; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    estimator, X, y = numbers()
    with pytest.raises(ImportError, match=r"pip install 'linnet\[plot\]'"):
        plot.predicted(estimator, X, y)


def test_there_are_no_other_names():
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        plot.pie
