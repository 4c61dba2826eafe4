"""Values that no fast path reads: each different one is looked at once, in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linnet.data.missing_markers import normal
from linnet.data.sources.arrow_functions import pc

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Meaning = Callable[[str], float | None]


def with_odd_values(
    array: Any, values: Values, left: Mask, markers: frozenset[str], meaning: Meaning
) -> tuple[Values, Mask]:
    """The values with those that are left filled in, NaN where a string is missing, and which strings mean none."""
    wrong = np.zeros(len(array), dtype=bool)
    if left.any():
        each = pc.dictionary_encode(array.filter(pa.array(left)))
        texts, at = each.dictionary.to_pylist(), np.asarray(each.indices)
        missing = [normal(text) in markers for text in texts]
        found = [None if none else meaning(text) for text, none in zip(texts, missing, strict=True)]
        values[left] = np.array([math.nan if value is None else value for value in found])[at]
        wrong[left] = np.array([value is None and not none for value, none in zip(found, missing, strict=True)])[at]
    return values, wrong
