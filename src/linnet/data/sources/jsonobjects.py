"""JSON that is not one object a line: an array of objects, or objects over several lines; streamed, never held."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.data.limits import BLOCK_CELLS
from linnet.data.sources.chunks import Chunk, Cutting, count_lines
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.jsonlines import JsonLines
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import Offsets, first_records
from linnet.kernels.json_objects import elements


def _array(data: bytes | bytearray) -> Any:
    return np.frombuffer(data, dtype=np.uint8)


def objects_in(data: bytes, ended: bool) -> tuple[Offsets, Offsets, bool]:
    """What is found of a text, for its sample."""
    starts, stops, _, is_open = elements(_array(data), ended)
    return starts, stops, is_open


class JsonObjects(JsonLines):
    """Objects as the elements of an array, or one behind the other; their keys are the columns."""

    format = "json"

    def __init__(self, files: ByteFiles, *, chunk_size: int | None = None) -> None:
        self._most_objects = BLOCK_CELLS
        self.cutting = Cutting(_last_object_end, count_lines, limit=self._limited)
        super().__init__(files, chunk_size=chunk_size)

    def first_chunks(self) -> list[Chunk]:
        return [each.chunk for each in first_records(self.files, objects_in)]

    def _limit_lines(self) -> None:
        self._most_objects = max(1, BLOCK_CELLS // max(1, len(self.layout.wanted)))

    def _limited(self, data: bytearray, end: int) -> int:
        return self._end_of_rows(data[:end], self._most_objects)

    def _rows_in(self, data: bytes | bytearray) -> int:
        return len(elements(_array(data))[0])

    def _end_of_rows(self, data: bytes | bytearray, count: int) -> int:
        stops = elements(_array(data))[1]
        return int(stops[count - 1]) if len(stops) > count else len(data)

    def _lines(self, chunk: Chunk) -> Records:
        """The objects of a chunk, each on one line of its own: no string of JSON has a line end in it."""
        starts, stops, lines, _ = elements(_array(chunk.data))
        raw = bytes(chunk.data).translate(LINE_ENDS_AS_BLANKS)
        parts = [raw[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        ends = np.cumsum([len(part) + 1 for part in parts], dtype=np.int64)
        sizes = stops - starts
        return Records(_array(b"\n".join(parts)), ends - 1 - sizes, ends - 1, lines + chunk.at.line)


LINE_ENDS_AS_BLANKS = bytes.maketrans(b"\r\n", b"  ")


def _last_object_end(data: bytes | bytearray) -> int:
    stops = elements(_array(data), False)[1]
    return int(stops[-1]) if len(stops) else 0
