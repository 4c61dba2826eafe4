"""What only pandas has: names that are there twice, and periods and intervals, which Arrow hands on as objects."""

from __future__ import annotations

from collections import Counter
from typing import Any

from linnet.errors import InputError

# The types whose values are known by their text alone: 2024-04 of a period, (0, 5] of an interval.
BY_TEXT = ("period", "interval")


def plain_frame(frame: Any) -> Any:
    """The frame as Arrow can take it over; an error that names a column that is there twice."""
    for name, times in Counter(map(str, frame.columns)).items():
        if times > 1:
            raise InputError(f"the frame: the column {name!r} is there twice: rename one of them")
    odd = [name for name, kind in frame.dtypes.items() if _by_text(kind)]
    if not odd:
        return frame
    return frame.assign(**{name: frame[name].astype(object).map(str, na_action="ignore") for name in odd})


def _by_text(kind: Any) -> bool:
    categories = getattr(kind, "categories", None)  # pandas.cut gives categories that are intervals
    return str(kind if categories is None else categories.dtype).startswith(BY_TEXT)
