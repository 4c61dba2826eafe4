"""What a learner can take: rows with other values, each with the reason and the remedy; and text as it weights it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Role, Schema
from linnet.data.features.text_options import CountWeighting, TextOptions
from linnet.data.sources.block import Block, Numbers
from linnet.errors import RecipeError, option
from linnet.learners.entry import Entry, TextWeighting

# How counts of words become numbers for learners that take them otherwise than most.
_COUNT_WEIGHTINGS = {TextWeighting.COUNTS: CountWeighting.COUNT, TextWeighting.BINARY: CountWeighting.BINARY}


def with_text_weighting(entry: Entry, features: Features) -> Features:
    """The features with text as the learner takes it."""
    count_weighting = _COUNT_WEIGHTINGS.get(entry.text)
    if count_weighting is None:
        return features

    def weighted(text: TextOptions) -> TextOptions:
        binary = text.count_weighting is CountWeighting.BINARY
        return replace(text, count_weighting=CountWeighting.BINARY if binary else count_weighting, unit_length=False)

    return features.with_text_options(weighted)


def refuse_dates(entry: Entry, schema: Schema) -> None:
    """Raise for a learner that does not take all numbers, where there are dates, which become days and years."""
    dates = schema.having(Role.DATE)
    if dates and entry.values is not None:
        name = dates[0]
        raise RecipeError(
            f"{entry.values.reason}, and {name} is a date: leave it out ({option('columns', f'{name}:ignore')}), or "
            f"make it a category ({option('columns', f'{name}:category')})"
        )


def unfit_values(entry: Entry, block: Block, schema: Schema) -> dict[int, str | None]:
    """The rows of a block with a value that the learner cannot take."""
    takes = entry.values
    if takes is None:
        return {}
    if block.sparse is not None:
        values = block.sparse.values
        found = [(at, *block.sparse.row_and_column(at)) for at in np.flatnonzero(takes.misfits(values)).tolist()]
        return {row: f"column {column} has the value {values[at]:g}: {takes}" for at, row, column in found[::-1]}
    reasons: dict[int, str | None] = {}
    for name in schema.having(Role.NUMBER):
        column = block.columns[name]
        assert isinstance(column, Numbers)
        category = f"or make it a category ({option('columns', f'{name}:category')})"
        for row in np.flatnonzero(takes.misfits(column.values)).tolist():
            reasons.setdefault(row, f"{name} has the value {column.values[row]:g}: {takes}, {category}")
    return reasons
