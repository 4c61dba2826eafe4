"""Delimited text in its plainest form, straight to columns: most chunks of most tables are so.

What is not (a quote, a row with another number of fields, a value that is not of its column's type) is left to the
general way of delimited.py, which gives the same columns for the same text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import Reading
from linnet.data.missing_markers import encoded_spellings
from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.data.sources.chunks import Chunk, count_lines
from linnet.data.sources.records import Records
from linnet.data.sources.string_columns import as_strings, converted, stays_text
from linnet.data.sources.table import Layout, absent
from linnet.kernels.plain_fields import read
from linnet.kernels.records import is_text

# What becomes of a field, as the kernel has it.
SKIPPED, NUMBER, STRING = 0, 1, 2
CONTENT = re.compile(rb"[^\r\n]")


class PlainTable:
    """How the fields of a table become its columns, worked out once for all chunks."""

    def __init__(self, names: Sequence[str], layout: Layout, delimiter: str) -> None:
        self.layout = layout
        self._delimiter = ord(delimiter)
        kinds = [_kind(layout.wanted.get(name)) for name in names]
        self._kinds = np.array(kinds, dtype=np.uint8)
        read = [(name, kind) for name, kind in zip(names, kinds, strict=True) if kind != SKIPPED]
        self._numbers = [name for name, kind in read if kind == NUMBER]
        self._strings = [name for name, kind in read if kind == STRING]
        markers = {how.markers for how in layout.wanted.values() if how.is_number}
        self._missing = encoded_spellings(next(iter(markers), frozenset()))

    def block(self, chunk: Chunk, *, header: bool = False) -> Block | None:
        """The chunk as a block, but for a header; None unless all of it is plain, and all values fit."""
        data = np.frombuffer(chunk.data, dtype=np.uint8)
        begin = _after_header(chunk.data) if header else 0
        if begin is None or not is_text(data):
            return None
        found = read(data[begin:], self._delimiter, self._kinds, self._missing, _most_lines(chunk))
        if found is None:
            return None
        (starts, stops, lines), numbers, lacking, strings = found
        wanted = self.layout.wanted
        columns: dict[str, Column | None] = {}
        for name, values, lacks in zip(self._numbers, numbers, lacking.tolist(), strict=True):
            columns[name] = _number_column(wanted[name], values, finite=not lacks)
        for name, field in zip(self._strings, strings, strict=True):
            columns[name] = _string_column(wanted[name], Strings(*field))
        fitting = {name: column for name, column in columns.items() if column is not None}
        if len(fitting) < len(columns):
            return None
        above = count_lines(chunk.data[:begin]) if begin else 0
        records = Records(data, starts + begin, stops + begin, lines + chunk.at.line + above)
        rows = len(records)
        return Block(
            chunk.path,
            rows,
            chunk.after,
            chunk.read,
            columns={name: fitting[name] if name in fitting else absent(how, rows) for name, how in wanted.items()},
            lines=records.lines,
            records=records,
        )


def _most_lines(chunk: Chunk) -> int:
    """At least the number of lines, which the chunk's positions tell unless it ends a file."""
    if chunk.after.file == chunk.at.file and chunk.after.line > chunk.at.line:
        return chunk.after.line - chunk.at.line + 1
    return count_lines(chunk.data) + 1


def _kind(how: Reading | None) -> int:
    if how is None:
        return SKIPPED
    return NUMBER if how.is_number and how.type.is_plain_number else STRING


def _number_column(how: Reading, values: NDArray[np.float64], *, finite: bool) -> Numbers:
    if not how.missing_numbers:
        return Numbers(values, finite)
    return Numbers(np.where(np.isin(values, how.missing_numbers), np.nan, values))


def _string_column(how: Reading, strings: Strings) -> Column | None:
    """A column as it is to be read; None where a value does not fit."""
    if stays_text(how):
        return as_strings(strings, how)
    column, wrong = converted(strings, how)
    return None if len(wrong) else column


def _after_header(data: bytes | bytearray) -> int | None:
    """Where the line after the first that is not blank begins; None if that has a line end in quotes, or if a CR alone
    ends it or a blank line before it."""
    first = CONTENT.search(data)
    if first is None or b"\r" in data[: first.start()].replace(b"\r\n", b"\n"):
        return None
    end = data.find(b"\n", first.start())
    line = data[first.start() : end if end >= 0 else len(data)].removesuffix(b"\r")
    if line.count(b'"') % 2 or b"\r" in line:
        return None
    return end + 1 if end >= 0 else len(data)
