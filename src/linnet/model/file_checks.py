"""Checks of what a file claims to hold: one clear error for anything that is not as it should be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError

Tensors = dict[str, NDArray[Any]]


def require(holds: bool, path: str, otherwise: str) -> None:
    if not holds:
        raise ModelFileError(f"{path}: is damaged: {otherwise}")


def a_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def a_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def float64_array(array: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    if array.dtype != np.float64 or array.ndim != dimensions:
        raise TypeError("an array has the wrong type")
    return np.ascontiguousarray(array)
