"""Delimited text in its plainest form, straight to columns: most chunks of most tables are so.

What is not (a quote, a row with another number of fields, a value that is not of its column's type) is left to the
general way of delimited.py, which gives the same columns for the same text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.data.sources.block import NOT_GIVEN, Block, Column, Numbers, Strings
from linnet.data.sources.chunks import Chunk, count_lines
from linnet.data.sources.records import Records
from linnet.data.sources.table import Layout
from linnet.kernels.plain_fields import read
from linnet.kernels.records import is_text

# What becomes of a field, as the kernel has it.
SKIPPED, NUMBER, STRING = 0, 1, 2
SPELLINGS = tuple(spelling.encode() for spelling in NOT_GIVEN)


def plain_block(chunk: Chunk, names: Sequence[str], layout: Layout, delimiter: str) -> Block | None:
    """The chunk, which has no header, as a block; None unless all of it is plain."""
    from linnet.data.sources.arrow import is_time

    data = np.frombuffer(chunk.data, dtype=np.uint8)
    if any(is_time(layout.types[name]) for name in layout.numbers) or not is_text(data):
        return None
    wanted = frozenset(layout.wanted)
    kinds = [NUMBER if name in layout.numbers else STRING if name in wanted else SKIPPED for name in names]
    of_kinds = np.array(kinds, dtype=np.uint8)
    found = read(data, ord(delimiter), of_kinds, SPELLINGS, count_lines(chunk.data) + 1)
    if found is None:
        return None
    (starts, stops, lines), numbers, strings = found
    columns: dict[str, Column] = {}
    rest_numbers, rest_strings = iter(numbers), iter(strings)
    for name, kind in zip(names, kinds, strict=True):
        if kind == NUMBER:
            columns[name] = Numbers(next(rest_numbers))
        elif kind == STRING:
            columns[name] = Strings(*next(rest_strings))
    records = Records(data, starts, stops, lines + chunk.at.line)
    return Block(
        chunk.path,
        len(records),
        chunk.after,
        chunk.read,
        columns={name: columns[name] for name in layout.wanted},
        lines=records.lines,
        records=records,
    )
