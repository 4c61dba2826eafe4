"""Targets that a model's loss is not defined for, beside those that are missing."""

from __future__ import annotations

import numpy as np

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Schema
from linnet.data.sources.block import Block
from linnet.data.targets import numeric_targets, unusable_rows
from linnet.learners.losses import Loss


def unusable_for(loss: Loss, block: Block, features: Features) -> dict[int, str | None]:
    """The rows not to train or evaluate on, each with the reason; None as for `unusable_rows`."""
    return unfit_targets(loss, block, features.schema) | unusable_rows(block, features)


def unfit_targets(loss: Loss, block: Block, schema: Schema) -> dict[int, str | None]:
    """The rows whose target has no loss."""
    takes = loss.targets
    if takes is None:
        return {}
    values, name = numeric_targets(block, schema), schema.target or "the target"
    wrong = np.flatnonzero(takes.misfits(values)).tolist()
    return {row: f"{name} is {values[row]:g}: {takes}" for row in wrong}
