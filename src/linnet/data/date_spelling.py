"""Dates and times as text: one value at a time, as seconds since 1970 (UTC, where there is a time zone).

A date that begins with its year, or names its month, has one meaning.  `04/05/2024` has two: the order of day and month
belongs to the type of a column.  Whole columns are read by sources/date_columns.py, with the pattern from here.

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from linnet.data.missing_markers import BLANKS
from linnet.data.month_names import month_number

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY = 86400
# Years of two digits: from here on they are of the twentieth century, as POSIX has it.
PIVOT = 69
EPOCH = date(1970, 1, 1).toordinal()
NANO = 1_000_000_000
# Hours of a duration, at most.
LONGEST = 9999

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9})[0-9]*)?)?"
    r" ?(?:(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_TIME = rf"(?:(?:T|,? +){_CLOCK} ?(?P<zone>[Zz]|UTC|GMT|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)?)?"
# Three numbers, and a time or none.
NUMERIC = r"(?P<a>[0-9]{1,4})(?P<s>[-/.])(?P<b>[0-9]{1,2})(?P<t>[-/.])(?P<c>[0-9]{1,4})" + _TIME
GROUPS = ("a", "s", "b", "t", "c", "hour", "minute", "second", "fraction", "half", "zone")
CLOCK = _CLOCK
_WEEKDAY = r"(?:[^\W\d_]{2,12}(?:-feira)?[,.]? +)?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|º)?"
_MONTH = r"(?P<month>[^\W\d_]{3,12})\.?"
_NAMED = (
    re.compile(rf"{_WEEKDAY}{_DAY}(?:[ ./-]*| de ){_MONTH}(?:[ ,./-]*| de )(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}"),
    re.compile(rf"{_WEEKDAY}{_MONTH} *{_DAY},? +(?P<year>[0-9]{{4}}){_TIME}"),
    re.compile(rf"(?P<year>[0-9]{{4}})(?P<digits>[0-9]{{2}})(?P<day>[0-9]{{2}}){_TIME}"),
    re.compile(rf"(?P<year>[0-9]{{4}})[-/](?P<digits>[0-9]{{2}})(?P<day>){_TIME}"),
    re.compile(rf"{_MONTH}[ -](?P<year>[0-9]{{4}})(?P<day>){_TIME}"),
)
# 2024-W15 is a Monday, 2024-W15-3 the Wednesday after it; 2024-Q2 and Q2 2024 are the first day of a quarter.
_WEEK = re.compile(r"(?P<year>[0-9]{4})-?W(?P<week>[0-9]{2})(?:-?(?P<weekday>[1-7]))?")
_QUARTER = re.compile(r"(?P<year>[0-9]{4})[ -]?Q(?P<quarter>[1-4])|Q(?P<first>[1-4])[ /-](?P<last>[0-9]{4})", re.I)
# Seconds since 1970, or thousandths of them, millionths, billionths: by their size, from 1973 on.
_COUNTED = re.compile(r"[0-9]{9,19}(?:\.[0-9]*)?")
_UNITS = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))
_NUMERIC = re.compile(NUMERIC)
_CLOCK_ALONE = re.compile(_CLOCK.replace("[0-9]{1,2}", "[0-9]{1,4}", 1))


class DateOrder(StrEnum):
    """The order of day, month and year where all are numbers; year-first where none is written otherwise."""

    YEAR_FIRST = "year-first"
    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


def seconds(text: str, order: DateOrder) -> float | None:
    """The seconds since 1970 of a date, with a time or without; None if the text is not one."""
    text = text.strip(BLANKS)
    found = _NUMERIC.fullmatch(text)
    if found is not None:
        parts = _ordered(found["a"], found["b"], found["c"], order) if found["s"] == found["t"] else None
    else:
        found, parts = _named(text)
    if found is None:
        return _counted(text)
    if parts is None:
        return None
    try:
        days = date(*parts).toordinal() - EPOCH
    except ValueError:
        return None
    clock = (0, 0) if found["hour"] is None else _clock(found)
    if clock is None:
        return None
    return joined(days * DAY + clock[0] - zone_offset(found["zone"]), clock[1])


def _counted(text: str) -> float | None:
    """The same of a week, a quarter, or a number of seconds or of parts of seconds since 1970."""
    if found := _WEEK.fullmatch(text):
        try:
            day = date.fromisocalendar(int(found["year"]), int(found["week"]), int(found["weekday"] or 1))
        except ValueError:
            return None
        return float((day.toordinal() - EPOCH) * DAY)
    if found := _QUARTER.fullmatch(text):
        year, quarter = int(found["year"] or found["last"]), int(found["quarter"] or found["first"])
        return float((date(year, 3 * quarter - 2, 1).toordinal() - EPOCH) * DAY) if year else None
    if not _COUNTED.fullmatch(text):
        return None
    digits, _, fraction = text.partition(".")
    per = next(per for below, per in _UNITS if int(digits) < below)
    whole, rest = divmod(int(digits), per)
    return joined(whole, rest * (NANO // per) + int(float(f"0.{fraction or 0}") * (NANO // per)))


def has_time(text: str) -> bool:
    """Whether a date that was read has a time of day."""
    return ":" in text


def clock_seconds(text: str) -> float | None:
    """The seconds since midnight of a time of day, or of a duration written like one (36:10); None if it is neither."""
    found = _CLOCK_ALONE.fullmatch(text.strip(BLANKS))
    clock = None if found is None else _clock(found, LONGEST)
    return None if clock is None else joined(*clock)


def joined(whole: int, nanoseconds: int) -> float:
    """Seconds and nanoseconds together, rounded once each: the same bits however they were stored."""
    return float(whole) + nanoseconds / NANO


def _ordered(a: str, b: str, c: str, order: DateOrder) -> tuple[int, int, int] | None:
    """Year, month and day of three numbers."""
    if len(a) == 4:
        return (int(a), int(b), int(c)) if len(c) <= 2 else None
    if len(a) > 2 or len(c) not in (2, 4) or order is DateOrder.YEAR_FIRST:
        return None
    day, month = (a, b) if order is DateOrder.DAY_FIRST else (b, a)
    return _year(c), int(month), int(day)


def _year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) == 4 else year + (1900 if year >= PIVOT else 2000)


def _named(text: str) -> tuple[re.Match[str] | None, tuple[int, int, int] | None]:
    """A date whose month has a name, or of eight digits; or a month, which is its first day."""
    for pattern in _NAMED:
        found = pattern.fullmatch(text)
        if found is not None:
            groups = found.groupdict()
            name = groups.get("month")
            month = int(groups["digits"]) if name is None else month_number(name) or 0
            return found, (_year(found["year"]), month, int(found["day"] or 1))
    return None, None


def _clock(found: re.Match[str], last_hour: int = 23) -> tuple[int, int] | None:
    """Seconds and nanoseconds since midnight."""
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    if hour > last_hour or minute > 59 or second > 59:
        return None
    return hour * 3600 + minute * 60 + second, int((found["fraction"] or "0").ljust(9, "0"))


def zone_offset(zone: str | None) -> int:
    """The seconds that a time zone is ahead of UTC."""
    if not zone or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    ahead = int(digits[:2]) * 3600 + int(digits[2:] or 0) * 60
    return ahead if zone[0] == "+" else -ahead


def best_order(values: Mapping[str, int], given: DateOrder | None) -> tuple[DateOrder, int, str]:
    """The order by which most of these values are dates, how many are, and an example that has another meaning, too.

    They come with how often each occurs.  Where nothing shows which is day and month, a point between them is taken for
    day first, a slash or a hyphen for month first, unless the user gave the order.
    """
    if given is not None:
        return given, _fitting(values, given), ""
    fits = {order: _fitting(values, order) for order in DateOrder}
    if fits[DateOrder.YEAR_FIRST] == max(fits.values()):
        return DateOrder.YEAR_FIRST, fits[DateOrder.YEAR_FIRST], ""
    if fits[DateOrder.DAY_FIRST] != fits[DateOrder.MONTH_FIRST]:
        order = max(DateOrder, key=lambda each: fits[each])
        return order, fits[order], ""
    ordered = (text for text in values if seconds(text, DateOrder.YEAR_FIRST) is None)
    example = next(text for text in ordered if seconds(text, DateOrder.DAY_FIRST) is not None)
    order = DateOrder.DAY_FIRST if "." in example.strip(BLANKS)[:3] else DateOrder.MONTH_FIRST
    return order, fits[order], example


def _fitting(values: Mapping[str, int], order: DateOrder) -> int:
    return sum(times for text, times in values.items() if seconds(text, order) is not None)
