"""Columns of whole numbers that are dates, as their names and values both say: 20240405, or seconds since 1970."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_NAMES = re.compile(
    r"(?:^|[_\W])(?:date|datetime|day|timestamp|ts|epoch|unixtime|created|updated|modified)(?:$|[_\W])"
    r"|(?:date|timestamp|_at|_ts)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"[a-z](?:At|Date|Timestamp)$")
# From 2001 to 2103, in seconds; and how many parts of a second may be counted instead.
FIRST, LAST = 1e9, 4.2e9
PARTS = (1.0, 1e3, 1e6, 1e9)
# As 20240405 has them.
FIRST_DAY, LAST_DAY = 19000101, 21001231


def named_like_a_date(name: str) -> bool:
    return bool(_NAMES.search(name) or _CAMEL.search(name))


def are_dates(values: NDArray[np.float64]) -> bool:
    """Whether these numbers, NaN for missing ones, can all be dates of our time."""
    given = values[~np.isnan(values)]
    if not len(given):
        return False
    if any(((given >= FIRST * parts) & (given < LAST * parts)).all() for parts in PARTS):
        return True
    months, days = given // 100 % 100, given % 100
    in_range = (given >= FIRST_DAY) & (given <= LAST_DAY) & (given == np.floor(given))
    return bool((in_range & (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all())
