"""Plain text, one row a line, for predictions of a model of one text column.

A blank line is a text without words, so that line n of the file is row n.
"""

from __future__ import annotations

import numpy as np

from linnet.data.sources.block import Block, Strings
from linnet.data.sources.chunks import Chunk
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.lines import LineSource, only_text
from linnet.data.sources.records import Records


class PlainText(LineSource):
    """One column, with the name of the model's text column."""

    format = "text"

    def __init__(self, files: ByteFiles, column: str, *, chunk_size: int | None = None) -> None:
        super().__init__(files, chunk_size=chunk_size)
        self.column = column

    def parse(self, chunk: Chunk) -> Block:
        records, bad = only_text(chunk, _all_lines(chunk))
        texts = [records.raw(i) for i in range(len(records))]
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=starts[1:])
        columns = {self.column: Strings(np.frombuffer(b"".join(texts), dtype=np.uint8), starts)}
        return Block(
            chunk.path,
            len(records),
            chunk.after,
            chunk.read,
            columns,
            lines=records.lines,
            bad=tuple(bad),
            records=records,
        )


def _all_lines(chunk: Chunk) -> Records:
    """The lines of a chunk without their ends, blank ones too."""
    data = np.frombuffer(chunk.data, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if len(data) and data[-1] != ord("\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    returns = (ends > starts) & (data[np.maximum(ends - 1, 0)] == ord("\r"))
    return Records(data, starts, ends - returns, np.arange(len(ends)) + chunk.at.line)
