"""Lists of numbers with fractions, as many in every row: each place of the list is a column, `a.0`, `a.1`, ...

Whether a column of lists is one of vectors is seen in the first rows that a model is trained on.  A later list of
another length does not fit: all its numbers are missing, and its first column has the list as text, so that it is
counted and shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.data.sources.arrow import is_list, plain
from linnet.data.sources.arrow_functions import pc
from linnet.data.sources.nesting import SEPARATOR

# Rows that must have lists of one length.
FIRST_ROWS = 100
KIND = pa.list_(pa.float64())


def may_be_vectors(kind: Any) -> bool:
    return is_list(kind) and bool(pa.types.is_floating(kind.value_type))


def vectors_in(table: Any) -> dict[str, int]:
    """The columns of vectors, by the first rows of a table, and how long they are."""
    found: dict[str, int] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if may_be_vectors(column.type):
            lengths = pc.list_value_length(column.slice(0, FIRST_ROWS)).drop_null().unique().to_pylist()
            if len(lengths) == 1 and lengths[0] and part(name, 0) not in table.column_names:
                found[name] = lengths[0]
    return found


def vectors_of_lists(columns: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """The same of Python values by column."""
    found: dict[str, int] = {}
    for name, values in columns.items():
        lists = [value for value in values[:FIRST_ROWS] if value is not None]
        if lists and all(isinstance(value, list) and len(value) == len(lists[0]) for value in lists):
            elements = [each for value in lists for each in value if each is not None]
            numbers = all(type(each) in (int, float) for each in elements)
            if numbers and any(type(each) is float for each in elements) and part(name, 0) not in columns:
                found[name] = len(lists[0])
    return found


def vectors_named(names: Iterable[str], types: Mapping[str, Any]) -> dict[str, int]:
    """The columns of lists whose places have these names, as a model has them, and how long they must be."""
    known = frozenset(names)
    found: dict[str, int] = {}
    for name, kind in types.items():
        if is_list(kind):
            length = next(place for place in range(len(known) + 1) if part(name, place) not in known)
            if length:
                found[name] = length
    return found


def part(name: str, place: int) -> str:
    """The name of the column of a place."""
    return f"{name}{SEPARATOR}{place}"


def parts(vectors: Mapping[str, int]) -> dict[str, str]:
    """Of each column that is a place of a vector, the column of the vectors."""
    return {part(name, place): name for name, length in vectors.items() for place in range(length)}


def expanded_types(types: Mapping[str, Any], vectors: Mapping[str, int]) -> dict[str, Any]:
    """The types of columns, with those of vectors as the columns of their places."""
    found: dict[str, Any] = {}
    for name, kind in types.items():
        if name in vectors and is_list(kind):
            found |= dict.fromkeys((part(name, place) for place in range(vectors[name])), pa.float64())
        else:
            found[name] = kind
    return found


def stored_columns(names: Iterable[str], vectors: Mapping[str, int]) -> list[str]:
    """The columns that these are read from."""
    own = parts(vectors)
    return list(dict.fromkeys(own.get(name, name) for name in names))


def expanded(table: Any, vectors: Mapping[str, int]) -> Any:
    """The table with a column for each place of its vectors."""
    if not any(name in vectors for name in table.column_names):
        return table
    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        made = _places(column, vectors[name]) if name in vectors else None
        columns |= {name: column} if made is None else {part(name, i): each for i, each in enumerate(made)}
    return pa.table(columns)


def _places(column: Any, length: int) -> list[Any] | None:
    """The numbers of each place; None if these are not lists of numbers."""
    array = plain(column)
    numeric = is_list(array.type) and (
        pa.types.is_floating(array.type.value_type) or pa.types.is_integer(array.type.value_type)
    )
    if not numeric:
        return None
    lengths = pc.list_value_length(array)
    fits = np.asarray(pc.equal(lengths, length).fill_null(False))
    values = np.full((len(array), length), np.nan)
    flat = array.filter(pa.array(fits)).flatten().cast(pa.float64(), safe=False)
    values[fits] = np.asarray(flat.fill_null(np.nan)).reshape(-1, length)
    found: list[Any] = [pa.array(each, mask=np.isnan(each)) for each in values.T]
    wrong = np.asarray(array.is_valid()) & ~fits
    if wrong.any():
        texts = found[0].cast(pa.string()).to_pylist()
        for row in np.flatnonzero(wrong).tolist():
            texts[row] = _shown(array[row].as_py())
        found[0] = pa.array(texts, pa.string())
    return found


def expanded_row(row: Mapping[str, Any], vectors: Mapping[str, int]) -> dict[str, Any]:
    """One row of Python values with a value for each place of its vectors."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if name not in vectors or not isinstance(value, list | tuple | np.ndarray):
            found[name] = value
        elif len(value) == vectors[name]:
            found |= {part(name, place): each for place, each in enumerate(value)}
        else:
            found[part(name, 0)] = _shown(value)
    return found


def _shown(value: Any) -> str:
    """A list as text that is not a number."""
    return f"[{', '.join(map(str, list(value)))}]"
