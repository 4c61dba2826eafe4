"""The weights of an online learner: those that no number can hold are one error, and no warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from linnet.errors import NumericalError
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Recipe, Update
from linnet.training.online_learner import Learner

RECIPES = {
    "plain": Recipe(Loss.PERCEPTRON),
    "averaged": Recipe(Loss.PERCEPTRON, averaging=Averaging.AVERAGE),
    "adaptive": Recipe(Loss.LOGISTIC, update=Update.ADAPTIVE),
}


@pytest.mark.parametrize("weight", [np.inf, np.nan])
@pytest.mark.parametrize("recipe", RECIPES)
def test_weights_beyond_the_range_of_numbers_are_one_error(recipe, weight):
    """As a forged checkpoint has them."""
    learner = Learner(RECIPES[recipe], 2)
    learner.weights[:] = weight
    learner.clock["steps"] = learner.clock["scale_sum"] = 4.0
    learner.inverse_scales[:] = 0.0
    learner.sums[:] = weight
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NumericalError, match="left the range of numbers"):
            learner.solution()
