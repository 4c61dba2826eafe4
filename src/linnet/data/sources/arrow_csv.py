"""Delimited text parsed by Arrow: on its own, because Arrow is slow to load and plain text does not need it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from linnet.data.missing_markers import spellings


def parsed(
    text: bytes,
    columns: Sequence[str],
    wanted: Sequence[str],
    numbers: Collection[str],
    markers: Collection[str],
    separator: str,
    quote: str | bool,
) -> Any:
    """The wanted columns, some of them as numbers, in which the markers are missing; None if Arrow rejects a value,
    because it does not report which."""
    try:
        table = pyarrow.csv.read_csv(
            pa.py_buffer(text),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=columns, block_size=len(text) + 1),
            pyarrow.csv.ParseOptions(delimiter=separator, quote_char=quote, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types={name: pa.float64() if name in numbers else pa.string() for name in wanted},
                include_columns=wanted,
                null_values=spellings(markers),
                strings_can_be_null=False,
                quoted_strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid:
        return None
    # Arrow reads some spellings of NaN that are none of the markers: they are found among the strings
    return None if any(pc.any(pc.is_nan(table.column(name))).as_py() for name in numbers) else table


def of_strings(columns: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    """A table of these strings."""
    return pa.table([pa.array(column, pa.large_string()) for column in columns], names=names)
