"""Columns of strings as they are read, without Arrow where they are plain: to convert its answers it would import
pandas, if that is installed, which takes longer, and more memory, than all else that happens to a sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import Reading
from linnet.data.missing_markers import encoded_spellings
from linnet.data.sources.block import Column, Numbers, Strings


def plain_numbers(column: Strings, markers: frozenset[str]) -> NDArray[np.float64] | None:
    """The numbers, NaN where one is missing; None if any is not as programs write them."""
    values, wrong = column.numbers
    if not wrong.any():
        return values
    known = encoded_spellings(markers)
    if (np.diff(column.starts)[wrong] > max(map(len, known))).any():  # longer than any marker: no need to look
        return None
    others = {column.bytes_of(row) for row in np.flatnonzero(wrong).tolist()}
    if column.missing is not None and column.missing.any():
        others.discard(b"")
    if not others.issubset(known):
        return None
    return np.where(wrong, np.nan, values)


def as_read(column: Strings, how: Reading) -> Column:
    """Strings as later blocks have this column."""
    from linnet.data.sources.conversion import array_of, as_strings, converted, stays_text

    if how.is_number and how.type.is_plain_number:
        values = plain_numbers(column, how.markers)
        if values is not None:
            if not len(how.missing_numbers):
                return Numbers(values)
            missing = np.isin(values, how.missing_numbers)
            return Numbers(np.where(missing, np.nan, values) if missing.any() else values)
    return as_strings(column, how) if stays_text(how) else converted(array_of(column), how)[0]
