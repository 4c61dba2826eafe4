"""Moments: the mean and the standard deviation of every feature in the training rows, by which reasons are measured.

A missing number counts as the mean of its column, so that its feature adds nothing there.  Words are measured against
0, a text without them, which is nearly their mean; theirs is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.model.file_checks import Tensors, float64_array, require

Flat = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Of each feature; the mean of a word is 0."""

    means: Flat
    deviations: Flat


def moments_to_file(moments: Moments, features: Features, tensors: Tensors) -> None:
    """16 bytes a feature, 4 a word: of words only the deviation is kept, in single precision."""
    words = features.text_features()
    tensors["means"], tensors["deviations"] = moments.means[~words], moments.deviations[~words]
    if words.any():
        tensors["word_deviations"] = moments.deviations[words].astype(np.float32)


def moments_from_file(tensors: Tensors, features: Features, path: str) -> Moments | None:
    """None for a model that was made without training rows."""
    if not {"means", "deviations"} & tensors.keys():
        return None
    words = features.text_features()
    known, count = float64_array(tensors["means"], 1), int((~words).sum())
    spread = float64_array(tensors["deviations"], 1)
    of_words = tensors["word_deviations"] if words.any() else np.empty(0, dtype=np.float32)
    require(of_words.dtype == np.float32 and of_words.ndim == 1, path, "the deviations of words have the wrong type")
    sizes = (len(known), len(spread), len(of_words))
    require(sizes == (count, count, len(words) - count), path, "means and features differ in number")
    finite = all(bool(np.isfinite(each).all()) for each in (known, spread, of_words))
    positive = bool((spread >= 0).all() and (of_words >= 0).all())
    require(finite and positive, path, "a mean or a deviation is impossible")
    means, deviations = np.zeros(len(words)), np.zeros(len(words))
    means[~words], deviations[~words], deviations[words] = known, spread, of_words
    return Moments(means, deviations)
