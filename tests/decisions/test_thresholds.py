"""Thresholds chosen for a metric, against a search over every number that could be one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import GOALS, MEASURES, Goal, choose, of_confusion
from linnet.errors import InputError, RecipeError

CLASSES = np.array(["ham", "spam"])
THEIRS = {
    "f1": lambda y, z, w: metrics.f1_score(y, z, sample_weight=w),
    "f0.5": lambda y, z, w: metrics.fbeta_score(y, z, beta=0.5, sample_weight=w),
    "f2": lambda y, z, w: metrics.fbeta_score(y, z, beta=2.0, sample_weight=w),
    "accuracy": lambda y, z, w: metrics.accuracy_score(y, z, sample_weight=w),
    "balanced-accuracy": lambda y, z, w: metrics.balanced_accuracy_score(y, z, sample_weight=w),
    "matthews": lambda y, z, w: metrics.matthews_corrcoef(y, z, sample_weight=w),
    "precision": lambda y, z, w: metrics.precision_score(y, z, sample_weight=w, zero_division=np.nan),
    "recall": lambda y, z, w: metrics.recall_score(y, z, sample_weight=w),
}


def rows(seed, n, digits=None, *, weighted=False):
    """Probabilities, the truth they tell something of, and weights, perhaps with zeros."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    p = 1 / (1 + np.exp(-rng.normal(size=n) - y))
    w = rng.integers(0, 4, n).astype(float) if weighted else None
    if w is not None:
        w[:2] = 1
    return (p if digits is None else p.round(digits)), y, w


def cuts(p):
    """A number within every gap, and beyond either end."""
    distinct = np.unique(np.concatenate([[0.0], p, [1.0]]))
    return distinct[:-1] + np.diff(distinct) / 2


def theirs(name, y, p, w, t, *, second=True):
    above = p > t
    y, z = (y == 1, above) if second else (y == 0, ~above)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return THEIRS[name](y, z, w)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 40),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(GOALS),
    st.booleans(),
    st.booleans(),
)
def test_no_threshold_does_better(seed, n, digits, name, second, weighted):
    p, y, w = rows(seed, n, digits, weighted=weighted)
    goal = Goal.parsed(name, "spam" if second else "ham").among(CLASSES)
    choice = choose(goal, CLASSES, p, y, w)
    kept = np.ones(n, bool) if w is None else w > 0
    p, y, w = p[kept], y[kept], None if w is None else w[kept]
    all_of_them = [theirs(name, y, p, w, t, second=second) for t in cuts(p)]
    assert theirs(name, y, p, w, choice.threshold, second=second) == pytest.approx(np.nanmax(all_of_them), abs=1e-12)
    assert choice.at_threshold == {name: pytest.approx(np.nanmax(all_of_them), abs=1e-12)}
    usual = theirs(name, y, p, w, 0.5, second=second)
    # a fraction of nothing is NaN here and 0 there
    assert choice.at_usual[name] == pytest.approx(usual, abs=1e-12) or (np.isnan(choice.at_usual[name]) and usual == 0)
    assert choice.rows == len(y)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 40),
    st.sampled_from([("precision", "recall"), ("recall", "precision"), ("f1", "recall"), ("accuracy", "precision")]),
    st.sampled_from([0.0, 0.25, 0.5, 0.95, 1.0]),
)
def test_the_best_metric_subject_to_a_bound_on_another(seed, n, names, least):
    p, y, _ = rows(seed, n, 2)
    goal = Goal.parsed(f"{names[0]}@{names[1]}={least}:spam").among(CLASSES)
    found = [(theirs(names[0], y, p, None, t), theirs(names[1], y, p, None, t)) for t in cuts(p)]
    allowed = [value for value, bound in found if bound >= least and not np.isnan(value)]
    if not allowed:
        with pytest.raises(InputError, match=r"the highest is .*; lower the bound"):
            choose(goal, CLASSES, p, y)
        return
    choice = choose(goal, CLASSES, p, y)
    assert choice.at_threshold[names[0]] == pytest.approx(max(allowed), abs=1e-12)
    assert choice.at_threshold[names[1]] >= least
    assert theirs(names[0], y, p, None, choice.threshold) == pytest.approx(max(allowed), abs=1e-12)


def test_precision_at_a_recall_is_on_scikit_learns_curve():
    p, y, _ = rows(3, 5000)
    precision, recall, _ = metrics.precision_recall_curve(y, p)
    choice = choose(Goal.parsed("precision@recall=0.9", "spam").among(CLASSES), CLASSES, p, y)
    assert choice.at_threshold["precision"] == precision[recall >= 0.9].max()
    best = choose(Goal.parsed("f1", "spam").among(CLASSES), CLASSES, p, y)
    assert best.at_threshold["f1"] == pytest.approx((2 * precision * recall / (precision + recall)).max(), rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 1, 2, 17]), st.sampled_from(GOALS))
