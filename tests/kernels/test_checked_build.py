"""Of the build whose kernels check every index: that it does."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from linnet.data.rows import Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Recipe
from linnet.training.online_learner import Learner
from linnet.training.order import WHOLE


@pytest.mark.checked
def test_an_index_out_of_bounds_is_caught():
    rows = Rows(np.ones(2), np.array([0, 10**6], dtype=np.uint32), np.array([0, 2]), (1, 2))
    seen = []
    hook, sys.unraisablehook = sys.unraisablehook, seen.append
    try:
        Learner(Recipe(Loss.PERCEPTRON), 2).present(rows, np.ones(1), None, WHOLE)
    finally:
        sys.unraisablehook = hook
    assert any(issubclass(error.exc_type, IndexError) for error in seen)
