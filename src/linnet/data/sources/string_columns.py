"""Columns of strings as they are read, without Arrow where they are plain: to convert its answers it would import
pandas, if that is installed, which takes longer, and more memory, than all else that happens to a sample.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import Kind, ReadAs, Reading
from linnet.data.missing_markers import encoded_spellings, normal
from linnet.data.sources.block import Column, Numbers, Strings
from linnet.kernels.vocabulary import Vocabulary


def plain_numbers(column: Strings, markers: frozenset[str]) -> NDArray[np.float64] | None:
    """The numbers, NaN where one is missing; None if any is not as programs write them."""
    values, wrong = column.numbers
    if not wrong.any():
        return values
    known = encoded_spellings(markers)
    if (np.diff(column.starts)[wrong] > max(map(len, known))).any():  # longer than any marker: no need to look
        return None
    others = {raw for raw, is_wrong in zip(column.each_bytes(), wrong.tolist(), strict=True) if is_wrong}
    if column.missing is not None and column.missing.any():
        others.discard(b"")
    if not others.issubset(known):
        return None
    return np.where(wrong, np.nan, values)


def as_read(column: Strings, how: Reading) -> Column:
    """Strings as later blocks have this column."""
    if how.is_number and how.type.is_plain_number:
        values = plain_numbers(column, how.markers)
        if values is not None:
            if not len(how.missing_numbers):
                return Numbers(values)
            missing = np.isin(values, how.missing_numbers)
            return Numbers(np.where(missing, np.nan, values) if missing.any() else values)
    return as_strings(column, how) if stays_text(how) else converted(column, how)[0]


def converted(column: Strings, how: Reading) -> tuple[Column, NDArray[np.int64]]:
    """Strings that do not stay so, by Arrow, and the rows whose value does not fit: those are missing there."""
    from linnet.data.sources import conversion

    return conversion.converted(conversion.array_of(column), how)


def stays_text(how: Reading) -> bool:
    """Whether strings are taken as they are, but for missing ones."""
    return not how.is_number and (how.read_as is not ReadAs.CATEGORY or how.type.kind not in (Kind.BOOLEAN, Kind.DATE))


def as_strings(column: Strings, how: Reading) -> Strings:
    """Strings of a column that stay text, with the missing ones marked."""
    if how.read_as is not ReadAs.LABEL:
        return replace(column, markers=how.markers)
    distinct = Vocabulary()
    codes = distinct.numbers(column.data, np.ascontiguousarray(column.starts), b"", False)
    names = distinct.names()  # type: ignore[no-untyped-call]
    missing = np.array([normal(name) in how.markers for name in names], dtype=bool)[codes]
    missing = missing if column.missing is None else missing | column.missing
    return replace(column, missing=missing if missing.any() else None)
