"""The rows of labelled data with their targets: for what evaluation does not sum up, such as points to draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.on_error import BadRows
from linnet.data.rows import Rows
from linnet.data.sources.formats import Form
from linnet.data.targets import LabelIndex, numeric_targets
from linnet.data.task import Task
from linnet.errors import InputError, RecipeError
from linnet.model.geometry import Planar, Points
from linnet.model.target_checks import unusable_for

if TYPE_CHECKING:
    from linnet.model.model import Model

Flat = NDArray[np.float64]


def labelled_rows(model: Model, data: Any, form: Form = None) -> Iterator[tuple[Rows, Flat]]:
    """Block by block the rows and their targets: numbers, or codes of classes, -1 for a label unknown to the model."""
    if model.several:
        raise RecipeError("the model predicts several labels a row, and this is for one")
    source, schema = model.open(data, form, labelled=True), model.features.schema
    known, loss = LabelIndex.of(model.classes or []), model.record.recipe.loss
    for made in model.blocks(source, BadRows(), 0, lambda block: unusable_for(loss, block, schema)):
        if made.block.rows:
            classes = model.task is Task.CLASSIFICATION
            truth = known.numbers(made.block, schema, frozen=True) if classes else numeric_targets(made.block, schema)
            yield model.rows(made.block, made.prepared), truth.astype(np.float64)


def true_and_predicted(model: Model, data: Any, form: Form = None) -> tuple[Flat, Flat]:
    """The targets of labelled data, and the numbers that a model of numbers predicts."""
    if model.classes is not None:
        raise RecipeError("the model predicts classes, and this is for numbers")
    found = [(truth, model.linear.predict(rows)) for rows, truth in labelled_rows(model, data, form)]
    if not found:
        raise InputError("there are no rows to evaluate on")
    truth, predicted = map(np.concatenate, zip(*found, strict=True))
    return truth, predicted


def two_features(model: Model) -> list[int]:
    """The numbers of the two features of a model, flags of missing values left out; an error if there are not two."""
    flags = {missing for _, missing in model.features.number_features()}
    found = [number for number in range(min(len(model.features), 5)) if number not in flags]
    if len(found) != 2 or len(model.features) > 4:
        raise InputError(
            f"the geometry is that of two features, and the model has {len(model.features) - len(flags):,}"
        )
    return found


def planar(model: Model) -> Planar:
    """The plane, or the planes, of a model of two features."""
    if model.classes is None:
        raise RecipeError("the model predicts numbers, and the geometry is that of classes")
    if model.linear.votes or model.linear.pairwise or model.several:
        how = "labels by itself" if model.several else "by votes"
        raise RecipeError(f"the model decides {how}, so there is no one plane, or region of a class, to draw")
    which = two_features(model)
    first, second = model.features.names_of(which)
    weights = np.asarray(model.linear.weights)[which]
    return Planar((first, second), weights, model.linear.intercepts, tuple(model.classes))


def planar_points(model: Model, data: Any, form: Form = None) -> tuple[Points, NDArray[np.int64]]:
    """The points of labelled data in the two features of a model, and the codes of their classes; none that lacks a
    value or has a label that the model does not know."""
    which = two_features(model)
    flags = [missing for _, missing in model.features.number_features()]
    points, codes = [np.empty((0, 2))], [np.empty(0, np.int64)]
    for rows, truth in labelled_rows(model, data, form):
        table = rows.matrix()
        dense = np.asarray(table if rows.dense else table.toarray(), dtype=np.float64)
        here = (truth >= 0) & ~dense[:, flags].any(axis=1)
        points.append(dense[here][:, which])
        codes.append(truth[here].astype(np.int64))
    return np.concatenate(points), np.concatenate(codes)
