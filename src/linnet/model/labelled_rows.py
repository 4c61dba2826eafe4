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
from linnet.model.plane import two_columns
from linnet.model.point_sample import PointSample
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
    for made in model.blocks(source, BadRows(), 0, lambda block: unusable_for(loss, block, model.features)):
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


def labelled_points(model: Model, data: Any, form: Form = None) -> PointSample:
    """The points of labelled data in the two columns of numbers that are all of a model, none that lacks a value."""
    columns = two_columns(model)
    if columns is None:
        raise InputError(f"the geometry is that of two columns of numbers, and the model has {model.features.extent}")
    flags = [missing for _, missing in model.features.number_features()]
    points, codes = [np.empty((0, 2))], [np.empty(0)]
    for rows, truth in labelled_rows(model, data, form):
        table = rows.matrix()
        dense = np.asarray(table if rows.dense else table.toarray(), dtype=np.float64)
        here = ~dense[:, flags].any(axis=1)
        points.append(dense[here][:, list(columns)])
        codes.append(truth[here])
    x, y = np.concatenate(points).T.tolist()
    return PointSample(tuple(x), tuple(y), tuple(np.concatenate(codes).astype(np.int64).tolist()), len(x))
