"""Rows scored by folds: each by weights that were learnt without it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.pipeline.dataset import Whole
from linnet.pipeline.decision_fit import Settled, Wanted
from linnet.pipeline.online import FOLD_STREAM, mixed

FOLDS = 5

Mask = NDArray[np.bool_]
# Learn from the first rows, give the scores of the second.
Scored = Callable[[Mask, Mask], NDArray[np.float64]]


def settled(whole: Whole, which: Mask, wanted: Wanted, seed: int, scored: Scored) -> Settled:
    """What the scores of these rows settle, each fold of them scored by what the others taught."""
    fold = folds(whole, which, seed, f"{wanted.purpose}: {wanted.remedy}")
    parts = [(which & (fold != number), which & (fold == number)) for number in range(FOLDS)]
    scores = [(scored(learnt, asked), asked) for learnt, asked in parts if asked.any()]
    asked = np.concatenate([np.flatnonzero(rows) for _, rows in scores])
    weights = None if whole.weights is None else whole.weights[asked]
    return wanted.settled(np.concatenate([each for each, _ in scores]), whole.targets[asked], weights)


def folds(whole: Whole, which: Mask, seed: int, why: str = "to deal out") -> NDArray[np.int64]:
    """The fold of every row: each class is dealt out evenly, in an order drawn from the seed and the rows' numbers."""
    assert whole.labels is not None
    keys = mixed(np.arange(len(which), dtype=np.uint64), seed, FOLD_STREAM)
    counted = which if whole.weights is None else which & (whole.weights > 0)
    fold = np.zeros(len(which), dtype=np.int64)
    for code, label in enumerate(whole.labels.classes.tolist()):
        rows = np.flatnonzero(counted & (whole.targets == code))
        if len(rows) < 2:
            raise InputError(f"the label {label!r} has fewer than two rows {why}")
        fold[rows[np.argsort(keys[rows], kind="stable")]] = np.arange(len(rows)) % FOLDS
    return fold
