"""Pictures of a comparison have its means, intervals, ranks and critical difference."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet import plot
from linnet.comparison.results import ContenderResults, DataResults, Measured, Results
from linnet.data.task import Task
from linnet.evaluation.intervals import Interval
from linnet.evaluation.paired_comparison import RankComparison


def contender(name: str, scores: tuple[float, ...], metric: str, *, yardstick: bool = False) -> ContenderResults:
    mean = float(np.mean(scores))
    measured = Measured(metric, scores, mean, Interval(mean - 0.01, mean + 0.02))
    return ContenderResults(name, yardstick, False, {}, (measured,))


def results(metric: str = "accuracy", **more) -> Results:
    contenders = (
        contender("svm", (0.8, 0.82), metric),
        contender("perceptron", (0.7, 0.74), metric),
        contender("sklearn.tree.DecisionTreeClassifier", (0.9, 0.88), metric, yardstick=True),
        ContenderResults("winnow", False, False, {}, (), failed="a column is negative"),
    )
    data = DataResults(
        "adult.csv", "income", Task.CLASSIFICATION, 100, 9, ("a", "b"), metric, "stratified", 2, 1, contenders, (), (),
        None, (),
    )  # fmt: skip
    return Results((data,), 0, 0.95, **more)


def means(ax) -> list[float]:
    return [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "mean"]


def names(ax) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_the_best_is_on_top_with_its_interval_and_its_folds():
    ax = plot.comparison(results())
    assert names(ax) == ["perceptron", "svm", "DecisionTreeClassifier"]
    assert means(ax) == pytest.approx([0.72, 0.81, 0.89])
    intervals = [each.get_segments()[0][:, 0] for each in ax.collections]
    np.testing.assert_allclose(intervals, [[0.71, 0.74], [0.80, 0.83], [0.88, 0.91]])
    folds = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
    assert folds == [(0.7, 0.74), (0.8, 0.82), (0.9, 0.88)]


def test_of_a_loss_the_smallest_is_on_top():
    assert names(plot.comparison(results("log-loss")))[-1] == "perceptron"


def test_data_sets_and_metrics_are_found_by_name():
    found = results()
    assert means(plot.comparison(found, "adult.csv")) == means(plot.comparison(found.data[0]))
    with pytest.raises(linnet.RecipeError, match=r"no data set 'bike': adult\.csv"):
        plot.comparison(found, "bike")
    with pytest.raises(linnet.InputError, match="the metric 'brier'"):
        plot.comparison(found, metric="brier")
    with pytest.raises(linnet.InputError, match="no learning curves"):
        plot.learning_curve(found)


def test_the_critical_difference_is_drawn_to_the_scale_of_the_ranks():
    groups = (("svm", "perceptron"), ("perceptron", "winnow"))
    ranks = RankComparison(("svm", "perceptron", "winnow"), (1.2, 2.0, 2.8), 9, 0.01, 1.1, groups, ())
    ax = plot.critical_difference(results(over_data=ranks))
    assert [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "rank"] == [1.2, 2.0, 2.8]
    (bar,) = [line for line in ax.lines if line.get_gid() == "critical difference"]
    assert np.ptp(bar.get_xdata()) == pytest.approx(1.1)
    bars = [line.get_xdata() for line in ax.lines if line.get_gid() == "group"]
    np.testing.assert_allclose(bars, [[1.16, 2.04], [1.96, 2.84]])
    with pytest.raises(linnet.InputError, match="several"):
        plot.critical_difference(results())
