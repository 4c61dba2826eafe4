"""How many mistakes a perceptron may have to make, by those that it has made.

A perceptron's weights are w = eta (z_1 + ... + z_M), the sum of the M rows that it mistook, each with its sign.  A
plane u of length 1 that separates all rows with a margin gamma has u z >= gamma for each of them, so u w >= eta M
gamma: no margin is larger than |w| / (eta M).  Where that bound becomes small, so does the hope for an end: a
perceptron is promised to separate the rows after (R / gamma)^2 mistakes (Novikoff 1962; R is the length of the longest
row), no sooner than after (R eta M / |w|)^2.  If the rows cannot be separated, |w| stays bounded (Block, Levin 1970),
and that number grows as M^2.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels.dual_logistic import squared_lengths
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty, Recipe, Update
from linnet.learners.schedule import Step
from linnet.training.online_learner import Learner


class MistakesPromised:
    """The smallest number of mistakes within which the rows may be promised to be separated; 0 where nothing is known.

    `members` are the rows that the learner is presented (None: all).
    """

    def __init__(
        self, learner: Learner, rows: Rows, members: NDArray[np.bool_] | None, sample_weights: NDArray[np.float64]
    ) -> None:
        self._learner, self._rows, self._members = learner, rows, members
        self._known = _adds_mistakes(learner.recipe) and not len(sample_weights)

    def __call__(self) -> float:
        if not self._known:
            return 0.0
        learner = self._learner
        w = learner.weights.reshape(-1)
        squared = float(w @ w)
        added = learner.recipe.eta * learner.clock["mistakes"]
        return added * added * self._squared_radius / squared if squared > 0 else math.inf

    @cached_property
    def _squared_radius(self) -> float:
        """Of the longest row with its intercept; jointly, a mistake adds it to one class and takes it from another."""
        rows, lengths = self._rows, np.empty(self._rows.shape[0])
        squared_lengths(rows.values, rows.starts, rows.shape[1], rows.dense, lengths)
        longest = (lengths if self._members is None else lengths[self._members]).max(initial=0.0)
        return float(longest + self._learner.intercept) * (2.0 if self._learner.outputs > 1 else 1.0)


def _adds_mistakes(recipe: Recipe) -> bool:
    """Whether the weights are the sum of the mistaken rows, each with the same factor."""
    constant = recipe.schedule.step is Step.POWER and recipe.schedule.power == 0
    added = recipe.update is Update.ADDITIVE and recipe.penalty == Penalty()
    return recipe.loss is Loss.PERCEPTRON and added and constant
