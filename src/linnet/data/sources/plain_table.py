"""Delimited text in its plainest form, straight to columns: most chunks of most tables are so.

What is not (a quote, a row with another number of fields, a value that is not of its column's type) is left to the
general way of delimited.py, which gives the same columns for the same text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.data.column_types import Reading
from linnet.data.missing_markers import encoded_spellings
from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.data.sources.chunks import Chunk, count_lines
from linnet.data.sources.records import Records
from linnet.data.sources.table import Layout, absent
from linnet.kernels.plain_fields import read
from linnet.kernels.records import is_text

# What becomes of a field, as the kernel has it.
SKIPPED, NUMBER, STRING = 0, 1, 2
CONTENT = re.compile(rb"[^\r\n]")


def plain_block(
    chunk: Chunk, names: Sequence[str], layout: Layout, delimiter: str, *, header: bool = False
) -> Block | None:
    """The chunk as a block, but for a header; None unless all of it is plain, and all values fit."""
    data = np.frombuffer(chunk.data, dtype=np.uint8)
    begin = _after_header(chunk.data) if header else 0
    if begin is None or not is_text(data):
        return None
    kinds = [_kind(layout.wanted.get(name)) for name in names]
    markers = {how.markers for how in layout.wanted.values() if how.is_number}
    missing = encoded_spellings(next(iter(markers), frozenset()))
    lines_at_most = count_lines(chunk.data) + 1
    found = read(data[begin:], ord(delimiter), np.array(kinds, dtype=np.uint8), missing, lines_at_most)
    if found is None:
        return None
    (starts, stops, lines), numbers, strings = found
    columns: dict[str, Column] = {}
    rest_numbers, rest_strings = iter(numbers), iter(strings)
    for name, kind in zip(names, kinds, strict=True):
        if kind == SKIPPED:
            continue
        column = _column(layout.wanted[name], next(rest_numbers if kind == NUMBER else rest_strings))
        if column is None:
            return None
        columns[name] = column
    above = count_lines(chunk.data[:begin]) if begin else 0
    records = Records(data, starts + begin, stops + begin, lines + chunk.at.line + above)
    return Block(
        chunk.path,
        len(records),
        chunk.after,
        chunk.read,
        columns={
            name: columns[name] if name in columns else absent(how, len(records)) for name, how in layout.wanted.items()
        },
        lines=records.lines,
        records=records,
    )


def _kind(how: Reading | None) -> int:
    if how is None:
        return SKIPPED
    return NUMBER if how.is_number and how.type.is_plain_number else STRING


def _column(how: Reading, read_field: Any) -> Column | None:
    """A column as it is to be read; None where a value does not fit."""
    if how.is_number and how.type.is_plain_number:
        if how.missing_numbers:
            read_field = np.where(np.isin(read_field, how.missing_numbers), np.nan, read_field)
        return Numbers(read_field)
    from linnet.data.sources.conversion import array_of, as_strings, converted, stays_text

    strings = Strings(*read_field)
    if stays_text(how):
        return as_strings(strings, how)
    column, wrong = converted(array_of(strings), how)
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
