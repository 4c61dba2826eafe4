"""Rows with values that a learner cannot take, each with the reason and the remedy."""

from __future__ import annotations

import numpy as np

from linnet.data.features.schema import Role, Schema
from linnet.data.sources.block import Block, Numbers
from linnet.learners.recipe import Recipe, Update


def unfit(recipe: Recipe, block: Block, schema: Schema) -> dict[int, str]:
    """The rows with a number that the learner's update cannot take, each with the reason and the remedy."""
    if recipe.update is not Update.MULTIPLICATIVE:
        return {}
    if block.sparse is not None:
        values = block.sparse.values
        found = [(at, *block.sparse.place(at)) for at in np.flatnonzero(recipe.misfits(values)).tolist()]
        return {row: f"column {column} has the value {values[at]:g}: {recipe.takes}" for at, row, column in found[::-1]}
    reasons: dict[int, str] = {}
    for name in schema.having(Role.NUMBER):
        column = block.columns[name]
        assert isinstance(column, Numbers)
        for row in np.flatnonzero(recipe.misfits(column.values)).tolist():
            reasons.setdefault(row, f"{name} has the value {column.values[row]:g}: {recipe.takes}")
    return reasons
