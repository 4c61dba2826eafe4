"""Calibration by folds: every row scored by weights that were learnt without it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet import calibration
from linnet.errors import InputError
from linnet.pipeline.collected import Whole
from linnet.pipeline.online import FOLD_STREAM, mixed

FOLDS = 5

Mask = NDArray[np.bool_]
# Learn from the first rows, give the scores of the second.
Scored = Callable[[Mask, Mask], NDArray[np.float64]]


def calibrated(
    whole: Whole, which: Mask, method: calibration.Method, seed: int, scored: Scored
) -> calibration.Calibration:
    """The maps fitted to the scores of these rows, each fold of them scored by what the others taught."""
    fold = folds(whole, which, seed)
    parts = [(which & (fold != number), which & (fold == number)) for number in range(FOLDS)]
    scores = [(scored(learnt, asked), asked) for learnt, asked in parts if asked.any()]
    asked = np.concatenate([np.flatnonzero(rows) for _, rows in scores])
    weights = None if whole.weights is None else whole.weights[asked]
    return calibration.fit(method, np.concatenate([each for each, _ in scores]), whole.targets[asked], weights)


def folds(whole: Whole, which: Mask, seed: int) -> NDArray[np.int64]:
    """The fold of every row: each class is dealt out evenly, in an order drawn from the seed and the rows' numbers."""
    assert whole.labels is not None
    keys = mixed(np.arange(len(which), dtype=np.uint64), seed, FOLD_STREAM)
    counted = which if whole.weights is None else which & (whole.weights > 0)
    fold = np.zeros(len(which), dtype=np.int64)
    for code, label in enumerate(whole.labels.classes.tolist()):
        rows = np.flatnonzero(counted & (whole.targets == code))
        if len(rows) < 2:
            raise InputError(
                f"the label {label!r} has fewer than two rows to calibrate on: give more, or leave --calibrate out"
            )
        fold[rows[np.argsort(keys[rows], kind="stable")]] = np.arange(len(rows)) % FOLDS
    return fold
