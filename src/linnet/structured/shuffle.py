"""The order of the examples of a pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def shuffled(examples: Numbers, seed: int, number: int) -> Numbers:
    """The order of a pass: by a hash (SplitMix64) of seed, pass and example, the same on every machine."""
    with np.errstate(over="ignore"):
        x = examples.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64(seed & 0xFFFFFFFFFFFFFFFF) * np.uint64(0xD1342543DE82EF95) + np.uint64(number + 1)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
        x ^= x >> np.uint64(31)
    return examples[np.argsort(x, kind="stable")]
