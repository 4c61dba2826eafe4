"""Data as Python users hold them: texts, Series, arrays, lists of rows, dictionaries; each means what it looks like.

Everything becomes what a source can be opened for, a table by column, or a few dictionaries.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from glob import has_magic
from numbers import Number
from typing import Any

import numpy as np

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import FEATURE_ROLES
from linnet.data.on_error import BadRow, BadRows, OnError
from linnet.data.role import Role
from linnet.data.sources.block import Block
from linnet.data.sources.files import STANDARD_INPUT
from linnet.errors import DataWarning, InputError

SHOWN = 8
# Some words and most pairs of words are unknown in any text; a larger fraction than this is worth a warning.
STRANGE = 0.9


def dictionaries(data: Any) -> Sequence[Mapping[Any, Any]] | None:
    """The data as a few rows, if they are dictionaries by column: one, or a list; None for anything else.

    A dictionary of nothing but lists or arrays is a table, column by column.
    """
    if isinstance(data, Mapping):
        listed = [hasattr(value, "__len__") and not isinstance(value, str | Mapping) for value in data.values()]
        return None if listed and all(listed) else [data]
    return data if isinstance(data, list | tuple) and all(isinstance(row, Mapping) for row in data) else None


def blocks_of(features: Features, rows: Sequence[Mapping[Any, Any]], rejected: BadRows) -> Iterator[Block | None]:
    """The rows as blocks, without a source; None for a row that cannot be read, where such rows are skipped."""
    if rejected.policy is OnError.FAIL:
        if rows:
            block = features.block_of(rows)
            rejected.findings.add_misfits(block.misfits)
            yield block
        return
    for number, row in enumerate(rows):
        try:
            block = features.block_of([row])
            features.check_finite(block)
            rejected.findings.add_misfits(block.misfits)
            yield block
        except InputError as error:
            rejected.add(BadRow("the rows", number + 1, None, str(error).removeprefix("row 1: ")))
            yield None


def warn_of(rejected: BadRows, depth: int) -> None:
    """Tell a Python user of rows without a prediction, and of what the model does not know or was read otherwise."""
    findings = rejected.findings
    strange = {name: each for name, each in findings.words.items() if each[1] > STRANGE * each[0]}
    texts = [str(note) for note in rejected.notes.values()]
    if found := replace(findings, words=strange).lines():
        texts.append("; ".join(text.strip() for text in found))
    if rejected.count:
        rows = "1 row" if rejected.count == 1 else f"{rejected.count:,} rows"
        texts.append(f"{rows} could not be read, and there is no prediction for such; the first: {rejected.first[0]}")
    for text in texts:
        warnings.warn(DataWarning(text, findings), stacklevel=depth)


def table_of(features: Features, data: Any) -> Any:
    """The data as paths, a table or dictionaries; an error of one line for what is none of these."""
    if isinstance(data, str):
        _refuse_text(features, data)
        return data
    if isinstance(data, tuple) and len(data) == 2 and hasattr(data[0], "shape"):
        return data  # (X, y)
    if isinstance(data, list | tuple):
        return _listed(features, list(data))
    if isinstance(data, np.ndarray):
        return _array(features, data)
    if _is_series(data):
        return _series(features, data)
    if isinstance(data, Mapping):
        lengths = [len(each) for each in data.values() if hasattr(each, "__len__") and not isinstance(each, str)]
        return [] if data and len(lengths) == len(data) and not any(lengths) else data
    if not features.is_numbered and hasattr(data, "tocsr"):
        raise InputError(f"a sparse matrix has numbered columns, the model needs {_some(_needed(features))}")
    return [] if hasattr(data, "columns") and hasattr(data, "__len__") and not len(data) else data


def _needed(features: Features) -> list[str]:
    return [name for name, role in features.schema.roles.items() if role in FEATURE_ROLES]


def _only(features: Features) -> str | None:
    """The one column that the model needs, if it is one."""
    needed = _needed(features)
    return needed[0] if len(needed) == 1 else None


def _only_text(features: Features) -> bool:
    only = _only(features)
    return only is not None and features.schema.roles[only] is Role.TEXT


def _refuse_text(features: Features, path: str) -> None:
    """Raise for a text where a path is expected."""
    if _only_text(features) and path != STANDARD_INPUT and not has_magic(path) and not os.path.exists(path):
        shown = path if len(path) <= 40 else path[:40] + "…"
        raise InputError(f"there is no file {shown!r}: a text to predict is given in a list, [{shown!r}]")


def _listed(features: Features, data: list[Any]) -> Any:
    """A list of texts, of paths, of dictionaries, of values of one column, or of rows."""
    if all(isinstance(each, Mapping) for each in data):
        return data
    if all(isinstance(each, str | os.PathLike) for each in data):
        texts = _only(features) is not None and all(isinstance(each, str) for each in data)
        return _column(features, data) if texts and not all(map(_is_path, data)) else data
    if all(isinstance(each, list | tuple | np.ndarray) for each in data):
        if len({len(each) for each in data if np.ndim(each) == 1 or isinstance(each, list | tuple)}) != 1:
            raise InputError(f"the rows of a list must have one length, a value for each of {_wanted(features)}")
        rows = np.empty((len(data), len(data[0])), dtype=object)
        for number, row in enumerate(data):
            rows[number, :] = list(row)
        return _array(features, rows)
    if all(each is None or isinstance(each, str | Number | np.generic) for each in data):
        return _column(features, data)
    raise InputError("a list of data must be of one kind: dictionaries, texts, paths, or rows of equal length")


def _is_path(text: str) -> bool:
    return text == STANDARD_INPUT or has_magic(text) or ("\0" not in text and os.path.exists(text))


def _column(features: Features, values: Any) -> dict[str, Any]:
    """Values of the one column that the model needs."""
    only = _only(features)
    if only is None:
        raise InputError(
            f"these are the values of one column, the model needs {_wanted(features)}: give rows, [[...], ...], "
            "dictionaries, or a table"
        )
    return {only: values}


def _array(features: Features, data: Any) -> Any:
    """Rows of values in the order of the columns."""
    if data.ndim == 1 and not features.is_numbered and _only(features) is not None:
        return _column(features, data.tolist() if data.dtype == object else data) if len(data) else []
    if data.ndim != 2:
        one = " (of one row: reshape(1, -1))" if data.ndim == 1 else ""
        raise InputError(f"an array of data must have rows and columns{one}, not the shape {data.shape}")
    if features.is_numbered:
        try:
            return data.astype(np.float64) if data.dtype == object else data
        except (TypeError, ValueError):
            raise InputError(f"the data must be numbers, a value for each of {_wanted(features)}") from None
    needed, width = _needed(features), data.shape[1]
    every = [name for name, role in features.schema.roles.items() if role is not Role.TARGET]
    names = needed if width == len(needed) else every
    if width != len(names):
        raise InputError(f"the rows have {width} values, the model needs {_wanted(features)}, in this order")
    if not len(data):
        return []
    return {name: _plain(data[:, number]) for number, name in enumerate(names) if name in needed}


def _plain(column: Any) -> Any:
    return column.tolist() if column.dtype == object else np.ascontiguousarray(column)


def _is_series(data: Any) -> bool:
    """A Series of pandas or polars, or an Arrow array: one column, or one row of a pandas table."""
    table = hasattr(data, "columns") or hasattr(data, "column_names")
    return not table and any(hasattr(data, name) for name in ("iloc", "to_arrow", "to_pylist"))


def _series(features: Features, data: Any) -> Any:
    needed, index = _needed(features), getattr(data, "index", None)
    if needed and hasattr(data, "iloc") and set(needed) <= set(index if index is not None else ()):
        return {name: data[name] for name in needed}  # a row of a table, by its names
    if features.is_numbered:
        raise InputError(f"these are the values of one column, the model needs {_wanted(features)}: give a matrix")
    if not len(data):
        return []
    return _column(features, data.to_arrow() if hasattr(data, "to_arrow") else data)


def _wanted(features: Features) -> str:
    if features.is_numbered:
        return f"{features.sizes[0]:,} numbered columns"
    needed = _needed(features)
    return f"{len(needed)} columns ({_some(needed)})" if len(needed) > 1 else f"the column {_some(needed)}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
