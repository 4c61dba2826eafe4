"""A few rows given as dictionaries, `{column: value}`, as one block, without a source or a thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data.column_types import ColumnType, Kind, ReadAs, Reading, truth_of
from linnet.data.date_spelling import clock_seconds, seconds
from linnet.data.findings import FIRST_SHOWN, Misfits, shown_value
from linnet.data.missing_markers import BLANKS, normal
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Column, Numbers, Position, Strings, number_in
from linnet.data.sources.sets import set_text
from linnet.errors import InputError

SHOWN = 40
LARGEST_ID = (1 << 31) - 2
# What Arrow knows better than Python: the unit of a time, and the digits of a single.
LEFT_TO_ARROW = (np.datetime64, np.timedelta64, np.floating)


def block_of(rows: Mapping[Any, Any] | Sequence[Mapping[Any, Any]], wanted: Mapping[str, Reading]) -> Block:
    """The wanted columns of some rows (or of one), each read by its type.

    A key that is missing, None and NaN are missing values; other keys are ignored.  A value means what it would in a
    frame: True is 1 or "true", 2.0 the category "2", a datetime its seconds since 1970.
    """
    given = [_flat(row, wanted) for row in _listed(rows)]
    columns: dict[str, Column] = {}
    misfits: list[Misfits] = []
    for name, how in wanted.items():
        columns[name], wrong = (_numbers if how.is_number else _strings)(given, name, how)
        if wrong and how.strict:
            raise InputError(f"row {wrong[0] + 1}: {name} should be a {how.type.kind} but is {given[wrong[0]][name]!r}")
        if wrong:
            first = [f"row {at + 1}: {name} is {shown_value(given[at][name])}" for at in wrong[:FIRST_SHOWN]]
            misfits.append(Misfits(name, len(wrong), tuple(first)))
    return Block("", len(given), Position(), columns=columns, misfits=tuple(misfits))


def _flat(row: Mapping[Any, Any], wanted: Mapping[str, Reading]) -> Mapping[Any, Any]:
    """A row with the keys of the objects in it, and the places of its vectors, as columns, unless one is a value."""
    objects = [key for key, value in row.items() if isinstance(value, dict)]
    if objects and not any(key in wanted for key in objects):
        from linnet.data.sources.nesting import flat_row

        row = flat_row(row)
    lists = [key for key, value in row.items() if isinstance(value, list | tuple | np.ndarray) and key not in wanted]
    if not any(f"{key}.0" in wanted for key in lists):
        return row
    from linnet.data.sources.vectors import expanded_row, part

    lengths = {key: sum(part(key, place) in wanted for place in range(len(wanted))) for key in lists}
    return expanded_row(row, {key: length for key, length in lengths.items() if length})


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


def _numbers(rows: Sequence[Mapping[Any, Any]], name: str, how: Reading) -> tuple[Column, list[int]]:
    """The values of a column as numbers, and the rows whose value does not fit."""
    values = np.full(len(rows), math.nan)
    wrong: list[int] = []
    for at, row in enumerate(rows):
        given = row.get(name)
        number = _nearest(given) if type(given) in (int, float) and how.type.is_plain_number else None
        if number is None or not math.isfinite(number) or how.missing:
            number = _number(given, at, name, how)
        if number is None:
            wrong.append(at)
        else:
            values[at] = number
    return Numbers(values), wrong


def _number(value: Any, row: int, name: str, how: Reading) -> float | None:
    """The number that a value stands for, NaN where it is missing; None if it does not fit."""
    value = _python(value)
    if value is None:
        return math.nan
    kind = how.type.kind
    if isinstance(value, bool | int | float) and kind is Kind.NUMBER:
        number = _nearest(value)
        if math.isinf(number):
            return None
        return math.nan if number in how.missing_numbers else number
    if isinstance(value, str) and kind in _MEANINGS:
        text = value.strip(BLANKS)
        if normal(text) in how.markers:
            return math.nan
        number_of: Callable[[str, ColumnType], float | None] = _MEANINGS[kind]
        found = number_of(text, how.type)
        return math.nan if found is not None and found in how.missing_numbers and kind is Kind.NUMBER else found
    from linnet.data.sources.conversion import numbers_of

    values, wrong = numbers_of(_readable(value, row, name), how)
    return None if wrong[0] else float(values[0])


def _spelt_number(text: str, kind: ColumnType) -> float | None:
    found = kind.spelling.number(text)
    if found is None and text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    return found


def _truth(text: str, _: ColumnType) -> float | None:
    truth = truth_of(text)
    return None if truth is None else float(truth)


# What a string means in a column of each kind, as conversion.py has it for whole columns.
_MEANINGS: dict[Kind, Callable[[str, ColumnType], float | None]] = {
    Kind.NUMBER: _spelt_number,
    Kind.DATE: lambda text, kind: seconds(text, kind.order),
    Kind.TIME: lambda text, _: clock_seconds(text),
    Kind.BOOLEAN: _truth,
}


def _strings(rows: Sequence[Mapping[Any, Any]], name: str, how: Reading) -> tuple[Column, list[int]]:
    """The values of a column as strings, and the rows whose value does not fit."""
    texts: list[str | None] = []
    for number, row in enumerate(rows):
        try:
            value = row.get(name)
            if how.read_as is ReadAs.TEXT and isinstance(value, list | tuple | np.ndarray):
                texts.append(set_text(map(text_of, value)))
            else:
                texts.append(text_of(value))
        except ValueError:
            raise _not_a_value(row[name], number, name) from None
    if how.read_as is ReadAs.CATEGORY and how.type.kind in (Kind.BOOLEAN, Kind.DATE):
        import pyarrow as pa

        from linnet.data.sources.conversion import converted

        column, wrong = converted(pa.array(texts, pa.large_string()), how)
        return column, wrong.tolist()
    strings = Strings.of([text or "" for text in texts])
    missing = np.array([text is None for text in texts], dtype=bool)
    return Strings(strings.data, strings.starts, missing if missing.any() else None, how.markers), []


def _readable(value: Any, row: int, name: str) -> Any:
    """One value as an Arrow array; an error for what is neither text nor a number nor a time."""
    from linnet.data.sources import arrow

    array = _arrow(value)
    if not arrow.readable(array.type) or arrow.is_list(array.type):
        raise _not_a_value(value, row, name)
    return array


def _not_a_value(value: Any, row: int, name: str) -> InputError:
    return InputError(f"row {row + 1}: {name} should be text or a number but is {_shown(value)}")


def _finite(value: Any, row: int, name: str) -> float:
    number = _entry(value)
    if number is None or math.isinf(number):
        raise InputError(f"row {row + 1}: {name} should be a finite number but is {_shown(value)}")
    return number


def _entry(value: Any) -> float | None:
    """The number that the value of a numbered column is, NaN where it is missing; None if it is not a number."""
    value = _python(value)
    if isinstance(value, str):
        return number_in(value)
    if isinstance(value, bool | int | float | np.floating):
        return _nearest(value)
    return math.nan if value is None else None


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def text_of(value: Any) -> str | None:
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
    if not arrow.readable(array.type) or arrow.is_list(array.type):
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
