"""The problem that a batch learner solves on the rows of a source, and what is proven of a model of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows, some, with_ones
from linnet.errors import ModelFileError, RecipeError
from linnet.learners.catalogue import Entry, Way
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Loss, Penalty, Recipe, Reduction
from linnet.learners.strength import Strength
from linnet.pipeline.dataset import Whole
from linnet.pipeline.scaling import word_scaled
from linnet.training.duality_gap import Certificate, certify, joined
from linnet.training.objective import Flat, Objective
from linnet.training.reduction import Problem, problems
from linnet.training.solvers import least_squares as analytic

# What a row's loss counts against 1/2 |w|^2: words take less shrinking than numbers, for there are many of them.
COST_OF_TEXT = 16.0


def settled(entry: Entry, strength: Strength, text: NDArray[np.bool_], classes: int) -> Entry:
    """A learner of the catalogue with the penalty, and the way to take many classes, that it has on such data."""
    asked = strength if classes > 2 else replace(strength, multiclass=None)
    entry = asked.of(entry)
    if strength.C is None and _by_words(entry) and text.any():
        penalty = replace(entry.recipe.penalty, l2=1.0 / COST_OF_TEXT)
        entry = replace(entry, recipe=replace(entry.recipe, penalty=penalty))
    return entry


def _by_words(entry: Entry) -> bool:
    """Whether every problem takes words on a scale of its own."""
    return entry.way is Way.DUAL and entry.recipe.loss is Loss.LOGISTIC


def stated(recipe: Recipe) -> dict[str, Any]:
    """What a model keeps of a recipe, so that the problem that was solved can be put together again."""
    penalty = recipe.penalty
    kept = {"l1": penalty.l1, "l2": penalty.l2, "total": penalty.total, "multiclass": str(recipe.reduction)}
    return kept | ({"intercept": True} if penalty.intercept else {})


def as_stated(entry: Entry, kept: Any) -> Entry:
    """A learner of the catalogue with the recipe that a model kept."""
    try:
        penalty = Penalty(
            float(kept["l1"]), float(kept["l2"]), total=bool(kept["total"]), intercept=bool(kept.get("intercept"))
        )
        recipe = replace(entry.recipe, penalty=penalty, reduction=Reduction(kept["multiclass"]))
    except (AttributeError, KeyError, TypeError, ValueError, RecipeError):
        raise ModelFileError("the recipe that the model keeps is damaged: train it again") from None
    return replace(entry, recipe=recipe)


def proven(whole: Whole, entry: Entry, rows: Rows, model: LinearModel, bound: float = -np.inf) -> Certificate:
    """What the rows, on their scales, prove of this model of them; `bound` is what a solver of the dual has proven."""
    found = joined([_certified(entry, problem, weights) for problem, weights in _problems(whole, entry, rows, model)])
    return found if found.reason else replace(found, dual=max(found.dual, bound))


def _certified(entry: Entry, problem: Objective, weights: Flat) -> Certificate:
    """By a dual point; or, of least squares, whose dual has none that could be written down, by the axes of rows."""
    unpenalised = problem.penalty.l1 == 0 and problem.penalty.l2 == 0
    if entry.way is Way.ANALYTIC and unpenalised:
        return analytic.certify(problem, weights)
    return certify(problem, weights)


def _problems(whole: Whole, entry: Entry, rows: Rows, model: LinearModel) -> Iterator[tuple[Objective, Flat]]:
    """Every problem that was solved, and the weights of the model as they stand in it."""
    text = whole.features.text_features()
    classes = len(whole.labels) if whole.labels is not None else 0
    recipe, first, everyone = entry.recipe, 0, whole.examples(rows)
    held_back = recipe.penalty.intercept
    asked: list[Problem | None] = [None] if whole.labels is None else [*problems(classes, recipe.reduction)]
    for problem in asked:
        outputs = 1 if problem is None else problem.outputs(classes)
        positive = float(problem.positive or 0) if problem is not None else 0.0
        weights = model.weights[:, first : first + outputs]
        examples = _members(everyone, problem, classes)
        if _by_words(entry):
            mine, scales = word_scaled(examples.rows, np.where(examples.targets == positive, 1.0, -1.0), text)
            examples, weights = replace(examples, rows=mine), weights / scales[:, np.newaxis]
        intercepts = model.intercepts[np.newaxis, first : first + outputs]
        if held_back:  # a weight like the others, of a column of ones
            examples, weights = replace(examples, rows=with_ones(examples.rows)), np.concatenate([weights, intercepts])
            intercepts = np.zeros_like(intercepts)
        objective = Objective(
            examples,
            recipe.loss,
            recipe.penalty,
            outputs,
            intercept=not held_back,
            regression=whole.labels is None,
            positive=positive,
            reference=recipe.reduction is Reduction.REFERENCE and outputs > 1,
        )
        yield objective, np.concatenate([weights, intercepts]).reshape(-1)
        first += outputs


def _members(examples: Examples, problem: Problem | None, classes: int) -> Examples:
    members = None if problem is None else problem.members(examples.targets, classes)
    return examples if members is None else some(examples, members)
