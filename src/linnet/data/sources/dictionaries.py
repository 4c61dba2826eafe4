"""A few rows given as dictionaries, `{column: value}`, as one block, without a source or a thread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Column, Numbers, Position, Strings, number_in
from linnet.errors import InputError

SHOWN = 40
LARGEST_ID = (1 << 31) - 2
# What Arrow knows better than Python: the unit of a time, and the digits of a single.
LEFT_TO_ARROW = (np.datetime64, np.timedelta64, np.floating)


def block_of(rows: Mapping[Any, Any] | Sequence[Mapping[Any, Any]], wanted: Mapping[str, bool]) -> Block:
    """The wanted columns of some rows (or of one): as numbers (True) or as strings.

    A key that is missing, None and NaN are missing values; other keys are ignored.  A value means what it would in a
    frame: True is 1 or "true", 2.0 the category "2", a datetime its seconds since 1970.
    """
    given = _listed(rows)
    columns = {name: (_numbers if number else _strings)(given, name) for name, number in wanted.items()}
    return Block("", len(given), Position(), columns=columns)


def numbered_block_of(rows: Mapping[Any, Any] | Sequence[Mapping[Any, Any]]) -> Block:
    """Rows of numbered columns, `{id: value}`, as a line of an svmlight file has them; None is an entry left out."""
    given = _listed(rows)
    ids: list[int] = []
    values: list[float] = []
    starts = np.zeros(len(given) + 1, dtype=np.int64)
    for number, row in enumerate(given):
        found: dict[int, float] = {}
        for key, value in row.items():
            column = _id(key, number)
            if column in found:
                raise InputError(f"row {number + 1}: the id {column} is there twice")
            if value is not None:
                found[column] = _finite(value, number, f"the value of id {column}")
        ids += found
        values += found.values()
        starts[number + 1] = len(ids)
    for at in np.flatnonzero(np.isnan(values)).tolist():
        at_row = int(np.searchsorted(starts, at, side="right"))
        raise InputError(f"row {at_row}: the value of id {ids[at]} is NaN: leave the entry out, or give a number")
    size = max(ids) + 1 if ids else 0
    sparse = Rows(np.array(values, dtype=np.float64), np.array(ids, dtype=np.uint32), starts, (len(given), size))
    return Block("", len(given), Position(), sparse=sparse)


def _listed(rows: Any) -> Sequence[Mapping[Any, Any]]:
    if isinstance(rows, Mapping):
        return [rows]
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"row {number + 1} is not a dictionary of columns but {_shown(row)}")
    return list(rows)


def _numbers(rows: Sequence[Mapping[Any, Any]], name: str) -> Column:
    values = [_finite(row.get(name), number, name) for number, row in enumerate(rows)]
    return Numbers(np.array(values, dtype=np.float64))


def _strings(rows: Sequence[Mapping[Any, Any]], name: str) -> Column:
    texts: list[str | None] = []
    for number, row in enumerate(rows):
        try:
            texts.append(_text(row.get(name)))
        except ValueError:
            raise InputError(
                f"row {number + 1}: {name} should be text or a number but is {_shown(row[name])}"
            ) from None
    strings = Strings.of([text or "" for text in texts])
    missing = np.array([text is None for text in texts], dtype=bool)
    return Strings(strings.data, strings.starts, missing if missing.any() else None)


def _finite(value: Any, row: int, name: str) -> float:
    number = _number(value)
    if number is None or math.isinf(number):
        raise InputError(f"row {row + 1}: {name} should be a finite number but is {_shown(value)}")
    return number


def _number(value: Any) -> float | None:
    """The number that a value stands for, NaN where it is missing; None if it is not a number."""
    value = _python(value)
    if isinstance(value, int | float | np.floating):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    if value is None:
        return math.nan
    if isinstance(value, str):
        return number_in(value)
    from linnet.data.sources import arrow

    array = _arrow(value)
    if array.null_count:
        return math.nan
    return float(arrow.numbers(array, array.type)[0].values[0]) if arrow.is_number(array.type) else None


def _text(value: Any) -> str | None:
    """A value as every format spells it, None where it is missing; ValueError if it cannot be text."""
    value = _python(value)
    if isinstance(value, str):
        value.encode()  # half of a surrogate pair is not a character
        return value
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    if isinstance(value, int):
        return str(value)
    from linnet.data.sources import arrow

    array = _arrow(value)
    if not arrow.readable(array.type):
        raise ValueError
    return arrow.strings(array).value(0)


def _python(value: Any) -> Any:
    """A NumPy scalar as Python's own."""
    return value.item() if isinstance(value, np.generic) and not isinstance(value, LEFT_TO_ARROW) else value


def _arrow(value: Any) -> Any:
    """One value as an Arrow array, of a type that nothing else has (a list) if Arrow has none for it."""
    import pyarrow as pa

    try:
        return pa.array([value])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([[]])


def _id(key: Any, row: int) -> int:
    column = int(key) if isinstance(key, str) and key.isascii() and key.isdigit() else key
    if isinstance(column, bool) or not isinstance(column, int | np.integer) or not 0 <= column <= LARGEST_ID:
        raise InputError(
            f"row {row + 1}: {_shown(key)} is not the id of a column, a whole number from 0 to {LARGEST_ID}"
        )
    return int(column)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
