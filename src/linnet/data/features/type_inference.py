"""The type of a column, inferred from the strings of its first rows: the same for every format.

A column that is a number (a date, a time) in all but a few values is one; the few do not fit, and are counted where
they are read.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from linnet.data.column_types import PLAIN_NUMBER, STRING, TRUTH, ColumnType, Kind
from linnet.data.date_spelling import DAY, DateOrder, best_order, clock_seconds, seconds
from linnet.data.missing_markers import normal
from linnet.data.number_spelling import best_spelling, few
from linnet.data.sources.block import Strings
from linnet.data.sources.string_columns import plain_numbers

DIGIT = re.compile("[0-9]")
# No number or date is spelt with more bytes, unless all values are plain numbers.
LONGEST_SPELLING = 128
# Numbers, but none that a model can use: they do not fit, and do not make their column one of strings.
INFINITE = frozenset({"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "\u221e", "-\u221e"})
# Two words have fewer spellings than this, however their letters and blanks are written.
MOST_SPELLINGS = 64


@dataclass(frozen=True)
class Inferred:
    """A type, how many of the values that are given do not fit it, and a date that could be read in another way.

    The `note` says what else a user would want to know of it.
    """

    type: ColumnType
    misfits: int = 0
    ambiguous: str = ""
    note: str = ""


def infer(column: Strings, markers: frozenset[str], dates: DateOrder | None, kind: Kind | None = None) -> Inferred:
    """The type of a column; of the kind that is given, if one is, however few values fit."""
    padded = kind is None and _begin_with_zero(column)
    if kind in (None, Kind.NUMBER) and not padded and _all_plain_numbers(column, markers):
        return Inferred(PLAIN_NUMBER)
    if kind is None and not few(int((np.diff(column.starts) > LONGEST_SPELLING).sum()), len(column)):
        return Inferred(STRING)
    values = _given(column, markers)
    total = sum(values.values())
    if padded and _are_codes(values, total):
        return Inferred(STRING, note="codes: digits with leading zeros")
    endless = sum(n for text, n in values.items() if normal(text) in INFINITE)
    worded = sum(n for text, n in values.items() if not _has_digit(text)) - endless
    if kind is None and (not total or not few(worded, total)):
        return Inferred(_boolean(values) or STRING)  # numbers and dates have digits
    note = ""
    for each, make in _MAKERS.items():
        if kind in (None, each):
            found, fits = make(values, dates)
            unfit = total - fits - (endless if each is Kind.NUMBER else 0)
            if kind is not None or (fits and few(unfit, total)):
                return replace(found, misfits=total - fits)
            if each is Kind.NUMBER and 2 * fits > total:
                note = f"{fits:,} of {total:,} values are numbers: make it number if the others are missing ones"
    return Inferred(STRING, note=note)


def _all_plain_numbers(column: Strings, markers: frozenset[str]) -> bool:
    """Whether there are numbers, all as programs write them, and nothing else: by far the most frequent case."""
    numbers = plain_numbers(column, markers)
    return numbers is not None and not bool(np.isnan(numbers).all())


def _begin_with_zero(column: Strings) -> bool:
    """Whether any value begins with a zero and another digit."""
    starts = column.starts[:-1][np.diff(column.starts) > 1]
    second = column.data[starts + 1]
    return bool(((column.data[starts] == ord("0")) & (second >= ord("0")) & (second <= ord("9"))).any())


def _are_codes(values: Counter[str], total: int) -> bool:
    """Whether digits are codes, as postal ones: many begin with a zero, or several do and all have one length."""
    texts = {text: text.strip() for text in values}
    padded = sum(n for text, n in values.items() if len(texts[text]) > 1 and texts[text][0] == "0")
    digits = sum(n for text, n in values.items() if texts[text].isascii() and texts[text].isdigit())
    if not few(total - digits, total):
        return False
    return not few(padded, total) or (padded > 1 and len(set(map(len, texts.values()))) == 1)


def _given(column: Strings, markers: frozenset[str]) -> Counter[str]:
    """The values that are not missing, and how often each occurs."""
    values = Counter(column.strings())
    if column.missing is not None:
        values[""] = 0
    return Counter({text: times for text, times in values.items() if times and normal(text) not in markers})


def _has_digit(text: str) -> bool:
    return DIGIT.search(text) is not None


def _boolean(values: Counter[str]) -> ColumnType | None:
    """Truth, if all values are one of two words for it; the words as they are mostly written."""
    if len(values) > MOST_SPELLINGS:
        return None
    for pair in TRUTH:
        if {normal(text) for text in values} == set(pair):
            written = [[text.strip() for text in values if normal(text) == word] for word in pair]
            words = [min(each, key=lambda text: (-values[text], text)) for each in written]
            return ColumnType(Kind.BOOLEAN, words=pair if pair == TRUTH[0] else (words[0], words[1]))
    return None


def _number(values: Counter[str], _: DateOrder | None) -> tuple[Inferred, int]:
    spelling, fits = best_spelling(values)
    return Inferred(ColumnType(Kind.NUMBER, spelling)), fits


def _date(values: Counter[str], dates: DateOrder | None) -> tuple[Inferred, int]:
    order, fits, ambiguous = best_order(values, dates)
    moments = (seconds(text, order) for text in values)
    with_time = any(moment is not None and moment % DAY for moment in moments)
    return Inferred(ColumnType(Kind.DATE, order=order, with_time=with_time), ambiguous=ambiguous), fits


def _time(values: Counter[str], _: DateOrder | None) -> tuple[Inferred, int]:
    return Inferred(ColumnType(Kind.TIME)), sum(n for text, n in values.items() if clock_seconds(text) is not None)


_MAKERS = {Kind.NUMBER: _number, Kind.DATE: _date, Kind.TIME: _time}