def test_no_row_sits_on_the_edge_and_the_rule_decides_as_the_threshold_does(seed, digits, name):
    p, y, _ = rows(seed, 30, digits)
    choice = choose(Goal.parsed(name, "spam").among(CLASSES), CLASSES, p, y)
    t, ends = choice.threshold, np.concatenate([[0.0], p, [1.0]])
    below, above = ends[ends < t].max(), ends[ends > t].min()
    assert t == pytest.approx((below + above) / 2, rel=1e-12)
    decided = Rule.above(t, "f1:spam").decide(np.column_stack([1.0 - p, p]))
    np.testing.assert_array_equal(decided, p > t)
    assert Rule.above(t, "f1:spam").threshold == pytest.approx(t, rel=1e-15)


def test_scores_one_rounding_apart_are_not_separated():
    low = 0.3
    high = np.nextafter(low, 1)
    choice = choose(Goal.parsed("accuracy").among([0, 1]), [0, 1], np.array([low, high, 0.9]), np.array([0, 1, 1]))
    assert not low <= choice.threshold <= high


def test_of_equally_good_thresholds_the_nearest_to_the_default_is_chosen():
    # accuracy 3/4 with one mistake on either side: between 0.1 and 0.2, and between 0.6 and 0.8
    p, y = np.array([0.1, 0.2, 0.6, 0.8]), np.array([0, 1, 0, 1])
    assert choose(Goal.parsed("accuracy").among([0, 1]), [0, 1], p, y).threshold == pytest.approx(0.7)
    p = 1 - p[::-1]
    assert choose(Goal.parsed("accuracy").among([0, 1]), [0, 1], p, 1 - y[::-1]).threshold == pytest.approx(0.3)
    apart = choose(Goal.parsed("f1").among([0, 1]), [0, 1], np.array([0.1, 0.2, 0.9]), np.array([0, 0, 1]))
    assert apart.threshold == pytest.approx(0.55)


@pytest.mark.parametrize("name", GOALS)
def test_a_weight_of_three_is_three_copies(name):
    p, y, w = rows(11, 60, 2, weighted=True)
    goal = Goal.parsed(name, "ham").among(CLASSES)
    copies = np.repeat(np.arange(60), w.astype(int))
    weighed, copied = choose(goal, CLASSES, p, y, w), choose(goal, CLASSES, p[copies], y[copies])
    assert weighed.threshold == copied.threshold
    assert weighed.at_threshold == pytest.approx(copied.at_threshold)


def test_a_threshold_of_scores_may_lie_anywhere():
    scores, y = np.array([-7.0, -5.0, -4.0, -1.0]), np.array([0, 0, 1, 1])
    choice = choose(Goal.parsed("f1").among([0, 1]), [0, 1], scores, y, usual=0.0, ends=(-20.0, 20.0))
    assert choice.threshold == -4.5
    assert choice.at_usual == {"f1": 0.0}


def test_figures_of_a_confusion_are_those_of_its_rows():
    p, y, _ = rows(5, 100)
    z = (p > 0.4).astype(int)
    for name in MEASURES:
        for label in (0, 1):
            goal = Goal(name, label=label)
            expected = THEIRS[name](y == label, z == label, None)
            assert of_confusion(goal, [0, 1], metrics.confusion_matrix(y, z))[name] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([0, 1], 1), ([-1, 1], 1), (["no", "yes"], "yes"), (["+", "-"], "+"), (["False", "True"], "True"),
        (["-1", "1"], "1"), ([0.0, 1.0], 1.0), ([False, True], True),
    ],
)  # fmt: skip
def test_the_positive_label_is_evident_for_some_pairs(labels, found):
    assert Goal.parsed("f1").among(labels).label == found


def test_otherwise_the_positive_label_must_be_named():
    with pytest.raises(RecipeError, match=r"which label is the positive one, 'ham' or 'spam'.* 'f1:spam'"):
        Goal.parsed("f1").among(CLASSES)
    assert Goal.parsed("balanced-accuracy").among(CLASSES).label == "spam"
    assert Goal.parsed("f1:ham").among(CLASSES).label == "ham"
    assert Goal.parsed("f1: +1").among([1, 2]).label == 1
    assert str(Goal.parsed("matthews:ham").among(CLASSES)) == "matthews"
    assert str(Goal.parsed("precision@recall=0.95:a:b")) == "precision@recall=0.95:a:b"
    with pytest.raises(RecipeError, match="positive label 'egg' is unknown: choose 'ham' or 'spam'"):
        Goal.parsed("f1:egg").among(CLASSES)
    with pytest.raises(RecipeError, match="for two labels, and there are 3"):
        Goal.parsed("f1:a").among(["a", "b", "c"])


@pytest.mark.parametrize(
    "text",
    ["", "f3", "recall", "precision", "precision@", "precision@recall", "precision@recall=", "precision@recall=2",
     "precision@x=0.5", "f1:", "f1@recall=nan", 7],
)  # fmt: skip
def test_an_unknown_metric_is_refused_with_the_known_ones(text):
    with pytest.raises(RecipeError, match=r"precision@recall=0.95|such as 'f1'"):
        Goal.parsed(text)


def test_rows_of_one_label_are_refused():
    with pytest.raises(InputError, match="do not show both labels"):
        choose(Goal.parsed("f1").among([0, 1]), [0, 1], np.array([0.2, 0.3]), np.array([1, 1]))
    with pytest.raises(InputError, match="do not show both labels"):
        choose(Goal.parsed("f1").among([0, 1]), [0, 1], np.array([0.2, 0.3]), np.array([1, 0]), np.array([1.0, 0.0]))
