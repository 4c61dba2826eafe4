"""The problem that a batch learner solves on the rows of a source, and what is proven of a model of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.examples import Examples, Rows
from linnet.learners.catalogue import Entry, Way
from linnet.learners.recipe import Loss, Penalty, Reduction
from linnet.model import LinearModel
from linnet.pipeline.collected import Whole
from linnet.pipeline.scaling import word_scaled
from linnet.training.certificate import Certificate, certify, joined
from linnet.training.objective import Flat, Objective
from linnet.training.reduction import Problem, problems

# What a row's loss counts against 1/2 |w|^2: words take less shrinking than numbers, for there are many of them.
COST_OF_TEXT, COST = 16.0, 1.0


def cost_for(text: NDArray[np.bool_]) -> float:
    """C, by what the features are made of."""
    return COST_OF_TEXT if text.any() else COST


def penalty_for(entry: Entry, text: NDArray[np.bool_]) -> Penalty:
    """The penalty of a learner on data with these features: for the logistic loss one that suits them."""
    if entry.recipe.loss is not Loss.LOGISTIC:
        return entry.recipe.penalty
    return Penalty(l2=1.0 / (cost_for(text) if entry.way is Way.DUAL else COST), total=True)


def proven(whole: Whole, entry: Entry, rows: Rows, model: LinearModel, bound: float = -np.inf) -> Certificate:
    """What the rows, on their scales, prove of this model of them; `bound` is what a solver of the dual has proven."""
    found = joined([certify(problem, weights) for problem, weights in _problems(whole, entry, rows, model)])
    # a dual point far from the optimum may prove less than what is plain: no loss and no penalty is below 0
    return found if found.reason else replace(found, dual=max(found.dual, bound, 0.0))


def _problems(whole: Whole, entry: Entry, rows: Rows, model: LinearModel) -> Iterator[tuple[Objective, Flat]]:
    """Every problem that was solved, and the weights of the model as they stand in it."""
    text = whole.features.text_features()
    by_words = entry.way is Way.DUAL and entry.recipe.loss is Loss.LOGISTIC
    reduction = Reduction.ONE_VS_REST if by_words else entry.recipe.reduction
    classes = len(whole.labels) if whole.labels is not None else 0
    first = 0
    asked: list[Problem | None] = [None] if whole.labels is None else [*problems(classes, reduction)]
    for problem in asked:
        outputs = 1 if problem is None else problem.outputs(classes)
        positive = float(problem.positive or 0) if problem is not None else 0.0
        weights = model.weights[:, first : first + outputs]
        mine = rows
        if by_words:
            mine, scales = word_scaled(rows, np.where(whole.targets == positive, 1.0, -1.0), text)
            weights = weights / scales[:, np.newaxis]
        members = None if problem is None else problem.members(whole.targets, classes)
        counted = whole.weights
        if members is not None:
            counted = members.astype(np.float64) if counted is None else members * counted
        objective = Objective(
            Examples(mine, whole.targets, counted),
            entry.recipe.loss,
            penalty_for(entry, text),
            outputs,
            intercept=True,
            regression=whole.labels is None,
            positive=positive,
        )
        yield objective, np.concatenate([weights, model.intercepts[np.newaxis, first : first + outputs]]).reshape(-1)
        first += outputs
