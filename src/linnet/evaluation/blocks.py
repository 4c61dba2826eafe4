"""What tallies share: a block of arrays looked over on the way in, a result made plain on the way out."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linnet.errors import InputError
from linnet.evaluation.exact import Counts, Floats

MOST_COPIES = 1 << 40


def numbers(name: str, values: ArrayLike, seen: int, shape: tuple[int, ...] | None = None) -> Floats:
    """Finite float64 in C order, of this shape (one dimension without); `seen` rows came in earlier blocks."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    wanted = shape if shape is not None else (array.size,)
    if array.shape != wanted:
        raise InputError(f"{name} have the shape {array.shape}, where {wanted} is needed")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))[0])
        raise InputError(f"{name} are not all finite: see row {seen + row}")
    return array


def codes(name: str, values: ArrayLike, lowest: int, classes: int, seen: int) -> Counts:
    """Whole numbers from `lowest` to classes - 1, in one dimension."""
    array = np.asarray(values)
    if not array.size:
        return np.empty(0, np.int64)
    if array.ndim != 1:
        raise InputError(f"{name} have {array.ndim} dimensions, where 1 is needed")
    with np.errstate(invalid="ignore"):  # what is no number differs from any whole one
        whole = array.astype(np.int64)
    wrong = (whole != array) | (whole < lowest) | (whole >= classes)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        place = f"row {seen + row} has {array[row]}"
        raise InputError(f"{name} must be class numbers from {lowest} to {classes - 1}: {place}")
    return whole


def copies(weights: ArrayLike | None, rows: int, seen: int) -> Counts | None:
    """Weights as whole numbers of copies of each row."""
    if weights is None:
        return None
    array = numbers("weights", weights, seen, (rows,))
    wrong = (array < 0) | (array != np.floor(array)) | (array > MOST_COPIES)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"row {seen + row} has the weight {array[row]}: here weights count copies of a row, so give whole numbers "
            f"from 0, or leave weights out"
        )
    return array.astype(np.int64)


def plain(value: Any) -> Any:
    """What JSON can hold: lists, dicts, text, numbers; None for what is no finite number."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
