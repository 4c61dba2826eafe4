"""The mean of the weights of several taggers of the same features and tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Where the row of each feature begins, the tags and values of its weights, those of transitions, and of trigrams.
Weights = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[Any] | None]


def mean_of_means(means: Iterable[Weights], count: int) -> Weights:
    """The mean of so many weights; a tag that a row lacks has the weight 0 there."""
    total, *others = means
    for each in others:
        total = _sum(total, each)
    if count == 1:
        return total
    starts, tags, weights, between, triples = total
    return starts, tags, weights / count, between / count, None if triples is None else triples / count


def _sum(a: Weights, b: Weights) -> Weights:
    features, width = len(a[0]) - 1, len(a[3])
    codes = np.concatenate(
        [np.repeat(np.arange(features) * width, np.diff(starts)) + tags for starts, tags, *_ in (a, b)]
    )
    both, place = np.unique(codes, return_inverse=True)
    weights: NDArray[np.float64] = np.zeros(len(both))
    np.add.at(weights, place, np.concatenate([a[2], b[2]]))
    starts = np.searchsorted(both, np.arange(features + 1) * width).astype(np.int64)
    triples = None if a[4] is None or b[4] is None else a[4] + b[4]
    return starts, (both % width).astype(np.int32), weights, a[3] + b[3], triples
