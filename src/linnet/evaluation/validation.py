"""Checks of the arrays that a tally is given, block by block; an error names the row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linnet.data.limits import LARGEST_WEIGHT
from linnet.errors import InputError
from linnet.evaluation.exact_sums import Counts, Floats
from linnet.evaluation.weights import GRID


def numbers(name: str, values: ArrayLike, seen: int, shape: tuple[int, ...] | None = None) -> Floats:
    """Finite float64 in C order, of this shape (one-dimensional by default); `seen` rows were in earlier blocks."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    wanted = shape if shape is not None else (array.size,)
    if array.shape != wanted:
        raise InputError(f"{name} have the shape {array.shape}; expected {wanted}")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))[0])
        raise InputError(f"{name} must be finite: see row {seen + row}")
    return array


def codes(name: str, values: ArrayLike, lowest: int, classes: int, seen: int) -> Counts:
    """Class numbers from `lowest` to classes - 1, one-dimensional."""
    array = np.asarray(values)
    if not array.size:
        return np.empty(0, np.int64)
    if array.ndim != 1:
        raise InputError(f"{name} have {array.ndim} dimensions; expected 1")
    with np.errstate(invalid="ignore"):  # NaN differs from any integer
        whole = array.astype(np.int64)
    wrong = (whole != array) | (whole < lowest) | (whole >= classes)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"{name} must be class numbers from {lowest} to {classes - 1}: row {seen + row} has {array[row]}"
        )
    return whole


def row_weights(weights: ArrayLike | None, rows: int, seen: int) -> Floats | None:
    """Numbers from 0, how much each row counts, on the grid on which they are added."""
    if weights is None:
        return None
    array = numbers("weights", weights, seen, (rows,))
    wrong = (array < 0) | (array > LARGEST_WEIGHT)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(f"row {seen + row} has the weight {array[row]}: pass weights from 0 to {LARGEST_WEIGHT:.4g}")
    rounded: Floats = np.rint(array / GRID) * GRID
    return rounded
