"""Columns of dates and times, text or typed, as seconds: whole columns at once, and odd values one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linnet.data.date_spelling import DAY, GROUPS, NANO, NUMERIC, PIVOT, DateOrder, clock_seconds, seconds, zone_offset
from linnet.data.sources.arrow_functions import pc
from linnet.data.sources.odd_values import Mask, Values, with_odd_values

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def typed_seconds(array: Any) -> Values:
    """Days, timestamps, durations and times of day as seconds; NaN where there is none."""
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("s"), safe=False)
    per = PER_SECOND[array.type.unit]
    stored = array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64())
    whole, rest = np.divmod(np.asarray(stored.fill_null(0)).astype(np.int64), per)
    values = _joined(whole, rest * (NANO // per))
    return np.where(np.asarray(array.is_null()), np.nan, values)


def date_seconds(array: Any, order: DateOrder, markers: frozenset[str]) -> tuple[Values, Mask]:
    """Trimmed strings as seconds since 1970, NaN where there is none, and which of them are not dates."""
    values = np.full(len(array), np.nan)
    groups = pc.extract_regex(array, f"^{NUMERIC}$")
    matched = np.asarray(groups.is_valid())
    if matched.any():
        values[matched] = _numeric(groups.filter(pa.array(matched)), order)
    left = np.isnan(values) & np.asarray(array.is_valid())
    return with_odd_values(array, values, left, markers, lambda text: seconds(text, order))


def clock_columns(array: Any, markers: frozenset[str]) -> tuple[Values, Mask]:
    """Trimmed strings as seconds since midnight, NaN where there is none, and which of them are not times."""
    return with_odd_values(array, np.full(len(array), np.nan), np.asarray(array.is_valid()), markers, clock_seconds)


def _numeric(groups: Any, order: DateOrder) -> Values:
    """Dates of three numbers; NaN where they are not one."""
    part = dict(zip(GROUPS, groups.flatten(), strict=True))
    a, b, c = (_integers(part[name]) for name in "abc")
    lengths = [np.asarray(pc.binary_length(part[name])) for name in "ac"]
    year_first = (lengths[0] == 4) & (lengths[1] <= 2)
    ordered = (lengths[0] <= 2) & ((lengths[1] == 2) | (lengths[1] == 4)) & (order is not DateOrder.YEAR_FIRST)
    full = np.where(lengths[1] == 4, c, c + np.where(c >= PIVOT, 1900, 2000))
    first, second = (a, b) if order is DateOrder.DAY_FIRST else (b, a)
    year = np.where(year_first, a, full)
    month = np.where(year_first, b, second)
    day = np.where(year_first, c, first)
    fits = (year_first | ordered) & np.asarray(pc.equal(part["s"], part["t"])) & (month >= 1) & (month <= 12)
    fits &= year >= 1
    months = (np.where(fits, year, 1970) - 1970) * 12 + np.where(fits, month, 1) - 1
    begins = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    ends = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    fits &= (day >= 1) & (day <= ends - begins)
    clock, nanoseconds, sound = _clock(part)
    zones = pc.dictionary_encode(part["zone"])
    offsets = np.array([zone_offset(each) for each in zones.dictionary.to_pylist()], dtype=np.int64)
    total = (begins + day - 1) * DAY + clock - offsets[np.asarray(zones.indices)]
    return np.where(fits & sound, _joined(total, nanoseconds), np.nan)


def _clock(part: dict[str, Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], Mask]:
    """Seconds and nanoseconds since midnight, and whether they are possible."""
    hour, minute, second = (_integers(part[name]) for name in ("hour", "minute", "second"))
    half = pc.utf8_lower(part["half"])
    morning, afternoon = np.asarray(pc.equal(half, "a")), np.asarray(pc.equal(half, "p"))
    halved = morning | afternoon
    sound = np.where(halved, (hour >= 1) & (hour <= 12), hour <= 23) & (minute <= 59) & (second <= 59)
    hour = np.where(halved, hour % 12 + 12 * afternoon, hour)
    nanoseconds = _integers(pc.utf8_rpad(part["fraction"], 9, "0"))
    return hour * 3600 + minute * 60 + second, nanoseconds, sound


def _integers(texts: Any) -> NDArray[np.int64]:
    """Digits as integers, 0 where there are none."""
    return np.asarray(pc.if_else(pc.equal(texts, ""), "0", texts).cast(pa.int64()))


def _joined(whole: NDArray[np.int64], nanoseconds: NDArray[np.int64]) -> Values:
    """As date_spelling.joined."""
    return np.asarray(whole.astype(np.float64) + nanoseconds / float(NANO))
