"""Columns of numbers that only name their rows: they count them, or are different in every row by design.

What varies freely is also different in every row, if it has digits enough: a price in dollars, a time in seconds.  So a
column is an id only where chance does not explain that its whole numbers never repeat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A count of rows is noticed in this many; fewer where the name says what it is.
LEAST_ROWS, LEAST_NAMED = 20, 3
# Draws among the whole numbers between the smallest and the largest would be expected to repeat this often.
REPEATS = 5.0
# Of this many rows or more it is enough that numbers never repeat and are spread evenly, as where ids are drawn.
MANY_ROWS = 1000
# The largest distance between two distributions, times the root of the rows, that chance exceeds in 1 of 100 samples.
KOLMOGOROV = 1.63


def id_reason(values: NDArray[np.float64], *, named: bool) -> str:
    """Why a column of numbers, with NaN for missing ones, is an id; nothing if it is not."""
    rows = len(values)
    least = LEAST_NAMED if named else LEAST_ROWS
    if rows < least or not (np.floor(values) == values).all():  # nor is it one where a value is missing
        return ""
    steps = np.diff(values)
    if steps[0] != 0 and (steps == steps[0]).all():
        return "it counts the rows"
    low, high = float(values.min()), float(values.max())
    if len(np.unique(values)) < rows:
        return ""
    expected = rows * (rows - 1) / (2 * (high - low + 1))
    evenly = np.abs((np.sort(values) - low) / (high - low) - np.linspace(0, 1, rows)).max() * np.sqrt(rows)
    if named or expected >= REPEATS or (rows >= MANY_ROWS and evenly < KOLMOGOROV):
        return "every row has a different whole number"
    return ""
