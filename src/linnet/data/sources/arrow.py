"""Arrow columns: which can be read, the strings of any of them, and the Arrow table of a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linnet.data.label_types import LabelKind
from linnet.data.limits import BLOCK_BYTES, BLOCK_CELLS
from linnet.data.sources.arrow_functions import call, cast, pc
from linnet.data.sources.block import Numbers, Strings
from linnet.data.sources.pandas_frames import plain_frame
from linnet.data.sources.sets import sets_of
from linnet.errors import InputError

# Bytes of a whole number at most.
DIGITS = 20
PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
# What Arrow raises for values that it cannot convert.
REFUSED = (pa.ArrowException, TypeError, ValueError, OverflowError)
NUMBERS = (int, float, Decimal, np.integer, np.floating)


def is_number(kind: Any) -> bool:
    """Whether this is a type of numbers, or of times, which become numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or is_time(kind))


def is_time(kind: Any) -> bool:
    return bool(pa.types.is_temporal(kind) and not pa.types.is_interval(kind))


def is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_integer(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind))


def label_kind(kind: Any) -> LabelKind:
    """What labels of a column of this type are."""
    if pa.types.is_dictionary(kind):
        return label_kind(kind.value_type)
    if is_string(kind):
        return LabelKind.TEXT
    return LabelKind.BOOLEAN if pa.types.is_boolean(kind) else LabelKind.SPELT


