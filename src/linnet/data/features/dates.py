"""Dates: the parts of a date that a linear model can use, under names that say what they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.date_spelling import DAY, EPOCH, WEEKDAYS
from linnet.data.features.terms import Piece, missing_name
from linnet.data.month_names import MONTHS
from linnet.data.sources.block import Column, Numbers

# Features that every date has: the days since the first, a flag for missing dates, and the year.
DAYS, MISSING, YEAR = 0, 1, 2
FIRST_MONTH = 3
FIRST_WEEKDAY = FIRST_MONTH + len(MONTHS)
FIRST_HOUR = FIRST_WEEKDAY + len(WEEKDAYS)
HOURS = 24
# 1970-01-01 was a Thursday.
THURSDAY = 3
# The first days of the years 1 and 10000, in days since 1970.
EARLIEST, LATEST = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH + 1


class DateTerm:
    """A column of dates, in seconds since 1970: days since the first date, year, month, weekday and, with times, hour.

    Days and year are numbers; months, weekdays and hours are categories, 1 in `column month=April`.
    """

    kind = "date"
    # its features that are numbers, each with the one for missing values
    numbers = ((DAYS, MISSING), (YEAR, MISSING))
    missing = MISSING

    def __init__(self, column: str, first: int, *, with_time: bool) -> None:
        self.columns = (column,)
        self.first = first
        self.with_time = with_time

    @property
    def groups(self) -> list[tuple[str, range]]:
        """The parts that are categories, by name, and their features."""
        ends = [("month", FIRST_MONTH), ("weekday", FIRST_WEEKDAY), ("hour", FIRST_HOUR), ("", FIRST_HOUR + HOURS)]
        found = [(f"{self.columns[0]} {name}", range(a, b)) for (name, a), (_, b) in pairwise(ends)]
        return found if self.with_time else found[:-1]

    def __len__(self) -> int:
        return FIRST_HOUR + (HOURS if self.with_time else 0)

    def prepare(self, columns: Mapping[str, Column]) -> Piece:
        column = columns[self.columns[0]]
        assert isinstance(column, Numbers)
        missing = np.isnan(column.values)
        parts = self._parts(column.values[~missing])
        starts = np.zeros(len(missing) + 1, dtype=np.int64)
        np.cumsum(np.where(missing, 1, len(parts)), out=starts[1:])
        ids, values = np.full(starts[-1], MISSING, dtype=np.int64), np.ones(starts[-1])
        at = starts[:-1][~missing]
        for offset, (number, value) in enumerate(parts):
            ids[at + offset], values[at + offset] = number, value
        return Piece(ids, values, starts)

    def _parts(self, seconds: NDArray[np.float64]) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """The feature and the value of each part, for all dates."""
        days = np.floor_divide(seconds, DAY).astype(np.int64)
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)  # since 1970
        ones = np.ones(len(days))
        parts = [
            (np.full(len(days), DAYS), (days - self.first).astype(np.float64)),
            (np.full(len(days), YEAR), (1970 + months // 12).astype(np.float64)),
            (FIRST_MONTH + months % 12, ones),
            (FIRST_WEEKDAY + (days + THURSDAY) % 7, ones),
        ]
        if self.with_time:
            parts.append((FIRST_HOUR + ((seconds - days * float(DAY)) // 3600).astype(np.int64), ones))
        return parts

    def number(self, prepared: Piece, *, frozen: bool) -> Piece:  # noqa: ARG002
        return prepared

    def name(self, number: int) -> str:
        column = self.columns[0]
        if number < FIRST_MONTH:
            first = date.fromordinal(self.first + EPOCH).isoformat()
            return (f"{column} days since {first}", missing_name(column), f"{column} year")[number]
        if number < FIRST_WEEKDAY:
            return f"{column} month={MONTHS[number - FIRST_MONTH]}"
        if number < FIRST_HOUR:
            return f"{column} weekday={WEEKDAYS[number - FIRST_WEEKDAY]}"
        return f"{column} hour={number - FIRST_HOUR}"
