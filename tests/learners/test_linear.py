"""Scores of pairs as scores of classes."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.testing import assert_array_equal

from linnet.data.rows import Rows
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction


def test_votes_of_pairs_with_the_largest_scores_are_numbers():
    weights = np.array([[1e308, 1e308, -1e308]])
    model = LinearModel(weights, np.zeros(3), np.arange(3), Reduction.PAIRWISE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        votes = model.decision(Rows.of(np.array([[1.0], [-1.0], [0.5]])))
    # the pairs are (0, 1), (0, 2), (1, 2): a positive score is a vote for the second
    assert_array_equal(np.rint(votes), [[0, 2, 1], [2, 0, 1], [0, 2, 1]])
