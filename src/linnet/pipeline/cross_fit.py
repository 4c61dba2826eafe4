"""Decisions fitted on rows in memory: every row is scored by weights that were fitted without its fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.splits import FOLDS, Mask, stratified_folds
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.decision_fit import Decided, Wanted

# Fit to the first rows, return the scores of the second.
Scored = Callable[[Mask, Mask], NDArray[np.float64]]


def decided(data: TrainingSet, which: Mask, wanted: Wanted, seed: int, scored: Scored) -> Decided:
    """The decisions that the out-of-fold scores of these rows lead to."""
    assert data.labels is not None
    members = which if data.weights is None else which & (data.weights > 0)
    purpose = f"{wanted.purpose}: {wanted.remedy}"
    fold = stratified_folds(data.targets, data.labels.classes.tolist(), members, seed, purpose)
    parts = [(which & (fold != number), which & (fold == number)) for number in range(FOLDS)]
    scores = [(scored(fitted, asked), asked) for fitted, asked in parts if asked.any()]
    asked = np.concatenate([np.flatnonzero(rows) for _, rows in scores])
    weights = None if data.weights is None else data.weights[asked]
    return wanted.decided(np.concatenate([each for each, _ in scores]), data.targets[asked], weights)
