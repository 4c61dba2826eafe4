"""The first rows of a source, from which its format, columns, types and task are inferred.

They are the first ROWS records of all files in their order, fewer if these take more than BYTES, and one at least.
Headers, blank lines, line ends and byte order marks do not count.  So the sample depends on the rows alone: not on how
they are cut into files or chunks, and not on whether they come from a file, a pipe or a compressed file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.sources.block import Block, Column, Numbers, Position, Strings
from linnet.data.sources.chunks import LONGEST_LINE, Chunk
from linnet.data.sources.files import ByteFiles, without_bom
from linnet.data.sources.readers import HEAD
from linnet.kernels import records as kernel

ROWS, BYTES = 2000, 1 << 22
# What a number counts where rows are not text.
NUMBER_BYTES = 8

Offsets = NDArray[np.int64]
NONE: Offsets = np.empty(0, dtype=np.int64)
# The records of a text that are not blank: where they start and stop.  Unless the file has ended, the last may be cut
# off; or, if that is True, another follows of which only the rest of the file shows where it ends.
Find = Callable[[bytes, bool], tuple[Offsets, Offsets, bool]]


@dataclass(frozen=True)
class Limits:
    """How many records and bytes a sample has at most, and the most bytes of a file that are read for it."""

    rows: int = ROWS
    size: int = BYTES
    longest: int = LONGEST_LINE


SAMPLE = Limits()


@dataclass(frozen=True, eq=False)
class FirstRecords:
    """The beginning of a file, and those of its records that count."""

    chunk: Chunk
    records: list[bytes]


def lines_in(data: bytes, _: bool) -> tuple[Offsets, Offsets, bool]:
    starts, stops, _ = kernel.lines(np.frombuffer(data, dtype=np.uint8))
    return starts, stops, False


def first_record_in(files: ByteFiles, number: int, find: Find) -> bytes | None:
    """The first record of one file; None if it has none."""
    taken = _Beginning(files, number, find, Limits(rows=1), None, False).taken(needed=True)
    return taken.records[0] if taken is not None and taken.records else None


def first_records(
    files: ByteFiles, find: Find, *, header: bool | None = False, limits: Limits = SAMPLE
) -> Iterator[FirstRecords]:
    """The first records of these files, file by file.

    With a header the first record of every file does not count; where that is not known (None), no copy of the first
    record of all counts, for it may be the header of another file.
    """
    first: bytes | None = None
    rows, room = limits.rows, limits.size
    for number in range(len(files)):
        beginning = _Beginning(files, number, find, replace(limits, rows=rows, size=room), first, header)
        taken = beginning.taken(needed=rows == limits.rows)
        if taken is not None:
            yield taken
            first = taken.records[0] if first is None and taken.records else first
            rows -= len(taken.records)
            room -= sum(map(len, taken.records)) + len(taken.records)
        if beginning.full:
            return


class _Beginning:
    """The records at the beginning of one file."""

    def __init__(
        self, files: ByteFiles, number: int, find: Find, limits: Limits, first: bytes | None, header: bool | None
    ) -> None:
        self._files = files
        self._number = number
        self._find = find
        self._limits = limits
        self._first = first
        self._header = header
        self.full = False

    def taken(self, *, needed: bool) -> FirstRecords | None:
        """As many as there is room for; where one is needed, one whatever its size.  None for an empty file."""
        asked = HEAD
        while True:
            head = self._files.head(self._number, asked)
            ended = len(head) < asked
            data = without_bom(head)
            starts, stops, undecided = self._find(data, ended) if data else (NONE, NONE, False)
            records, end = self._fitting(data, starts, stops, ended or undecided, needed=needed)
            if self.full or ended or asked > self._limits.longest:
                break
            # four times as much, or at once what the rest will take if it is like these; how much makes no difference
            about = 1.1 * len(data) * self._limits.rows / max(1, len(starts))
            asked = max(4 * asked, min(16 * asked, int(about), self._limits.longest))
        if not end and (ended or not needed):
            return None
        at = Position(self._number, len(head) - len(data))
        encoding = self._files.encoding_of(self._number)
        chunk = Chunk(data[: end or len(data)], self._files.name(self._number), at, encoding=encoding)
        return FirstRecords(chunk, records)

    def _fitting(
        self, data: bytes, starts: Offsets, stops: Offsets, whole: bool, *, needed: bool
    ) -> tuple[list[bytes], int]:
        """The records that count and fit, and where the last of them ends; sets `full` if another did not fit.

        All are `whole`, or the last may be cut off: it is at least as long.
        """
        last = len(starts) if whole else len(starts) - 1
        counted = np.flatnonzero(self._counts(data, starts, stops))
        costs = stops[counted] - starts[counted] + 1
        room = self._limits.size - (np.cumsum(costs) - costs)
        beyond = (np.arange(len(counted)) >= self._limits.rows) | (costs - (counted == last) > room)
        beyond[: int(needed)] = False
        self.full = bool(beyond.any())
        until = int(counted[np.argmax(beyond)]) if self.full else last
        taken = counted[counted < until]
        spans = zip(starts[taken].tolist(), stops[taken].tolist(), strict=True)
        return [data[start:stop] for start, stop in spans], int(stops[until - 1]) if until > 0 else 0

    def _counts(self, data: bytes, starts: Offsets, stops: Offsets) -> NDArray[np.bool_]:
        """Which records count: not a header and, where that is not known, no copy of the first record of all."""
        counts = np.ones(len(starts), dtype=bool)
        if self._header is not None:
            counts[:1] = not self._header
        elif len(starts):
            first = data[starts[0] : stops[0]] if self._first is None else self._first
            for i in np.flatnonzero(stops - starts == len(first)).tolist():
                counts[i] = data[starts[i] : stops[i]] != first
            counts[0] |= self._first is None
        return counts


def joined(blocks: Iterable[Block]) -> Block:
    """Several blocks of a sample as one: its columns and targets, and the bad rows."""
    every = list(blocks)
    if len(every) == 1:
        return every[0]
    good = [block for block in every if block.rows]
    names = good[0].columns if good else {}
    targets = [block.targets for block in good if block.targets is not None]
    return Block(
        every[0].path if every else "",
        sum(block.rows for block in good),
        every[-1].after if every else Position(),
        columns={name: _joined([block.columns[name] for block in good]) for name in names},
        targets=np.concatenate(targets) if targets else None,
        bad=tuple(row for block in every for row in block.bad),
    )


def _joined(columns: list[Column]) -> Column:
    if isinstance(columns[0], Numbers):
        return Numbers(np.concatenate([each.values for each in columns if isinstance(each, Numbers)]))
    parts = [each for each in columns if isinstance(each, Strings)]
    lengths = np.concatenate([np.diff(each.starts) for each in parts])
    missing: Any = None
    if any(each.missing is not None for each in parts):
        missing = np.concatenate(
            [np.zeros(len(each), dtype=bool) if each.missing is None else each.missing for each in parts]
        )
    data = np.concatenate([each.data[each.starts[0] : each.starts[-1]] for each in parts])
    return Strings(data, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), missing)


def first_rows(blocks: Iterable[Block], limits: Limits = SAMPLE) -> Block:
    """The sample of rows that are not text: a string counts its bytes, a number eight."""
    taken: list[Block] = []
    rows, room = 0, limits.size
    for block in blocks:
        sizes = np.cumsum(_sizes(block))
        fit = min(limits.rows - rows, int(np.searchsorted(sizes, room, side="right")))
        fit = max(fit, int(rows == 0 and block.rows > 0))
        whole = fit >= block.rows
        taken.append(block if whole else replace(block.keep(np.arange(block.rows) < fit), bad=block.bad))
        rows += taken[-1].rows
        room -= int(sizes[fit - 1]) if fit else 0
        if not whole or rows >= limits.rows:
            break
    return joined(taken)


def _sizes(block: Block) -> Offsets:
    """What each row of a block counts."""
    sizes = np.zeros(block.rows, dtype=np.int64)
    for column in block.columns.values():
        sizes += NUMBER_BYTES if isinstance(column, Numbers) else np.diff(column.starts)
    return sizes
