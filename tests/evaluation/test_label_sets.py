"""Metrics of rows with several labels are scikit-learn's, however the rows are cut, and ties are decided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, f1_score, hamming_loss

from linnet.evaluation.label_sets import LabelSetTally, indicator, largest

SIZES = st.tuples(st.integers(1, 12), st.integers(1, 7))


@given(SIZES.flatmap(lambda size: arrays(np.float64, size, elements=st.integers(-2, 2))), st.integers(1, 7))
def test_the_largest_scores_are_the_first_of_a_stable_sort(scores, k):
    k = min(k, scores.shape[1])
    wanted = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(wanted, np.argsort(-scores, axis=1, kind="stable")[:, :k], True, axis=1)
    assert_array_equal(largest(scores, k), wanted)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 10))
def test_metrics_are_scikit_learns_however_the_rows_are_cut(seed, labels, cut):
    rng = np.random.default_rng(seed)
    truth, scores = rng.random((10, labels)) < 0.3, rng.integers(-3, 4, size=(10, labels)).astype(float)
    whole, parts = LabelSetTally(np.arange(labels)), LabelSetTally(np.arange(labels))
    whole.add(truth, scores)
    parts.add(truth[:cut], scores[:cut])
    parts.add(truth[cut:], scores[cut:])
    found, predicted = whole.result(), scores > 0
    assert found.as_dict() == parts.result().as_dict()
    assert found.micro_f1 == pytest.approx(f1_score(truth, predicted, average="micro", zero_division=0.0))
    assert found.macro_f1 == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0.0))
    assert found.subset_accuracy == pytest.approx(accuracy_score(truth, predicted))
    assert found.hamming_loss == pytest.approx(hamming_loss(truth, predicted))


def test_precision_at_more_labels_than_there_are_is_not_defined():
    tally = LabelSetTally(np.array(["a", "b", "c"]))
    tally.add(np.array([[True, False, True], [False, False, False]]), np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 1.0]]))
    found = tally.result().as_dict()
    assert [found[f"precision_at_{k}"] for k in (1, 3, 5)] == [0.5, pytest.approx(2 / 6), None]


@pytest.mark.parametrize(("classes", "spelt"), [([1, 2.5], "1 3 "), (["1", "x"], "1 1.0 ")])
def test_labels_are_compared_as_the_model_has_them(classes, spelt):
    has, others = indicator([spelt, " "], classes)
    assert has.tolist() == [[True, False], [False, False]]
    assert others.tolist() == [1, 0]