def string_bytes(array: Any) -> NDArray[np.int64] | None:
    """The bytes of each value as `strings` gives them; None if they are of one short length, as numbers are."""
    kind = array.type
    if isinstance(array, pa.ChunkedArray) and (pa.types.is_dictionary(kind) or pa.types.is_string_view(kind)):
        array = array.combine_chunks()
    if pa.types.is_dictionary(kind):
        each = string_bytes(array.dictionary)
        if each is None or not len(each):
            return None
        return np.where(nulls(array.indices), 0, each[_integers(array.indices)])
    if is_list(kind) and readable(kind):
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        each = string_bytes(array.flatten())
        sizes = np.concatenate([[0], np.cumsum(np.full(len(array.flatten()), DIGITS) if each is None else each + 1)])
        ends = np.cumsum(pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
        return np.asarray(np.diff(sizes[np.concatenate([[0], ends])]), dtype=np.int64)
    if not is_string(kind):
        return None
    if pa.types.is_string_view(kind):  # Arrow cannot measure these: 16 bytes each, the first four the length
        views = np.frombuffer(array.buffers()[1], dtype=np.int32).reshape(-1, 4)
        lengths = pa.array(views[array.offset : array.offset + len(array), 0])
        lengths = pc.if_else(array.is_null(), 0, lengths)
    else:
        lengths = call("binary_length", array)
    lengths = lengths.combine_chunks() if isinstance(lengths, pa.ChunkedArray) else lengths
    return _integers(lengths)


def bounded_slices(table: Any, names: Sequence[str]) -> list[tuple[int, int]]:
    """The rows of a table cut so that the strings of these columns take at most BLOCK_BYTES, or are of one row.

    A few bytes of a file may stand for gigabytes of strings: a dictionary has each value once.
    """
    encoded = any(pa.types.is_dictionary(kind) or pa.types.is_string_view(kind) for kind in table.schema.types)
    if not encoded and table.nbytes <= BLOCK_BYTES:
        return [(0, table.num_rows)] if table.num_rows else []
    there = set(table.column_names)
    each = [found for name in names if name in there and (found := string_bytes(table.column(name))) is not None]
    rows = table.num_rows
    if not each or sum(int(found.sum()) for found in each) <= BLOCK_BYTES:
        return [(0, rows)] if rows else []
    ends = np.cumsum(np.sum(each, axis=0))
    cuts, done = [0], 0
    while cuts[-1] < rows:
        stop = max(int(np.searchsorted(ends, done + BLOCK_BYTES, side="right")), cuts[-1] + 1)
        done = int(ends[stop - 1])
        cuts.append(stop)
    return list(pairwise(cuts))


def rows_at_once(columns: int, asked: int | None, most: int) -> int:
    """How many rows of a table with this many columns are read at once."""
    return asked or max(1, min(most, BLOCK_CELLS // max(columns, 1)))


def readable(kind: Any) -> bool:
    """Whether a column of this type can be used."""
    if pa.types.is_dictionary(kind):
        return readable(kind.value_type)
    if is_list(kind):
        inside = kind.value_type
        return bool(pa.types.is_string(inside) or pa.types.is_large_string(inside) or pa.types.is_integer(inside))
    return is_number(kind) or is_string(kind) or bool(pa.types.is_boolean(kind) or pa.types.is_null(kind))


def is_list(kind: Any) -> bool:
    """Whether values are lists; those of categories are sets."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def plain(array: Any) -> Any:
    """One array, not dictionary-encoded."""
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        return array
    dictionary = array.dictionary
    if pa.types.is_string_view(dictionary.type):  # Arrow cannot take from these
        dictionary = cast(dictionary, pa.large_string())
    return call("take", dictionary, array.indices)


def float64_values(array: Any) -> NDArray[np.float64]:
    """The values of an array of doubles, NaN for null."""
    if not len(array) or array.buffers()[1] is None:
        return np.full(len(array), np.nan)
    values: NDArray[np.float64] = _stored(array, np.float64)
    return np.where(nulls(array), np.nan, values) if array.null_count else values


def _stored(array: Any, kind: Any) -> NDArray[Any]:
    """What the buffer of an array of numbers holds: `to_numpy` imports pandas, if there is one."""
    if not len(array):
        return np.empty(0, dtype=kind)
    return np.frombuffer(array.buffers()[1], dtype=kind, count=array.offset + len(array))[array.offset :]


def nulls(array: Any) -> NDArray[np.bool_]:
    """Which values of an array are null, from its buffer as well."""
    valid = array.buffers()[0]
    if valid is None:
        return np.full(len(array), array.null_count > 0)
    end = array.offset + len(array)
    bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), count=end, bitorder="little")
    return np.asarray(bits[array.offset :] == 0)


def _integers(array: Any) -> NDArray[np.int64]:
    """The values of an array of integers, 0 for null."""
    if not len(array) or array.null_count == len(array):
        return np.zeros(len(array), dtype=np.int64)
    values: NDArray[np.int64] = _stored(cast(array, pa.int64()), np.int64)
    return np.where(nulls(array), 0, values) if array.null_count else values


def finite_doubles(column: Any) -> Numbers | None:
    """A column of doubles all of which are finite, as most are; None for any other, which takes a closer look."""
    if column.num_chunks != 1 or not pa.types.is_float64(column.type) or column.null_count:
        return None
    found = Numbers(float64_values(column.chunk(0)))
    return Numbers(found.values, finite=True) if found.all_there else None


def strings(array: Any) -> Strings:
    """A plain column as strings; integers without a point, other numbers with the fewest digits that identify them."""
    if is_list(array.type):
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        ends = np.cumsum(pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
        return sets_of(strings(array.flatten()), ends, missing)
    if pa.types.is_decimal(array.type):
        array = array.cast(pa.float64(), safe=False)
    elif pa.types.is_duration(array.type):
        per = PER_SECOND[array.type.unit]
        array = pc.divide(array.cast(pa.int64()).cast(pa.float64(), safe=False), per)
    elif pa.types.is_timestamp(array.type) and array.type.tz is not None:
        array = array.cast(pa.timestamp(array.type.unit))  # in UTC
    if pa.types.is_floating(array.type):
        array = call("if_else", call("is_nan", array), pa.nulls(len(array), array.type), array)
    if not pa.types.is_large_string(array.type):
        array = cast(array, pa.large_string())
    missing = nulls(array) if array.null_count else None
    starts = _starts(array)
    if missing is not None and np.diff(starts)[missing].any():  # what a null is stored as is not for reading
        array = array.fill_null("")
        starts = _starts(array)
    data = array.buffers()[2]
    buffer = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.empty(0, dtype=np.uint8)
    return Strings(buffer, starts, missing)


def _starts(array: Any) -> NDArray[np.int64]:
    """Where the values of large strings begin in their buffer, and where the last ends."""
    if not len(array):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]


def table_of(frame: Any, *, mixed: bool = True) -> Any:
    """The Arrow table of a data frame: pandas, polars, pyarrow, or any object with the Arrow stream interface.

    A column of `mixed` values becomes their strings, as a file of text has them, or is an error.
    """
    pandas = hasattr(frame, "to_numpy") and hasattr(frame, "iloc") and hasattr(frame, "columns")
    try:
        if isinstance(frame, pa.RecordBatch):
            return pa.Table.from_batches([frame])
        if isinstance(frame, pa.Table):
            return frame
        if pandas:
            return _of_pandas(plain_frame(frame))
        if isinstance(frame, np.ndarray) and frame.dtype.names:
            frame = {name: np.ascontiguousarray(frame[name]) for name in frame.dtype.names}
        if isinstance(frame, dict) or hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
    except REFUSED as error:
        table = _column_by_column(list(frame.items()), mixed=mixed) if pandas or isinstance(frame, dict) else None
        if table is not None:
            return table
        raise InputError(f"the data frame cannot be read: {_first_line(error)}") from None
    lazy = ": collect() it first" if hasattr(frame, "collect") else ""
    raise InputError(
        f"data must be a pandas, polars or Arrow table, or a dictionary of columns; not {type(frame).__name__}{lazy}"
    )


def _of_pandas(frame: Any) -> Any:
    """The table of a pandas frame.  Columns of NumPy's numbers are taken one by one: pandas and Arrow take longer to
    ask a column about itself, and to describe it, than linnet to fit a small table."""
    names = list(frame.columns)
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in frame.dtypes]
    if not any(plain) or not all(type(name) is str for name in names) or len(set(names)) < len(names):
        return pa.Table.from_pandas(frame, preserve_index=False)
    others = [name for name, is_plain in zip(names, plain, strict=True) if not is_plain]
    rest: Any = pa.Table.from_pandas(frame[others], preserve_index=False) if others else None
    arrays = [
        pa.array(frame[name].to_numpy(), from_pandas=True) if is_plain else rest.column(name)
        for name, is_plain in zip(names, plain, strict=True)
    ]
    return pa.table(arrays, names=names)


def _column_by_column(columns: list[tuple[Any, Any]], *, mixed: bool) -> Any:
    """The table of columns of which Arrow refused one, with integers beyond 64 bits as floats, as they are in JSON.

    None if columns differ in length, or have one name.
    """
    arrays = []
    for name, values in columns:
        try:
            arrays.append(pa.array(values, from_pandas=True))
        except REFUSED as error:
            given = list(values) if hasattr(values, "__iter__") else [values]
            if all(each is None or isinstance(each, NUMBERS) for each in given):
                arrays.append(pa.array([None if each is None else _nearest(each) for each in given], pa.float64()))
            else:
                arrays.append(_as_strings(name, given, error, mixed=mixed))
    names = [str(name) for name, _ in columns]
    if len(set(names)) < len(names) or len({len(array) for array in arrays}) > 1:
        return None
    return pa.Table.from_arrays(arrays, names=names)


def _as_strings(name: Any, values: list[Any], error: BaseException, *, mixed: bool) -> Any:
    """Values of several kinds as every format spells them; an error where one is none that a column can have."""
    from linnet.data.sources.dictionaries import text_of

    if mixed:
        with suppress(ValueError):
            return pa.array([text_of(each) for each in values], pa.large_string())
    raise InputError(
        f"the column {name!r} cannot be read: {_first_line(error)}: make its values all numbers, or all texts"
    ) from None


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _first_line(error: BaseException) -> str:
    """What Arrow says of a value; of several things that it says, the first."""
    said = str(error.args[0]) if error.args and isinstance(error, pa.ArrowException) else str(error)
    return (said.splitlines() or [type(error).__name__])[0].rstrip(". ")
