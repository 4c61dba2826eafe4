"""Labelled text: `label<TAB>text`, or fastText's `__label__x text`, one a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.on_error import BadRow
from linnet.data.sources import label_sets
from linnet.data.sources.block import Block, Strings
from linnet.data.sources.chunks import Chunk
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.label_sets import MARK as MARK
from linnet.data.sources.lines import LineSource, lines_of, only_text
from linnet.data.sources.records import Records, shown
from linnet.kernels import records as kernel

TARGET, TEXT = "label", "text"
UNLABELLED = "a line must be a label, a tab, and the text"
UNMARKED = f"a line must begin with {MARK.decode()} and a label"
SEVERAL = "more than one label"
NAMELESS = f"{MARK.decode()} without a label"


class LabelledText(LineSource):
    """Two columns, `label` and `text`; with `several`, a row has several labels or none, and `label` is their set."""

    def __init__(self, files: ByteFiles, *, marked: bool, chunk_size: int | None = None) -> None:
        super().__init__(files, chunk_size=chunk_size)
        self.marked = marked
        self.several = False
        self.format = "labels" if marked else "labelled-text"

    def has_several(self) -> bool:
        """Whether one of the first rows has more than one label."""
        return self.marked and any(row.reason.startswith(SEVERAL) for row in self.sample().bad)

    def parse(self, chunk: Chunk) -> Block:
        records, bad = only_text(chunk, lines_of(chunk))
        if self.several:
            return self._sets(chunk, records, bad)
        if self.marked:
            starts = records.starts + len(MARK)
            # a label alone has an empty text
            ends = kernel.first_of(records.data, records.starts, records.stops, *b" \t")
            right, reason = _marked(records, records.starts) & (ends > starts), UNMARKED
            several = right & _marked(records, ends + 1)
        else:
            starts, ends = records.starts, kernel.first_of(records.data, records.starts, records.stops, *b"\t\t")
            right, reason = (ends > starts) & (ends < records.stops), UNLABELLED
            several = np.zeros(len(records), dtype=bool)
        for i in np.flatnonzero(~right | several).tolist():
            raw = records.raw(i)
            column, why = (int(ends[i] - records.starts[i]) + 2, _several()) if several[i] else (1, reason)
            bad.append(BadRow(chunk.path, int(records.lines[i]), column, f"{why}; this is {shown(raw)}", raw))
        right &= ~several
        kept = records.keep(right)
        labels, label_starts, texts, text_starts = kernel.labelled(records.data, starts[right], kept.stops, ends[right])
        columns = {TARGET: Strings(labels, label_starts), TEXT: Strings(texts, text_starts)}
        in_order = tuple(sorted(bad, key=lambda row: row.line))
        return Block(
            chunk.path, len(kept), chunk.after, chunk.read, columns, lines=kept.lines, bad=in_order, records=kept
        )

    def _sets(self, chunk: Chunk, records: Records, bad: list[BadRow]) -> Block:
        """As `parse`, of lines with several labels or none."""
        found = [label_sets.marked(bytes(records.raw(i))) for i in range(len(records))]
        right = np.array([each is not None for each in found], dtype=bool)
        for i in np.flatnonzero(~right).tolist():
            raw = records.raw(i)
            bad.append(BadRow(chunk.path, int(records.lines[i]), None, f"{NAMELESS}; this is {shown(raw)}", raw))
        kept, pairs = records.keep(right), [each for each in found if each is not None]
        columns = {
            TARGET: Strings.of([labels for labels, _ in pairs]),
            TEXT: Strings.of([text.decode() for _, text in pairs]),
        }
        in_order = tuple(sorted(bad, key=lambda row: row.line))
        return Block(
            chunk.path, len(kept), chunk.after, chunk.read, columns, lines=kept.lines, bad=in_order, records=kept
        )


def _several() -> str:
    return f"{SEVERAL}; {label_sets.several_are_taken()}"


def _marked(records: Records, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each record has a label's mark at its offset."""
    marked = offsets + len(MARK) <= records.stops
    for i, byte in enumerate(MARK):
        at = np.minimum(offsets + i, len(records.data) - 1)
        marked &= records.data[at] == byte
    return marked
