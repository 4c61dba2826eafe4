"""One conversion for all formats: an Arrow column, text or typed, as its type says, and the values that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linnet.data.column_types import Kind, Reading, truth_of
from linnet.data.date_spelling import DAY, EPOCH
from linnet.data.missing_markers import BLANKS
from linnet.data.number_spelling import DECIMAL, MAGNITUDES, NEGATIVE, PLAIN, NumberSpelling
from linnet.data.sources.arrow import float64_values, is_string, is_time, strings
from linnet.data.sources.arrow_functions import cast, pc
from linnet.data.sources.block import Column, Numbers, Strings
from linnet.data.sources.date_columns import clock_columns, date_seconds, typed_seconds
from linnet.data.sources.odd_values import Mask, Values, with_odd_values
from linnet.data.sources.string_columns import as_strings, stays_text

NONE = np.empty(0, dtype=np.int64)
BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_SECOND, LAST_SECOND = (date.min.toordinal() - EPOCH) * DAY, (date.max.toordinal() + 1 - EPOCH) * DAY


def converted(array: Any, how: Reading) -> tuple[Column, NDArray[np.int64]]:
    """A plain array as numbers or strings, and the rows whose value does not fit: those are missing there."""
    if how.is_number:
        values, wrong = numbers_of(array, how)
        return Numbers(values), np.flatnonzero(wrong)
    if not stays_text(how):
        values, wrong = numbers_of(array, how)
        spelt = _date if how.type.kind is Kind.DATE else lambda value: how.type.words[value == 0]
        return replace(_categories(values, spelt), markers=how.markers), np.flatnonzero(wrong)
    return as_strings(strings(array), how), NONE


def numbers_of(array: Any, how: Reading) -> tuple[Values, Mask]:
    """A plain array as numbers (dates as seconds since 1970, true as 1), NaN where there is none, and what is not one.

    An infinite value is not a number that a model can use.
    """
    values, wrong = _numbers(array, how)
    beyond = np.isinf(values)
    if how.type.kind is Kind.DATE:
        beyond |= (values < FIRST_SECOND) | (values >= LAST_SECOND)  # a typed time may be of the year 200,000
    if beyond.any():
        values, wrong = np.where(beyond, np.nan, values), wrong | beyond
    for number in how.missing_numbers if how.type.kind is Kind.NUMBER else ():
        values = np.where(values == number, np.nan, values)
    return values, wrong


def _numbers(array: Any, how: Reading) -> tuple[Values, Mask]:
    kind, stored = how.type.kind, array.type
    none_wrong = np.zeros(len(array), dtype=bool)
    if pa.types.is_null(stored):
        return np.full(len(array), np.nan), none_wrong
    number = kind is Kind.NUMBER and not is_string(stored) and not is_time(stored)
    if number or (is_time(stored) and _meant(kind, stored)):
        return typed_numbers(array), none_wrong
    text = _trimmed(_text(array))
    if kind is Kind.DATE:
        return date_seconds(text, how.type.order, how.markers)
    if kind is Kind.TIME:
        return clock_columns(text, how.markers)
    if kind is Kind.BOOLEAN:
        unknown = np.full(len(array), np.nan)
        return with_odd_values(text, unknown, np.asarray(text.is_valid()), how.markers, _truth)
    return _spelt_numbers(text, how.type.spelling, how.markers)


def typed_numbers(array: Any) -> Values:
    """Numbers, truth and times that are stored as such, NaN where there is none."""
    if is_time(array.type):
        return typed_seconds(array)
    if pa.types.is_boolean(array.type):
        array = cast(array, pa.uint8())
    if not pa.types.is_float64(array.type):
        array = cast(array, pa.float64(), safe=False)
    return float64_values(array)


def _meant(kind: Kind, stored: Any) -> bool:
    """Whether typed times are what a column of this kind has."""
    if kind is Kind.DATE:
        return bool(pa.types.is_date(stored) or pa.types.is_timestamp(stored))
    return bool(pa.types.is_time(stored) if kind is Kind.TIME else pa.types.is_duration(stored))


def _text(array: Any) -> Any:
    """Large strings, whatever the type of the array."""
    if pa.types.is_large_string(array.type):
        return array
    if is_string(array.type):
        return array.cast(pa.large_string())
    return array_of(strings(array))


def array_of(column: Strings) -> Any:
    """Our strings as an Arrow array, without a copy."""
    starts = np.ascontiguousarray(column.starts)
    offsets, data = pa.py_buffer(starts), pa.py_buffer(np.ascontiguousarray(column.data))
    array = pa.LargeStringArray.from_buffers(len(column), offsets, data)
    return array if column.missing is None else pc.if_else(pa.array(column.missing), None, array)


def _trimmed(array: Any) -> Any:
    return pc.utf8_trim(array, characters=BLANKS)


def _spelt_numbers(array: Any, spelling: NumberSpelling, markers: frozenset[str]) -> tuple[Values, Mask]:
    """Trimmed strings as numbers: those that programs write at once, then those of the column's own spelling."""
    values, left = np.full(len(array), np.nan), np.asarray(array.is_valid())
    if spelling.decimal == ".":
        plain = np.asarray(pc.match_substring_regex(array, f"^{PLAIN}$").fill_null(False))
        values[plain] = _parsed(pc.ascii_ltrim(array.filter(pa.array(plain)), "+"))
        left = left & ~plain
    if left.any():
        rest = array.filter(pa.array(left))
        fits = np.asarray(pc.match_substring_regex(rest, f"^{spelling.pattern}$"))
        at = np.flatnonzero(left)
        if fits.any():
            values[at[fits]] = _cleaned(rest.filter(pa.array(fits)), spelling)
            left[at[fits]] = False
    return with_odd_values(array, values, left, markers, _bit)


def _cleaned(array: Any, spelling: NumberSpelling) -> Values:
    """Numbers of a spelling, all of which match its pattern."""
    if spelling.unit:
        array = pc.replace_substring(array, spelling.unit, "")
    digits = array
    for letters, power in MAGNITUDES if spelling.magnitudes else ():
        digits = pc.replace_substring_regex(digits, letters, power)
    digits = pc.replace_substring_regex(digits, f"[^0-9e{DECIMAL[spelling.decimal]}]", "")
    values = _parsed(pc.replace_substring(digits, ",", "."))
    return np.where(np.asarray(pc.match_substring_regex(array, f"^{NEGATIVE}")), -values, values)


def _parsed(array: Any) -> Values:
    """Plain numbers; those beyond the range of floating point are infinite."""
    try:
        return np.asarray(array.cast(pa.float64()))
    except pa.ArrowInvalid:
        return np.array([float(text) for text in array.to_pylist()], dtype=np.float64)


def _truth(text: str) -> float | None:
    truth = truth_of(text)
    return None if truth is None else float(truth)


def _bit(text: str) -> float | None:
    """true and false among numbers, which some formats have a type for."""
    return _truth(text) if text.lower() in ("true", "false") else None


def _categories(values: Values, spelt: Callable[[float], str]) -> Strings:
    """Numbers as the strings that stand for them."""
    missing = np.isnan(values)
    different, which = np.unique(np.where(missing, 0.0, values), return_inverse=True)
    names = pa.array([spelt(value) for value in different.tolist()], pa.large_string())
    return strings(pc.if_else(pa.array(missing), None, names.take(pa.array(which))))


def _date(value: float) -> str:
    """A date as a category is named: 2024-04-05, and its time if it is not midnight."""
    moment = BEGIN + timedelta(seconds=value)
    text = moment.replace(tzinfo=None).isoformat(sep=" ")
    return text.removesuffix(" 00:00:00")
