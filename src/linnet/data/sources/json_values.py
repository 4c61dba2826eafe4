"""JSON values as Python has them: the type that a column of them has, and how they are spelt as text."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from linnet.data.number_spelling import NumberSpelling
from linnet.data.sources.sets import set_text


def type_of(values: list[Any]) -> Any:
    """A common type; where there is none, text, in which every value can be spelt."""
    kinds = set(map(type, values))
    if not values:
        return pa.null()
    if kinds == {int} and _all_fit(values):
        return pa.int64()
    if kinds <= {int, float} or kinds in ({bool}, {str}):
        return {bool: pa.bool_(), str: pa.string()}.get(kinds.pop(), pa.float64())
    lists = [value for value in values if isinstance(value, list)]
    if 2 * len(lists) > len(values):  # the others are sets of one
        return _list_type([each for value in values for each in (value if isinstance(value, list) else [value])])
    if lists:
        return type_of([value for value in values if not isinstance(value, list)])
    return pa.string() if any(map(is_value, values)) else pa.struct([])


def _list_type(elements: list[Any]) -> Any:
    """Lists of categories, or lists that cannot be used: of numbers with fractions, of lists, of objects."""
    given = [each for each in elements if each is not None]
    if not all(map(is_value, given)) or any(type(each) is float for each in given):
        return pa.list_(pa.float64())
    return pa.list_(pa.string())


def text_of_list(value: Any, spelling: NumberSpelling) -> str:
    return set_text(spelt(each, spelling) for each in (value if isinstance(value, list) else [value]))


def is_value(value: Any) -> bool:
    """Whether this is text, a number, true or false."""
    if isinstance(value, str):
        return not any("\ud800" <= sign <= "\udfff" for sign in value)
    return isinstance(value, bool | int | float)


def _all_fit(values: list[Any]) -> bool:
    """Whether these are integers of 64 bits."""
    return all(each is None or (type(each) is int and -(2**63) <= each < 2**63) for each in values)


def spelt(value: Any, spelling: NumberSpelling) -> str | None:
    """A value as text; a number as its column spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return None if math.isnan(value) else spelling.spelt(value)
    return None if value is None else str(value)


def whole(digits: str) -> int | float:
    """An integer; one with more digits than Python parses is infinite as a float anyway."""
    return int(digits) if len(digits) <= 400 else float(digits)


def nearest(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
