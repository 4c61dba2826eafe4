"""What a learner can take: rows with other values, each with the reason and the remedy; and text as it weights it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linnet.data.features.feature_map import FeatureOptions
from linnet.data.features.schema import Role, Schema
from linnet.data.features.text_options import CountWeighting
from linnet.data.sources.block import Block, Numbers
from linnet.errors import option
from linnet.learners.entry import Entry, TextWeighting

# How counts of words become numbers for learners that take them otherwise than most.
_COUNT_WEIGHTINGS = {TextWeighting.COUNTS: CountWeighting.COUNT, TextWeighting.BINARY: CountWeighting.BINARY}


def with_text_weighting(entry: Entry, options: FeatureOptions) -> FeatureOptions:
    """Text as the learner takes it."""
    count_weighting = _COUNT_WEIGHTINGS.get(entry.text)
    if count_weighting is None:
        return options
    if options.text.count_weighting is CountWeighting.BINARY:
        count_weighting = CountWeighting.BINARY
    return replace(options, text=replace(options.text, count_weighting=count_weighting, unit_length=False))


def unfit_values(entry: Entry, block: Block, schema: Schema) -> dict[int, str]:
    """The rows of a block with a value that the learner cannot take."""
    takes = entry.values
    if takes is None:
        return {}
    if block.sparse is not None:
        values = block.sparse.values
        found = [(at, *block.sparse.row_and_column(at)) for at in np.flatnonzero(takes.misfits(values)).tolist()]
        return {row: f"column {column} has the value {values[at]:g}: {takes}" for at, row, column in found[::-1]}
    reasons: dict[int, str] = {}
    for name in schema.having(Role.NUMBER):
        column = block.columns[name]
        assert isinstance(column, Numbers)
        category = f"or make it a category ({option('columns', f'{name}:category')})"
        for row in np.flatnonzero(takes.misfits(column.values)).tolist():
            reasons.setdefault(row, f"{name} has the value {column.values[row]:g}: {takes}, {category}")
    return reasons
