"""Vowpal Wabbit's text format: `label importance 'tag|namespace name:value ...`, one row a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.data.on_error import BadRow
from linnet.data.role import Role
from linnet.data.sources.block import Block
from linnet.data.sources.chunks import Chunk
from linnet.data.sources.files import ByteFiles, no_rows
from linnet.data.sources.lines import LineSource, lines_of, only_text
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import Offsets
from linnet.data.sources.table import Layout, TableSource, with_columns
from linnet.kernels.records import first_of, packed
from linnet.kernels.vowpal_wabbit import MESSAGES, parse

LABEL, IMPORTANCE, TAG, FEATURES = "label", "importance", "tag", "features"
INFINITE = "the value of a feature is infinite"


class VowpalWabbit(LineSource, TableSource):
    """Columns `label`, `importance` (1 where there is none), `tag` and `features`."""

    format = "vw"
    own_target = LABEL
    own_roles = {IMPORTANCE: Role.WEIGHT, TAG: Role.ID, FEATURES: Role.FEATURES}  # noqa: RUF012 - never changed

    def __init__(self, files: ByteFiles, *, chunk_size: int | None = None) -> None:
        super().__init__(files, chunk_size=chunk_size)
        types = {LABEL: pa.string(), IMPORTANCE: pa.float64(), TAG: pa.string(), FEATURES: pa.string()}
        self.layout = Layout.of(types)
        sample = self.sample()
        if not sample.rows:
            raise sample.bad[0].error() if sample.bad else no_rows(files.name(0))

    def parse(self, chunk: Chunk) -> Block:
        records, bad = only_text(chunk, lines_of(chunk))
        found = parse(records.data, records.starts, records.stops)
        good = found["faults"][0] == 0
        for i in np.flatnonzero(~good).tolist():
            code, at = found["faults"][:, i].tolist()
            bad.append(BadRow(chunk.path, int(records.lines[i]), at + 1, MESSAGES[code], records.raw(i)))
        if np.isinf(found["values"]).any():
            rows = np.searchsorted(found["row_starts"], np.flatnonzero(np.isinf(found["values"])), side="right") - 1
            for i in np.unique(rows).tolist():
                good[i] = False
                bad.append(BadRow(chunk.path, int(records.lines[i]), None, INFINITE, records.raw(i)))
        kept = records.keep(good)
        heads, importance = found["heads"][:, good], found["importance"][good]
        table = pa.table(
            {
                LABEL: _strings(records, heads[0], heads[1]),
                IMPORTANCE: importance,
                TAG: _strings(records, heads[2], heads[3]),
                FEATURES: _strings(records, _bars(kept), kept.stops, given=True),
            }
        )
        in_order = tuple(sorted(bad, key=lambda row: row.line))
        block = Block(chunk.path, len(kept), chunk.after, chunk.read, lines=kept.lines, bad=in_order, records=kept)
        return with_columns(block, self.layout, table, lambda *_: None)


def _bars(records: Records) -> Offsets:
    """Where the features of each line begin."""
    found: Offsets = first_of(records.data, records.starts, records.stops, *b"||")
    return found


def _strings(records: Records, starts: Offsets, stops: Offsets, *, given: bool = False) -> Any:
    """Parts of the data as an Arrow array; an empty one is missing, unless it is given."""
    lengths = stops - starts
    data, offsets = packed(records.data, np.ascontiguousarray(starts), np.ascontiguousarray(stops))
    array = pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(data))
    return array if given or lengths.all() else pc.if_else(pa.array(lengths == 0), None, array)
