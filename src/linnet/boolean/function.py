"""BooleanFunction: a truth table over named variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError

Table = NDArray[np.bool_]
Points = NDArray[np.int64]


@lru_cache(maxsize=32)
def cube(n: int) -> Points:
    """(2^n, n): all points in binary order; row r has the binary digits of r, the first variable first."""
    digits = np.arange(2**n)[:, np.newaxis] >> np.arange(n - 1, -1, -1) & 1
    digits.setflags(write=False)
    return digits


@dataclass(frozen=True, eq=False)
class BooleanFunction:
    """The value at each point of the cube, in binary order (00, 01, 10, 11)."""

    variables: tuple[str, ...]
    table: Table

    @staticmethod
    def of(given: Any, variables: Sequence[str] | None = None) -> BooleanFunction:
        """From a truth table of 2^n values, each 0 or 1; the variables are x1, x2, ... by default."""
        values = np.asarray(given)
        if values.ndim != 1 or len(values) & (len(values) - 1) or not len(values):
            shape = " x ".join(map(str, values.shape)) or "no"
            raise RecipeError(f"a truth table has 1, 2, 4, 8, ... values in one row; this one has {shape}")
        wrong = np.flatnonzero([value not in (0, 1) for value in values.tolist()])
        if len(wrong):
            raise RecipeError(f"a truth table holds 0 and 1; value {wrong[0] + 1} is {values.tolist()[wrong[0]]!r}")
        n = len(values).bit_length() - 1
        names = tuple(f"x{j + 1}" for j in range(n)) if variables is None else tuple(variables)
        if len(names) != n:
            raise RecipeError(f"a truth table of {len(values)} values has {n} variables; {len(names)} are named")
        return BooleanFunction(names, values.astype(np.bool_))

    @property
    def n(self) -> int:
        return len(self.variables)

    @property
    def points(self) -> Points:
        return cube(self.n)
